#include "sql/bind/nodes/bind_window.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "interpreter/expression/bind.h"
#include "runtime/code/rewrite.h"
#include "runtime/code/same_code.h"
#include "sql/bind/nodes/bind_input.h"
#include "sql/expression/bind_expression.h"
#include "sql/expression/called_functions.h"

namespace pelorus {

namespace {

bool looksBack(const BuiltinFunction& function) {
    return function.declaration().rolling && function.signature().orderSensitive;
}

// Whether bounds tell groups apart in the whole expression: each call is of one row, an aggregate with states, or a
// function that looks back with states; at least one is not of one row.
bool canGoAlongGroups(const NodeRef& item, Context& context) {
    bool isNeeded = false;
    const bool can = callsOnly(item, context, [&](const BuiltinFunction& function, const Call& call) {
        const bool isOfGroup = function.hasStateFor(call.arguments.size()) || looksBack(function);
        isNeeded = isNeeded || isOfGroup;
        return isOfGroup || function.signature().elementwise;
    });
    return can && isNeeded;
}

// Binds the expressions of a Window. Calls of functions of the group become columns behind those of the input; equal
// ones are one column.
class WindowBinder {
public:
    WindowBinder(WindowNode& node, TableSchema input, Context& context)
        : node_(node), input_(std::move(input)), columns_(input_), context_(context) {}

    // Binds the next item, or the condition after the items.
    WindowItem bind(const OutputItem& written) {
        WindowItem item{boundItem(written, input_, context_), std::nullopt};
        if (!item.whole.value.isElementwise() && written.names.size() == 1)
            item.alongGroups = alongGroups(written.value);
        ++number_;
        return item;
    }

private:
    std::optional<ExpressionProgram> alongGroups(const NodeRef& item) {
        if (!canGoAlongGroups(item, context_)) return std::nullopt;
        const size_t known = node_.calls.size();
        hasFailed_ = false;
        if (const NodeRef rest = withColumns(item)) {
            const BoundRef bound = bindOverColumns(rest, columns_, context_);
            if (bound->isElementwise) return ExpressionProgram(bound, context_);
        }
        node_.calls.erase(node_.calls.begin() + static_cast<std::ptrdiff_t>(known), node_.calls.end());
        code_.resize(known);
        columns_.resize(input_.size() + known);
        return std::nullopt;
    }

    // Replaces the calls of an expression by columns; null where one cannot be replaced.
    NodeRef withColumns(const NodeRef& item) {
        const NodeRef rest = rewrite(item, [&](const NodeRef& n) -> NodeRef {
            if (n->kind != NodeKind::Call || hasFailed_) return NodeRef();
            const auto& call = static_cast<const Call&>(*n);
            const Ref<Function> f = calledFunction(call, context_);
            const auto* builtin = dynamic_cast<const BuiltinFunction*>(f.get());
            if (!builtin || (!builtin->signature().aggregate && !looksBack(*builtin))) return NodeRef();
            if (bindOverColumns(n, columns_, context_)->isElementwise) return n;  // such as max(x, y)
            const std::optional<size_t> column = columnOf(call, *builtin);
            hasFailed_ = hasFailed_ || !column;
            return hasFailed_ ? n : NodeRef(makeRef<Name>(node_.calls[*column].column.name, n->position));
        });
        return hasFailed_ ? NodeRef() : rest;
    }

    // Returns the number of the call's column; nothing where it has no states, or a type that only rows determine.
    std::optional<size_t> columnOf(const Call& call, const BuiltinFunction& function) {
        const bool isAggregate = function.signature().aggregate;
        if (isAggregate && !function.hasStateFor(call.arguments.size())) return std::nullopt;
        WindowCall bound{&function, {}, {}, number_};
        std::vector<Argument> arguments;
        for (const Argument& argument : call.arguments) {
            if (!bindArgument(argument, isAggregate, bound, arguments)) return std::nullopt;
        }
        const bool hasRows = !bound.arguments.empty() && bound.arguments[0] && !bound.arguments[0]->isConstant();
        if (!isAggregate && !hasRows) return std::nullopt;
        const NodeRef code = makeRef<Call>(call.callee, std::move(arguments), call.style, call.position);
        for (size_t c = 0; c < code_.size(); ++c) {
            if (isSameCode(code_[c], code)) {
                node_.calls[c].lastItem = number_;
                return c;
            }
        }
        const std::optional<ResultType> type = typeOf(bindExpression(code, columns_, context_));
        if (!type || (isAggregate && isDecimal(type->type))) return std::nullopt;
        bound.column = {fmt::format(" call{}", code_.size()), type->type, static_cast<uint8_t>(type->scale)};
        columns_.push_back(bound.column);
        code_.push_back(code);
        node_.calls.push_back(std::move(bound));
        return node_.calls.size() - 1;
    }

    // Binds an argument, whose own calls are replaced first. Returns false where it has no value for each row.
    bool bindArgument(const Argument& argument, bool isOfAggregate, WindowCall& bound, std::vector<Argument>& written) {
        if (!argument.keyword.empty()) return false;
        if (argument.value->kind == NodeKind::Omitted) {
            if (isOfAggregate) return false;
            bound.arguments.emplace_back();
            written.push_back(argument);
            return true;
        }
        const bool isStar = argument.value->kind == NodeKind::Star;
        const NodeRef one = makeRef<Constant>(Value::ofInt(1), argument.value->position);
        const NodeRef value = withColumns(isStar ? one : argument.value);
        if (!value) return false;
        const ExpressionProgram& program = bound.arguments.emplace_back(bindProgram(value, columns_, context_)).value();
        written.push_back({"", isStar ? argument.value : value});
        if (!program.isConstant()) return program.isElementwise();
        const bool isScalar =
            value->kind == NodeKind::Constant && static_cast<const Constant&>(*value).value.isScalar();
        return !isOfAggregate || isScalar;
    }

    WindowNode& node_;
    const TableSchema input_;
    TableSchema columns_;        // of the input, then of the calls
    std::vector<NodeRef> code_;  // of the calls
    size_t number_ = 0;          // of the item that is bound
    bool hasFailed_ = false;     // a call of the item cannot be replaced
    Context& context_;
};

std::vector<OrderExpression> boundOrder(const Query& query, const TableSchema& columns, Context& context) {
    std::vector<OrderExpression> order;
    for (const OrderItem& item : query.csort) {
        order.push_back({bindProgram(item.value, columns, context), item.ascending, item.nullsGiven, item.nullsFirst});
    }
    return order;
}

// Whether the rows come in the order of the table, not group by group.
bool keepsTableOrder(const Query& query) {
    constexpr int64_t kKeepOrderHint = 128;
    return (query.limit && query.csort.empty()) || (query.hint & kKeepOrderHint) != 0;
}

// Returns the limit or top of a query with context by.
int64_t groupLimit(const NodeRef& node, Context& context) {
    const ExpressionProgram e = bindProgram(node, {}, context);
    Value v = e.evaluate(context, std::span<const Value>(), 0);
    if (!v.isScalar() || !isIntegral(v.type())) {
        throw UserError(
            "When top clause uses together with context clause in SQL query, can't specify a range in top clause");
    }
    return v.isNull() ? 0 : v.asLong();
}

}  // namespace

PlanRef bindContext(const SelectPlan& plan, Context& context) {
    const Query& query = *plan.query;
    BoundRows input = bindInput(plan, context);
    auto node = std::make_unique<WindowNode>(std::move(input.rows));
    node->partitionBy = boundItems(plan.keys, input.columns, context);
    node->orderBy = boundOrder(query, input.columns, context);
    WindowBinder binder(*node, input.columns, context);
    for (const OutputItem& item : plan.items) node->items.push_back(binder.bind(item));
    if (query.having) node->having = binder.bind({{"having"}, query.having, false});
    if (const NodeRef& limit = query.limit ? query.limit : query.top) node->limit = groupLimit(limit, context);
    node->output = keepsTableOrder(query) ? WindowNode::Output::RowOrder : WindowNode::Output::GroupOrder;
    return node;
}

PlanRef bindRoll(const SelectPlan& plan, Context& context) {
    const Query& query = *plan.query;
    if (query.having || query.limit || query.top)
        throw UserError("having, limit and top do not go with roll.", "Select from the result.");
    BoundRows input = bindInput(plan, context);
    auto node = std::make_unique<RollNode>(std::move(input.rows));
    node->partitionBy = boundItems(plan.keys, input.columns, context);
    node->orderBy = boundOrder(query, input.columns, context);
    node->items = plan.items;
    return node;
}

}  // namespace pelorus
