#include "sql/operators/aggregate/time_grid.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "common/time/calendar.h"
#include "runtime/table/table.h"
#include "runtime/value/cast.h"
#include "sql/expression/column_expression.h"

namespace pelorus {

bool DummyCall::is(const Node& node, std::string_view name, Context& context) {
    if (node.kind != NodeKind::Call) return false;
    const auto& call = static_cast<const Call&>(node);
    if (call.callee->kind != NodeKind::Name || static_cast<const Name&>(*call.callee).name != name) return false;
    return !calledFunction(call, context);
}

DummyCall::DummyCall(const Node& node, std::vector<std::string> parameters)
    : parameters_(std::move(parameters)), values_(parameters_.size()) {
    const auto& call = static_cast<const Call&>(node);
    const std::string& function = static_cast<const Name&>(*call.callee).name;
    size_t next = 0;
    for (const Argument& argument : call.arguments) {
        std::string keyword = argument.keyword;
        NodeRef value = argument.value;
        // In a query `=` compares, so that a keyword comes as a comparison.
        if (keyword.empty() && value->kind == NodeKind::Binary) {
            const auto& n = static_cast<const Binary&>(*value);
            if (n.op == Operator::Eq && n.left->kind == NodeKind::Name) {
                const std::string& name = static_cast<const Name&>(*n.left).name;
                if (std::find(parameters_.begin(), parameters_.end(), name) != parameters_.end()) {
                    keyword = name;
                    value = n.right;
                }
            }
        }
        size_t at = next;
        if (!keyword.empty()) {
            at = static_cast<size_t>(std::find(parameters_.begin(), parameters_.end(), keyword) - parameters_.begin());
        }
        if (at >= parameters_.size()) {
            throw UserError(keyword.empty() ? fmt::format("{} takes at most {} arguments.", function, at)
                                            : fmt::format("{} has no parameter {}.", function, keyword));
        }
        next = at + 1;
        if (value->kind != NodeKind::Omitted) values_[at] = value;
    }
}

NodeRef DummyCall::node(std::string_view parameter) const {
    for (size_t i = 0; i < parameters_.size(); ++i) {
        if (parameters_[i] == parameter) return values_[i];
    }
    return NodeRef();
}

Value DummyCall::constant(std::string_view parameter, Context& context) const {
    const NodeRef value = node(parameter);
    if (!value) return Value();
    ColumnExpression e(value, {}, context);
    return e.evaluate(context, std::span<const Value>(), 0);
}

std::string DummyCall::word(std::string_view parameter, const std::vector<std::string>& words, Context& context) const {
    const Value value = constant(parameter, context);
    if (value.isVoid()) return words[0];
    if (value.isString() && std::find(words.begin(), words.end(), value.string()) != words.end())
        return std::string(value.string());
    throw UserError(fmt::format("{} must be one of {}.", parameter, fmt::join(words, ", ")));
}

int64_t unitsOf(const Value& span, Type type, std::string_view parameter) {
    if (!span.isScalar() || span.isNull() || (!isIntegral(span.type()) && span.type() != Type::Duration)) {
        throw UserError(fmt::format("{} must be an integer or a duration.", parameter));
    }
    int64_t units = 0;
    if (span.type() == Type::Duration) {
        const auto unit = static_cast<DurationUnit>(span.unit());
        const int64_t nanos = calendar::nanosPerUnit(unit) * span.integer();
        const int64_t perDay = calendar::unitsPerDay(type);
        constexpr int64_t kNanosPerDay = 86'400'000'000'000;
        if (nanos != 0 && perDay != 0 && nanos % (kNanosPerDay / perDay) == 0) units = nanos / (kNanosPerDay / perDay);
        if (units == 0) {
            throw UserError(fmt::format("{} does not fit a column of type {}.", parameter, typeName(type)),
                            "Use a unit of fixed length that is not finer than the column.");
        }
    } else {
        units = span.asLong();
    }
    if (units <= 0) throw UserError(fmt::format("{} must be positive.", parameter));
    return units;
}

int64_t gridOrigin(std::string_view origin, Type type, int64_t first, int64_t last) {
    if (origin == "start") return first;
    if (origin == "end") return last;
    const int64_t perDay =
        calendar::temporalKind(type) == calendar::TemporalKind::Instant ? calendar::unitsPerDay(type) : 0;
    if (perDay == 0 || origin == "epoch") return 0;
    if (origin == "end_day") return (calendar::floorDivide(last, perDay) + 1) * perDay;
    return calendar::floorDivide(first, perDay) * perDay;
}

std::vector<int64_t> gridNumbers(const Value& column, std::string_view function) {
    if (!column.isTypedVector() || !(isTemporal(column.type()) || isIntegral(column.type()))) {
        throw UserError(fmt::format("X of {} must be a column of times or integers.", function));
    }
    const Vector& v = column.vector();
    std::vector<int64_t> numbers(static_cast<size_t>(v.size()));
    for (int64_t i = 0; i < v.size(); ++i) numbers[static_cast<size_t>(i)] = v.asLong(i);
    return numbers;
}

Value gridColumn(const std::vector<int64_t>& numbers, Type type) {
    const Value wide = Value::of(Vector::of(Type::Long, numbers));
    if (!isTemporal(type)) return cast(wide, type);
    return cast(widthOf(type) == 8 ? wide : cast(wide, Type::Int), type);
}

}  // namespace pelorus
