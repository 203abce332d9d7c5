#include "distributed/map_reduce/map_reduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "common/check.h"
#include "common/error.h"
#include "common/thread/thread_pool.h"
#include "interpreter/bytecode/effects.h"
#include "runtime/function/progress.h"
#include "runtime/registry/registry.h"
#include "runtime/serialize/received.h"
#include "runtime/table/remote_partitions.h"
#include "runtime/value/print.h"
#include "sql/remote/task_runner.h"

namespace pelorus {

namespace {

// A run of sources that one node processes and, with a reduce function, reduces to one value.
struct Unit {
    std::string node;
    size_t begin, end;
};

size_t leftPart(size_t count) {
    size_t left = 1;
    while (left * 2 < count) left *= 2;
    return left;
}

class Job {
public:
    Job(const MapReduce& job, Context& context) : job_(job), runner_(context.service<TaskRunner>()) {}

    std::string nodeOf(size_t i) const {
        const std::string& node = job_.sources[i]->node;
        return runner_ && !node.empty() && !runner_->isLocal(node) ? node : std::string();
    }

    // Appends the units of a range of sources: the subtrees that one node holds, or, without a reduce function, single
    // sources.
    void cut(size_t begin, size_t end, std::vector<Unit>& units) const {
        bool single = end - begin == 1;
        bool same = true;
        for (size_t i = begin + 1; i < end && same; ++i) same = nodeOf(i) == nodeOf(begin);
        if (single || (same && job_.reduce)) {
            units.push_back({nodeOf(begin), begin, end});
            return;
        }
        size_t middle = begin + leftPart(end - begin);
        cut(begin, middle, units);
        cut(middle, end, units);
    }

private:
    const MapReduce& job_;
    TaskRunner* runner_;
};

Value reduceTree(const Function& reduce, std::vector<Value>& values, size_t begin, size_t end, Context& context) {
    if (end - begin == 1) return std::move(values[begin]);
    size_t middle = begin + leftPart(end - begin);
    Value left = reduceTree(reduce, values, begin, middle, context);
    Value right = reduceTree(reduce, values, middle, end, context);
    std::vector<Value> arguments{std::move(left), std::move(right)};
    return reduce.call(context, arguments);
}

Value mapOne(const Function& map, const DataSource& source, const Value& extra, Context& context) {
    std::vector<Value> arguments{source.load(context)};
    if (extra.isTuple())
        arguments.insert(arguments.end(), extra.tuple().elements.begin(), extra.tuple().elements.end());
    return map.call(context, arguments);
}

// Returns the sizes of the units, which together cover all the sources.
std::vector<int64_t> unitSizes(const Value& v, size_t sources) {
    const auto require = [](bool fits) { received::require(fits, "sizes of units"); };
    require(v.isTypedVector() && v.type() == Type::Long);
    std::vector<int64_t> sizes;
    auto left = static_cast<int64_t>(sources);
    for (int64_t i = 0; i < v.size(); ++i) {
        sizes.push_back(v.at(i).asLong());
        require(sizes.back() >= 1 && sizes.back() <= left);
        left -= sizes.back();
    }
    require(left == 0);
    return sizes;
}

// mapUnits(sources, extra, sizes, map, reduce, parallel) runs this node's part of a job, and returns a tuple of the
// results of its units. `sources` is one tuple of the sources of all units, `sizes` are the numbers of each.
Value mapUnits(Context& context, Arguments arguments) {
    const std::vector<Ref<DataSource>> sources = dataSourcesOf(arguments[0]);
    const auto& extra = received::tuple(arguments[1], "arguments of a job");
    received::require(extra.empty() || extra.size() == sources.size(), "arguments of a job");
    const Ref<Function> map = received::function(arguments[3], "map function");
    const bool parallel = received::integer(arguments[5], "job") != 0;
    const std::vector<int64_t> sizes = unitSizes(arguments[2], sources.size());
    std::vector<Value> answers(sources.size());
    ProgressPhase progress(context.request->progress, "map-reduce", ProgressUnit::Tasks,
                           static_cast<int64_t>(sources.size()));
    auto one = [&](int64_t i) {
        Context own = context;
        own.callDepth = 0;
        own.checkCancelled();
        auto at = static_cast<size_t>(i);
        answers[at] = mapOne(*map, *sources[at], extra.empty() ? Value() : extra[at], own);
        progress.add(1);
    };
    if (parallel) {
        parallelFor(static_cast<int64_t>(sources.size()), one);
    } else {
        for (size_t i = 0; i < sources.size(); ++i) one(static_cast<int64_t>(i));
    }
    if (!arguments[4].isFunction()) return Value::of(makeRef<Tuple>(std::move(answers)));
    std::vector<Value> reduced;
    size_t begin = 0;
    for (const int64_t size : sizes) {
        size_t end = begin + static_cast<size_t>(size);
        reduced.push_back(reduceTree(arguments[4].function(), answers, begin, end, context));
        begin = end;
    }
    return Value::of(makeRef<Tuple>(std::move(reduced)));
}

// Returns whether the functions may be run again elsewhere: one that writes may have written on the node that is lost.
bool isRepeatable(const MapReduce& job) {
    return effectOf(*job.map) < Effect::Writes && (!job.reduce || effectOf(*job.reduce) < Effect::Writes);
}

bool keptElsewhere(const DataSource& source) {
    const auto* remote = dynamic_cast<const RemotePartitions*>(source.held.get());
    return remote != nullptr && remote->hasOthers({source.position}, source.node);
}

// Runs the units on the nodes that keep their sources, and returns their results; nothing for those whose node was
// lost.
std::vector<std::pair<Unit, std::optional<Value>>> runUnits(const MapReduce& job, const std::vector<Unit>& units,
                                                            Context& context) {
    std::map<std::string, std::vector<size_t>> byNode;
    for (size_t u = 0; u < units.size(); ++u) byNode[units[u].node].push_back(u);
    Ref<Function> function(const_cast<BuiltinFunction*>(&FunctionRegistry::instance().getForNode("mapUnits")));
    std::vector<RemoteCall> calls;
    std::vector<const std::vector<size_t>*> unitsOfCall;
    const bool mayRepeat = isRepeatable(job);
    for (const auto& [node, own] : byNode) {
        std::vector<Value> sources, extra;
        std::vector<int64_t> sizes;
        bool mayMove = mayRepeat;
        for (size_t u : own) {
            sizes.push_back(static_cast<int64_t>(units[u].end - units[u].begin));
            for (size_t i = units[u].begin; i < units[u].end; ++i) {
                sources.push_back(Value::ofSystem(Type::DataSource, job.sources[i]));
                if (!job.extra.empty()) extra.push_back(job.extra[i]);
                mayMove = mayMove && keptElsewhere(*job.sources[i]);
            }
        }
        calls.push_back({node,
                         function,
                         {Value::of(makeRef<Tuple>(std::move(sources))), Value::of(makeRef<Tuple>(std::move(extra))),
                          Value::of(Vector::of(Type::Long, sizes)), Value::of(job.map),
                          job.reduce ? Value::of(job.reduce) : Value(), Value::ofBool(job.parallel)},
                         mayMove});
        unitsOfCall.push_back(&own);
    }
    std::vector<RemoteAnswer> answers;
    const bool onlyHere = byNode.size() == 1 && byNode.begin()->first.empty();
    if (onlyHere) {
        answers.push_back({function->call(context, calls[0].arguments)});
    } else {
        answers = context.service<TaskRunner>()->call(context, std::move(calls));
    }
    CHECK(answers.size() == unitsOfCall.size()) << "each node answers its call";
    std::vector<std::pair<Unit, std::optional<Value>>> results;
    for (size_t c = 0; c < answers.size(); ++c) {
        const RemoteAnswer& answer = answers[c];
        if (!answer.lost.empty()) {
            for (const size_t u : *unitsOfCall[c]) results.emplace_back(units[u], std::nullopt);
            continue;
        }
        const auto& own = received::tuple(answer.value, unitsOfCall[c]->size(), "answer to a job");
        for (size_t k = 0; k < own.size(); ++k) results.emplace_back(units[(*unitsOfCall[c])[k]], own[k]);
    }
    return results;
}

// Assigns the unit's sources to other replicas. Throws SystemError when there are none.
void moveAway(const MapReduce& job, const Unit& unit) {
    for (size_t i = unit.begin; i < unit.end; ++i) {
        DataSource& source = *job.sources[i];
        auto* remote = dynamic_cast<RemotePartitions*>(source.held.get());
        CHECK(remote != nullptr) << "only calls whose sources others keep may move";
        remote->lose(unit.node, "The node " + unit.node + " was lost.");
        source.node = remote->openNodes({source.position})[0];
    }
}

}  // namespace

std::vector<Ref<DataSource>> dataSourcesOf(const Value& v) {
    std::vector<Ref<DataSource>> sources;
    auto add = [&](const Value& element) {
        if (element.type() != Type::DataSource) {
            throw UserError(0, fmt::format("ds must be a tuple of data sources, as sqlDS returns it, but it holds {}.",
                                           typeString(element)));
        }
        sources.push_back(Ref<DataSource>(element.as<DataSource>()));
    };
    if (v.isTuple()) {
        for (const Value& element : v.tuple().elements) add(element);
    } else {
        add(v);
    }
    return sources;
}

Value mapReduce(const MapReduce& job, Context& context) {
    if (job.sources.empty()) return Value::of(makeRef<Tuple>());
    std::vector<Unit> units, left;
    std::vector<Value> results;  // results of `units`
    const Job parts(job, context);
    parts.cut(0, job.sources.size(), left);
    // The work of a lost node goes to other replicas of its sources.
    while (!left.empty()) {
        for (auto& [unit, value] : runUnits(job, std::exchange(left, {}), context)) {
            if (value) {
                units.push_back(unit);
                results.push_back(std::move(*value));
                continue;
            }
            moveAway(job, unit);
            parts.cut(unit.begin, unit.end, left);
        }
    }
    std::vector<size_t> order(units.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return units[a].begin < units[b].begin; });
    if (!job.reduce) {
        std::vector<Value> inOrder;
        for (const size_t u : order) inOrder.push_back(std::move(results[u]));
        return Value::of(makeRef<Tuple>(std::move(inOrder)));
    }
    // The tree is walked again, over the subtrees that are values already.
    std::map<size_t, size_t> unitAt;
    for (size_t u = 0; u < units.size(); ++u) unitAt[units[u].begin] = u;
    std::function<Value(size_t, size_t)> combine = [&](size_t begin, size_t end) -> Value {
        size_t u = unitAt.at(begin);
        if (units[u].end == end) return std::move(results[u]);
        size_t middle = begin + leftPart(end - begin);
        Value left = combine(begin, middle);
        Value right = combine(middle, end);
        std::vector<Value> arguments{std::move(left), std::move(right)};
        return job.reduce->call(context, arguments);
    };
    return combine(0, job.sources.size());
}

void registerMapUnits(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Public, Effect::Writes);
    registry.add("mapUnits(sources, extra, sizes, map, reduce, parallel)", mapUnits,
                 {.summary = "Runs the map function on data sources of this node and reduces runs of them."},
                 kForNodes);
}

}  // namespace pelorus
