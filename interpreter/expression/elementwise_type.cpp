#include "interpreter/expression/elementwise_type.h"

#include "common/error.h"
#include "runtime/code/expression.h"
#include "runtime/column_lookup.h"
#include "runtime/dictionary.h"
#include "runtime/function/registry.h"
#include "runtime/kernel/promotion.h"

namespace pelorus {

namespace {

using Typed = std::optional<TypedArgument>;

Typed rowsOf(const ResultType& items) {
    if (!items.isKnown) return std::nullopt;
    return TypedArgument{.type = items.type, .form = Form::Vector, .scale = items.scale};
}

bool isItem(Type type) {
    return !isArrayType(type) && storageOf(type) != Storage::Boxed;
}

class Inference {
public:
    // `kinds`: of the functions whose results may be told.
    enum class Kinds : uint8_t { Elementwise, All };
    Inference(const TableSchema& columns, const Scope* scope, Kinds kinds)
        : columns_(columns), scope_(scope), kinds_(kinds) {}

    Typed of(const Node& node) const {
        switch (node.kind) {
            case NodeKind::Constant:
                return ofValue(static_cast<const Constant&>(node).value);
            case NodeKind::Name:
                return ofName(static_cast<const Name&>(node));
            case NodeKind::Alias:
                return of(*static_cast<const Alias&>(node).value);
            case NodeKind::Unary:
                return ofUnary(static_cast<const Unary&>(node));
            case NodeKind::Binary:
                return ofBinary(static_cast<const Binary&>(node));
            case NodeKind::Ternary: {
                const auto& n = static_cast<const Ternary&>(node);
                const Typed condition = of(*n.condition), a = of(*n.then), b = of(*n.otherwise);
                if (!condition || !a || !b || isDecimal(a->type) || isDecimal(b->type)) return std::nullopt;
                return rowsOf(ResultType::of(commonType(a->type, b->type)));
            }
            case NodeKind::Call:
                return ofCall(static_cast<const Call&>(node));
            default:
                return std::nullopt;
        }
    }

private:
    static Typed ofValue(const Value& value) {
        if (!value.isScalar() || value.isFunction() || !isItem(value.type())) return std::nullopt;
        const int32_t scale = isDecimal(value.type()) ? value.extra() : 0;
        return TypedArgument{.type = value.type(), .form = Form::Scalar, .scale = scale, .constant = &value};
    }

    Typed ofName(const Name& name) const {
        if (const int c = findColumn(columns_, name.name); c >= 0) {
            const ColumnSchema& column = columns_[static_cast<size_t>(c)];
            if (!isItem(column.type)) return std::nullopt;
            return rowsOf(ResultType::of(column.type, column.scale));
        }
        Value value;
        if (!scope_ || !scope_->lookup(name.name, value)) return std::nullopt;
        Typed known = ofValue(value);
        if (known) known->constant = nullptr;  // a copy that goes
        return known;
    }

    Typed ofUnary(const Unary& node) const {
        const Typed a = of(*node.operand);
        if (!a || !isNumeric(a->type)) return std::nullopt;
        if (node.op == Operator::Not) return rowsOf(ResultType::of(Type::Bool));
        if (node.op == Operator::Neg && a->type != Type::Bool) return rowsOf(ResultType::of(a->type, a->scale));
        return std::nullopt;
    }

    Typed ofBinary(const Binary& node) const {
        const Typed a = of(*node.left);
        if (!a) return std::nullopt;
        if (node.op == Operator::In && node.right->kind == NodeKind::Constant) {
            const Value& among = static_cast<const Constant&>(*node.right).value;
            const bool isSet = among.isSet() || among.isTypedVector();
            return isSet ? rowsOf(ResultType::of(Type::Bool)) : std::nullopt;
        }
        if (node.op > Operator::Mod || node.op == Operator::Dot) return std::nullopt;
        const Typed b = of(*node.right);
        if (!b) return std::nullopt;
        const TypedArgument both[] = {*a, *b};
        return rowsOf(promote(0, 1, node.op)(both));
    }

    Typed ofCall(const Call& call) const {
        if (call.callee->kind != NodeKind::Name) return std::nullopt;
        const auto& name = static_cast<const Name&>(*call.callee);
        Value variable;
        if (!name.functionOnly && scope_ && scope_->lookup(name.name, variable)) return std::nullopt;
        const BuiltinFunction* function = FunctionRegistry::instance().find(name.name);
        if (!function) return std::nullopt;
        const Declaration& declared = function->declaration();
        const auto count = static_cast<int>(call.arguments.size());
        const bool isElementwise = declared.kind == FunctionKind::Elementwise ||
                                   (declared.elementwiseFrom >= 0 && count >= declared.elementwiseFrom);
        const bool isTold = kinds_ == Kinds::All ? isElementwise || hasTypedResult(declared.kind)
                                                 : isElementwise && declared.effect == Effect::Pure;
        if (!isTold || count == 0) return std::nullopt;
        std::vector<TypedArgument> arguments;
        for (const Argument& argument : call.arguments) {
            if (!argument.keyword.empty()) return std::nullopt;
            if (argument.value->kind == NodeKind::Omitted) {
                arguments.push_back({.given = false});
                continue;
            }
            if (argument.value->kind == NodeKind::Star && kinds_ == Kinds::All) {
                arguments.push_back({.type = Type::Int, .form = Form::Vector});  // count(*) takes any column
                continue;
            }
            Typed typed = of(*argument.value);
            if (!typed) return std::nullopt;
            arguments.push_back(*typed);
        }
        return rowsOf(declared.gives(arguments));
    }

    static bool hasTypedResult(FunctionKind kind) {
        return kind == FunctionKind::Aggregate || kind == FunctionKind::Window || kind == FunctionKind::RowWise;
    }

    const TableSchema& columns_;
    const Scope* scope_;
    const Kinds kinds_;
};

std::optional<ResultType> typeOf(const Node& node, const TableSchema& columns, const Scope* scope,
                                 Inference::Kinds kinds) {
    try {
        const Typed found = Inference(columns, scope, kinds).of(node);
        if (!found || found->type == Type::Void || found->type == Type::Any || !isItem(found->type))
            return std::nullopt;
        return ResultType::of(found->type, found->scale);
    } catch (const UserError&) {
        return std::nullopt;  // no such operation for these types: the expression itself tells
    }
}

}  // namespace

std::optional<ResultType> elementwiseType(const Node& node, const TableSchema& columns, const Scope* scope) {
    return typeOf(node, columns, scope, Inference::Kinds::Elementwise);
}

std::optional<ResultType> expressionType(const Node& node, const TableSchema& columns, const Scope* scope) {
    return typeOf(node, columns, scope, Inference::Kinds::All);
}

}  // namespace pelorus
