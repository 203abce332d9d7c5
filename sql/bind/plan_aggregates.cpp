#include "sql/bind/plan_aggregates.h"
#include "sql/expression/bind_expression.h"

#include <algorithm>

#include "common/error.h"
#include "runtime/code/rewrite.h"
#include "runtime/code/same_code.h"
#include "runtime/kernel/aggregate/aggregate.h"
#include "sql/expression/called_functions.h"
#include "sql/expression/constants.h"

namespace pelorus {

namespace {

class Planner {
public:
    Planner(const TableSchema& columns, Context& context, AggregatePlan& plan, const std::vector<std::string>& keyNames,
            const std::vector<NodeRef>& keys)
        : columns_(columns), context_(context), plan_(plan), keyNames_(keyNames), keys_(keys) {}

    bool ok = true;

    NodeRef split(const NodeRef& node) {
        return rewrite(node, [&](const NodeRef& n) -> NodeRef {
            // A key expression that is selected again is the key's column.
            if (n->kind != NodeKind::Constant) {
                for (size_t k = 0; k < keys_.size(); ++k) {
                    if (isSameCode(n, keys_[k])) return makeRef<Name>(keyNames_[k], n->position);
                }
            }
            if (n->kind == NodeKind::Query || n->kind == NodeKind::Lambda || n->kind == NodeKind::Window) {
                ok = false;
                return n;
            }
            if (n->kind == NodeKind::Name) {
                // A column outside of every aggregate needs whole groups of rows.
                const std::string& name = static_cast<const Name&>(*n).name;
                if (std::any_of(columns_.begin(), columns_.end(), [&](const auto& c) { return c.name == name; }))
                    ok = false;
            }
            if (n->kind != NodeKind::Call) return NodeRef();
            const auto& call = static_cast<const Call&>(*n);
            Ref<Function> f = calledFunction(call, context_);
            if (!f || !f->signature().aggregate) return NodeRef();
            if (NodeRef shifted = sumOfShifted(call, f)) return shifted;
            if (NodeRef counted = countOfDistinct(call, f)) return counted;
            return aggregate(call, f);
        });
    }

private:
    NodeRef aggregate(const Call& call, const Ref<Function>& f) {
        auto* builtin = dynamic_cast<const BuiltinFunction*>(f.get());
        if (!builtin || !builtin->makeState()) {
            ok = false;
            return NodeRef(const_cast<Call*>(&call));
        }
        // sum(x), x.sum() and the sum of a shifted x are one.
        for (size_t i = 0; i < known_.size(); ++i) {
            const bool isKnown = plan_.calls[i].function == builtin && isSameCode(known_[i], call.arguments);
            if (isKnown) return makeRef<Name>(plan_.calls[i].column, call.position);
        }
        if (readsVectorsOnly(call)) return NodeRef(const_cast<Call*>(&call));
        AggregateCall planned{builtin, {}, " agg" + std::to_string(plan_.calls.size())};
        for (const Argument& a : call.arguments) {
            if (a.value->kind == NodeKind::Star) {
                planned.arguments.push_back(
                    bindProgram(makeRef<Constant>(Value::ofInt(1), a.value->position), columns_, context_));
                continue;
            }
            if (!keys_.empty() && holdsAggregate(*a.value, context_)) {
                throw UserError("Cannot nest aggregate function. RefId: S02032",
                                "Compute the inner one in a query of its own.");
            }
            if (!a.keyword.empty() || holdsAggregate(*a.value, context_)) {
                ok = false;
                return NodeRef(const_cast<Call*>(&call));
            }
            planned.arguments.push_back(bindProgram(withValue(a.value), columns_, context_));
            const ExpressionProgram& argument = planned.arguments.back();
            const bool plain = argument.isConstant() ? !isVector(argument.code()) : argument.isElementwise();
            bool tuple =
                planned.arguments.back().plainColumn() >= 0 &&
                storageOf(columns_[static_cast<size_t>(planned.arguments.back().plainColumn())].type) == Storage::Boxed;
            if (!plain || tuple) ok = false;
        }
        if (!builtin->hasStateFor(planned.arguments.size())) ok = false;
        known_.push_back(call.arguments);
        plan_.calls.push_back(std::move(planned));
        return makeRef<Name>(plan_.calls.back().column, call.position);
    }

    // sum(x + c) with an integer c is rewritten to sum(x) + c * count(x), so that many of them share one state. It is
    // kept where x + c could overflow.
    NodeRef sumOfShifted(const Call& call, const Ref<Function>& f) {
        if (roleOf(call.callee) != Role::Sum || !dynamic_cast<const BuiltinFunction*>(f.get()) ||
            call.arguments.size() != 1)
            return NodeRef();
        const Argument& argument = call.arguments[0];
        if (!argument.keyword.empty() || argument.value->kind != NodeKind::Binary) return NodeRef();
        const auto& sum = static_cast<const Binary&>(*argument.value);
        if (sum.op != Operator::Add || sum.right->kind != NodeKind::Constant || sum.left->kind != NodeKind::Name)
            return NodeRef();
        const Value& shift = static_cast<const Constant&>(*sum.right).value;
        const ExpressionProgram whole = bindProgram(argument.value, columns_, context_);
        const ExpressionProgram x = bindProgram(sum.left, columns_, context_);
        if (!shift.isScalar() || !isIntegral(shift.type()) || shift.isNull() || x.plainColumn() < 0) return NodeRef();
        if (!whole.isElementwise() || !isIntegral(x.resultType()) || !isIntegral(whole.resultType())) return NodeRef();
        const int width = 8 * widthOf(whole.resultType());
        const int64_t half = int64_t{1} << (width - 2);
        if (widthOf(x.resultType()) * 8 >= width || shift.asLong() <= -half || shift.asLong() >= half) return NodeRef();
        const auto of = [&](std::string_view name) { return callOf(name, sum.left, call.position); };
        const Ref<Call> count = of("count"), total = of("sum");
        const NodeRef planned = aggregate(*total, f), counted = aggregate(*count, calledFunction(*count, context_));
        const NodeRef factor = makeRef<Constant>(Value::ofLong(shift.asLong()), call.position);
        return makeRef<Binary>(Operator::Add, planned, makeRef<Binary>(Operator::Mul, factor, counted, call.position),
                               call.position);
    }

    // count(distinct x) and nunique(x, true) are rewritten to nunique(x) - (count(*) > count(x)): the one NULL that
    // nunique counts is left out where the group has any. All three are states.
    NodeRef countOfDistinct(const Call& call, const Ref<Function>& f) {
        if (!dynamic_cast<const BuiltinFunction*>(f.get())) return NodeRef();
        const NodeRef counted = distinctArgument(call, *f);
        if (!counted || holdsAggregate(*counted, context_) ||
            readsVectorsOnly(*callOf("count", counted, call.position)))
            return NodeRef();
        const Ref<Call> distinct = callOf("nunique", counted, call.position),
                        present = callOf("count", counted, call.position);
        const Ref<Call> rows = callOf("count", makeRef<Star>(call.position), call.position);
        const auto planned = [&](const Ref<Call>& part) { return aggregate(*part, calledFunction(*part, context_)); };
        const NodeRef all = planned(distinct),
                      isAnyNull = makeRef<Binary>(Operator::Gt, planned(rows), planned(present), call.position);
        return makeRef<Binary>(Operator::Sub, all, isAnyNull, call.position);
    }

    // Returns x of count(distinct x) and of nunique(x, true), nothing of another call.
    NodeRef distinctArgument(const Call& call, const Function& f) const {
        const auto isPlain = [](const Argument& a) { return a.keyword.empty(); };
        if (!std::ranges::all_of(call.arguments, isPlain)) return NodeRef();
        if (f.name() == "nunique" && call.arguments.size() == 2) {
            Value ignoresNull;
            const bool isKnown = constantValue(*call.arguments[1].value, columns_, context_, ignoresNull);
            const bool isTrue =
                isKnown && ignoresNull.isScalar() && ignoresNull.type() == Type::Bool && ignoresNull.integer() == 1;
            return isTrue ? call.arguments[0].value : NodeRef();
        }
        if (roleOf(call.callee) != Role::Count || call.arguments.size() != 1 ||
            call.arguments[0].value->kind != NodeKind::Call)
            return NodeRef();
        const auto& inner = static_cast<const Call&>(*call.arguments[0].value);
        const Ref<Function> distinct = calledFunction(inner, context_);
        const bool isDistinct =
            distinct && dynamic_cast<const BuiltinFunction*>(distinct.get()) && distinct->name() == "distinct";
        return isDistinct && inner.arguments.size() == 1 && isPlain(inner.arguments[0]) ? inner.arguments[0].value
                                                                                        : NodeRef();
    }

    static Ref<Call> callOf(std::string_view name, const NodeRef& argument, const SourcePosition& position) {
        auto callee = makeRef<Name>(std::string(name), position);
        callee->functionOnly = true;
        return makeRef<Call>(std::move(callee), std::vector<Argument>{{"", argument}}, Call::Style::Function, position);
    }

    // Replaces a constant scalar by its value, which has a type.
    NodeRef withValue(const NodeRef& argument) const {
        Value value;
        const bool isScalar = argument->kind != NodeKind::Constant &&
                              constantValue(*argument, columns_, context_, value) && value.isScalar();
        return isScalar ? NodeRef(makeRef<Constant>(std::move(value), argument->position)) : argument;
    }
    bool isVector(const NodeRef& argument) const {
        Value value;
        return constantValue(*argument, columns_, context_, value) && !value.isScalar();
    }
    // sum(z) of a variable's vector is a separate value: it has nothing to do with the rows.
    bool readsVectorsOnly(const Call& call) const {
        bool any = false;
        for (const Argument& a : call.arguments) {
            if (a.value->kind == NodeKind::Star || !bindProgram(a.value, columns_, context_).isConstant()) return false;
            any = any || isVector(a.value);
        }
        return any;
    }

    const TableSchema& columns_;
    Context& context_;
    AggregatePlan& plan_;
    const std::vector<std::string>& keyNames_;
    const std::vector<NodeRef>& keys_;
    std::vector<std::vector<Argument>> known_;  // of the calls of the plan, as they are written
};

}  // namespace

bool planAggregates(const std::vector<NodeRef>& items, const NodeRef& having, const TableSchema& columns,
                    const std::vector<std::string>& keyNames, const std::vector<NodeRef>& keys, Context& context,
                    AggregatePlan& plan) {
    Planner planner(columns, context, plan, keyNames, keys);
    for (const NodeRef& item : items) {
        plan.items.push_back(planner.split(item));
        if (!planner.ok) return false;
    }
    if (having) plan.having = planner.split(having);
    return planner.ok;
}

bool planGroups(const SelectPlan& plan, Context& context, AggregatePlan& aggregates) {
    std::vector<NodeRef> items, keyNodes;
    std::vector<std::string> keyNames;
    for (const OutputItem& item : plan.items) items.push_back(item.value);
    const TableSchema& columns = plan.source.columns();
    for (const OutputItem& key : plan.keys) {
        keyNodes.push_back(key.value);
        keyNames.push_back(key.names[0]);
        const ExpressionProgram e = bindProgram(key.value, columns, context);
        bool isMixed =
            e.plainColumn() >= 0 && storageOf(columns[static_cast<size_t>(e.plainColumn())].type) == Storage::Boxed;
        // 1 as one: the same in all rows.
        const Type type = keyType(e);
        const bool isNumber =
            isNumeric(type) && storageOf(type) != Storage::None && key.value->kind == NodeKind::Constant;
        if (!(e.isElementwise() || isNumber) || isMixed) return false;
    }
    return plan.laterFilters.empty() &&
           planAggregates(items, plan.query->having, columns, keyNames, keyNodes, context, aggregates);
}

}  // namespace pelorus
