#include "sql/physical/select_map_reduce.h"

#include <algorithm>

#include "common/thread/thread_pool.h"
#include "interpreter/bytecode/closure.h"
#include "runtime/code/rewrite.h"
#include "runtime/function/principal.h"
#include "runtime/function/progress.h"
#include "sql/expression/called_functions.h"
#include "sql/expression/constraint.h"
#include "sql/operators/row_concatenation.h"
#include "sql/physical/select_stages.h"
#include "sql/plan/rules/prune.h"
#include "sql/plan/select_plan.h"
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

// Concatenates the results of the map parts of every partition.
Ref<MemoryTable> mapped(const SelectPlan& plan, const std::vector<SelectItem>& maps, Context& context) {
    Ref<Query> query = copyQuery(*plan.query);
    query->items = maps;
    query->groupBy.clear();
    for (const OutputItem& key : plan.keys) {
        SelectItem item;
        item.value = key.value;
        item.aliases = {key.names[0]};
        query->groupBy.push_back(std::move(item));
    }
    query->having = query->top = query->limit = query->offset = NodeRef();
    query->orderBy.clear();
    query->unions.clear();
    query->verb = QueryVerb::Select;
    const std::vector<size_t> partitions =
        partitionsToRead(plan.source, constraintsOf(plan.filters, plan.source.columns(), context));
    std::vector<Ref<MemoryTable>> results(partitions.size());
    ProgressPhase progress(context.request->progress, "query", ProgressUnit::Tasks,
                           static_cast<int64_t>(partitions.size()));
    parallelFor(static_cast<int64_t>(partitions.size()), [&](int64_t i) {
        Context own = context;
        own.callDepth = 0;
        own.checkCancelled();
        const auto k = static_cast<size_t>(i);
        RowSource source = plan.source;
        source.partitions = std::vector{partitions[k]};
        results[k] = selectRows(*query, std::move(source), own).rows;
        progress.add(1);
    });
    RowConcatenation all;
    for (const Ref<MemoryTable>& result : results) {
        if (result->rowCount() > 0) all.add(*result);
    }
    return all.finish();
}

}  // namespace

Ref<MemoryTable> selectMapReduce(const SelectPlan& plan, Context& context) {
    const bool possible = plan.source.partitioned() && plan.query->joins.empty() && plan.laterFilters.empty() &&
                          !needsOtherNodes(plan.source, context);
    if (!possible) return Ref<MemoryTable>();
    Splitter splitter(plan, context);
    auto outer = makeRef<Query>(plan.query->position);
    for (const OutputItem& given : plan.items) {
        SelectItem item;
        item.value = splitter.split(given.value);
        item.aliases = given.names;
        outer->items.push_back(std::move(item));
    }
    if (plan.query->having) outer->having = splitter.split(plan.query->having);
    if (!splitter.ok || splitter.maps.empty()) return Ref<MemoryTable>();
    Ref<MemoryTable> all = mapped(plan, splitter.maps, context);
    if (!all) return Ref<MemoryTable>();
    outer->grouping = plan.query->grouping;
    for (const OutputItem& key : plan.keys) {
        SelectItem item;
        item.value = makeRef<Name>(key.names[0], SourcePosition{});
        item.aliases = {key.names[0]};
        outer->groupBy.push_back(std::move(item));
    }
    return selectRows(*outer, sourceOf(all), context).rows;
}

}  // namespace pelorus
