#include "streaming/window/window_states.h"

#include <algorithm>
#include <numeric>

#include "common/check.h"
#include "runtime/code/query.h"
#include "sql/bind/plan_aggregates.h"
#include "sql/bind/plan_select.h"
#include "sql/expression/bind_expression.h"
#include "sql/rewrite/constant_calls.h"

namespace pelorus {

namespace {

// Plans the metrics as the query over the rows of windows does; false when that gathers rows.
bool planAsQuery(const WindowMetrics& metrics, const TableSchema& input, Context& context, AggregatePlan& aggregates) {
    const Ref<MemoryTable> none = WindowMetrics::numbered(*MemoryTable::empty(input), {});
    RowSource source = sourceOf(none);
    NamedQuery named = resolveNames(*metrics.queryOver(none), source);
    named.resolved = withConstantCalls(*named.resolved, source.columns(), context);
    const SelectPlan plan = planSelect(std::move(named), std::move(source), context);
    const auto isOneColumn = [](const OutputItem& item) { return item.names.size() == 1; };
    return std::all_of(plan.items.begin(), plan.items.end(), isOneColumn) && planGroups(plan, context, aggregates);
}

// Returns the states as such that can be copied one by one; null when they can't.
std::unique_ptr<ReusableState> reusable(std::unique_ptr<GroupedState> state) {
    auto* own = dynamic_cast<ReusableState*>(state.get());
    if (own) static_cast<void>(state.release());
    return std::unique_ptr<ReusableState>(own);
}

}  // namespace

std::unique_ptr<WindowStates> WindowStates::of(const WindowMetrics& metrics, const TableSchema& input,
                                               Context& context) {
    AggregatePlan plan;
    if (!planAsQuery(metrics, input, context, plan)) return {};
    std::unique_ptr<WindowStates> states(new WindowStates);
    if (!states->addAggregates(plan) || !states->bindItems(plan, metrics.results(), context)) return {};
    return states;
}

bool WindowStates::addAggregates(const AggregatePlan& plan) {
    for (size_t i = 0; i < plan.calls.size(); ++i) {
        Aggregate aggregate{plan.calls[i].arguments, reusable(plan.newState(i)), reusable(plan.newState(i)),
                            reusable(plan.newState(i))};
        if (!aggregate.open) return false;
        aggregate.empty->resize(1);
        aggregates_.push_back(std::move(aggregate));
    }
    return !aggregates_.empty();
}

// Binds the expressions over the results; false when one reads more than its row, or gives another type than the query.
bool WindowStates::bindItems(const AggregatePlan& plan, const TableSchema& expected, Context& context) {
    if (plan.items.size() != expected.size()) return false;
    TableSchema columns;
    for (size_t i = 0; i < aggregates_.size(); ++i) {
        const Value none = aggregates_[i].open->results();
        if (!none.isTypedVector()) return false;
        columns.push_back({plan.calls[i].column, none.type(), none.extra(), ""});
    }
    for (const NodeRef& item : plan.items) {
        items_.push_back(bindProgram(item, columns, context));
        const bool readsItsRow = items_.back().isElementwise() || isRowwise(item, context);
        if (items_.back().isConstant() || !readsItsRow) return false;
    }
    const std::vector<Value> none = results(context, {});
    for (size_t i = 0; i < none.size(); ++i) {
        const bool isAlike = none[i].isTypedVector() && none[i].type() == expected[i].type;
        if (!isAlike || none[i].extra() != expected[i].scale) return false;
    }
    return true;
}

void WindowStates::resize(int64_t slots) {
    for (Aggregate& aggregate : aggregates_) aggregate.open->resize(slots);
}

void WindowStates::add(Context& context, const MemoryTable& rows, const std::vector<int32_t>& slots) {
    if (std::find(slots.begin(), slots.end(), -1) != slots.end()) {
        std::vector<int32_t> taken, takenSlots;
        for (size_t i = 0; i < slots.size(); ++i) {
            if (slots[i] < 0) continue;
            taken.push_back(static_cast<int32_t>(i));
            takenSlots.push_back(slots[i]);
        }
        if (!taken.empty()) add(context, *rows.gather(taken.data(), std::ssize(taken)), takenSlots);
        return;
    }
    std::vector<Value> arguments;
    for (Aggregate& aggregate : aggregates_) {
        arguments.clear();
        for (const ExpressionProgram& argument : aggregate.arguments)
            arguments.push_back(argument.evaluate(context, rows));
        aggregate.open->add(arguments, slots.data(), std::ssize(slots));
    }
}

std::vector<Value> WindowStates::results(Context& context, const std::vector<int32_t>& slots) {
    const int64_t count = std::ssize(slots);
    for (size_t i = places_.size(); i < slots.size(); ++i) places_.push_back(static_cast<int32_t>(i));
    std::vector<Value> columns;
    for (Aggregate& aggregate : aggregates_) {
        aggregate.shown->resize(count);
        aggregate.shown->assign(*aggregate.open, slots.data(), places_.data(), count);
        columns.push_back(aggregate.shown->results());
    }
    std::vector<Value> results, read;
    for (const ExpressionProgram& item : items_) {
        read.clear();
        for (const int column : item.columns()) read.push_back(columns[static_cast<size_t>(column)]);
        results.push_back(item.evaluate(context, read, count));
        CHECK(results.back().size() == count) << "an expression over results has one value for each window";
    }
    return results;
}

void WindowStates::clear(const std::vector<int32_t>& slots) {
    zeros_.resize(std::max(zeros_.size(), slots.size()), 0);
    for (Aggregate& aggregate : aggregates_)
        aggregate.open->assign(*aggregate.empty, zeros_.data(), slots.data(), std::ssize(slots));
}

int64_t WindowStates::memoryBytes() const {
    return std::transform_reduce(
        aggregates_.begin(), aggregates_.end(), int64_t{0}, std::plus<>(),
        [](const Aggregate& aggregate) { return aggregate.open->memoryBytes() + aggregate.shown->memoryBytes(); });
}

}  // namespace pelorus
