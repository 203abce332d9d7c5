#include "sql/remote/partial_query.h"
#include "common/check.h"
#include "runtime/function/principal.h"
#include "sql/operators/aggregate/hash_aggregate.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "common/error.h"
#include "runtime/code/rewrite.h"
#include "runtime/serialize/received.h"
#include "runtime/table/remote_partitions.h"
#include "runtime/value/dictionary.h"
#include "sql/bind/plan_aggregates.h"
#include "sql/bind/plan_select.h"
#include "sql/expression/column_expression.h"
#include "sql/operators/scan/scan.h"
#include "sql/physical/select_stages.h"
#include "sql/plan/aggregate_plan.h"
#include "sql/plan/row_item.h"
#include "sql/plan/row_source.h"
#include "sql/plan/rules/prune.h"
#include "sql/plan/select_plan.h"
#include "sql/remote/arrived_part.h"
#include "sql/remote/task_runner.h"

namespace pelorus {

namespace {

// Positions of the partitions that the plan reads, in order.
std::vector<size_t> partitionsOf(const RowSource& source, const TableSnapshot& snapshot,
                                 const std::vector<ColumnConstraint>& constraints) {
    std::vector<size_t> pruned = prunePartitions(*source.partitioned, snapshot, constraints);
    if (!source.restricted) return pruned;
    std::erase_if(pruned, [&](size_t p) {
        return std::find(source.partitions.begin(), source.partitions.end(), p) == source.partitions.end();
    });
    return pruned;
}

struct NodeParts {
    std::vector<size_t> order;  // place of each part among all
    std::vector<size_t> positions;
    std::vector<std::string> paths;
};

// As callPartitions, of the partitions that pass the conditions.
std::vector<Value> callParts(const RowSource& source, const NodeList& conditions, const Query& query, Context& context,
                             const char* function, const Value& extra = Value()) {
    Filter filter(conditions, source.columns(), context);
    std::shared_ptr<TableSnapshot> snapshot =
        source.snapshot ? source.snapshot : source.partitioned->snapshot(context.principal());
    return callPartitions(*source.partitioned, snapshot, partitionsOf(source, *snapshot, filter.constraints()), query,
                          context, function, extra);
}

Value groupsOfPartsKernel(Context& outer, Arguments arguments) {
    ArrivedPart part(outer, arguments);
    part.query->table = makeRef<Constant>(part.rowsOf(part.paths, outer), SourcePosition{});
    SelectPlan plan = planSelect(*part.query, part.context);
    AggregatePlan aggregates;
    received::require(planGroups(plan, part.context, aggregates), "grouped query");
    received::require(plan.source.partitions.size() == part.paths.size(), "partitions");
    std::vector<Value> results;
    for (const size_t partition : plan.source.partitions) {
        SelectPlan one = plan;
        one.source.partitions = {partition};
        results.push_back(saveGroups(groupsOf(one, aggregates, part.context)));
    }
    return Value::of(makeRef<Tuple>(std::move(results)));
}

Value rowsOfPartsKernel(Context& outer, Arguments arguments) {
    ArrivedPart part(outer, arguments);
    received::require(arguments[6].isTypedVector() && arguments[6].type() == Type::Int, "columns");
    std::vector<Value> results;
    for (const std::string& path : part.paths) {
        part.query->table = makeRef<Constant>(part.rowsOf({path}, outer), SourcePosition{});
        SelectPlan plan = planSelect(*part.query, part.context);
        Filter filter(plan.filters, plan.source.columns(), part.context);
        std::vector<int> columns;
        for (int64_t c = 0; c < arguments[6].size(); ++c) {
            const int64_t column = arguments[6].at(c).integer();
            received::require(column >= 0 && column < static_cast<int64_t>(plan.source.columns().size()), "columns");
            columns.push_back(static_cast<int>(column));
        }
        results.push_back(Value::of(Ref<Table>(scanColumns(plan.source, filter, columns, part.context))));
    }
    return Value::of(makeRef<Tuple>(std::move(results)));
}

// Runs a statement in each partition by itself. Callers send only statements that make each result row from one row.
Value selectOnPartsKernel(Context& outer, Arguments arguments) {
    ArrivedPart part(outer, arguments);
    std::vector<Value> results;
    for (const std::string& path : part.paths) {
        part.query->table = makeRef<Constant>(part.rowsOf({path}, outer), SourcePosition{});
        results.push_back(Value::of(Ref<Table>(selectRows(*part.query, part.context).rows)));
    }
    return Value::of(makeRef<Tuple>(std::move(results)));
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

std::vector<size_t> partitionsRead(const SelectPlan& plan, const TableSnapshot& snapshot, Context& context) {
    Filter filter(plan.filters, plan.source.columns(), context);
    return partitionsOf(plan.source, snapshot, filter.constraints());
}

bool needsOtherNodes(const RowSource& source, Context& context) {
    auto* runner = context.service<TaskRunner>();
    if (!source.partitioned || !runner) return false;
    std::shared_ptr<TableSnapshot> snapshot =
        source.snapshot ? source.snapshot : source.partitioned->snapshot(context.principal());
    const auto& all = snapshot->partitions();
    auto isRemote = [&](const PartitionEntry& e) { return !e.node.empty() && !runner->isLocal(e.node); };
    if (!source.restricted) return std::any_of(all.begin(), all.end(), isRemote);
    return std::any_of(source.partitions.begin(), source.partitions.end(), [&](size_t p) { return isRemote(all[p]); });
}

std::vector<Value> runPartsOnNodes(const SelectPlan& plan, Context& context) {
    return callParts(plan.source, plan.filters, *plan.query, context, "groupsOfParts");
}

Ref<MemoryTable> gatherColumns(const SelectPlan& plan, const std::vector<int>& columns, Context& context) {
    std::vector<int32_t> positions(columns.begin(), columns.end());
    TableSchema schema;
    for (int c : columns) schema.push_back(plan.source.columns()[static_cast<size_t>(c)]);
    Ref<MemoryTable> result = MemoryTable::empty(schema);
    const Value sent = Value::of(Vector::of(Type::Int, positions));
    for (const Value& rows : callParts(plan.source, plan.filters, *plan.query, context, "rowsOfParts", sent))
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
        query->items.push_back({item.value.node(), {fmt::format("item{}", query->items.size())}, {}});
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

void registerPartialQuery(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Public, Effect::Writes);
    registry.add("groupsOfParts(query, names, database, table, snapshot, paths, [extra])", groupsOfPartsKernel,
                 {.summary = "The states of a grouped query over partitions of this node."}, kForNodes);
    registry.add("rowsOfParts(query, names, database, table, snapshot, paths, columns)", rowsOfPartsKernel,
                 {.summary = "Rows of partitions of this node that pass the conditions of a query."}, kForNodes);
    registry.add("selectOnParts(query, names, database, table, snapshot, paths, [extra])", selectOnPartsKernel,
                 {.summary = "The result of a query of rows in each of some partitions of this node."}, kForNodes);
}

}  // namespace pelorus
