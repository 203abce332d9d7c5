#include "database/builtins/builtins_database.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>

#include "common/error.h"
#include "database/backup/backup_arguments.h"
#include "database/service/database_handle.h"
#include "database/service/local_folder.h"
#include "database/service/partition_columns.h"
#include "database/service/partitioned_memory_table.h"
#include "database/service/process_tables.h"
#include "database/service/secured_objects.h"
#include "runtime/append/table_transaction.h"
#include "runtime/function/file_access.h"
#include "runtime/function/principal.h"
#include "runtime/function/rights_keeper.h"
#include "runtime/partition/partition_values.h"
#include "runtime/registry/function_theme.h"
#include "runtime/table/audited_data.h"
#include "runtime/table/column_advice.h"
#include "runtime/table/stored_table.h"
#include "runtime/text/text_analyzer.h"
#include "runtime/value/cast.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"
#include "runtime/value/vector.h"
#include "storage/table/row_facts.h"

namespace pelorus {

namespace {

PartitionKind kindOf(const Value& value, int argument) {
    if (value.isNumber()) {
        const int64_t kind = value.asLong();
        if (kind >= 0 && kind <= static_cast<int64_t>(PartitionKind::Hash)) return static_cast<PartitionKind>(kind);
    }
    throw UserError(argument, "partitionType must be VALUE, RANGE, LIST, HASH or COMPO.");
}

PartitionScheme schemeOf(PartitionKind kind, const Value& scheme, int argument) {
    std::vector<PartitionLevel> levels;
    if (kind != PartitionKind::Compo) {
        if (kind == PartitionKind::Value) refuseBlanks(scheme);
        if (kind == PartitionKind::List) refuseRepeated(scheme);
        levels.emplace_back(kind, scheme);
        return PartitionScheme(std::move(levels));
    }
    if (!scheme.isVector() || scheme.size() < 2 || scheme.size() > 3) {
        throw UserError(argument, "A COMPO scheme is a vector of 2 or 3 databases.",
                        "Create them with database(, partitionType, partitionScheme).");
    }
    for (int64_t i = 0; i < scheme.size(); ++i) {
        const DatabaseHandle* part = databaseHandle(scheme.at(i));
        if (part == nullptr || part->entry().scheme.levels().size() != 1) {
            throw UserError(argument, fmt::format("Item {} of the COMPO scheme is not a database with one level.", i));
        }
        levels.push_back(part->entry().scheme.levels()[0]);
    }
    return PartitionScheme(std::move(levels));
}

// A VALUE scheme may have grown since it was stored.
bool sameScheme(const PartitionScheme& stored, const PartitionScheme& given) {
    if (stored.levels().size() != given.levels().size()) return false;
    for (size_t i = 0; i < stored.levels().size(); ++i) {
        const PartitionLevel& a = stored.levels()[i];
        const PartitionLevel& b = given.levels()[i];
        if (a.kind() != b.kind()) return false;
        if (identical(a.scheme(), b.scheme())) continue;
        if (a.kind() != PartitionKind::Value || a.keyType() != b.keyType()) return false;
        const Value& keys = b.scheme();
        for (int64_t k = 0; k < keys.size(); ++k) {
            if (a.placeOne(keys.isScalar() ? keys : keys.at(k)) < 0) return false;
        }
    }
    return true;
}

std::string upperString(const Value& value, int argument, std::string_view parameter, std::string fallback) {
    if (value.isVoid()) return fallback;
    std::string string = nameArgument(value, argument, parameter);
    std::transform(string.begin(), string.end(), string.begin(), [](unsigned char c) { return std::toupper(c); });
    return string;
}

std::string engineOf(const Value& value, int argument) {
    std::string engine = upperString(value, argument, "engine", "OLAP");
    if (engine == "OLAP" || engine == "TSDB" || engine == "PKEY") return engine;
    throw UserError(argument, "The engine " + engine + " is not supported.",
                    engine == "IMOLTP" ? "A keyed table in memory takes rows by key; transaction { } changes it as one."
                                       : "Use OLAP, TSDB or PKEY.");
}

Value databaseKernel(Context& context, Arguments arguments) {
    const bool hasPath = !arguments[0].isVoid() && !(arguments[0].isString() && arguments[0].isNull());
    DatabaseEntry entry;
    bool isNewSchema = false;
    if (hasPath) {
        const std::string given = givenDatabasePath(context, arguments[0], 0);
        const bool isFolder = isFolderPath(given);
        if (isFolder && arguments[1].isVoid() && !FolderDatabases::has(userFiles(context), given)) {
            entry.path = given;
            return DatabaseHandle::make(std::move(entry));
        }
        entry.path = isFolder                ? FolderDatabases::nameOf(given)
                     : arguments[1].isVoid() ? databasePath(context, arguments[0], 0)
                                             : pathForSchema(context, given, isNewSchema);
        if (!isFolder && (!entry.path.starts_with("dfs://") || entry.path.size() == 6)) {
            throw UserError(0, "A database is named \"dfs://name\", but this is \"" + entry.path + "\".",
                            "Give a folder with a slash, such as \"./ticks\", for a database of this node alone.");
        }
        if (entry.path.find('\n') != std::string::npos)
            throw UserError(0, "A database's name must not contain line breaks.");
    }
    if (arguments[1].isVoid()) {
        if (!hasPath) throw UserError(1, "A database in memory needs partitionType and partitionScheme.");
        return DatabaseHandle::make(visibleDatabase(context, entry.path));
    }
    if (arguments[2].isVoid()) throw UserError(2, "partitionScheme is missing.");
    entry.scheme = schemeOf(kindOf(arguments[1], 1), arguments[2], 2);
    entry.engine = engineOf(arguments[4], 4);
    entry.atomic = upperString(arguments[5], 5, "atomic", "TRANS");
    entry.chunkGranularity = upperString(arguments[6], 6, "chunkGranularity", "TABLE");
    entry.owner = context.principal().user();
    if (entry.atomic != "TRANS" && entry.atomic != "CHUNK") throw UserError(5, "atomic must be 'TRANS' or 'CHUNK'.");
    if (!hasPath) return DatabaseHandle::make(std::move(entry));

    // The folder gets its storage only after all checks.
    DatabaseService& service = isFolderPath(entry.path)
                                   ? databasesOf(context).folders().open(userFiles(context), entry.path)
                                   : databasesOf(context);
    Catalog& catalog = service.catalog();
    std::optional<DatabaseEntry> existing = catalog.findDatabase(entry.path);
    if (!existing) {
        if (!isFolderPath(entry.path)) {
            context.principal().require(Right::CreateDatabase, SecuredObject::ofDatabase(entry.path, ""));
            // Rights to a database of this name that was dropped are not for this one.
            if (auto* rights = context.service<RightsKeeper>()) rights->forgetDatabase(entry.path);
        }
        AuditedData change(context, "CREATE_DB", entry.path);
        catalog.createDatabase(entry);
        change.done();
        if (isNewSchema) nameSchema(context, givenDatabasePath(context, arguments[0], 0), entry.path);
        return DatabaseHandle::make(catalog.database(entry.path));
    }
    if (!sameScheme(existing->scheme, entry.scheme)) {
        throw UserError(2, "The database " + entry.path + " exists already, with another partition scheme.",
                        "Open it with database(\"" + entry.path + "\"), or drop it with dropDatabase first.");
    }
    return DatabaseHandle::make(std::move(*existing));
}

TableSchema schemaFrom(const Value& sample, int argument) {
    if (!sample.isTable()) throw UserError(argument, "table must be a table that has the columns of the new one.");
    return sample.table().columns();
}

std::vector<std::string> compressMethods(const Value& value, int argument, const TableSchema& schema) {
    std::vector<std::string> methods(schema.size(), "lz4");
    if (value.isVoid()) return methods;
    if (!value.isDictionary()) throw UserError(argument, "compressMethods must be a dictionary of column to method.");
    const Dictionary& given = value.dictionary();
    for (int64_t i = 0; i < given.size(); ++i) {
        const std::string column = nameArgument(given.keyAt(i), argument, "A column of compressMethods");
        const std::string method = nameArgument(given.valueAt(i), argument, "A method of compressMethods");
        const auto at = std::find_if(schema.begin(), schema.end(), [&](const auto& c) { return c.name == column; });
        if (at == schema.end())
            throw UserError(argument, "compressMethods names the column " + column + ", which the table has not.");
        if (method != "lz4" && method != "delta" && method != "zstd" && method != "chimp") {
            throw UserError(argument, "There is no compression method " + method + ".",
                            "Use lz4, delta, zstd or chimp.");
        }
        methods[static_cast<size_t>(at - schema.begin())] = method;
    }
    return methods;
}

// Returns ALL, LAST or FIRST: given by name or number.
std::string keepDuplicatesOf(const Value& value, int argument) {
    static const char* const names[] = {"ALL", "FIRST", "LAST"};
    if (value.isVoid()) return "ALL";
    if (value.isNumber() && value.asLong() >= 0 && value.asLong() <= 2) return names[value.asLong()];
    const std::string name = upperString(value, argument, "keepDuplicates", "ALL");
    if (name == "ALL" || name == "LAST" || name == "FIRST") return name;
    throw UserError(argument, "keepDuplicates must be ALL, LAST or FIRST.");
}

struct OrderOptions {
    std::vector<std::string> sortColumns;
    std::string keepDuplicates;
    std::vector<std::string> primaryKey;
    bool softDelete = false;
    Value indexes;
    std::string comment;
    std::string encryptMode;
    std::string engine;
};

// Makes the table one of rows, with its primary key.
void takeRowEngine(OrderOptions& order, TableEntry& table) {
    const bool hasOthers = !order.sortColumns.empty() || order.keepDuplicates != "ALL" || order.softDelete ||
                           !order.indexes.isVoid() || !order.encryptMode.empty();
    if (hasOthers) {
        throw UserError("sortColumns, keepDuplicates, softDelete, indexes and encryptMode are for tables of columns.",
                        "A row table takes primaryKey.");
    }
    RowTableFacts& facts = table.rowTable.emplace();
    placeRowColumns(table);
    const std::vector<std::string> key = std::move(order.primaryKey);
    order.primaryKey.clear();
    if (key.empty()) return;
    for (const std::string& name : key) {
        if (std::find(facts.columns.begin(), facts.columns.end(), name) == facts.columns.end())
            throw unknownColumn(name, table.schema);
    }
    facts.required = key;
    facts.indexes = {{table.name + "_pkey", key, true, true}};
}

bool mayHaveBloomFilter(Type type) {
    const Category category = categoryOf(type);
    return category == Category::Logical || category == Category::Integral || category == Category::Temporal ||
           category == Category::Denary || category == Category::Binary || type == Type::String || type == Type::Blob ||
           type == Type::Complex;
}

// Bounds of blocks and exact scans replace bloom filters and vector indexes, so these definitions are
// only validated. For a text index the table keeps its tokenizer; searches scan all strings.
void takeIndexes(const Value& indexes, int argument, const std::string& engine, TableEntry& table) {
    if (indexes.isVoid()) return;
    if (!indexes.isDictionary()) throw UserError(argument, "indexes must be a dictionary of column to index.");
    for (int64_t i = 0; i < indexes.dictionary().size(); ++i) {
        const std::string name = nameArgument(indexes.dictionary().keyAt(i), argument, "A column of indexes");
        const std::string kind = nameArgument(indexes.dictionary().valueAt(i), argument, "An index");
        const auto column = std::find_if(table.schema.begin(), table.schema.end(),
                                         [&](const ColumnSchema& c) { return c.name == name; });
        if (column == table.schema.end())
            throw UserError(argument, "indexes names the column " + name + ", which the table has not.");
        const bool isBloom = kind == "bloomfilter" && engine == "PKEY";
        const bool isString = TextAnalyzer::isTextIndex(kind) && engine == "PKEY";
        const bool isVector = kind.starts_with("vectorindex(") && engine == "TSDB" && table.keepDuplicates == "ALL";
        if (isString) {
            TextAnalyzer::parse(kind, argument);
            const auto& key = table.sortColumns;
            if (std::find(key.begin(), key.end(), name) != key.end())
                throw UserError(argument, fmt::format("{} is of the primary key: it can't have a text index.", name));
            if (column->type != Type::String && column->type != Type::Blob)
                throw UserError(argument,
                                fmt::format("TextIndex cannot be specified on columns of {} type. RefId: S12008",
                                            typeName(column->type)));
            table.textIndexes[name] = kind;
            continue;
        }
        if (!isBloom && !isVector) {
            throw UserError(
                argument,
                fmt::format("The index {} of {} is not supported in a {} database. RefId: S12007", kind, name, engine),
                "bloomfilter and textindex(...) are for PKEY, vectorindex(...) for TSDB with keepDuplicates=ALL.");
        }
        if (isBloom ? !mayHaveBloomFilter(column->type) : column->type != arrayTypeOf(Type::Float)) {
            throw UserError(argument, fmt::format("{} cannot be specified on columns of {} type. RefId: S12008",
                                                  isBloom ? "BloomFilter" : "VectorIndex", typeName(column->type)));
        }
    }
}

const MemoryTable& memoryTable(const Value& sample) {
    const auto* rows = asMemoryTable(sample);
    if (rows == nullptr) throw UserError(1, "The sample of a table in memory must be a table in memory.");
    return *rows;
}

// A tuple of tables, one per partition, are the partitions themselves.
Value tableInMemory(const DatabaseEntry& database, TableEntry table, const Value& sample) {
    if (sample.isTuple()) {
        std::vector<Ref<MemoryTable>> partitions;
        for (const Value& element : sample.tuple().elements) {
            memoryTable(element);
            partitions.emplace_back(element.as<MemoryTable>());
        }
        return Value::of(Ref<Table>(makeRef<PartitionedMemoryTable>(database, std::move(table), partitions)));
    }
    const MemoryTable& rows = memoryTable(sample);
    if (table.partitionColumns.empty()) {
        Ref<MemoryTable> plain = MemoryTable::empty(rows.columns());
        plain->name = table.name;
        return Value::of(Ref<Table>(plain));
    }
    return Value::of(Ref<Table>(makeRef<PartitionedMemoryTable>(database, std::move(table), rows)));
}

Value createTable(Context& context, Arguments arguments, const std::vector<std::string>& partitionColumns,
                  const Value& compress, int compressArgument, OrderOptions order, int indexesArgument) {
    const DatabaseHandle* handle = databaseHandle(arguments[0]);
    TableEntry table;
    if (!arguments[1].isTuple() || arguments[1].size() > 0)
        table.schema = schemaFrom(arguments[1].isTuple() ? arguments[1].at(0) : arguments[1], 1);
    setPartitionColumns(table, partitionColumns, context);
    if (handle != nullptr && handle->inMemory()) {
        const bool isNamed = !arguments[2].isVoid() && !(arguments[2].isString() && arguments[2].isNull());
        if (isNamed) table.name = nameArgument(arguments[2], 2, "tableName");
        return tableInMemory(handle->entry(), std::move(table), arguments[1]);
    }
    if (arguments[1].isTuple()) throw UserError(1, "Only a table in memory is made of several tables.");
    table.database = databasePath(context, arguments[0], 0);
    requireOnDatabase(context, table.database, Right::CreateObject);
    table.name = nameArgument(arguments[2], 2, "tableName");
    table.compressMethods = compressMethods(compress, compressArgument, table.schema);
    table.owner = context.principal().user();
    DatabaseService& service = databasesOf(context, table.database);
    if (order.engine == "ROW") takeRowEngine(order, table);
    table.sortColumns = std::move(order.sortColumns);
    table.keepDuplicates = std::move(order.keepDuplicates);
    table.softDelete = order.softDelete;
    table.comment = std::move(order.comment);
    table.encryptMode = std::move(order.encryptMode);
    if (!order.primaryKey.empty()) {
        if (service.catalog().database(table.database).engine != "PKEY" || !table.sortColumns.empty())
            throw UserError("primaryKey is for databases of the engine PKEY, and replaces sortColumns.");
        table.sortColumns = std::move(order.primaryKey);
        table.keepDuplicates = "LAST";
    }
    takeIndexes(order.indexes, indexesArgument, service.catalog().database(table.database).engine, table);
    AuditedData change(context, table.partitionColumns.empty() ? "CREATE_TABLE" : "CREATE_PARTITIONED_TABLE",
                       table.database, table.name);
    const TableEntry made = service.createTable(std::move(table));
    change.done();
    return Value::of(Ref<Table>(service.open(service.catalog().database(made.database), made)));
}

std::string commentOf(const Value& comment, int argument) {
    if (comment.isVoid()) return "";
    if (!comment.isString()) throw UserError(argument, "comment must be a STRING.");
    return std::string(comment.string());
}

// Returns the encryption mode in an argument; empty for plaintext.
std::string encryptModeOf(const Value& mode, int argument) {
    if (mode.isVoid()) return "";
    const std::optional<CipherMode> known = mode.isString() ? cipherModeNamed(mode.string()) : std::nullopt;
    if (!known)
        throw UserError(argument,
                        "encryptMode must be plaintext, aes_K_ctr, aes_K_cbc or aes_K_ecb with K of 128, 192 "
                        "or 256, sm4_128_cbc or sm4_128_ecb.");
    return *known == CipherMode::Plaintext ? "" : std::string(cipherModeName(*known));
}

// Returns ROW for a table of rows; empty for one of columns.
std::string rowEngineOf(const Value& engine, int argument) {
    const std::string name = upperString(engine, argument, "engine", "");
    if (name.empty() || name == "ROW") return name;
    throw UserError(argument, "engine must be ROW or left out; that of tables of columns is given to database().");
}

// A sortKeyMappingFunction only bounds the number of keys of a partition, which is not needed here.
void refuseMapping(const Value& functions, size_t sortColumns, int argument) {
    if (functions.isVoid()) return;
    const size_t keys = sortColumns > 1 ? sortColumns - 1 : 1;
    const auto given = functions.isTuple() ? static_cast<size_t>(functions.size()) : 1;
    if (given == keys) return;
    throw UserError(
        argument, fmt::format("sortKeyMappingFunction has {} functions, but the sort key has {} columns.", given, keys),
        "Give one for each sort column but the last; NULL leaves a column as it is.");
}

Value createPartitionedTableKernel(Context& context, Arguments arguments) {
    const std::vector<std::string> columns = namesArgument(arguments[3], 3, "partitionColumns");
    if (columns.empty()) throw UserError(3, "partitionColumns is missing.", "Name one column per partition level.");
    refuseMapping(arguments[7], namesArgument(arguments[5], 5, "sortColumns").size(), 7);
    return createTable(context, arguments, columns, arguments[4], 4,
                       {.sortColumns = namesArgument(arguments[5], 5, "sortColumns"),
                        .keepDuplicates = keepDuplicatesOf(arguments[6], 6),
                        .primaryKey = namesArgument(arguments[13], 13, "primaryKey"),
                        .softDelete = !arguments[8].isVoid() && isTrue(arguments[8]),
                        .indexes = arguments[9],
                        .comment = commentOf(arguments[14], 14),
                        .encryptMode = encryptModeOf(arguments[12], 12)},
                       9);
}

Value createTableKernel(Context& context, Arguments arguments) {
    return createTable(context, arguments, {}, arguments[3], 3,
                       {.sortColumns = namesArgument(arguments[4], 4, "sortColumns"),
                        .keepDuplicates = keepDuplicatesOf(arguments[5], 5),
                        .primaryKey = namesArgument(arguments[9], 9, "primaryKey"),
                        .softDelete = !arguments[6].isVoid() && isTrue(arguments[6]),
                        .indexes = arguments[7],
                        .comment = commentOf(arguments[10], 10),
                        .encryptMode = encryptModeOf(arguments[8], 8),
                        .engine = rowEngineOf(arguments[11], 11)},
                       7);
}

// A database is saved when it is made.
Value saveDatabaseKernel(Context& context, Arguments arguments) {
    const std::string path = databasePath(context, arguments[0], 0);
    visibleDatabase(context, path);
    return {};
}

// savePartition(dbHandle, table, tableName, [compression])
Value savePartitionKernel(Context& context, Arguments arguments) {
    std::vector<Value> append{
        openTable(context, databasePath(context, arguments[0], 0), nameArgument(arguments[2], 2, "tableName")),
        arguments[1]};
    FunctionRegistry::instance().get("append!").call(context, append);
    return {};
}

// Returns whether the name is that of a table file of a plain folder, rather than of a table in the folder's
// partitioned database.
bool hasPlainTable(const std::string& folder, const std::string& name, Context& context) {
    if (!isFolderPath(folder)) return false;
    return !FolderDatabases::has(userFiles(context), folder) ||
           !databasesOf(context, folder).catalog().findTable(folder, name);
}

// Returns the rows of a table of a plain folder's database: of all its partitions, or of those of the first level that
// take the given keys.
Value rowsInMemory(Context& context, const std::string& path, const std::string& name, const Value& keys) {
    const Value opened = openTable(context, path, name);
    const PartitionedTable& table = *opened.table().asPartitioned();
    const auto& levels = table.scheme().levels();
    std::set<int> wanted;
    if (!keys.isVoid()) {
        if (levels.empty()) throw UserError(2, "The table " + name + " has no partitions.", "Leave partitions out.");
        if (!keys.isScalar() && !keys.isTypedVector())
            throw UserError(2, "partitions must be one or more values of the first partition column.");
        for (int64_t i = 0; i < keys.size(); ++i) {
            const Value key = keys.isScalar() ? keys : keys.at(i);
            const int place = levels[0].placeOne(key);
            if (place < 0)
                throw UserError(2, "No partition takes the value " + toString(key) + ".",
                                "schema(table) shows the scheme.");
            wanted.insert(place);
        }
    }
    const auto snapshot = table.snapshot(context.principal());
    Ref<MemoryTable> rows = MemoryTable::empty(table.columns());
    for (size_t p = 0; p < snapshot->partitions().size(); ++p) {
        context.checkCancelled();
        if (wanted.empty() || wanted.contains(snapshot->partitions()[p].index.at(0)))
            rows->append(*readRows(*snapshot->open(p), table.columns()));
    }
    return Value::of(Ref<Table>(rows));
}

Value loadTableKernel(Context& context, Arguments arguments) {
    const std::string name = nameArgument(arguments[1], 1, "tableName");
    if (const std::string folder = givenDatabasePath(context, arguments[0], 0); hasPlainTable(folder, name, context))
        return Value::of(Ref<Table>(loadFolderTable(userFiles(context), folder, name)));
    const bool inMemory = !arguments[3].isVoid() && isTrue(arguments[3]);
    if (const std::string folder = givenDatabasePath(context, arguments[0], 0);
        isFolderPath(folder) && (!arguments[2].isVoid() || inMemory))
        return rowsInMemory(context, folder, name, arguments[2]);
    if (!arguments[2].isVoid() || inMemory) {
        throw UserError(arguments[2].isVoid() ? 3 : 2,
                        "loadTable loads no partitions of a database into memory: partitions and memoryMode are not "
                        "supported for \"dfs://\" databases.",
                        "Leave them out; select * from loadTable(database, tableName) where … reads what is wanted.");
    }
    const bool isPlainName =
        arguments[0].isString() && arguments[0].string().find_first_of(":/.\n") == std::string_view::npos;
    if (isPlainName && databasesOf(context).currentCatalogs().get(context.request->sessionId).empty()) {
        const std::string_view database = arguments[0].string();
        throw UserError(
            0, fmt::format("table file does not exist: {}/{}.tbl", database, name),
            fmt::format("Write \"dfs://{}\", or the catalog before a schema, as in catalog.{}.", database, database));
    }
    return openTable(context, databasePath(context, arguments[0], 0), name);
}

Value dropTableKernel(Context& context, Arguments arguments) {
    const std::string name = nameArgument(arguments[1], 1, "tableName");
    if (const std::string folder = givenDatabasePath(context, arguments[0], 0); hasPlainTable(folder, name, context)) {
        dropFolderTable(userFiles(context), folder, name);
        return {};
    }
    const std::string path = databasePath(context, arguments[0], 0);
    requireOnDatabase(context, path, Right::DeleteObject);
    DatabaseService& service = databasesOf(context, path);
    // Removed from the catalog first, then the rows: after a crash in between nobody sees the table, and the rows are
    // removed at the next start.
    AuditedData change(context, "DROP_TABLE", path, name);
    std::unique_ptr<Transaction> lock;
    const std::optional<TableEntry> known = service.catalog().findTable(path, name);
    if (known && known->rowTable) lock = service.lockRows(known->id);
    const uint64_t table = service.catalog().dropTable(path, name).id;
    lock.reset();
    service.removeRows(table);
    change.done();
    return {};
}

Value dropDatabaseKernel(Context& context, Arguments arguments) {
    const std::string path = databasePath(context, arguments[0], 0);
    DatabaseService& service = databasesOf(context, path);
    requireOnDatabase(context, path, Right::Manage);
    if (auto* rights = context.service<RightsKeeper>(); rights && !isFolderPath(path)) rights->forgetDatabase(path);
    AuditedData change(context, "DROP_DB", path);
    std::vector<std::unique_ptr<Transaction>> locks;
    for (const std::string& name : service.catalog().tableNames(path)) {
        const std::optional<TableEntry> table = service.catalog().findTable(path, name);
        if (table && table->rowTable) locks.push_back(service.lockRows(table->id));
    }
    const std::vector<TableEntry> dropped = service.catalog().dropDatabase(path);
    locks.clear();
    for (const TableEntry& table : dropped) service.removeRows(table.id);
    if (isFolderPath(path))
        databasesOf(context).folders().drop(userFiles(context), path);
    else
        forgetSchemas(context, path);
    change.done();
    return {};
}

// Locks the tables that refer to a row table. Throws UserError (<StillReferenced>) where one of them has rows.
std::vector<std::unique_ptr<Transaction>> lockReferring(DatabaseService& service, const TableEntry& table) {
    std::vector<std::unique_ptr<Transaction>> locks;
    if (!table.rowTable) return locks;
    for (const ReferringTable& name : table.rowTable->referredBy) {
        const std::optional<TableEntry> child = service.catalog().findTable(name.database, name.name);
        if (!child) continue;
        locks.push_back(service.lockRows(child->id));
        if (service.open(service.catalog().database(name.database), *child)->rowCount() == 0) continue;
        throw UserError(fmt::format("<StillReferenced>The table {} cannot be truncated: foreign keys of the table {}, "
                                    "which has rows, refer to it.",
                                    table.name, child->name),
                        "Truncate that table first.");
    }
    return locks;
}

Value truncateKernel(Context& context, Arguments arguments) {
    const std::string name = nameArgument(arguments[1], 1, "tableName"), path = databasePath(context, arguments[0], 0);
    DatabaseService& service = databasesOf(context, path);
    const TableEntry table = visibleTable(context, path, name);
    requireOnTable(context, table, Right::Delete);
    AuditedData change(context, "TRUNCATE_TABLE", path, name);
    const auto locks = lockReferring(service, table);
    service.truncate(table.id);
    change.done();
    return {};
}

Value renameTableKernel(Context& context, Arguments arguments) {
    const std::string path = databasePath(context, arguments[0], 0);
    const std::string name = nameArgument(arguments[1], 1, "tableName");
    Catalog& catalog = databasesOf(context, path).catalog();
    requireOnDatabase(context, path, Right::CreateObject);
    requireOnTable(context, catalog.table(path, name), Right::Read);
    const std::string newName = nameArgument(arguments[2], 2, "newTableName");
    AuditedData change(context, "RENAME_TABLE", path, name,
                       fmt::format("tableName=[{}], newTableName=[{}]", name, newName));
    catalog.renameTable(path, name, newName);
    change.done();
    return {};
}

// Throws UserError unless the argument names one database, in the words that clients compare.
void requireDatabaseName(const Value& value, const char* usage) {
    if (value.isScalar() && (value.isString() || value.type() == Type::Handle)) return;
    throw UserError(0, fmt::format("Usage: {}. dbUrl must be a local path or a dfs path.", usage));
}

Value existsDatabaseKernel(Context& context, Arguments arguments) {
    requireDatabaseName(arguments[0], "existsDatabase(dbUrl)");
    try {
        const std::string path = databasePath(context, arguments[0], 0);
        const auto entry = databasesOf(context, path).catalog().findDatabase(path);
        return Value::ofBool(entry && maySee(context, *entry));
    } catch (const UserError&) {
        return Value::ofBool(false);  // the schema does not exist
    }
}

// The path may continue to a partition: "dfs://TAQ/20240102".
Value existsTableKernel(Context& context, Arguments arguments) {
    requireDatabaseName(arguments[0], "existsTable(dbUrl, tableName)");
    std::string path;
    try {
        path = databasePath(context, arguments[0], 0);
    } catch (const UserError&) {
        return Value::ofBool(false);  // the schema does not exist
    }
    const std::string name = nameArgument(arguments[1], 1, "tableName");
    if (isFolderPath(path) && folderHasTable(userFiles(context), path, name)) return Value::ofBool(true);
    if (const auto table = databasesOf(context, path).catalog().findTable(path, name))
        return Value::ofBool(maySee(context, *table));
    if (isFolderPath(path)) return Value::ofBool(false);
    return Value::ofBool(hasPartition(context, path, name));
}

Value stringVector(const std::vector<std::string>& strings) {
    return Value::of(Vector::ofStrings(strings));
}

Value getTablesKernel(Context& context, Arguments arguments) {
    const std::string path = databasePath(context, arguments[0], 0);
    Catalog& catalog = databasesOf(context, path).catalog();
    std::vector<std::string> names = catalog.tableNames(visibleDatabase(context, path).path);
    std::erase_if(names, [&](const std::string& name) {
        const std::optional<TableEntry> table = catalog.findTable(path, name);
        return !table || !maySee(context, *table);
    });
    return stringVector(names);
}

Value getTablePathsKernel(Context& context, Arguments arguments) {
    const std::string only = arguments.empty() || arguments[0].isVoid() ? "" : databasePath(context, arguments[0], 0);
    std::vector<std::string> paths;
    for (const TableEntry& table : databasesOf(context).catalog().allTables()) {
        if ((only.empty() || table.database == only) && maySee(context, table))
            paths.push_back(table.database + "/" + table.name);
    }
    return stringVector(paths);
}

Value getAllTablePathsKernel(Context& context, Arguments) {
    return getTablePathsKernel(context, {});
}

Value getClusterDFSDatabasesKernel(Context& context, Arguments) {
    return stringVector(visibleDatabases(context));
}

Value clearAllCacheKernel(Context& context, Arguments) {
    if (auto* service = context.service<DatabaseService>()) service->clearCache();
    return {};
}

}  // namespace

void registerDatabaseBuiltins(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Public, Effect::Writes);
    const FunctionTheme theme("databases");
    registerPortable("database", DatabaseHandle::load, Type::Handle);
    FunctionTheme::registerAll(registry, "databases",
                               {registerSchema, registerLocalFolders, registerProcessTables, registerPartitionBuiltins,
                                registerCatalogBuiltins, registerChunkBuiltins, registerDirectoryBuiltins,
                                registerSortKeys, registerLoadTextEx, registerLoadParquetEx, registerBackup,
                                registerRestore, registerDatabaseAdministration, registerEncryption});
    registry.add(
        "database([directory], [partitionType], [partitionScheme], [locations], [engine='OLAP'], [atomic='TRANS'], "
        "[chunkGranularity='TABLE'])",
        databaseKernel,
        {.summary = "Opens the database of that name, or creates it when a partition scheme is given; without a "
                    "name, a level of a COMPO scheme or a database in memory.",
         .parameters = "directory: \"dfs://name\"; or a folder, with a slash, for tables of this node alone\n"
                       "partitionType: VALUE, RANGE, LIST, HASH or COMPO\n"
                       "partitionScheme: values; ascending boundaries; a tuple of vectors; [type, buckets]; a vector "
                       "of 2 or 3 databases\n"
                       "locations: has no effect\n"
                       "engine: 'OLAP', 'TSDB' or 'PKEY'\n"
                       "atomic: 'TRANS' makes a write over several partitions atomic as a whole, 'CHUNK' each "
                       "partition on its own\n"
                       "chunkGranularity: 'TABLE' counts the partitions of each table as chunks of their own, "
                       "'DATABASE' those of all together",
         .errors = "There is no such database; or it exists with another scheme.",
         .example = "db = database(\"dfs://market\", VALUE, 2024.01.01..2024.12.31)\n"
                    "db = database(\"dfs://market\")"});
    registry.add(
        "createPartitionedTable(dbHandle, table, [tableName], [partitionColumns], [compressMethods], [sortColumns], "
        "[keepDuplicates], [sortKeyMappingFunction], [softDelete], [indexes], [latestKeyCache], "
        "[compressHashSortKey], [encryptMode], [primaryKey], [comment])",
        createPartitionedTableKernel,
        {.summary = "Makes an empty partitioned table with the columns of `table` and returns it; in a database in "
                    "memory with its key, or "
                    "of a tuple of tables that are its partitions.",
         .parameters =
             "sortColumns: rows of a partition come out ordered by these\n"
             "keepDuplicates: of rows with equal sort columns ALL, the FIRST or the LAST count\n"
             "softDelete: taken where keepDuplicates is LAST; rows are deleted in the same way without it\n"
             "indexes: columns with bloomfilter or textindex(parser=english, lowercase=true, stem=false), in a "
             "PKEY database, or vectorindex(...), in a TSDB one; "
             "those but searches give the same rows without\n"
             "encryptMode: plaintext, or how the rows lie in files: aes_K_ctr, aes_K_cbc, aes_K_ecb with K of 128, "
             "192 or 256, sm4_128_cbc or sm4_128_ecb; enableTDEKey comes first\n"
             "primaryKey: in a PKEY database, a row replaces the one with the same key",
         .errors = "The table exists; a partition column is missing or has a type that cannot partition.",
         .example = "empty = table(1:0, `date`sym`price, [DATE, SYMBOL, DOUBLE]); "
                    "createPartitionedTable(database(\"dfs://market\"), empty, `prices, `date)"});
    registry.add(
        "createTable(dbHandle, table, [tableName], [compressMethods], [sortColumns], [keepDuplicates], [softDelete], "
        "[indexes], [encryptMode], [primaryKey], [comment], [engine])",
        createTableKernel,
        {.summary = "Makes an empty dimension table, which is not partitioned, and returns it.",
         .parameters = "engine: ROW for a row table, whose rows are found and changed one by one, in memory and in the "
                       "log; left out, the table is one of columns\n"
                       "primaryKey: of a row table, columns without NULL whose values no two rows share; in a PKEY "
                       "database, a row replaces the one with the same key",
         .errors = "The table exists; engine is another than ROW; a row table has columns of array vectors, or is made "
                   "on a cluster.",
         .example = "empty = table(1:0, `sym`name, [SYMBOL, STRING]); createTable(database(\"dfs://market\"), empty, "
                    "`companies)"});
    registry.alias("createDimensionTable", "createTable");
    registry.add(
        "loadTable(database, tableName, [partitions], [memoryMode=false])", loadTableKernel,
        {.summary = "Opens a table of a database; no rows are read. A table in a plain folder is read into memory.",
         .parameters = "partitions: of a database in a plain folder, values of its first partition column, whose "
                       "partitions alone are read, into memory\nmemoryMode: whether all rows of such a table are read "
                       "into memory",
         .errors = "There is no such database or table; partitions or memoryMode are given for another database.",
         .example = "trades = loadTable(\"dfs://TAQ\", \"trades\"); select avg(price) from trades where date = "
                    "2024.01.02 group by sym"},
        kReads);
    registry.add("saveDatabase(dbHandle)", saveDatabaseKernel,
                 {.summary = "Does nothing: a database is saved when it is made.",
                  .errors = "It was dropped.",
                  .example = "saveDatabase(database(\"dfs://TAQ\"))"});
    registry.add("savePartition(dbHandle, table, tableName, [compression=true])", savePartitionKernel,
                 {.summary = "Appends a table in memory to a table of the database.",
                  .parameters = "compression: taken; blocks are always compressed",
                  .errors = "The columns do not fit.",
                  .example = "rows = table(2024.01.04 2024.01.04 as date, `AAPL`MSFT as sym, 185.5 402.25 as price); "
                             "savePartition(database(\"dfs://market\"), rows, `prices)"});
    registry.add(
        "dropTable(dbHandle, tableName)", dropTableKernel,
        {.summary = "Removes a table and its rows.", .example = "dropTable(database(\"dfs://market\"), `names)"});
    registry.add("dropDatabase(dbDir)", dropDatabaseKernel,
                 {.summary = "Removes a database and all its tables.",
                  .example = "if (existsDatabase(\"dfs://market\")) dropDatabase(\"dfs://market\")"});
    registry.alias("dropDB", "dropDatabase");
    registry.add("truncate(dbUrl, tableName)", truncateKernel,
                 {.summary = "Removes all rows of a table and keeps the table.",
                  .example = "truncate(\"dfs://market\", \"prices\")"});
    registry.add("renameTable(dbHandle, tableName, newTableName)", renameTableKernel,
                 {.summary = "Gives a table another name.",
                  .parameters = "dbHandle: a database that database() has opened\n"
                                "tableName: the name of a table of it\n"
                                "newTableName: its new name",
                  .example = "renameTable(database(\"dfs://market\"), `companies, `names)"});
    registry.add("existsDatabase(dbUrl)", existsDatabaseKernel,
                 {.summary = "Whether there is a database of that name.", .example = "existsDatabase(\"dfs://TAQ\")"},
                 kReads);
    registry.add("existsTable(dbUrl, tableName)", existsTableKernel,
                 {.summary = "Whether the database has a table of that name.",
                  .example = "existsTable(\"dfs://TAQ\", \"trades\")"},
                 kReads);
    registry.add("getTables(dbHandle)", getTablesKernel,
                 {.summary = "Names of a database's tables, as a STRING vector.",
                  .example = "getTables(database(\"dfs://TAQ\"))"},
                 kReads);
    registry.add("getDFSTablesByDatabase([directory])", getTablePathsKernel,
                 {.summary = "Tables of a database as \"dfs://database/table\", a STRING vector.",
                  .example = "getDFSTablesByDatabase(\"dfs://TAQ\")"},
                 kReads);
    registry.add(
        "getClusterDFSTables([includeSysTable=true])", getAllTablePathsKernel,
        {.summary = "All tables as \"dfs://database/table\", a STRING vector.", .example = "getClusterDFSTables()"},
        kReads);
    registry.add("getClusterDFSDatabases([includeSysDb=true])", getClusterDFSDatabasesKernel,
                 {.summary = "Paths of all databases, as a STRING vector.", .example = "getClusterDFSDatabases()"},
                 kReads);
    registry.alias("getDFSDatabases", "getClusterDFSDatabases");
    registry.add("clearAllCache()", clearAllCacheKernel,
                 {.summary = "Forgets blocks of column files that were read before, of all users: for administrators.",
                  .example = "clearAllCache()"},
                 {.facet = Facet::Admin});
}

}  // namespace pelorus
