#include "runtime/registry/type_rules.h"

#include <algorithm>
#include <optional>

#include "runtime/kernel/block/promotion.h"
#include "runtime/kernel/elementwise/operators.h"
#include "runtime/value/print.h"

namespace pelorus::type_rules {

using Arguments = std::span<const TypedArgument>;

// Returns the type that holds the elements of all arguments; nothing where only a tuple does.
static std::optional<TypedArgument> ofAll(Arguments arguments) {
    TypedArgument all;
    for (const TypedArgument& a : arguments) {
        if (!a.given) continue;
        all.type = commonType(all.type, elementTypeOf(a.type));
        all.scale = std::max(all.scale, a.scale);
        if (all.type == Type::Any) return {};
    }
    if (!isDecimal(all.type)) all.scale = 0;
    return all;
}

// Returns the argument; nothing when the call leaves it out.
static std::optional<TypedArgument> at(Arguments arguments, int i) {
    if (i == kAll) return ofAll(arguments);
    const auto index = static_cast<size_t>(i);
    if (index >= arguments.size() || !arguments[index].given) return {};
    return arguments[index];
}

ResultType fixed(const TypeRule& rule, Arguments) {
    return ResultType::of(rule.type);
}

ResultType same(const TypeRule& rule, Arguments arguments) {
    const auto x = at(arguments, rule.first);
    const bool isKnown = x && x->type != Type::Void && storageOf(elementTypeOf(x->type)) != Storage::Boxed;
    return isKnown ? ResultType::of(elementTypeOf(x->type), x->scale) : ResultType();
}

ResultType sameOrInt(const TypeRule& rule, Arguments arguments) {
    const ResultType type = same(rule, arguments);
    return type.isKnown && type.type == Type::Bool ? ResultType::of(Type::Int) : type;
}

ResultType operation(const TypeRule& rule, Arguments arguments) {
    const auto x = at(arguments, rule.first), y = at(arguments, rule.second);
    if (!x || !y || x->form == Form::Set || y->form == Form::Set) return {};
    const Type a = elementTypeOf(x->type), b = elementTypeOf(y->type);
    const auto isPlain = [](Type t) { return isNumeric(t) || isTemporal(t) || t == Type::Void; };
    if (isPlain(a) && isPlain(b)) return ResultType::of(planBinary(rule.op, a, b).result);
    if (isComparison(rule.op) && a != Type::Any && b != Type::Any) return ResultType::of(Type::Bool);
    // Operations on decimals alone have no rule, since a value that does not fit makes the type wider; with
    // floating-point operands the result is DOUBLE.
    const bool isReal = rule.op == Operator::Ratio || isFloating(a) || isFloating(b);
    const auto isNumber = [](Type t) { return isNumeric(t) || isDecimal(t); };
    if (isReal && isNumber(a) && isNumber(b))
        return ResultType::of(planBinary(rule.op, Type::Double, Type::Double).result);
    if (rule.op == Operator::Add && isLiteral(a) && isLiteral(b)) return ResultType::of(Type::String);
    return {};
}

ResultType common(const TypeRule& rule, Arguments arguments) {
    const auto x = at(arguments, rule.first), y = at(arguments, rule.second);
    if (!x || !y) return x ? same(rule, arguments) : ResultType();
    // Array vectors, pairs and containers keep their elements as they are when mixed with others.
    const auto isSpecial = [](const TypedArgument& a) {
        const bool isPlain = a.form == Form::Scalar || a.form == Form::Vector || a.form == Form::Matrix;
        return !isPlain || isArrayType(a.type);
    };
    if ((isSpecial(*x) || isSpecial(*y)) && (x->form != y->form || x->type != y->type)) return {};
    const Type type = commonType(elementTypeOf(x->type), elementTypeOf(y->type));
    if (type == Type::Any || type == Type::Void) return {};
    return ResultType::of(type, isDecimal(type) ? std::max(x->scale, y->scale) : 0);
}

ResultType sum(const TypeRule& rule, Arguments arguments) {
    const auto x = at(arguments, rule.first);
    if (!x || x->type == Type::Any) return {};
    const Type type = elementTypeOf(x->type);
    if (isFloating(type)) return ResultType::of(Type::Double);
    if (type == Type::Decimal32) return ResultType::of(Type::Decimal64, x->scale);
    if (isDecimal(type)) return ResultType::of(Type::Decimal128, x->scale);
    return ResultType::of(Type::Long);
}

ResultType wide(const TypeRule& rule, Arguments arguments) {
    const auto x = at(arguments, rule.first);
    if (!x || x->type == Type::Any) return {};
    const Type type = elementTypeOf(x->type);
    return ResultType::of(isIntegral(type) || type == Type::Bool || type == Type::Void ? Type::Long : Type::Double);
}

ResultType product(const TypeRule& rule, Arguments arguments) {
    const auto x = at(arguments, rule.first);
    if (!x || x->type == Type::Any) return {};
    const Type type = elementTypeOf(x->type);
    return ResultType::of(isFloating(type) || isDecimal(type) ? Type::Double : Type::Long);
}

ResultType difference(const TypeRule& rule, Arguments arguments) {
    const ResultType type = sameOrInt(rule, arguments);
    if (!type.isKnown || !isTemporal(type.type)) return type;
    return ResultType::of(widthOf(type.type) == 8 ? Type::Long : Type::Int);
}

ResultType named(const TypeRule& rule, Arguments arguments) {
    const auto x = at(arguments, rule.first);
    if (!x || !x->constant) return {};
    const TypeSpec spec = typeOfValue(*x->constant, rule.first, "the type");
    return ResultType::of(spec.type, spec.scale);
}

ResultType ifGiven(const TypeRule& rule, Arguments arguments) {
    const auto x = at(arguments, rule.first);
    return ResultType::of(x && x->type != Type::Void ? rule.type : rule.otherwise);
}

ResultType ifTrue(const TypeRule& rule, Arguments arguments) {
    const auto x = at(arguments, rule.first);
    if (!x) return ResultType::of(rule.otherwise);
    if (!x->constant || !x->constant->isScalar() || !isNumeric(x->constant->type())) return {};
    const Value& flag = *x->constant;
    return ResultType::of(!flag.isNull() && flag.integer() != 0 ? rule.type : rule.otherwise);
}

ResultType varying(const TypeRule&, Arguments) {
    return {};
}

ResultType instant(const TypeRule& rule, Arguments arguments) {
    const auto x = at(arguments, rule.first);
    if (!x) return {};
    const Type time = elementTypeOf(x->type);
    return ResultType::of(time == Type::NanoTime ? Type::NanoTimestamp
                          : time == Type::Time   ? Type::Timestamp
                                                 : Type::DateTime);
}

ResultType string(const TypeRule& rule, Arguments arguments) {
    const auto x = at(arguments, rule.first);
    if (!x || x->type == Type::Any) return {};
    return ResultType::of(x->type == Type::Symbol || x->type == Type::Blob ? x->type : Type::String);
}

ResultType decimal(const TypeRule& rule, Arguments arguments) {
    const auto x = at(arguments, rule.first);
    if (!x || !x->constant || !isIntegral(x->constant->type()) || !x->constant->isScalar()) return {};
    return ResultType::of(rule.type, static_cast<int32_t>(x->constant->integer()));
}

}  // namespace pelorus::type_rules
