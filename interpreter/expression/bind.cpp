#include "interpreter/expression/bind.h"

#include <algorithm>

#include "common/error.h"
#include "common/thread/stack_room.h"
#include "interpreter/bytecode/effects.h"
#include "interpreter/engine/engine.h"
#include "interpreter/expression/binder.h"
#include "runtime/code/name_uses.h"
#include "runtime/code/rewrite.h"
#include "runtime/kernel/block/promotion.h"
#include "runtime/table/column_lookup.h"
#include "runtime/value/vector.h"

namespace pelorus {

using Kind = Bound::Kind;

BoundRef boundConstant(const Value& value) {
    auto constant = std::make_shared<Bound>();
    constant->value = value;
    constant->isScalar = value.isScalar();
    if (value.isScalar() && !value.isFunction() && isElementType(value.type()))
        constant->type = ResultType::of(value.type(), isDecimal(value.type()) ? value.extra() : 0);
    return constant;
}

static TypedArgument argumentOf(const Bound& part) {
    if (part.kind != Kind::Constant) {
        const Form form = part.isScalar ? Form::Scalar : Form::Vector;
        return {.type = part.type.type, .form = form, .scale = part.type.scale, .constant = nullptr};
    }
    if (isOmitted(part.value)) return {.given = false};
    return {.type = part.value.type(), .form = part.value.form(), .scale = part.type.scale, .constant = &part.value};
}

// Equal expressions have equal keys. Constants are equal only to themselves.
static std::string keyOf(const Bound& bound) {
    std::string key;
    const auto add = [&key](auto x) { key.append(reinterpret_cast<const char*>(&x), sizeof x); };
    add(bound.kind);
    add(bound.op);
    add(bound.column);
    add(reinterpret_cast<uintptr_t>(bound.function));
    for (const BoundRef& part : bound.parts) add(reinterpret_cast<uintptr_t>(part.get()));
    return key;
}

BoundRef Binder::folded(const Bound& bound) {
    std::vector<Value> values;
    for (const BoundRef& part : bound.parts) values.push_back(part->value);
    return boundConstant(computed(bound, std::move(values), context_));
}

BoundRef Binder::shared(Bound&& bound) {
    if (!bound.type.isKnown) return nullptr;
    const auto isConstant = [](const BoundRef& part) { return part->kind == Kind::Constant; };
    if (bound.isElementwise && std::all_of(bound.parts.begin(), bound.parts.end(), isConstant)) {
        if (bound.kind != Kind::Column) return folded(bound);
    }
    const auto isScalar = [](const BoundRef& part) { return part->isScalar || isOmitted(part->value); };
    bound.isScalar =
        bound.isElementwise && !bound.parts.empty() && std::all_of(bound.parts.begin(), bound.parts.end(), isScalar);
    BoundRef& known = known_[keyOf(bound)];
    if (!known) known = std::make_shared<const Bound>(std::move(bound));
    return known;
}

BoundRef Binder::of(const Node& node) {
    requireStackRoom();
    if (!functions_.empty() && ++nodes_ > kMaxNodes) return nullptr;
    const BoundRef bound = ofPart(node);
    return bound ? bound : evaluated(node);
}

BoundRef Binder::ofPart(const Node& node) {
    switch (node.kind) {
        case NodeKind::Constant: {
            const Value& value = static_cast<const Constant&>(node).value;
            return value.isFunction() ? nullptr : boundConstant(value);
        }
        case NodeKind::Name:
            return ofName(static_cast<const Name&>(node));
        case NodeKind::Alias:
            return of(*static_cast<const Alias&>(node).value);
        case NodeKind::Unary:
            return ofUnary(static_cast<const Unary&>(node));
        case NodeKind::Binary:
            return ofBinary(static_cast<const Binary&>(node));
        case NodeKind::Ternary:
            return ofTernary(static_cast<const Ternary&>(node));
        case NodeKind::Call:
            return ofCall(static_cast<const Call&>(node));
        default:
            return nullptr;
    }
}

// The element of a dictionary, the maximum of a variable's vector, a list of constants: these are evaluated once.
BoundRef Binder::evaluated(const Node& node) {
    const bool isAsked = node.kind == NodeKind::Index || node.kind == NodeKind::Member || node.kind == NodeKind::Call ||
                         node.kind == NodeKind::ListLiteral;
    if (!isAsked || !functions_.empty() || !leaves_.empty() || parameters_ != nullptr) return nullptr;
    const NodeRef code(const_cast<Node*>(&node));
    bool readsRows = false;
    rewrite(code, [&](const NodeRef& part) {
        const bool isColumn =
            part->kind == NodeKind::Name && findColumn(columns_, static_cast<const Name&>(*part).name) >= 0;
        readsRows = readsRows || isColumn || part->kind == NodeKind::Query || part->kind == NodeKind::Star;
        return readsRows ? part : NodeRef();
    });
    if (readsRows || effectOf(code, context_) > Effect::Stable) return nullptr;
    const Value value = evaluateCode(code, context_);
    return value.isFunction() ? nullptr : boundConstant(value);
}

BoundRef Binder::ofName(const Name& name) {
    if (!functions_.empty()) {
        const auto& variables = functions_.back().variables;
        const auto known = variables.find(name.name);
        return known == variables.end() ? nullptr : known->second;
    }
    if (!leaves_.empty()) return leaves_[static_cast<size_t>(std::stoi(name.name))];
    if (const int c = findColumn(columns_, name.name); c >= 0) {
        const ColumnSchema& column = columns_[static_cast<size_t>(c)];
        if (!isElementType(column.type)) return nullptr;
        return shared({.kind = Kind::Column, .type = ResultType::of(column.type, column.scale), .column = c});
    }
    if (parameters_ != nullptr) {
        const auto known = parameters_->find(name.name);
        return known == parameters_->end() ? nullptr : known->second;
    }
    Value value;
    if (!context_.scope || !context_.scope->lookup(name.name, value) || value.isFunction()) return nullptr;
    return boundConstant(value);
}

BoundRef Binder::ofUnary(const Unary& node) {
    const BoundRef a = of(*node.operand);
    if (!a || !a->type.isKnown) return nullptr;
    const Type type = a->type.type;
    if (!isNumeric(type)) return nullptr;
    const bool isNot = node.op == Operator::Not;
    if (!isNot && (node.op != Operator::Neg || type == Type::Bool)) return nullptr;
    return shared({.kind = Kind::Operation,
                   .type = isNot ? ResultType::of(Type::Bool) : a->type,
                   .isElementwise = a->isElementwise,
                   .op = node.op,
                   .parts = {a}});
}

BoundRef Binder::operation(Operator op, BoundRef a, BoundRef b) {
    if (!a || !b) return nullptr;
    const TypedArgument both[] = {argumentOf(*a), argumentOf(*b)};
    const bool isElementwise = a->isElementwise && b->isElementwise;
    for (const BoundRef& part : {a, b}) {
        if (!part->type.isKnown && !isScalarConstant(*part)) return nullptr;
    }
    return shared({.kind = Kind::Operation,
                   .type = promote(0, 1, op)(both),
                   .isElementwise = isElementwise,
                   .op = op,
                   .parts = {std::move(a), std::move(b)}});
}

// x between low : high, of a range in the code or in a variable.
BoundRef Binder::between(const BoundRef& x, const Node& range) {
    BoundRef low, high;
    if (range.kind == NodeKind::Binary && static_cast<const Binary&>(range).op == Operator::Pair) {
        const auto& pair = static_cast<const Binary&>(range);
        low = of(*pair.left);
        high = of(*pair.right);
    } else if (const BoundRef pair = of(range); pair && pair->kind == Kind::Constant && pair->value.isPair()) {
        low = boundConstant(pair->value.at(0));
        high = boundConstant(pair->value.at(1));
    }
    if (!x || !low || !high) return nullptr;
    for (const BoundRef& part : {x, low, high}) {
        if (!isNumeric(part->type.type) && !isTemporal(part->type.type)) return nullptr;
    }
    return operation(Operator::And, operation(Operator::Ge, x, low), operation(Operator::Le, x, high));
}

BoundRef Binder::ofBinary(const Binary& node) {
    const BoundRef a = of(*node.left);
    if (!a) return nullptr;
    if (node.op == Operator::Between) return between(a, *node.right);
    if (node.op == Operator::In || node.op == Operator::Like) {
        const BoundRef b = of(*node.right);
        if (!b || b->kind != Kind::Constant || !a->type.isKnown) return nullptr;
        const bool suits = node.op == Operator::In
                               ? b->value.isSet() || b->value.isTypedVector()
                               : isLiteral(a->type.type) && b->value.isScalar() && b->value.isString();
        if (!suits) return nullptr;
        return shared({.kind = Kind::Operation,
                       .type = ResultType::of(Type::Bool),
                       .isElementwise = a->isElementwise,
                       .op = node.op,
                       .parts = {a, b}});
    }
    if (node.op > Operator::Mod || node.op == Operator::Dot) return nullptr;
    return operation(node.op, a, of(*node.right));
}

BoundRef Binder::select(BoundRef condition, BoundRef then, BoundRef otherwise, ResultType type) {
    if (!isNumeric(condition->type.type)) return nullptr;
    const bool isElementwise = condition->isElementwise && then->isElementwise && otherwise->isElementwise;
    return shared({.kind = Kind::Select,
                   .type = type,
                   .isElementwise = isElementwise,
                   .parts = {std::move(condition), std::move(then), std::move(otherwise)}});
}

// A scalar condition chooses a whole branch; a condition over rows chooses values row by row.
BoundRef Binder::ofTernary(const Ternary& node) {
    const BoundRef condition = of(*node.condition), a = of(*node.then), b = of(*node.otherwise);
    if (!condition || condition->kind == Kind::Constant || !a || !b) return nullptr;
    for (const BoundRef& branch : {a, b}) {
        if (isDecimal(branch->type.type) || (!branch->type.isKnown && !isScalarConstant(*branch))) return nullptr;
    }
    const Type type = commonType(argumentOf(*a).type, argumentOf(*b).type);
    return type == Type::Any ? nullptr : select(condition, a, b, ResultType::of(type));
}

Ref<Function> Binder::functionNamed(const Name& name) const {
    std::string_view text = name.name;
    Value value;
    if (functions_.empty() && leaves_.empty()) {
        const bool isKnown = !name.functionOnly && context_.scope && context_.scope->lookup(text, value);
        if (isKnown && value.isFunction()) return Ref<Function>(&value.function());
    } else if (!functions_.empty()) {
        if (functions_.back().variables.contains(name.name)) return {};
        for (const auto& [known, function] : functions_.back().code->references) {
            if (known == text) return function;
        }
    }
    if (text.starts_with("::")) text.remove_prefix(2);
    const BuiltinFunction* builtin = FunctionRegistry::instance().find(text);
    return Ref<Function>(const_cast<BuiltinFunction*>(builtin));
}

BoundRef Binder::ofCall(const Call& call) {
    if (call.callee->kind != NodeKind::Name) return nullptr;
    for (const Argument& argument : call.arguments) {
        if (!argument.keyword.empty()) return nullptr;
    }
    const Ref<Function> function = functionNamed(static_cast<const Name&>(*call.callee));
    if (!function) return nullptr;
    if (const auto* builtin = dynamic_cast<const BuiltinFunction*>(function.get())) return ofBuiltin(*builtin, call);
    const Function* body = function.get();
    if (const auto* cell = dynamic_cast<const FunctionCell*>(body)) body = cell->target.get();
    const auto* closure = dynamic_cast<const Closure*>(body);
    return closure ? inlined(*closure, call) : nullptr;
}

static bool hasTypedResult(FunctionKind kind) {
    return kind == FunctionKind::Elementwise || kind == FunctionKind::Aggregate || kind == FunctionKind::Window ||
           kind == FunctionKind::RowWise;
}

BoundRef Binder::ofBuiltin(const BuiltinFunction& function, const Call& call) {
    const Declaration& declared = function.declaration();
    const size_t count = call.arguments.size();
    if (count == 0) return nullptr;
    if (count == 2 && call.arguments[1].value->kind != NodeKind::Omitted) {
        if (declared.role == Role::Between) return between(of(*call.arguments[0].value), *call.arguments[1].value);
        const OperatorFacts* op = operatorByFunction(function.name());
        if (op && op->op <= Operator::Mod && op->op != Operator::Dot)
            return operation(op->op, of(*call.arguments[0].value), of(*call.arguments[1].value));
    }
    const bool isElementwise = declared.kind == FunctionKind::Elementwise ||
                               (declared.elementwiseFrom >= 0 && static_cast<int>(count) >= declared.elementwiseFrom);
    if (!isElementwise && !hasTypedResult(declared.kind)) return nullptr;
    Bound bound{.kind = Kind::Call, .isElementwise = isElementwise && declared.effect == Effect::Pure};
    bound.function = &function;
    std::vector<TypedArgument> arguments;
    for (size_t i = 0; i < count; ++i) {
        const Node& argument = *call.arguments[i].value;
        if (argument.kind == NodeKind::Star && !isElementwise) {
            arguments.push_back({.type = Type::Int, .form = Form::Vector});  // count(*) takes any column
            continue;
        }
        const BoundRef part = argument.kind == NodeKind::Omitted ? boundConstant(omitted()) : of(argument);
        if (!part) return nullptr;
        const Takes& takes = declared.takes[std::min(i, declared.takes.size() - 1)];
        const bool isTaken = !part->type.isKnown || (typeSet(part->type.type) & takes.types) != 0;
        const bool isWhole = part->kind == Kind::Constant && !part->value.isScalar() && !isOmitted(part->value);
        if (!isTaken) return nullptr;
        const bool isForAll = takes.special == Takes::Together || takes.special == Takes::Constant;
        if (isForAll ? part->kind != Kind::Constant && !part->isScalar : isWhole) return nullptr;
        bound.isElementwise = bound.isElementwise && part->isElementwise;
        arguments.push_back(argumentOf(*part));
        bound.parts.push_back(part);
    }
    bound.type = declared.gives(arguments);
    if (declared.role == Role::Select && bound.parts.size() == 3 && bound.type.isKnown)
        return select(bound.parts[0], bound.parts[1], bound.parts[2], bound.type);
    return shared(std::move(bound));
}

// Returns null where only a run can determine the type.
static BoundRef bind(Binder& binder, const Node& node, Context& context) {
    try {
        const BoundRef bound = binder.of(node);
        return typeOf(bound) ? bound : nullptr;
    } catch (const Error&) {
        context.checkCancelled();
        // There is no such operation for these types or constants: running the code reports the error.
        return nullptr;
    }
}

std::shared_ptr<const ExpressionCode> codeOver(const NodeRef& code, const TableSchema& columns) {
    auto whole = std::make_shared<ExpressionCode>(ExpressionCode{.code = code, .columns = {}, .names = {}});
    if (code->kind == NodeKind::Name) {
        if (const int c = findColumn(columns, static_cast<const Name&>(*code).name); c >= 0) whole->columns = {c};
        return whole;
    }
    forEachName(*code, [&](const Name& name) {
        const int c = findColumn(columns, name.name);
        if (c < 0 || std::find(whole->columns.begin(), whole->columns.end(), c) != whole->columns.end()) return;
        whole->columns.push_back(c);
        whole->names.push_back(columns[static_cast<size_t>(c)].name);
    });
    return whole;
}

BoundRef opaqueCode(std::shared_ptr<const ExpressionCode> code) {
    return std::make_shared<const Bound>(Bound{.kind = Kind::Opaque, .isElementwise = false, .whole = std::move(code)});
}

BoundRef bindCode(const std::shared_ptr<const ExpressionCode>& code, const TableSchema& columns, Context& context) {
    if (code->code->kind == NodeKind::Name && !code->columns.empty()) {
        // The column may be of any type: cells that are lists have no operations, but the column can be read.
        const int c = code->columns[0];
        const ColumnSchema& column = columns[static_cast<size_t>(c)];
        return std::make_shared<const Bound>(
            Bound{.kind = Kind::Column, .type = ResultType::of(column.type, column.scale), .column = c, .whole = code});
    }
    Binder binder(columns, context);
    const BoundRef bound = bind(binder, *code->code, context);
    if (!bound) return opaqueCode(code);
    // Other expressions may share the node.
    auto whole = std::make_shared<Bound>(*bound);
    whole->whole = code;
    return whole;
}

BoundRef bindExpression(const NodeRef& code, const TableSchema& columns, Context& context) {
    return bindCode(codeOver(code, columns), columns, context);
}

BoundRef bindRegion(const Node& node, std::span<const BoundRef> parts, Context& context) {
    const TableSchema none;
    Binder binder(none, context);
    binder.define(parts);
    const BoundRef bound = bind(binder, node, context);
    return bound ? bound : opaqueCode(nullptr);
}

BoundRef bindForRuns(const Node& node, const TableSchema& columns, const NamedParameters& parameters,
                     Context& context) {
    Binder binder(columns, context);
    binder.define(parameters);
    const BoundRef bound = bind(binder, node, context);
    return bound ? bound : opaqueCode(nullptr);
}

BoundRef boundColumn(int column, Type type) {
    return std::make_shared<const Bound>(Bound{.kind = Kind::Column, .type = ResultType::of(type), .column = column});
}

BoundRef boundParameter(int number, const Value& scalar) {
    if (scalar.isFunction() || !isElementType(scalar.type())) return nullptr;
    const int scale = isDecimal(scalar.type()) ? scalar.extra() : 0;
    return std::make_shared<const Bound>(Bound{
        .kind = Kind::Parameter, .type = ResultType::of(scalar.type(), scale), .isScalar = true, .column = number});
}

std::optional<ResultType> typeOf(const BoundRef& bound) {
    if (!bound || !bound->type.isKnown || !isElementType(bound->type.type)) return std::nullopt;
    return bound->type;
}

}  // namespace pelorus
