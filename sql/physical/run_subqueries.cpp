#include "sql/physical/run_subqueries.h"

#include "common/error.h"
#include "runtime/code/rewrite.h"
#include "runtime/kernel/elementwise/operators.h"
#include "runtime/registry/registry.h"
#include "runtime/value/cast.h"
#include "sql/bind/outer_columns.h"
#include "sql/expression/called_functions.h"
#include "sql/expression/constants.h"
#include "sql/operators/scan/materialise.h"
#include "sql/physical/run_query.h"

namespace pelorus {

// Rewrites `= any` of a list to lookups that find exactly the values that == finds: `in` would convert the other side
// to the type of the list, fractions to integers, times to days, decimals to a smaller scale.
static NodeRef equalToAny(const NodeRef& x, Value list, SourcePosition position) {
    const auto finer = [&](Type type) {
        if (!canCast(list.type(), type)) return false;
        const Value finest = cast(list, type);
        if (!identical(cast(finest, list.type()), list)) return false;
        list = finest;
        return true;
    };
    if (isIntegral(list.type())) finer(Type::Double);
    const bool isExact =
        !isDecimal(list.type()) && (!isTemporal(list.type()) || finer(Type::NanoTimestamp) || finer(Type::NanoTime));
    if (isExact) return makeRef<Binary>(Operator::In, x, makeRef<Constant>(list, position), position);
    // A balanced tree: the depth of the code is logarithmic in the length of the list.
    const auto among = [&](const auto& self, int64_t begin, int64_t end) -> NodeRef {
        if (end - begin == 1)
            return makeRef<Binary>(Operator::Eq, x, makeRef<Constant>(list.at(begin), position), position);
        const int64_t middle = begin + (end - begin) / 2;
        return makeRef<Binary>(Operator::OrIgnoringNull, self(self, begin, middle), self(self, middle, end), position);
    };
    return among(among, 0, list.size());
}

// Returns the column of a sub-query that stands for a value: the only one, or that of its one item beside the keys of
// its groups. -1 where there is none.
static int columnOfValue(const Query& query, const Table& rows) {
    if (rows.columnCount() == 1) return 0;
    const bool isOneItem = query.grouping == GroupKind::Group && query.items.size() == 1 &&
                           query.items[0].value->kind != NodeKind::Star && query.items[0].aliases.size() <= 1;
    return isOneItem ? rows.columnCount() - 1 : -1;
}

// x > any (query), x <= all (query) …: comparisons with the min or the max, or a lookup in all values.
static NodeRef quantified(const NodeRef& node, Context& context) {
    if (node->kind != NodeKind::Binary) return NodeRef();
    const auto& n = static_cast<const Binary&>(*node);
    const bool compares = n.op == Operator::Lt || n.op == Operator::Le || n.op == Operator::Gt ||
                          n.op == Operator::Ge || n.op == Operator::Eq || n.op == Operator::Ne;
    if (!compares || n.right->kind != NodeKind::Call) return NodeRef();
    const auto& call = static_cast<const Call&>(*n.right);
    if (call.callee->kind != NodeKind::Name || call.arguments.size() != 1) return NodeRef();
    const std::string& word = static_cast<const Name&>(*call.callee).name;
    const bool all = word == "all";
    if (!all && word != "any") return NodeRef();
    const Node& given = *call.arguments[0].value;
    Value result;
    if (given.kind == NodeKind::Query) {
        result = runQuery(static_cast<const Query&>(given), context);
    } else if (!constantValue(given, {}, context, result) || !result.isVector()) {
        return NodeRef();
    }
    Value values = result;
    if (result.isTable()) {
        const int column = columnOfValue(static_cast<const Query&>(given), result.table());
        if (column < 0) throw UserError("A query after " + word + " must have one column.");
        values = materialise(result, context)->column(column);
    }
    const auto constant = [&](Value v) { return makeRef<Constant>(std::move(v), node->position); };
    if (!values.isScalar() && values.size() == 0) return constant(Value::ofBool(all));
    const bool hasNull = values.isScalar() ? values.isNull() : values.isTypedVector() && values.vector().hasNull();
    const auto bound = [&](std::string_view function) {
        // NULL is below every value.
        if (function == "min" && hasNull) return constant(Value::nullOf(values.type()));
        std::vector<Value> arguments{values};
        return constant(FunctionRegistry::instance().get(function).call(context, arguments));
    };
    const auto comparison = [&](Operator op, std::string_view function) -> NodeRef {
        return makeRef<Binary>(op, n.left, bound(function), node->position);
    };
    if (n.op == Operator::Eq || n.op == Operator::Ne) {
        const bool equal = n.op == Operator::Eq;
        if (equal != all) {  // = any, != all
            NodeRef listed =
                equalToAny(n.left, values.isScalar() ? joinValues(values, values) : values, node->position);
            return equal ? listed : NodeRef(makeRef<Unary>(Operator::Not, listed, node->position));
        }
        return makeRef<Binary>(equal ? Operator::And : Operator::OrIgnoringNull, comparison(n.op, "min"),
                               comparison(n.op, "max"), node->position);
    }
    const bool greater = n.op == Operator::Gt || n.op == Operator::Ge;
    return comparison(n.op, greater == all ? "max" : "min");
}

static NodeRef resultOf(const NodeRef& node, Context& context) {
    if (NodeRef comparison = quantified(node, context)) return comparison;
    if (const Query* query = quantifiedQuery(*node, "exists")) {
        const Value rows = runQuery(*query, context);
        return makeRef<Constant>(Value::ofBool(rows.isScalar() || rows.size() > 0), node->position);
    }
    if (node->kind != NodeKind::Query) return NodeRef();
    const auto& query = static_cast<const Query&>(*node);
    Value value = runQuery(query, context);
    if (const int column = value.isTable() ? columnOfValue(query, value.table()) : -1; column >= 0) {
        value = materialise(value, context)->column(column);
        if (value.size() == 1) value = value.at(0);
    }
    return makeRef<Constant>(std::move(value), node->position);
}

NodeRef withResults(const NodeRef& expression, Context& context) {
    return rewrite(expression, [&](const NodeRef& node) { return resultOf(node, context); });
}

Ref<Query> withSubqueries(const Query& query, const TableSchema& columns, Context& context) {
    const OuterColumns outer(query, columns);
    outer.requireNone();
    try {
        return rewriteQuery(query, [&](const NodeRef& node) { return resultOf(node, context); });
    } catch (const UserError& error) {
        if (const auto named = outer.explain(error)) throw *named;
        throw;
    }
}

}  // namespace pelorus
