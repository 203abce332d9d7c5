#include "sql/operators/context/group_columns.h"

#include <fmt/format.h>

#include "common/check.h"
#include "common/thread/thread_pool.h"
#include "runtime/code/rewrite.h"
#include "runtime/kernel/aggregate/aggregate.h"
#include "sql/expression/bind_expression.h"
#include "sql/expression/called_functions.h"
#include "sql/plan/aggregate_plan.h"

namespace pelorus {

namespace {

constexpr int32_t kGroupPieceRows = 1 << 16;

// Plans the call as states over elementwise arguments; false when that is not possible.
bool planCall(const Call& call, const MemoryTable& rows, Context& context, AggregatePlan& plan) {
    const Ref<Function> f = calledFunction(call, context);
    const auto* builtin = dynamic_cast<const BuiltinFunction*>(f.get());
    if (!builtin || !builtin->signature().aggregate || !builtin->hasStateFor(call.arguments.size())) return false;
    AggregateCall planned{builtin, {}, ""};
    for (const Argument& a : call.arguments) {
        if (!a.keyword.empty() || a.value->kind == NodeKind::Omitted) return false;
        const NodeRef value =
            a.value->kind == NodeKind::Star ? NodeRef(makeRef<Constant>(Value::ofInt(1), a.value->position)) : a.value;
        if (holdsAggregate(*value, context)) return false;
        planned.arguments.push_back(bindProgram(value, rows.columns(), context));
        const ExpressionProgram& e = planned.arguments.back();
        const bool isScalar =
            value->kind == NodeKind::Constant && static_cast<const Constant&>(*value).value.isScalar();
        if (e.isConstant() ? !isScalar : !e.isElementwise()) return false;
        for (int c : e.columns()) {
            if (!rows.column(c).isVector() || storageOf(rows.column(c).type()) == Storage::Boxed) return false;
        }
    }
    plan.calls.push_back(std::move(planned));
    return true;
}

// Returns one result for each group.
Value resultsOf(const AggregatePlan& plan, const MemoryTable& rows, const std::vector<int32_t>& begin,
                const std::vector<int32_t>& groupOf, Context& context) {
    std::vector<Value> arguments;
    for (const ExpressionProgram& e : plan.calls[0].arguments) arguments.push_back(e.evaluate(context, rows));
    const std::vector<GroupPiece> pieces = groupPieces(begin);
    std::vector<Value> parts(pieces.size());
    parallelFor(static_cast<int64_t>(pieces.size()), [&](int64_t number) {
        context.checkCancelled();
        const GroupPiece piece = pieces[static_cast<size_t>(number)];
        const int32_t first = begin[piece.firstGroup], count = begin[piece.endGroup] - first;
        std::vector<Value> slices;
        for (const Value& a : arguments) {
            slices.push_back(a.isScalar() ? a : Value::of(a.vector().slice(first, count)));
        }
        std::vector<int32_t> groups(static_cast<size_t>(count));
        for (size_t i = 0; i < groups.size(); ++i) {
            groups[i] = groupOf[static_cast<size_t>(first) + i] - static_cast<int32_t>(piece.firstGroup);
        }
        const std::unique_ptr<GroupedState> state = plan.newState(0);
        state->resize(static_cast<int64_t>(piece.endGroup - piece.firstGroup));
        state->add(slices, groups.data(), count);
        parts[static_cast<size_t>(number)] = state->results();
    });
    CHECK(!pieces.empty() && pieces.back().endGroup + 1 == begin.size()) << "the pieces end with the last group";
    for (size_t i = 1; i < parts.size(); ++i) parts[0].vector().append(parts[i].vector(), 0, parts[i].size());
    CHECK(parts[0].size() + 1 == std::ssize(begin)) << "an aggregate has one result for each group";
    return parts[0];
}

}  // namespace

std::vector<GroupPiece> groupPieces(const std::vector<int32_t>& begin) {
    std::vector<GroupPiece> pieces;
    for (size_t g = 0; g + 1 < begin.size();) {
        GroupPiece piece{g, g};
        while (piece.endGroup + 1 < begin.size() && begin[piece.endGroup] - begin[g] < kGroupPieceRows)
            ++piece.endGroup;
        pieces.push_back(piece);
        g = piece.endGroup;
    }
    return pieces;
}

NodeRef withGroupColumns(const NodeRef& item, MemoryTable& rows, const std::vector<int32_t>& begin, Context& context) {
    if (begin.size() < 2 || !holdsAggregate(*item, context)) return NodeRef();
    CHECK(begin.back() == rows.rowCount()) << "each row is in a group";
    // First only the plan of the expression: nothing is computed for one that does not change.
    std::vector<AggregatePlan> plans;
    std::vector<std::string> names;
    bool planned = true;
    const NodeRef rest = rewrite(item, [&](const NodeRef& n) -> NodeRef {
        if (n->kind != NodeKind::Call || !planned) return NodeRef();
        const auto& call = static_cast<const Call&>(*n);
        const Ref<Function> f = calledFunction(call, context);
        if (!f || !f->signature().aggregate) return NodeRef();
        AggregatePlan plan;
        planned = planCall(call, rows, context, plan);
        if (!planned) return n;
        names.push_back(fmt::format(" group{}.{}", rows.columnCount(), names.size()));
        plans.push_back(std::move(plan));
        return makeRef<Name>(names.back(), n->position);
    });
    if (!planned || plans.empty()) return NodeRef();
    TableSchema columns = rows.columns();
    for (size_t i = 0; i < plans.size(); ++i) {
        columns.push_back({names[i], plans[i].newState(0)->results().type(), 0, ""});
        if (isDecimal(columns.back().type)) return NodeRef();
    }
    if (!bindProgram(rest, columns, context).isElementwise()) return NodeRef();
    std::vector<int32_t> groupOf(static_cast<size_t>(begin.back()));
    for (size_t g = 0; g + 1 < begin.size(); ++g) {
        std::fill(groupOf.begin() + begin[g], groupOf.begin() + begin[g + 1], static_cast<int32_t>(g));
    }
    for (size_t i = 0; i < plans.size(); ++i) {
        const Value results = resultsOf(plans[i], rows, begin, groupOf, context);
        if (!results.isVector() || results.isTuple()) return NodeRef();
        rows.setColumn(names[i], gatherElements(results, groupOf.data(), static_cast<int64_t>(groupOf.size())));
    }
    return rest;
}

}  // namespace pelorus
