#include "sql/bind/nodes/bind_phases.h"

#include <algorithm>

#include "interpreter/bytecode/closure.h"
#include "runtime/code/rewrite.h"
#include "sql/bind/nodes/bind_groups.h"
#include "sql/bind/nodes/bind_select.h"
#include "sql/bind/plan_select.h"
#include "sql/expression/called_functions.h"
#include "sql/remote/partial_query.h"

namespace pelorus {

namespace {

std::shared_ptr<const MapReduceParts> partsOf(const Call& call, Context& context) {
    Ref<Function> f = calledFunction(call, context);
    const auto* closure = dynamic_cast<const Closure*>(f.get());
    return closure ? closure->code().mapReduce.load() : nullptr;
}

bool isFunctionNode(const Node& node) {
    if (node.kind == NodeKind::Constant) return static_cast<const Constant&>(node).value.isFunction();
    return node.kind == NodeKind::Name || node.kind == NodeKind::Lambda || node.kind == NodeKind::Partial;
}

// Splits expressions into columns that are computed per partition, and expressions over those.
class Splitter {
public:
    Splitter(const SelectPlan& plan, Context& context) : plan_(plan), context_(context) {}

    NodeRef split(const NodeRef& node) {
        return rewrite(node, [&](const NodeRef& n) -> NodeRef {
            if (n->kind == NodeKind::Name) {
                const std::string& name = static_cast<const Name&>(*n).name;
                const bool isKey = std::any_of(plan_.keys.begin(), plan_.keys.end(),
                                               [&](const OutputItem& key) { return key.names[0] == name; });
                ok = ok && (isKey || plan_.source.table->findColumn(name) < 0);
                return NodeRef();
            }
            if (n->kind == NodeKind::Query || n->kind == NodeKind::Lambda || n->kind == NodeKind::Window) {
                ok = false;
                return n;
            }
            if (n->kind != NodeKind::Call) return NodeRef();
            const auto& call = static_cast<const Call&>(*n);
            if (const auto parts = partsOf(call, context_)) return reduced(call, *parts);
            Ref<Function> f = calledFunction(call, context_);
            ok = ok && !(f && f->signature().aggregate);
            return NodeRef();
        });
    }

    bool ok = true;
    std::vector<SelectItem> maps;  // the columns of a partition's result

private:
    NodeRef reduced(const Call& call, const MapReduceParts& parts) {
        const bool plain = std::all_of(call.arguments.begin(), call.arguments.end(),
                                       [](const Argument& a) { return a.keyword.empty(); });
        if (!plain || call.arguments.size() != parts.parameters.size() || !isFunctionNode(*parts.reduce)) {
            ok = false;
            return NodeRef(const_cast<Call*>(&call));
        }
        std::vector<Argument> columns;
        for (const NodeRef& map : parts.maps) {
            SelectItem item;
            item.value = withArguments(map, parts.parameters, call.arguments);
            item.aliases = {"map part " + std::to_string(maps.size())};
            columns.push_back({"", makeRef<Name>(item.aliases[0], call.position)});
            maps.push_back(std::move(item));
        }
        return makeRef<Call>(parts.reduce, std::move(columns), Call::Style::Function, call.position);
    }

    static NodeRef withArguments(const NodeRef& map, const std::vector<std::string>& parameters,
                                 const std::vector<Argument>& arguments) {
        return rewrite(map, [&](const NodeRef& n) -> NodeRef {
            if (n->kind != NodeKind::Name) return NodeRef();
            auto found = std::find(parameters.begin(), parameters.end(), static_cast<const Name&>(*n).name);
            return found == parameters.end() ? NodeRef()
                                             : arguments[static_cast<size_t>(found - parameters.begin())].value;
        });
    }

    const SelectPlan& plan_;
    Context& context_;
};

// Returns the query of a partition: the map parts by the keys.
Ref<Query> queryOfPartition(const SelectPlan& plan, std::vector<SelectItem> maps) {
    Ref<Query> query = copyQuery(*plan.query);
    query->items = std::move(maps);
    query->groupBy.clear();
    for (const OutputItem& key : plan.keys) query->groupBy.push_back({key.value, {key.names[0]}, NodeRef()});
    query->having = query->top = query->limit = query->offset = NodeRef();
    query->orderBy.clear();
    query->unions.clear();
    query->verb = QueryVerb::Select;
    return query;
}

// Returns the query over the results of all partitions. `split`: makes expressions over those.
Ref<Query> queryOfResults(const SelectPlan& plan, Splitter& split) {
    auto query = makeRef<Query>(plan.query->position);
    for (const OutputItem& item : plan.items) query->items.push_back({split.split(item.value), item.names, NodeRef()});
    if (plan.query->having) query->having = split.split(plan.query->having);
    query->grouping = plan.query->grouping;
    for (const OutputItem& key : plan.keys)
        query->groupBy.push_back({makeRef<Name>(key.names[0], SourcePosition{}), {key.names[0]}, NodeRef()});
    return query;
}

}  // namespace

PlanRef bindPhases(const SelectPlan& plan, PlanRef whole, Context& context) {
    const bool isPossible = plan.source.partitioned() && plan.query->joins.empty() && plan.laterFilters.empty() &&
                            !needsOtherNodes(plan.source, context);
    if (!isPossible) return whole;
    Splitter splitter(plan, context);
    const Ref<Query> reduce = queryOfResults(plan, splitter);
    if (!splitter.ok || splitter.maps.empty()) return whole;
    PlanRef map = bindOver(*queryOfPartition(plan, splitter.maps), plan.source, context);
    TableSchema columns = map->schema(context);
    for (ColumnSchema& column : columns) {
        if (column.type == Type::Void) column.type = Type::Any;
    }
    PlanRef over = bindOver(*reduce, sourceOf(MemoryTable::empty(columns)), context);
    scanOf(*over)->isGiven = true;
    return std::make_unique<PhasesNode>(std::move(map), std::move(over), std::move(whole));
}

PlanRef bindGroupsInPhases(const SelectPlan& plan, Context& context) {
    if (PlanRef aggregate = bindAggregate(plan, context)) return aggregate;
    return bindPhases(plan, bindWholeGroups(plan, context), context);
}

PlanRef bindOver(const Query& query, RowSource source, Context& context) {
    NamedQuery named = resolveNames(query, source);
    const Ref<Query> whole = named.resolved;
    return bindSelect(*whole, planSelect(std::move(named), std::move(source), context), context);
}

}  // namespace pelorus
