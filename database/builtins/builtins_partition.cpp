// Functions that add partitions to a scheme, and drop them, by name.
#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "database/builtins/builtins_database.h"
#include "database/service/chunk_names.h"
#include "database/service/database_handle.h"
#include "database/service/secured_objects.h"
#include "runtime/function/principal.h"
#include "runtime/table/audited_data.h"
#include "runtime/table/remote_partitions.h"
#include "runtime/table/stored_table.h"
#include "runtime/value/cast.h"
#include "runtime/value/print.h"
#include "runtime/value/vector.h"

namespace pelorus {

namespace {

Value extendScheme(Context& context, Arguments arguments, PartitionKind kind) {
    const std::string path = databasePath(context, arguments[0], 0);
    Catalog& catalog = databasesOf(context, path).catalog();
    requireOnDatabase(context, path, Right::Manage);
    AuditedData change(context, kind == PartitionKind::Value ? "ADD_VALUE_PARTITION" : "ADD_RANGE_PARTITION", path);
    for (;;) {
        DatabaseEntry database = catalog.database(path);
        const int64_t level = arguments[2].isVoid() ? 0 : arguments[2].asLong();
        if (level < 0 || level >= static_cast<int64_t>(database.scheme.levels().size())) {
            throw UserError(2, "The database " + path + " has no partition level " + std::to_string(level) + ".");
        }
        PartitionLevel& grown = database.scheme.mutableLevels()[static_cast<size_t>(level)];
        if (grown.kind() != kind) {
            throw UserError(2, "Level " + std::to_string(level) + " of " + path + " is of another partition type.",
                            "addValuePartitions is for VALUE, addRangePartitions for RANGE.");
        }
        const int before = grown.takingCount();
        grown.extend(arguments[1]);
        try {
            catalog.updateDatabase(database);
            change.done();
            return Value::ofInt(grown.takingCount() - before);
        } catch (const SystemError& error) {
            if (!error.retryable()) throw;  // otherwise another client changed it first: try again
        }
    }
}

Value addValuePartitionsKernel(Context& context, Arguments arguments) {
    return extendScheme(context, arguments, PartitionKind::Value);
}

Value addRangePartitionsKernel(Context& context, Arguments arguments) {
    return extendScheme(context, arguments, PartitionKind::Range);
}

}  // namespace

bool isPartition(const PartitionScheme& scheme, const PartitionEntry& partition, const std::string& database,
                 const Value& wanted) {
    if (wanted.isString() && wanted.string().starts_with("/")) {
        const std::string path = partitionPrefix(database) + std::string(wanted.string());
        return partition.path == path || partition.path.starts_with(path + "/");
    }
    const auto holds = [&](size_t level, const Value& key) {
        return level < partition.index.size() && scheme.levels()[level].placeOne(key) == partition.index[level];
    };
    if (wanted.isScalar()) return holds(0, wanted);
    for (int64_t level = 0; level < wanted.size(); ++level) {
        const Value keys = wanted.at(level);
        bool any = keys.isVoid() || (keys.isScalar() && keys.isNull());
        for (int64_t i = 0; i < keys.size() && !any; ++i) {
            any = holds(static_cast<size_t>(level), keys.isScalar() ? keys : keys.at(i));
        }
        if (!any) return false;
    }
    return true;
}

std::vector<Value> partitionsArgument(const Value& value) {
    std::vector<Value> wanted{value};
    // [, `b] is a string vector: its NULL matches any value of the first level.
    const bool isByLevel = value.isVector() && value.size() > 1 && value.at(0).isNull();
    if (value.isVector() && !value.isTuple() && !isByLevel) {
        wanted.clear();
        for (int64_t i = 0; i < value.size(); ++i) wanted.push_back(value.at(i));
    } else if (value.isTuple() && value.size() > 0 && value.at(0).isString() && value.at(0).string().starts_with("/")) {
        wanted = value.tuple().elements;
    }
    return wanted;
}

namespace {

// Returns whether the dropped partitions are complete ones of the first level, such as "/20240301" or 2024.03.01 in a
// scheme of two levels.
bool namesFirstLevel(const Value& wanted, size_t levels) {
    if (wanted.isString() && wanted.string().starts_with("/")) {
        const std::string_view path = wanted.string();
        return levels == 1 || path.find('/', 1) == std::string_view::npos;
    }
    if (wanted.isScalar()) return true;
    for (int64_t level = 1; level < wanted.size(); ++level) {
        if (!wanted.at(level).isVoid()) return false;
    }
    return true;
}

// Returns whether a call names this value of the first level.
bool namesValue(const PartitionLevel& level, int position, const Value& wanted) {
    if (wanted.isString() && wanted.string().starts_with("/"))
        return wanted.string().substr(1) == level.label(position);
    if (wanted.isScalar()) return level.placeOne(wanted) == position;
    const Value keys = wanted.at(0);
    if (keys.isVoid()) return true;
    for (int64_t i = 0; i < keys.size(); ++i) {
        if (level.placeOne(keys.isScalar() ? keys : keys.at(i)) == position) return true;
    }
    return false;
}

// Throws UserError when the scheme must keep its values.
void requireDroppableValues(const DatabaseEntry& database, const std::vector<std::string>& tables,
                            const std::vector<Value>& wanted) {
    const auto& levels = database.scheme.levels();
    const bool isWhole = std::all_of(wanted.begin(), wanted.end(),
                                     [&](const Value& value) { return namesFirstLevel(value, levels.size()); });
    if (tables.size() == 1 && levels[0].kind() == PartitionKind::Value && isWhole) return;
    throw UserError(4,
                    "deleteSchema needs a database of one table, partitioned by VALUE on the first level, and whole "
                    "partitions of that level.",
                    "Leave it out to drop the rows only.");
}

void dropValues(Catalog& catalog, const std::string& path, const std::vector<Value>& wanted) {
    for (;;) {
        DatabaseEntry database = catalog.database(path);
        PartitionLevel& level = database.scheme.mutableLevels()[0];
        for (int position = 0; position < level.count(); ++position) {
            const bool hit = std::any_of(wanted.begin(), wanted.end(),
                                         [&](const Value& value) { return namesValue(level, position, value); });
            if (hit) level.drop(position);
        }
        try {
            return catalog.updateDatabase(database);
        } catch (const SystemError& error) {
            if (!error.retryable()) throw;  // otherwise another client changed it first: try again
        }
    }
}

Value dropPartitionKernel(Context& context, Arguments arguments) {
    const std::string path = databasePath(context, arguments[0], 0);
    DatabaseService& service = databasesOf(context, path);
    const DatabaseEntry database = visibleDatabase(context, path);
    std::vector<std::string> names = service.catalog().tableNames(path);
    if (!arguments[2].isVoid()) names = {nameArgument(arguments[2], 2, "tableName")};
    const std::vector<Value> wanted = partitionsArgument(arguments[1]);
    const bool dropsValues = !arguments[4].isVoid() && isTrue(arguments[4]);
    const bool manages = context.principal().may(Right::Manage, securedDatabase(database));
    if (dropsValues) requireOnDatabase(context, path, Right::Manage);
    for (const std::string& name : names) {
        if (!manages) requireOnTable(context, visibleTable(context, path, name), Right::Delete);
    }
    if (dropsValues) requireDroppableValues(database, service.catalog().tableNames(path), wanted);
    const size_t prefix = partitionPrefix(path).size();
    for (const std::string& name : names) {
        const TableEntry entry = service.catalog().table(path, name);
        if (entry.partitionColumns.empty()) continue;
        const Ref<PartitionedTable> table = service.open(database, entry);
        std::vector<std::string> paths;
        const auto snapshot = table->takeSnapshot();
        for (const size_t position : partitionsWithRows(*snapshot)) {
            const PartitionEntry& partition = snapshot->partitions()[position];
            const bool hit = std::any_of(wanted.begin(), wanted.end(), [&](const Value& value) {
                return isPartition(database.scheme, partition, path, value);
            });
            if (hit) paths.push_back(partition.path.substr(prefix));
        }
        AuditedData change(context, "DROP_PARTITION", path, name,
                           fmt::format("deletedPartitions={}", fmt::join(paths, ",")));
        service.removePartitions(entry.id, paths);
        change.done();
    }
    if (dropsValues) dropValues(service.catalog(), path, wanted);
    return {};
}

// setAtomicLevel(dbHandle, atomic)
Value setAtomicLevelKernel(Context& context, Arguments arguments) {
    const std::string path = databasePath(context, arguments[0], 0);
    Catalog& catalog = databasesOf(context, path).catalog();
    const std::string atomic = nameArgument(arguments[1], 1, "atomic");
    if (atomic != "TRANS" && atomic != "CHUNK") throw UserError(1, "atomic must be 'TRANS' or 'CHUNK'.");
    requireOnDatabase(context, path, Right::Manage);
    AuditedData change(context, "SET_ATOMIC_LEVEL", path, "", "atomic=" + atomic);
    for (;;) {
        DatabaseEntry database = catalog.database(path);
        database.atomic = atomic;
        try {
            catalog.updateDatabase(database);
            change.done();
            return {};
        } catch (const SystemError& error) {
            if (!error.retryable()) throw;
        }
    }
}

// getTablet(table, partition): returns the partitions of a partitioned table in memory that contain the given values.
Value getTabletKernel(Context& context, Arguments arguments) {
    const PartitionedTable* table = arguments[0].isTable() ? arguments[0].table().asPartitioned() : nullptr;
    if (table == nullptr || !table->databasePath().empty())
        throw UserError(0, "table must be a partitioned table in memory.", "createPartitionedTable makes one.");
    const auto snapshot = table->snapshot(context.principal());
    const auto& levels = table->scheme().levels();
    const auto tablet = [&](const Value& key) {
        if (levels[0].placeOne(key) < 0)
            throw UserError(1, "No partition takes the value " + toString(key) + ".",
                            "schema(table) shows the scheme.");
        Ref<MemoryTable> rows = MemoryTable::empty(table->columns());
        for (size_t p = 0; p < snapshot->partitions().size(); ++p) {
            if (snapshot->partitions()[p].index.at(0) == levels[0].placeOne(key))
                rows->append(*readRows(*snapshot->open(p), table->columns()));
        }
        return Value::of(Ref<Table>(rows));
    };
    const Value& wanted = arguments[1];
    if (wanted.isScalar()) return tablet(wanted);
    if (!wanted.isVector()) throw UserError(1, "partition must be one or more values of the partition column.");
    std::vector<Value> tablets;
    for (int64_t i = 0; i < wanted.size(); ++i) tablets.push_back(tablet(wanted.at(i)));
    return Value::of(makeRef<Tuple>(std::move(tablets)));
}

Value listTablesKernel(Context& context, Arguments arguments) {
    const std::string path = databasePath(context, arguments[0], 0);
    Catalog& catalog = databasesOf(context, path).catalog();
    const DatabaseEntry database = catalog.database(path);
    std::vector<std::string> names, indexes;
    for (const std::string& name : catalog.tableNames(database.path)) {
        names.push_back(name);
        indexes.push_back(database.chunkGranularity == "TABLE" ? physicalIndex(catalog.table(database.path, name).id)
                                                               : "");
    }
    std::vector<Value> columns{Value::of(Vector::ofStrings(names)), Value::of(Vector::ofStrings(indexes))};
    return Value::of(
        Ref<Table>(makeRef<MemoryTable>(std::vector<std::string>{"tableName", "physicalIndex"}, std::move(columns))));
}

// The path ends with the physical index of a table, or the name of the table is given, unless partitions are of the
// whole database.
Value existsPartitionKernel(Context& context, Arguments arguments) {
    const std::string path = givenDatabasePath(context, arguments[0], 0);
    if (!arguments[1].isVoid())
        return Value::ofBool(hasPartition(context, path, nameArgument(arguments[1], 1, "tableName")));
    if (hasPartition(context, path, "")) return Value::ofBool(true);
    const size_t slash = path.rfind('/');
    if (slash == std::string::npos) return Value::ofBool(false);
    const std::string partition = path.substr(0, slash), index = path.substr(slash + 1);
    for (const TableEntry& table : databasesOf(context).catalog().allTables()) {
        if (physicalIndex(table.id) == index && partition.starts_with(table.database + "/"))
            return Value::ofBool(hasPartition(context, partition, table.name));
    }
    return Value::ofBool(false);
}

}  // namespace

bool hasPartition(Context& context, const std::string& path, const std::string& table) {
    DatabaseService& service = databasesOf(context);
    for (const TableEntry& entry : service.catalog().allTables()) {
        if (!path.starts_with(entry.database + "/")) continue;
        const DatabaseEntry database = service.catalog().database(entry.database);
        if (table.empty() ? database.chunkGranularity != "DATABASE" : entry.name != table) continue;
        const std::string wanted = path.substr(std::string_view("dfs:/").size());
        const auto snapshot = service.open(database, entry)->takeSnapshot();
        for (const size_t position : partitionsWithRows(*snapshot)) {
            if (snapshot->partitions()[position].path == wanted) return true;
        }
    }
    return false;
}

void registerPartitionBuiltins(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Public, Effect::Writes);
    registry.add(
        "addValuePartitions(dbHandle, newValues, [level=0], [locations])", addValuePartitionsKernel,
        {.summary = "Adds values to a VALUE level of a database's partition scheme, and returns how many are new.",
         .parameters = "dbHandle: a database that database() has opened\n"
                       "newValues: a scalar or vector of values of the type of the level; those that are there stay\n"
                       "level: which level of the scheme, from 0\n"
                       "locations: has no effect",
         .errors = "The level is of another kind, or a string has a blank.",
         .example = "addValuePartitions(database(\"dfs://TAQ\"), 2024.02.01..2024.02.29)"});
    registry.add("setAtomicLevel(dbHandle, atomic)", setAtomicLevelKernel,
                 {.summary = "Whether a write is atomic as a whole, 'TRANS', or per partition, 'CHUNK'.",
                  .example = "setAtomicLevel(database(\"dfs://TAQ\"), 'CHUNK')"});
    registry.add("listTables(dbUrl)", listTablesKernel,
                 {.summary = "Names of a database's tables and of their parts of partitions, as a table.",
                  .example = "listTables(\"dfs://TAQ\")"},
                 kReads);
    registry.add(
        "existsPartition(partitionUrl, [tableName])", existsPartitionKernel,
        {.summary = "Whether the partition of a path such as \"dfs://db/20240102\" holds rows of the table.",
         .parameters = "tableName: may be left out when partitions are of the whole database, or the path ends "
                       "with the physicalIndex of listTables",
         .example = "existsPartition(\"dfs://TAQ/20240102\", `trades)"},
        kReads);
    registry.add("addRangePartitions(dbHandle, newRanges, [level=0], [locations])", addRangePartitionsKernel,
                 {.summary = "Adds ranges behind the last one of a RANGE level, and returns how many.",
                  .parameters = "dbHandle: a database that database() has opened\n"
                                "newRanges: ascending boundaries; the first is the one that the scheme ends with\n"
                                "level: which level of the scheme, from 0\n"
                                "locations: has no effect",
                  .errors = "The level is of another kind, or the boundaries do not go on from its end.",
                  .example = "addRangePartitions(database(\"dfs://ids\"), 3000 4000 5000)"});
    registry.add("getTablet(table, partition)", getTabletKernel,
                 {.summary = "The rows of the partition of a partitioned table in memory that a value belongs to, as a "
                             "table; of several values a tuple.",
                  .parameters = "partition: values of the partition column, of the first one when there are several",
                  .errors = "No partition takes the value.",
                  .example = "t = table(`A`B`B as sym, 1 2 3 as qty); p = createPartitionedTable(database(\"\", VALUE, "
                             "`A`B), t, `p, `sym).append!(t); getTablet(p, `B).qty -> [2,3]"},
                 kReads);
    registry.add("dropPartition(dbHandle, partitionPaths, [tableName], [forceDelete=false], [deleteSchema=false])",
                 dropPartitionKernel,
                 {.summary = "Removes the rows of partitions, of one table or of all.",
                  .parameters = "partitionPaths: paths as \"/20240301/0_50\", or values of the partition columns, in a "
                                "tuple one element per level\n"
                                "deleteSchema: the first level forgets the values, too; addValuePartitions brings "
                                "them back",
                  .errors = "deleteSchema where the database has several tables, where the first level is not VALUE, "
                            "or where partitions of other levels are named.",
                  .example = "dropPartition(database(\"dfs://TAQ\"), 2024.01.02, `trades)\n"
                             "dropPartition(database(\"dfs://TAQ\"), \"/20240103\", `trades)"});
}

}  // namespace pelorus
