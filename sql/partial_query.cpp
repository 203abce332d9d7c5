#include "sql/partial_query.h"

#include <algorithm>
#include <map>

#include "common/error.h"
#include "runtime/code/rewrite.h"
#include "runtime/dictionary.h"
#include "sql/data_source.h"
#include "sql/task_runner.h"

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

Value loadTableValue(const std::string& database, const std::string& table, Context& context) {
    std::vector<Value> arguments{Value::ofString(database), Value::ofString(table)};
    return FunctionRegistry::instance().get("loadTable").call(context, arguments);
}

// A table restricted to partitions that are given by their paths.
Value restrictedTable(const std::string& database, const std::string& tableName, uint64_t number, const Value& paths,
                      Context& context) {
    Value table = loadTableValue(database, tableName, context);
    std::shared_ptr<TableSnapshot> snapshot = table.table().asPartitioned()->snapshot(number);
    std::vector<size_t> positions;
    for (int64_t i = 0; i < paths.size(); ++i) {
        const auto& all = snapshot->partitions();
        auto it =
            std::find_if(all.begin(), all.end(), [&](const PartitionEntry& e) { return e.path == paths.at(i).text(); });
        if (it == all.end())
            throw UserError("The partition " + std::string(paths.at(i).text()) + " is not on this node any more.");
        positions.push_back(static_cast<size_t>(it - all.begin()));
    }
    return Value::of(Ref<Table>(makeRef<RestrictedTable>(Ref<Table>(&table.table()), snapshot, positions)));
}

struct NodeParts {
    std::vector<size_t> order;  // place of each part among all
    std::vector<std::string> paths;
};

// Calls `function(query, names, database, table, snapshot, paths, extra)` on every node that keeps a part, and puts the
// tuple of results, one per path, into the order of the partitions.
std::vector<Value> callParts(const SelectPlan& plan, Context& context, const char* function, const Value& extra) {
    const RowSource& source = plan.source;
    Filter filter(plan.filters, source.columns(), context);
    std::shared_ptr<TableSnapshot> snapshot = source.snapshot ? source.snapshot : source.partitioned->snapshot();
    std::vector<size_t> partitions = partitionsOf(source, *snapshot, filter.constraints());
    std::map<std::string, NodeParts> byNode;
    for (size_t i = 0; i < partitions.size(); ++i) {
        const PartitionEntry& entry = snapshot->partitions()[partitions[i]];
        byNode[entry.node].order.push_back(i);
        byNode[entry.node].paths.push_back(entry.path);
    }
    Ref<Query> sent = copyQuery(*plan.query);
    sent->table = makeRef<Name>("t", SourcePosition{});
    sent->tableAlias.clear();
    Value names = freeNames(*plan.query, source.columns(), context);
    Ref<Function> f(const_cast<BuiltinFunction*>(&FunctionRegistry::instance().get(function)));
    std::vector<RemoteCall> calls;
    std::vector<const NodeParts*> parts;
    for (const auto& [node, part] : byNode) {
        calls.push_back({node,
                         f,
                         {codeValue(sent), names, Value::ofString(source.partitioned->databasePath()),
                          Value::ofString(source.table->name), Value::ofLong(static_cast<int64_t>(snapshot->number())),
                          Value::of(Vector::ofStrings(part.paths)), extra}});
        parts.push_back(&part);
    }
    std::vector<Value> answers = context.service<TaskRunner>()->call(context, std::move(calls));
    std::vector<Value> results(partitions.size());
    for (size_t n = 0; n < answers.size(); ++n) {
        for (size_t i = 0; i < parts[n]->order.size(); ++i)
            results[parts[n]->order[i]] = answers[n].at(static_cast<int64_t>(i));
    }
    return results;
}

// The plan of a part that arrived: its table is restricted to one partition.
struct ArrivedPart {
    FixedScope scope;
    Context context;
    Ref<Query> query;

    ArrivedPart(Context& outer, Arguments arguments) : scope(arguments[1]), context(outer) {
        context.scope = &scope;
        query = copyQuery(static_cast<const Query&>(*arguments[0].as<Code>()->node));
    }
};

Value partOf(Arguments arguments, int64_t i, Context& context) {
    return restrictedTable(std::string(arguments[2].text()), std::string(arguments[3].text()),
                           static_cast<uint64_t>(arguments[4].integer()),
                           Value::of(Vector::ofStrings({std::string(arguments[5].at(i).text())})), context);
}

Value groupsOfPartsKernel(Context& outer, Arguments arguments) {
    ArrivedPart part(outer, arguments);
    Value all = restrictedTable(std::string(arguments[2].text()), std::string(arguments[3].text()),
                                static_cast<uint64_t>(arguments[4].integer()), arguments[5], outer);
    part.query->table = makeRef<Constant>(all, SourcePosition{});
    SelectPlan plan = planSelect(*part.query, part.context);
    AggregatePlan aggregates;
    if (!planGroups(plan, part.context, aggregates))
        throw InternalError("a part of a query cannot be computed from states");
    // computeGroups leaves out partitions without rows: each path is asked for by itself, all at the same time.
    std::vector<Value> results;
    for (int64_t i = 0; i < arguments[5].size(); ++i) {
        SelectPlan one = plan;
        one.source.partitions = {plan.source.partitions[static_cast<size_t>(i)]};
        results.push_back(
            saveGroups(mergeGroups(computeGroups(one, aggregates, part.context), one, aggregates, part.context)));
    }
    return Value::of(makeRef<Tuple>(std::move(results)));
}

Value rowsOfPartsKernel(Context& outer, Arguments arguments) {
    ArrivedPart part(outer, arguments);
    std::vector<Value> results;
    for (int64_t i = 0; i < arguments[5].size(); ++i) {
        part.query->table = makeRef<Constant>(partOf(arguments, i, outer), SourcePosition{});
        SelectPlan plan = planSelect(*part.query, part.context);
        Filter filter(plan.filters, plan.source.columns(), part.context);
        std::vector<int> columns;
        for (int64_t c = 0; c < arguments[6].size(); ++c)
            columns.push_back(static_cast<int>(arguments[6].at(c).integer()));
        results.push_back(Value::of(Ref<Table>(scanColumns(plan.source, filter, columns, part.context))));
    }
    return Value::of(makeRef<Tuple>(std::move(results)));
}

}  // namespace

std::vector<size_t> partitionsRead(const SelectPlan& plan, const TableSnapshot& snapshot, Context& context) {
    Filter filter(plan.filters, plan.source.columns(), context);
    return partitionsOf(plan.source, snapshot, filter.constraints());
}

bool needsOtherNodes(const RowSource& source, Context& context) {
    auto* runner = context.service<TaskRunner>();
    if (!source.partitioned || !runner) return false;
    std::shared_ptr<TableSnapshot> snapshot = source.snapshot ? source.snapshot : source.partitioned->snapshot();
    const auto& all = snapshot->partitions();
    auto isRemote = [&](const PartitionEntry& e) { return !e.node.empty() && !runner->isLocal(e.node); };
    if (!source.restricted) return std::any_of(all.begin(), all.end(), isRemote);
    return std::any_of(source.partitions.begin(), source.partitions.end(), [&](size_t p) { return isRemote(all[p]); });
}

std::vector<Value> runPartsOnNodes(const SelectPlan& plan, Context& context) {
    return callParts(plan, context, "groupsOfParts", Value());
}

Ref<MemoryTable> gatherColumns(const SelectPlan& plan, const std::vector<int>& columns, Context& context) {
    std::vector<int32_t> positions(columns.begin(), columns.end());
    TableSchema schema;
    for (int c : columns) schema.push_back(plan.source.columns()[static_cast<size_t>(c)]);
    Ref<MemoryTable> result = MemoryTable::empty(schema);
    for (const Value& rows : callParts(plan, context, "rowsOfParts", Value::of(Vector::of(Type::Int, positions)))) {
        result->append(static_cast<const MemoryTable&>(rows.table()));
    }
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
    registry.add("groupsOfParts(query, names, database, table, snapshot, paths, [extra])", groupsOfPartsKernel,
                 {.summary = "For other nodes: the states of a grouped query over partitions of this node."});
    registry.add("rowsOfParts(query, names, database, table, snapshot, paths, columns)", rowsOfPartsKernel,
                 {.summary = "For other nodes: rows of partitions of this node that pass the conditions of a query."});
}

}  // namespace pelorus
