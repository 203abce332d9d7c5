// Translation of calls of built-ins: to an operation, the function's form for scalars, or the call itself with Values.
#include <algorithm>

#include "interpreter/codegen/translator.h"
#include "runtime/kernel/block/promotion.h"

namespace pelorus::scalar {

namespace {

bool isElementwise(const Declaration& d, size_t count) {
    return d.kind == FunctionKind::Elementwise ||
           (d.elementwiseFrom >= 0 && count >= static_cast<size_t>(d.elementwiseFrom));
}

}  // namespace

bool Translator::callBuiltin(const BuiltinFunction& f, const CallSite& site, Operand target) {
    Operand source;
    Type type;
    if (site.count == 1 && f.declaration().role == Role::Size &&
        vectorAt(operand(Space::Frame, site.base), source, type)) {
        emit(ScalarOp::Length, Type::Long, slot(target), vectorNumber(source, type, false));
        setPlain(target, Type::Int);
    } else {
        std::vector<Scalar> arguments(static_cast<size_t>(site.count));
        bool allPlain = true;
        for (int k = 0; k < site.count && allPlain; ++k) {
            Scalar& x = arguments[static_cast<size_t>(k)];
            allPlain = plain(operand(Space::Frame, site.base + k), x.slot, x.type);
        }
        const bool known = allPlain && (operationOf(f, arguments, target) || scalarForm(f, arguments, target));
        if (!known && !boxed(f, site, target)) return false;
    }
    for (int k = 0; k < site.count; ++k) {
        if (const Operand o = operand(Space::Frame, site.base + k); o != target) shape(o) = Shape{};
    }
    return true;
}

bool Translator::operationOf(const BuiltinFunction& f, std::span<const Scalar> arguments, Operand target) {
    const auto unaryStep = [&](ScalarOp op, Type type) {
        emit(op, arguments[0].type, slot(target), arguments[0].slot);
        setPlain(target, type);
        return true;
    };
    if (arguments.empty()) return false;
    const Scalar x = arguments[0];
    const bool integer = x.type == Type::Int || x.type == Type::Long;
    if (arguments.size() == 1) {
        switch (f.declaration().role) {
            case Role::IsNull:
                return unaryStep(ScalarOp::IsNull, Type::Bool);
            case Role::IsValid: {
                const int isNullElement = newSlot();
                emit(ScalarOp::IsNull, x.type, isNullElement, x.slot);
                emit(ScalarOp::Not, Type::Bool, slot(target), isNullElement);
                setPlain(target, Type::Bool);
                return true;
            }
            case Role::ToDouble:
            case Role::ToLong: {
                const Type to = f.declaration().role == Role::ToLong ? Type::Long : Type::Double;
                if (!convertible(x.type, to)) return false;
                emit(ScalarOp::Copy, to, slot(target), converted(x.slot, x.type, to));
                setPlain(target, to);
                return true;
            }
            case Role::Absolute:
                if (x.type == Type::Double) return unaryStep(ScalarOp::AbsoluteReal, x.type);
                return integer && unaryStep(ScalarOp::Absolute, x.type);
            case Role::SquareRoot: {
                if (!convertible(x.type, Type::Double)) return false;
                emit(ScalarOp::SquareRoot, Type::Double, slot(target), toReal(x.slot, x.type));
                setPlain(target, Type::Double);
                return true;
            }
            default:
                break;
        }
        const OperatorFacts* facts = operatorByFunction(f.name());
        return facts && (facts->op == Operator::Neg || facts->op == Operator::Not) && negation(facts->op, target, x);
    }
    if (arguments.size() == 3) {
        return f.declaration().role == Role::Select && select(x, arguments[1], arguments[2], target);
    }
    if (arguments.size() != 2) return false;
    const Scalar y = arguments[1];
    if (const Role role = f.declaration().role; role == Role::Min || role == Role::Max) {
        const Type type = x.type == y.type ? x.type : widerNumber(x.type, y.type, false);
        const bool numbers = isNumeric(x.type) && isNumeric(y.type);
        if (x.type != y.type && !(numbers && convertible(x.type, type) && convertible(y.type, type))) return false;
        const Scalar a{converted(x.slot, x.type, type), type}, b{converted(y.slot, y.type, type), type};
        const int first = newSlot();
        const bool isReal = isFloating(type), least = role == Role::Min;
        emit(least ? (isReal ? ScalarOp::LtReal : ScalarOp::Lt) : (isReal ? ScalarOp::GtReal : ScalarOp::Gt), type,
             first, a.slot, b.slot);
        return select({first, Type::Bool}, a, b, target);
    }
    const OperatorFacts* facts = operatorByFunction(f.name());
    return facts && arithmetic(facts->op, target, x.slot, x.type, y.slot, y.type);
}

// Follows selectItems.
bool Translator::select(const Scalar& condition, const Scalar& a, const Scalar& b, Operand target) {
    if (!isNumeric(condition.type)) return false;
    const bool numbers = isNumeric(a.type) && isNumeric(b.type);
    if (a.type != b.type && !numbers) return false;
    const Type type = a.type == b.type ? a.type : widerNumber(a.type, b.type, false);
    if (!convertible(a.type, type) || !convertible(b.type, type)) return false;
    int c = condition.slot;
    if (condition.type != Type::Bool) {
        c = newSlot();
        emit(ScalarOp::ToBool, condition.type, c, condition.slot);
    }
    const int yes = converted(a.slot, a.type, type), no = converted(b.slot, b.type, type);
    emit(ScalarOp::Select, type, slot(target), c, yes).arguments = {no};
    setPlain(target, type);
    return true;
}

bool Translator::scalarForm(const BuiltinFunction& f, std::span<const Scalar> arguments, Operand target) {
    std::vector<TypedArgument> typed;
    for (const Scalar& x : arguments) typed.push_back({.type = x.type});
    const ScalarForm* form = f.declaration().effect == Effect::Pure ? f.scalarForm(typed) : nullptr;
    if (!form) return false;
    std::vector<int> slots;
    for (size_t k = 0; k < arguments.size(); ++k) {
        slots.push_back(converted(arguments[k].slot, arguments[k].type, form->takes[k]));
    }
    const int exit = form->mayDecline ? exitHere() : -1;
    ScalarStep& step = emit(ScalarOp::Function, form->gives, slot(target));
    step.form = form;
    step.arguments = std::move(slots);
    step.exit = exit;
    setPlain(target, form->gives);
    return true;
}

const Value* Translator::constantAt(Operand o) {
    if (spaceOf(o) != static_cast<int>(Space::Constants)) {
        if (shape(o).kind != Shape::Kind::Constant) return nullptr;
        o = shape(o).source;
    }
    return &code_.constants[static_cast<size_t>(indexOf(o))];
}

bool Translator::boxed(const BuiltinFunction& f, const CallSite& site, Operand target) {
    const Declaration& declared = f.declaration();
    const auto count = static_cast<size_t>(site.count);
    if (declared.effect != Effect::Pure || !isElementwise(declared, count)) return false;
    std::vector<Operand> operands;
    std::vector<TypedArgument> typed;
    for (int k = 0; k < site.count; ++k) {
        const Operand o = operand(Space::Frame, site.base + k);
        operands.push_back(o);
        if (const Value* constant = constantAt(o)) {
            // With a vector for a parameter that is taken elementwise, the result is a vector.
            const bool byItem =
                k >= kDeclaredParameters || declared.takes[static_cast<size_t>(k)].special == Takes::Item;
            if (byItem && !constant->isScalar()) return false;
            const bool isDecimalElement = constant->isScalar() && isDecimal(constant->type());
            typed.push_back({.type = constant->type(),
                             .form = constant->form(),
                             .scale = isDecimalElement ? constant->extra() : 0,
                             .constant = constant,
                             .given = !isOmitted(*constant)});
        } else {
            const Shape::Kind kind = shape(o).kind;
            typed.push_back({.type = shape(o).type,
                             .form = kind == Shape::Kind::Range      ? Form::Pair
                                     : kind == Shape::Kind::Sequence ? Form::Vector
                                                                     : Form::Scalar});
        }
    }
    BoxedCall call;
    call.function = &f;
    const ResultType result = f.typeFor(typed);
    if (!result.isKnown) return false;
    call.result = result.type;
    return boxedStep(std::move(call), operands, target);
}

bool Translator::boxed(Operator op, std::span<const Operand> operands, Operand target) {
    const bool isMembership = op == Operator::In || op == Operator::Between || op == Operator::Like;
    std::vector<Type> types;
    for (const Operand o : operands) {
        const Value* constant = constantAt(o);
        if (constant && !constant->isScalar() && !isMembership) return false;
        types.push_back(constant ? constant->type() : shape(o).type);
    }
    BoxedCall call;
    call.op = op;
    if (isMembership || op == Operator::Not) {
        call.result = Type::Bool;
    } else if (op == Operator::Neg) {
        call.result = types[0] == Type::Bool ? Type::Int : types[0];
    } else if (op > Operator::Mod || op == Operator::Dot) {
        return false;
    } else {
        try {
            call.result = planBinary(op, types[0], types[1]).result;
        } catch (const UserError&) {
            return false;  // the interpreter says so
        }
    }
    return boxedStep(std::move(call), operands, target);
}

bool Translator::boxedStep(BoxedCall call, std::span<const Operand> operands, Operand target) {
    if (!isPlainType(call.result) || operands.size() > BoxedCall::kMaxArguments) return false;
    std::vector<int> slots;
    for (const Operand o : operands) {
        using Source = BoxedCall::Source;
        if (const Value* constant = constantAt(o)) {
            call.arguments.push_back(*constant);
            call.sources.push_back(Source::Constant);
            continue;
        }
        const Shape& known = shape(o);
        if (known.kind != Shape::Kind::Plain && known.kind != Shape::Kind::Range &&
            known.kind != Shape::Kind::Sequence) {
            return false;
        }
        call.arguments.push_back(Value::scalar(known.type, 0));
        slots.push_back(slot(o));
        call.sources.push_back(known.kind == Shape::Kind::Plain   ? Source::Slot
                               : known.kind == Shape::Kind::Range ? Source::Pair
                                                                  : Source::Sequence);
        if (known.kind != Shape::Kind::Plain) slots.push_back(slot(o) + 1);
    }
    const Type type = call.result;
    const int exit = exitHere();
    auto& calls = builder_.unit.boxed;
    calls.push_back(std::make_shared<const BoxedCall>(std::move(call)));
    ScalarStep& step = emit(ScalarOp::Boxed, type, slot(target), static_cast<int>(calls.size()) - 1);
    step.arguments = std::move(slots);
    step.exit = exit;
    setPlain(target, type);
    return true;
}

}  // namespace pelorus::scalar
