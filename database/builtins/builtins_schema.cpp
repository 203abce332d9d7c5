// schema(X): the properties of a table or database, as a dictionary.
#include <map>
#include <string>

#include "common/error.h"
#include "database/builtins/builtins_database.h"
#include "database/service/database_handle.h"
#include "database/service/secured_objects.h"
#include "runtime/partition/partition_function.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/vector.h"

namespace pelorus {

namespace {

Value strings(const std::vector<std::string>& elements) {
    return Value::of(Vector::ofStrings(elements));
}
Value ints(const std::vector<int32_t>& elements) {
    return Value::of(Vector::of<int32_t>(Type::Int, elements));
}

Value tableOf(std::vector<std::string> names, std::vector<Value> columns) {
    return Value::of(Ref<Table>(makeRef<MemoryTable>(std::move(names), std::move(columns))));
}

class SchemaDraft {
public:
    void set(std::string_view key, Value value) { entries_->set(Value::ofString(key), std::move(value)); }
    void set(std::string_view key, std::string_view string) { set(key, Value::ofString(string)); }
    Value take() { return Value::of(entries_); }

private:
    Ref<Dictionary> entries_ = makeRef<Dictionary>(Type::String, Type::Any, false);
};

Value columnDefinitions(const TableSchema& schema) {
    std::vector<std::string> names, types, comments;
    std::vector<int32_t> ids, extras;
    for (const ColumnSchema& column : schema) {
        names.push_back(column.name);
        types.push_back(typeString(column.type, column.scale));
        ids.push_back(static_cast<int32_t>(column.type));
        extras.push_back(isDecimal(elementTypeOf(column.type)) ? column.scale : null<int32_t>);
        comments.push_back(column.comment);
    }
    return tableOf({"name", "typeString", "typeInt", "extra", "comment"},
                   {strings(names), strings(types), ints(ids), ints(extras), strings(comments)});
}

std::string_view kindName(PartitionKind kind) {
    static constexpr std::string_view kNames[] = {"SEQ", "VALUE", "RANGE", "LIST", "COMPO", "HASH"};
    return kNames[static_cast<size_t>(kind)];
}

// One level returns its property alone; a COMPO scheme a vector or tuple of its levels' properties.
void describeScheme(const PartitionScheme& scheme, SchemaDraft& draft) {
    std::vector<int32_t> kinds, keyTypes;
    std::vector<std::string> names;
    std::vector<Value> schemes;
    for (const PartitionLevel& level : scheme.levels()) {
        kinds.push_back(static_cast<int32_t>(level.kind()));
        keyTypes.push_back(static_cast<int32_t>(level.keyType()));
        names.emplace_back(kindName(level.kind()));
        const bool isHash = level.kind() == PartitionKind::Hash;
        schemes.push_back(isHash ? Value::ofInt(level.count()) : level.liveScheme());
    }
    draft.set("partitionSites", Value());
    if (schemes.size() == 1) {
        draft.set("partitionType", Value::ofInt(kinds[0]));
        draft.set("partitionTypeName", names[0]);
        draft.set("partitionColumnType", Value::ofInt(keyTypes[0]));
        draft.set("partitionSchema", schemes[0]);
        return;
    }
    draft.set("partitionType", ints(kinds));
    draft.set("partitionTypeName", strings(names));
    draft.set("partitionColumnType", ints(keyTypes));
    draft.set("partitionSchema", Value::of(makeRef<Tuple>(std::move(schemes))));
}

Value databaseSchema(Context& context, const DatabaseHandle& handle) {
    const DatabaseEntry entry = handle.inMemory() ? handle.entry() : visibleDatabase(context, handle.path());
    SchemaDraft draft;
    draft.set("databaseDir", entry.path);
    describeScheme(entry.scheme, draft);
    draft.set("atomic", entry.atomic);
    draft.set("chunkGranularity", entry.chunkGranularity);
    draft.set("engineType", entry.engine);
    draft.set("clusterReplicationEnabled", Value::ofBool(false));  // there is no replication
    draft.set("databaseOwner", entry.owner);
    return draft.take();
}

void describePartitionColumns(const PartitionedTable& table, SchemaDraft& draft) {
    const std::vector<std::string>& names = table.partitionColumns();
    std::vector<std::string> shown = names;
    for (size_t l = 0; l < names.size(); ++l) {
        if (const PartitionFunction* function = table.partitionFunction(l)) shown[l] = function->string();
    }
    std::vector<int32_t> positions, types;
    for (const std::string& name : names) {
        positions.push_back(table.findColumn(name));
        types.push_back(static_cast<int32_t>(table.columns()[static_cast<size_t>(positions.back())].type));
    }
    if (names.empty()) {
        draft.set("partitionColumnIndex", Value::ofInt(-1));
        return;
    }
    describeScheme(table.scheme(), draft);
    if (names.size() == 1) {
        draft.set("partitionColumnName", shown[0]);
        draft.set("partitionColumnIndex", Value::ofInt(positions[0]));
        draft.set("partitionColumnType", Value::ofInt(types[0]));
        return;
    }
    draft.set("partitionColumnName", strings(shown));
    draft.set("partitionColumnIndex", ints(positions));
    draft.set("partitionColumnType", ints(types));
}

void describeIndexes(const TableEntry& table, SchemaDraft& draft) {
    std::map<std::string, std::string> shown;  // by stored name
    for (size_t c = 0; c < table.schema.size(); ++c) shown[table.storedNameOf(c)] = table.schema[c].name;
    std::vector<std::string> names, columns;
    std::vector<int8_t> unique;
    for (const RowTableIndex& index : table.rowTable->indexes) {
        std::vector<std::string> own;
        for (const std::string& stored : index.columns) own.push_back(shown.at(stored));
        if (index.isPrimary) draft.set("primaryKey", strings(own));
        names.push_back(index.name);
        columns.push_back(fmt::format("{}", fmt::join(own, ",")));
        unique.push_back(index.isUnique ? 1 : 0);
    }
    draft.set("indexes", tableOf({"name", "columns", "isUnique"},
                                 {strings(names), strings(columns), Value::of(Vector::of(Type::Bool, unique))}));
}

Value tableSchema(Context& context, Table& table) {
    if (auto* stored = dynamic_cast<CatalogTable*>(&table)) stored->takeNewerEntry();
    SchemaDraft draft;
    draft.set("colDefs", columnDefinitions(table.columns()));
    const PartitionedTable* partitioned = table.asPartitioned();
    if (partitioned == nullptr) {
        draft.set("chunkPath", Value());
        draft.set("partitionColumnIndex", Value::ofInt(-1));
        return draft.take();
    }
    if (partitioned->databasePath().empty()) {
        describePartitionColumns(*partitioned, draft);
        return draft.take();
    }
    draft.set("dbUrl", partitioned->databasePath());
    draft.set("tableName", partitioned->name);
    draft.set("chunkPath", Value());
    describePartitionColumns(*partitioned, draft);
    Catalog& catalog = databasesOf(context, partitioned->databasePath()).catalog();
    const DatabaseEntry database = catalog.database(partitioned->databasePath());
    const TableEntry entry = catalog.table(partitioned->databasePath(), partitioned->name);
    draft.set("engineType", entry.rowTable ? "ROW" : database.engine);
    draft.set("chunkGranularity", database.chunkGranularity);
    draft.set("atomic", database.atomic);
    draft.set("tableOwner", entry.owner);
    draft.set("tableComment", entry.comment);
    draft.set("encryptMode", entry.encryptMode.empty() ? "plaintext" : entry.encryptMode);
    std::vector<std::string> names;
    for (const ColumnSchema& column : entry.schema) names.push_back(column.name);
    draft.set("compressMethods",
              tableOf({"name", "compressMethods"}, {strings(names), strings(entry.compressMethods)}));
    if (entry.rowTable) {
        describeIndexes(entry, draft);
        return draft.take();
    }
    if (database.engine == "PKEY") draft.set("primaryKey", strings(entry.sortColumns));
    if (database.engine == "TSDB") {
        draft.set("sortColumns", strings(entry.sortColumns));
        draft.set("keepDuplicates", entry.keepDuplicates);
        draft.set("softDelete", Value::ofBool(entry.softDelete));
    }
    return draft.take();
}

Value schemaKernel(Context& context, Arguments arguments) {
    if (const DatabaseHandle* handle = databaseHandle(arguments[0])) return databaseSchema(context, *handle);
    if (arguments[0].isTable()) return tableSchema(context, arguments[0].table());
    throw UserError(0, "X must be a table or a database handle.");
}

}  // namespace

void registerSchema(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Public, Effect::Writes);
    registry.add("schema(X)", schemaKernel,
                 {.summary = "Columns, partitions and options of a table or database, as a dictionary.",
                  .errors = "X is neither a table nor a database handle.",
                  .example = "schema(table(`A`B as sym, 1 2 as qty)).colDefs.typeString -> [\"STRING\",\"INT\"]\n"
                             "schema(loadTable(\"dfs://TAQ\", \"trades\"))"},
                 {.takesSharedTables = true});
}

}  // namespace pelorus
