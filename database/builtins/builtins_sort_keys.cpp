// getTSDBSortKeyEntry: the sort keys in the segment files of a chunk.
#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "database/builtins/builtins_database.h"
#include "database/service/chunk_names.h"
#include "database/service/database_handle.h"
#include "database/service/secured_objects.h"
#include "database/service/status_table.h"
#include "runtime/function/principal.h"
#include "runtime/table/table_keys.h"
#include "runtime/value/cast.h"
#include "runtime/value/print.h"
#include "storage/folder/local_storage.h"
#include "storage/segment/segment.h"
#include "storage/version/version_set.h"

namespace pelorus {

namespace {

// Returns the columns of the sort key: all sort columns but the last, which orders the rows of one key.
std::vector<std::string> keyColumns(const TableEntry& table) {
    std::vector<std::string> names = table.sortColumns;
    if (names.size() > 1) names.pop_back();
    // Replaces the names by those that chunks use.
    const TableSchema stored = table.storedSchema();
    for (std::string& name : names) {
        for (size_t c = 0; c < table.schema.size(); ++c) {
            if (table.schema[c].name == name) {
                name = stored[c].name;
                break;
            }
        }
    }
    return names;
}

struct KeyCounts {
    std::vector<std::string> keys;
    std::vector<int64_t> rows;
};

KeyCounts countKeys(const Segment& segment, const std::vector<std::string>& names) {
    std::vector<Value> columns;
    for (const std::string& name : names) {
        const TableSchema& schema = segment.columns();
        const auto at =
            std::find_if(schema.begin(), schema.end(), [&](const ColumnSchema& c) { return c.name == name; });
        if (at == schema.end()) return {};
        Value elements = filledColumn(at->type, at->scale, 0);
        for (int block = 0; block < segment.blockCount(); ++block) {
            appendElements(elements, segment.read(block, static_cast<int>(at - schema.begin())));
        }
        columns.push_back(std::move(elements));
    }
    std::vector<Type> types;
    for (const Value& column : columns) types.push_back(column.type());
    CompositeKeyIndex index(types);
    KeyCounts counts;
    const std::vector<int32_t> keyOf = index.insertAll(columns);
    for (size_t row = 0; row < keyOf.size(); ++row) {
        if (static_cast<size_t>(keyOf[row]) == counts.rows.size()) {
            std::string key;
            for (const Value& column : columns)
                key += (key.empty() ? "" : "_") + toString(column.at(static_cast<int64_t>(row)));
            counts.keys.push_back(std::move(key));
            counts.rows.push_back(0);
        }
        ++counts.rows[static_cast<size_t>(keyOf[row])];
    }
    return counts;
}

// getTSDBSortKeyEntry(chunkId, [tableName])
Value sortKeyKernel(Context& context, Arguments arguments) {
    constexpr int64_t kMaxChunks = 1024;
    const Value& wanted = arguments[0];
    const bool isId = isLiteral(wanted.type()) || wanted.type() == Type::Uuid;
    if (!isId || (!wanted.isScalar() && !wanted.isTypedVector()))
        throw UserError(0, "chunkId must be one or more ids of chunks.",
                        "getChunksMeta() and getTabletsMeta() list them.");
    if (wanted.size() > kMaxChunks) throw UserError(0, fmt::format("More than {} chunks are asked for.", kMaxChunks));
    std::vector<std::string> ids;
    for (int64_t i = 0; i < wanted.size(); ++i) ids.push_back(toString(wanted.isScalar() ? wanted : wanted.at(i)));
    const bool isGiven = !isOmitted(arguments[1]) && !arguments[1].isVoid();
    const std::string only = isGiven ? nameArgument(arguments[1], 1, "tableName") : "";

    const TableSchema schema = {{"chunkId", Type::String}, {"chunkPath", Type::String}, {"tableName", Type::String},
                                {"file", Type::String},    {"key", Type::String},       {"size", Type::Int}};
    std::vector<std::vector<Value>> rows;
    DatabaseService& databases = databasesOf(context);
    for (const TableEntry& table : databases.catalog().allTables()) {
        if ((isGiven && table.name != only) || databases.catalog().database(table.database).engine != "TSDB") continue;
        if (!context.principal().may(Right::Read, securedTable(table))) continue;  // the keys are values of rows
        const std::vector<std::string> columns = keyColumns(table);
        const std::string prefix = "/" + table.database.substr(std::string_view("dfs://").size());
        for (const VersionSet::State& chunk : databases.ownStorage().versions().state()) {
            if (chunk.identity->table != table.id || !chunk.version) continue;
            const std::string id = chunkId(table.id, prefix + chunk.identity->path);
            if (std::find(ids.begin(), ids.end(), id) == ids.end()) continue;
            for (const ChunkPart& part : chunk.version->parts) {
                if (!part.segment) continue;  // the part is in the write cache
                const std::string& path = part.segment->file()->path();
                const KeyCounts counts = countKeys(*part.segment, columns);
                for (size_t k = 0; k < counts.keys.size(); ++k) {
                    rows.push_back({Value::ofString(id), Value::ofString(prefix + chunk.identity->path),
                                    Value::ofString(table.name), Value::ofString(path.substr(path.rfind('/') + 1)),
                                    Value::ofString(counts.keys[k]),
                                    Value::ofInt(static_cast<int32_t>(counts.rows[k]))});
                }
            }
        }
    }
    return statusTable(schema, rows);
}

}  // namespace

void registerSortKeys(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Public, Effect::Writes);
    registry.add("getTSDBSortKeyEntry(chunkId, [tableName])", sortKeyKernel,
                 {.summary = "A table of the sort keys in the segment files of chunks of TSDB databases that this node "
                             "keeps, with the rows of each.",
                  .parameters = "chunkId: one or more, as getTabletsMeta lists them, at most 1,024\ntableName: only "
                                "this table",
                  .errors = "There are more than 1,024 ids. Rows in the write cache do not count: flushTSDBCache "
                            "writes them.",
                  .example = "getTSDBSortKeyEntry(exec chunkId from getTabletsMeta(\"/ticks/%\"), \"trades\")"},
                 kReads);
}

}  // namespace pelorus
