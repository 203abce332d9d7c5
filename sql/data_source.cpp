#include "sql/data_source.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "common/meta_store.h"
#include "common/thread/mutex.h"
#include "runtime/code/rewrite.h"
#include "runtime/format/to_source.h"
#include "runtime/function/principal.h"
#include "runtime/registry/registry.h"
#include "runtime/serialize/received.h"
#include "runtime/table/remote_partitions.h"
#include "runtime/value/dictionary.h"
#include "sql/execute.h"
#include "sql/expression/fixed_scope.h"
#include "sql/operators/scan/filter.h"
#include "sql/physical/prepare_select.h"
#include "sql/physical/run_query.h"
#include "sql/plan/row_source.h"
#include "sql/plan/rules/prune.h"
#include "sql/plan/select_plan.h"
#include "sql/remote/partial_query.h"

namespace pelorus {

Value DataSource::save() const {
    if (inMemory) {
        throw UserError("A data source of a partitioned table in memory can't leave its process.",
                        "Store the table in a database for that.");
    }
    std::vector<Value> functions;
    for (const Ref<Function>& f : transformations) functions.push_back(Value::of(f));
    return Value::of(makeRef<Tuple>(
        std::vector<Value>{query ? codeValue(query) : Value(), names, Value::ofString(database), Value::ofString(table),
                           Value::ofLong(static_cast<int64_t>(snapshot)), Value::ofString(partition),
                           Value::ofString(node), value, Value::ofString(file), Value::ofLong(begin),
                           Value::ofLong(end), textOptions, Value::of(makeRef<Tuple>(std::move(functions))),
                           Value::ofBool(cached), Value::ofInt(static_cast<int32_t>(kindOfFile))}));
}

// Bytes from outside: every part is checked.
static Ref<Portable> loadDataSource(const Value& saved) {
    constexpr std::string_view kWhat = "data source";
    const auto& parts = received::tuple(saved, 15, kWhat);
    auto ds = makeRef<DataSource>();
    if (!parts[0].isVoid()) {
        received::require(parts[0].type() == Type::Code && parts[0].isScalar(), kWhat);
        const NodeRef& node = parts[0].as<Code>()->node;
        received::require(node && node->kind == NodeKind::Query, kWhat);
        ds->query = Ref<Query>(static_cast<Query*>(node.get()));
    }
    ds->names = parts[1];
    received::require(ds->names.isVoid() || ds->names.isDictionary(), kWhat);
    ds->database = received::string(parts[2], kWhat);
    ds->table = received::string(parts[3], kWhat);
    ds->snapshot = static_cast<uint64_t>(received::integer(parts[4], kWhat));
    ds->partition = received::string(parts[5], kWhat);
    ds->node = received::string(parts[6], kWhat);
    ds->value = parts[7];
    ds->file = received::string(parts[8], kWhat);
    ds->begin = received::integer(parts[9], kWhat);
    ds->end = received::integer(parts[10], kWhat);
    received::require(ds->begin >= 0 && ds->end >= ds->begin, kWhat);
    ds->textOptions = parts[11];
    received::require(ds->textOptions.isVoid() || ds->textOptions.isDictionary(), kWhat);
    for (const Value& f : received::tuple(parts[12], kWhat)) {
        ds->transformations.push_back(received::function(f, kWhat));
    }
    ds->cached = received::integer(parts[13], kWhat) != 0;
    const int64_t kind = received::integer(parts[14], kWhat);
    received::require(kind == 0 || kind == 1, kWhat);
    ds->kindOfFile = static_cast<DataSource::FileKind>(kind);
    return ds;
}

[[maybe_unused]] static const bool registered =
    (registerPortable("datasource", loadDataSource, Type::DataSource), true);

std::string DataSource::describe() const {
    if (kindOfFile == FileKind::Parquet)
        return fmt::format("DataSource< loadParquet({},,,{},{}) >", toLiteral(Value::ofString(file)), begin,
                           end - begin);
    if (!file.empty()) return fmt::format("DataSource< text {} [{}, {}) >", file, begin, end);
    if (!query) return "DataSource< value >";
    std::string string;
    if (shownTable.empty()) {
        string = toSource(*query);
    } else {
        const Ref<Query> shown = copyQuery(*query);
        shown->table = makeRef<Name>(shownTable, SourcePosition{});
        string = toSource(*shown);
    }
    // The family shows the hint that such a query carries; clients compare the text.
    if (const size_t word = string.find(' '); !inMemory && word != std::string::npos) string.insert(word, " [7]");
    return partition.empty() || !showsPartition ? fmt::format("DataSource< {} >", string)
                                                : fmt::format("DataSource< {} [partition = {}] >", string, partition);
}

static Value readQuery(const DataSource& ds, Context& outer) {
    FixedScope scope(ds.names);
    Context context = outer;
    context.scope = &scope;
    // A source over a table in memory carries it, under its name.
    if (ds.database.empty() && !ds.inMemory) return executeQuery(*ds.query, context);
    if (ds.partition.empty()) {
        std::vector<Value> whole{Value::ofString(ds.database), Value::ofString(ds.table)};
        Ref<Query> query = copyQuery(*ds.query);
        query->table =
            makeRef<Constant>(FunctionRegistry::instance().get("loadTable").call(context, whole), SourcePosition{});
        return executeQuery(*query, context);
    }
    std::vector<Value> arguments{Value::ofString(ds.database), Value::ofString(ds.table)};
    Value table = ds.inMemory ? Value::of(ds.inMemory) : Value();
    if (!ds.inMemory) {
        // The snapshot is open here, so this node has heard of all that it needs.
        const MetaMoment moment(MetaMoment::Begin::Before);
        table = FunctionRegistry::instance().get("loadTable").call(context, arguments);
    }
    received::require(table.isTable() && table.table().asPartitioned(), "partitioned table");
    // Asked also where the source holds the rows: a source is a value, which may have come from somebody else.
    table.table().asPartitioned()->require(context.principal(), Right::Read);
    std::shared_ptr<TableSnapshot> snapshot =
        ds.held ? ds.held : table.table().asPartitioned()->takeSnapshot(ds.snapshot);
    const auto& all = snapshot->partitions();
    auto it = std::find_if(all.begin(), all.end(), [&](const PartitionEntry& e) { return e.path == ds.partition; });
    if (it == all.end())
        throw UserError(fmt::format("The partition {} of {} is not there any more.", ds.partition, ds.table));
    RowSource source;
    source.table = Ref<Table>(&table.table());
    source.partitions = std::vector{static_cast<size_t>(it - all.begin())};
    source.snapshot = std::move(snapshot);
    return runQuery(*ds.query, std::move(source), context);
}

static Value readFile(const DataSource& ds, Context& context) {
    if (ds.kindOfFile == DataSource::FileKind::Parquet) {
        const Value schema =
            ds.textOptions.isDictionary() ? ds.textOptions.dictionary().get(Value::ofString("schema")) : Value();
        std::vector<Value> groups{Value::ofString(ds.file), schema, Value(), Value::ofLong(ds.begin),
                                  Value::ofLong(ds.end - ds.begin)};
        return FunctionRegistry::instance().get("loadParquet").call(context, groups);
    }
    std::vector<Value> arguments{Value::ofString(ds.file), Value::ofLong(ds.begin), Value::ofLong(ds.end),
                                 ds.textOptions};
    return FunctionRegistry::instance().getForNode("loadTextChunk").call(context, arguments);
}

Value DataSource::load(Context& context) const {
    {
        const MutexLock lock(mutex);
        if (cached && !kept.isVoid()) return kept;
    }
    Value loaded = !file.empty() ? readFile(*this, context) : query ? readQuery(*this, context) : value;
    for (const Ref<Function>& f : transformations) {
        std::vector<Value> arguments{std::move(loaded)};
        loaded = f->call(context, arguments);
    }
    if (cached) {
        const MutexLock lock(mutex);
        kept = loaded;
    }
    return loaded;
}

std::vector<Ref<DataSource>> cutByPartition(const Query& query, Context& context, bool force) {
    SelectPlan plan = prepareSelect(query, context);
    std::vector<Ref<DataSource>> sources;
    if (!plan.source.partitioned()) {
        auto ds = makeRef<DataSource>();
        ds->value = executeQuery(query, context);
        sources.push_back(ds);
        return sources;
    }
    const PartitionedTable& table = *plan.source.partitioned();
    bool crosses = !query.orderBy.empty() || query.limit || query.top || query.distinct;
    for (const OutputItem& key : plan.keys) {
        bool isPartitionColumn = key.value->kind == NodeKind::Name &&
                                 std::find(table.partitionColumns().begin(), table.partitionColumns().end(),
                                           static_cast<const Name&>(*key.value).name) != table.partitionColumns().end();
        bool anyPartitionKey = isPartitionColumn;
        for (const OutputItem& other : plan.keys) {
            anyPartitionKey =
                anyPartitionKey ||
                (other.value->kind == NodeKind::Name &&
                 std::find(table.partitionColumns().begin(), table.partitionColumns().end(),
                           static_cast<const Name&>(*other.value).name) != table.partitionColumns().end());
        }
        if (!anyPartitionKey) crosses = true;
    }
    if (crosses && !force) {
        throw UserError(
            "The query can't be cut by partition: its result depends on rows of several partitions.",
            "Group by partition columns, leave order by out, or give forcePartition=true to run it in each partition.");
    }
    Filter filter(plan.filters, plan.source.columns(), context);
    std::shared_ptr<TableSnapshot> snapshot = table.snapshot(context.principal());
    Value names = freeNames(*plan.query, plan.source.columns(), context);
    Ref<Query> shared = copyQuery(*plan.query);
    shared->table = makeRef<Name>(plan.source.table->name, SourcePosition{});
    shared->tableAlias.clear();
    std::vector<size_t> partitions = prunePartitions(table, *snapshot, filter.constraints());
    auto* remote = dynamic_cast<RemotePartitions*>(snapshot.get());
    if (remote) partitions = remote->withRows(partitions);
    const std::vector<std::string> nodes = remote ? remote->openNodes(partitions) : std::vector<std::string>();
    for (size_t i = 0; i < partitions.size(); ++i) {
        const size_t p = partitions[i];
        auto ds = makeRef<DataSource>();
        ds->query = shared;
        ds->names = names;
        ds->database = table.databasePath();
        if (ds->database.empty()) ds->inMemory = plan.source.table;
        ds->table = plan.source.table->name;
        ds->snapshot = snapshot->number();
        ds->held = snapshot;
        ds->partition = snapshot->partitions()[p].path;
        ds->position = p;
        ds->node = remote ? nodes[i] : snapshot->partitions()[p].node;
        if (query.table->kind == NodeKind::Name) ds->shownTable = static_cast<const Name&>(*query.table).name;
        ds->showsPartition = !table.partitionColumns().empty();
        sources.push_back(ds);
    }
    return sources;
}

}  // namespace pelorus
