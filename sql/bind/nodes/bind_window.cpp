#include "sql/bind/nodes/bind_window.h"

#include <algorithm>

#include "common/error.h"
#include "sql/bind/nodes/bind_input.h"
#include "sql/expression/bind_expression.h"
#include "sql/expression/called_functions.h"

namespace pelorus {

namespace {

// Binds an expression of the select list; where it is a plain call, its function and arguments, too.
WindowCall boundCall(const OutputItem& item, const TableSchema& columns, Context& context) {
    WindowCall bound{{item, bindOverColumns(item.value, columns, context)}};
    if (item.value->kind != NodeKind::Call) return bound;
    const auto& call = static_cast<const Call&>(*item.value);
    const Ref<Function> function = calledFunction(call, context);
    const auto* builtin = dynamic_cast<const BuiltinFunction*>(function.get());
    const auto isPlain = [](const Argument& argument) {
        const NodeKind kind = argument.value->kind;
        return argument.keyword.empty() && kind != NodeKind::Star && kind != NodeKind::Omitted;
    };
    if (!builtin || !std::ranges::all_of(call.arguments, isPlain)) return bound;
    for (const Argument& argument : call.arguments)
        bound.arguments.push_back(bindOverColumns(argument.value, columns, context));
    bound.function = builtin;
    return bound;
}

}  // namespace

bool keepsTableOrder(const Query& query) {
    constexpr int64_t kKeepOrderHint = 128;
    return (query.limit && query.csort.empty()) || (query.hint & kKeepOrderHint) != 0;
}

int64_t groupLimit(const NodeRef& node, Context& context) {
    const ExpressionProgram e = bindProgram(node, {}, context);
    Value v = e.evaluate(context, std::span<const Value>(), 0);
    if (!v.isScalar() || !isIntegral(v.type())) {
        throw UserError(
            "When top clause uses together with context clause in SQL query, can't specify a range in top clause");
    }
    return v.isNull() ? 0 : v.asLong();
}

PlanRef bindContext(const SelectPlan& plan, Context& context) {
    const Query& query = *plan.query;
    BoundRows input = bindInput(plan, context);
    auto node = std::make_unique<WindowNode>(std::move(input.rows));
    for (const OutputItem& key : plan.keys)
        node->partitionBy.push_back({key, bindOverColumns(key.value, input.columns, context)});
    for (const OrderItem& item : query.csort) {
        node->orderBy.push_back(
            {bindOverColumns(item.value, input.columns, context), item.ascending, item.nullsGiven, item.nullsFirst});
    }
    for (const OutputItem& item : plan.items) node->calls.push_back(boundCall(item, input.columns, context));
    if (query.having) {
        const OutputItem having{{"having"}, query.having, false};
        node->having = WindowItem{having, bindOverColumns(query.having, input.columns, context)};
    }
    if (const NodeRef& limit = query.limit ? query.limit : query.top) node->limit = groupLimit(limit, context);
    node->output = keepsTableOrder(query) ? WindowNode::Output::RowOrder : WindowNode::Output::GroupOrder;
    node->clauses = plan;
    return node;
}

}  // namespace pelorus
