#include "sql/remote/partial_query.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "common/check.h"
#include "common/error.h"
#include "runtime/code/name_uses.h"
#include "runtime/code/rewrite.h"
#include "runtime/function/principal.h"
#include "runtime/registry/registry.h"
#include "runtime/serialize/received.h"
#include "runtime/table/remote_partitions.h"
#include "runtime/value/dictionary.h"
#include "sql/expression/constraint.h"
#include "sql/plan/rules/prune.h"
#include "sql/remote/task_runner.h"

namespace pelorus {

namespace {

struct NodeParts {
    std::vector<size_t> order;  // place of each part among all
    std::vector<size_t> positions;
    std::vector<std::string> paths;
};

// As callPartitions, of the partitions that pass the conditions.
std::vector<Value> callParts(const RowSource& source, const NodeList& conditions, const Query& query, Context& context,
                             const char* function, const Value& extra = Value()) {
    const std::vector<ColumnConstraint> constraints = constraintsOf(conditions, source.columns(), context);
    return callPartitions(*source.partitioned(), source.snapshot, partitionsToRead(source, constraints), query, context,
                          function, extra);
}

// Returns the rows of a partial query's result, checked to have the columns of `like`.
const MemoryTable& receivedRows(const Value& rows, const MemoryTable& like) {
    const Ref<MemoryTable> table = tableToRead(rows);
    received::require(table && table->columnCount() == like.columnCount(), "rows of a part of a query");
    return *table;
}

}  // namespace

std::vector<Value> callPartitions(PartitionedTable& table, const std::shared_ptr<TableSnapshot>& snapshot,
                                  const std::vector<size_t>& partitions, const Query& query, Context& context,
                                  const char* function, const Value& extra) {
    auto* remote = dynamic_cast<RemotePartitions*>(snapshot.get());
    CHECK(remote != nullptr) << "a table with rows on other nodes says where they are";
    Ref<Query> sent = copyQuery(query);
    sent->table = makeRef<Name>("t", SourcePosition{});
    sent->tableAlias.clear();
    Value names = freeNames(query, table.columns(), context);
    Ref<Function> f(const_cast<BuiltinFunction*>(&FunctionRegistry::instance().getForNode(function)));
    std::vector<Value> results(partitions.size());
    std::vector<size_t> left(partitions.size());  // places in `partitions` of those without a result
    std::iota(left.begin(), left.end(), 0);
    // What a lost node was to compute is computed by another replica, at the same snapshot.
    while (!left.empty()) {
        std::vector<size_t> positions;
        for (const size_t i : left) positions.push_back(partitions[i]);
        const std::vector<std::string> nodes = remote->openNodes(positions);
        std::map<std::string, NodeParts> byNode;
        for (size_t i = 0; i < left.size(); ++i) {
            byNode[nodes[i]].order.push_back(left[i]);
            byNode[nodes[i]].positions.push_back(positions[i]);
            byNode[nodes[i]].paths.push_back(snapshot->partitions()[positions[i]].path);
        }
        std::vector<RemoteCall> calls;
        std::vector<std::pair<std::string, const NodeParts*>> parts;
        for (const auto& [node, part] : byNode) {
            calls.push_back({node,
                             f,
                             {codeValue(sent), names, Value::ofString(table.databasePath()),
                              Value::ofString(table.name), Value::ofLong(static_cast<int64_t>(snapshot->number())),
                              Value::of(Vector::ofStrings(part.paths)), extra},
                             remote->hasOthers(part.positions, node)});
            parts.emplace_back(node, &part);
        }
        const std::vector<RemoteAnswer> answers = context.service<TaskRunner>()->call(context, std::move(calls));
        CHECK(answers.size() == parts.size()) << "each node answers its call";
        left.clear();
        for (size_t n = 0; n < answers.size(); ++n) {
            const std::vector<size_t>& order = parts[n].second->order;
            if (!answers[n].lost.empty()) {
                remote->lose(parts[n].first, answers[n].lost);
                left.insert(left.end(), order.begin(), order.end());
                continue;
            }
            received::tuple(answers[n].value, order.size(), "answer to a part of a query");
            for (size_t i = 0; i < order.size(); ++i) results[order[i]] = answers[n].value.at(static_cast<int64_t>(i));
        }
    }
    return results;
}

bool needsOtherNodes(const RowSource& source, Context& context) {
    auto* runner = context.service<TaskRunner>();
    if (!source.partitioned() || !runner) return false;
    const auto& all = source.snapshot->partitions();
    auto isRemote = [&](const PartitionEntry& e) { return !e.node.empty() && !runner->isLocal(e.node); };
    if (!source.partitions) return std::any_of(all.begin(), all.end(), isRemote);
    return std::any_of(source.partitions->begin(), source.partitions->end(),
                       [&](size_t p) { return isRemote(all[p]); });
}

std::vector<Value> runPartsOnNodes(const AggregateNode& node, const RowSource& source, const NodeList& conditions,
                                   Context& context) {
    auto query = makeRef<Query>(SourcePosition{});
    query->where = conditions;
    // Aliases that can be written in the source text of any query. Expressions may name the keys.
    for (const BoundItem& item : node.items)
        query->items.push_back({item.written.value, {fmt::format("partItem{}", query->items.size())}, {}});
    if (!node.keys.empty()) query->grouping = GroupKind::Group;
    for (const BoundItem& key : node.keys) query->groupBy.push_back({key.written.value, {key.names()[0]}, {}});
    if (node.having) query->having = node.having->written.value;
    return callParts(source, conditions, *query, context, "groupsOfParts");
}

Ref<MemoryTable> gatherColumns(const RowSource& source, const NodeList& conditions, const std::vector<int>& columns,
                               Context& context) {
    auto query = makeRef<Query>(SourcePosition{});
    query->where = conditions;
    query->items.push_back({makeRef<Star>(SourcePosition{}), {}, {}});
    std::vector<int32_t> positions(columns.begin(), columns.end());
    TableSchema schema;
    for (int c : columns) schema.push_back(source.columns()[static_cast<size_t>(c)]);
    Ref<MemoryTable> result = MemoryTable::empty(schema);
    const Value sent = Value::of(Vector::of(Type::Int, positions));
    for (const Value& rows : callParts(source, conditions, *query, context, "rowsOfParts", sent))
        result->append(receivedRows(rows, *result));
    return result;
}

Ref<MemoryTable> rowsFromNodes(const RowSource& source, const NodeList& conditions, const std::vector<RowItem>& items,
                               const std::vector<TopKey>& keys, int64_t needed, Context& context) {
    auto query = makeRef<Query>(SourcePosition{});
    query->where = conditions;
    TableSchema schema;
    for (const RowItem& item : items) {
        // Aliases that can be written in the source text of any query.
        query->items.push_back({item.value.code(), {fmt::format("item{}", query->items.size())}, {}});
        schema.push_back({item.name, item.value.resultType(), item.value.resultScale()});
    }
    for (const TopKey& key : keys) {
        const NodeRef name = makeRef<Name>(query->items[key.item].aliases[0], SourcePosition{});
        query->orderBy.push_back({name, key.ascending, key.nullsGiven, key.nullsFirst});
    }
    if (needed < INT64_MAX) query->limit = makeRef<Constant>(Value::ofLong(needed), SourcePosition{});
    Ref<MemoryTable> result = MemoryTable::empty(schema);
    for (const Value& rows : callParts(source, conditions, *query, context, "selectOnParts"))
        result->append(receivedRows(rows, *result));
    return result;
}

Value freeNames(const Query& query, const TableSchema& columns, Context& context) {
    auto names = makeRef<Dictionary>(Type::String, Type::Any, true);
    auto isColumn = [&](const std::string& name) {
        return std::any_of(columns.begin(), columns.end(), [&](const ColumnSchema& c) { return c.name == name; });
    };
    auto add = [&](const NodeRef& node) {
        if (!node) return;
        forEachName(*node, [&](const Name& n) {
            Value value;
            if (!isColumn(n.name) && context.scope && context.scope->lookup(n.name, value)) {
                names->set(Value::ofString(n.name), value);
            }
        });
    };
    for (const SelectItem& item : query.items) add(item.value);
    for (const SelectItem& item : query.groupBy) add(item.value);
    for (const NodeRef& condition : query.where) add(condition);
    for (const OrderItem& o : query.csort) add(o.value);
    for (const OrderItem& o : query.orderBy) add(o.value);
    add(query.having);
    return Value::of(names);
}

}  // namespace pelorus
