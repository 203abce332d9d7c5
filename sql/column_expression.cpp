#include "sql/column_expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "common/error.h"
#include "common/nearest_name.h"
#include "interpreter/compiler.h"
#include "interpreter/expression/elementwise_type.h"
#include "interpreter/vm.h"
#include "runtime/code/rewrite.h"
#include "runtime/code/to_source.h"
#include "runtime/column_lookup.h"
#include "runtime/format/print.h"
#include "runtime/function/registry.h"
#include "runtime/kernel/cast.h"
#include "runtime/symbol_base.h"
#include "sql/bind/bind_only.h"

namespace pelorus {

// The same, telling of each name whether it is that of a function which is called.
static void forEachUse(const Node& node, const std::function<void(const Name&, bool called)>& f) {
    auto walk = [&](const NodeRef& n) {
        if (n) forEachUse(*n, f);
    };
    auto walkCallee = [&](const NodeRef& n) {
        if (n->kind == NodeKind::Name) return f(static_cast<const Name&>(*n), true);
        walk(n);
    };
    switch (node.kind) {
        case NodeKind::Name:
            f(static_cast<const Name&>(node), false);
            return;
        case NodeKind::Unary:
            return walk(static_cast<const Unary&>(node).operand);
        case NodeKind::Binary:
            walk(static_cast<const Binary&>(node).left);
            return walk(static_cast<const Binary&>(node).right);
        case NodeKind::Ternary: {
            const auto& n = static_cast<const Ternary&>(node);
            walk(n.condition);
            walk(n.then);
            return walk(n.otherwise);
        }
        case NodeKind::Call:
            walkCallee(static_cast<const Call&>(node).callee);
            for (const Argument& a : static_cast<const Call&>(node).arguments) walk(a.value);
            return;
        case NodeKind::Partial:
            walkCallee(static_cast<const Partial&>(node).callee);
            for (const Argument& a : static_cast<const Partial&>(node).arguments) walk(a.value);
            return;
        case NodeKind::HigherOrder:
            return walk(static_cast<const HigherOrder&>(node).function);
        case NodeKind::Index:
            walk(static_cast<const Index&>(node).object);
            for (const NodeRef& i : static_cast<const Index&>(node).indices) walk(i);
            return;
        case NodeKind::Member:
            walk(static_cast<const Member&>(node).object);
            return walk(static_cast<const Member&>(node).key);
        case NodeKind::TupleLiteral:
            for (const NodeRef& i : static_cast<const TupleLiteral&>(node).items) walk(i);
            return;
        case NodeKind::ListLiteral:
            for (const NodeRef& i : static_cast<const ListLiteral&>(node).items) walk(i);
            return;
        case NodeKind::Alias:
            return walk(static_cast<const Alias&>(node).value);
        default:
            return;
    }
}

void forEachName(const Node& node, const std::function<void(const Name&)>& f) {
    forEachUse(node, [&](const Name& name, bool) { f(name); });
}

// ::avg is the built-in avg.
static std::string_view unqualified(std::string_view function) {
    return function.starts_with("::") ? function.substr(2) : function;
}

bool constantValue(const Node& node, const TableSchema& columns, Context& context, Value& value) {
    if (node.kind == NodeKind::Constant) {
        value = static_cast<const Constant&>(node).value;
        return true;
    }
    bool readsColumn = false;
    forEachName(node, [&](const Name& n) { readsColumn |= findColumn(columns, n.name) >= 0; });
    if (readsColumn || node.kind == NodeKind::Query) return false;
    try {
        Ref<Closure> closure =
            compileExpression(NodeRef(const_cast<Node*>(&node)), {}, context.scope, *context.services);
        std::vector<Value> none;
        const BindOnly runs(false);
        value = callFunction(*closure, context, none);
        return true;
    } catch (const Error&) {
        context.checkCancelled();
        return false;  // the expression itself will report it
    }
}

NodeRef withConstants(const NodeRef& node, const TableSchema& columns, Context& context) {
    return rewrite(node, [&](const NodeRef& n) -> NodeRef {
        switch (n->kind) {
            case NodeKind::Unary:
            case NodeKind::Binary:
            case NodeKind::Ternary:
            case NodeKind::Call:
            case NodeKind::Index:
            case NodeKind::Member: {
                Value value;
                if (!constantValue(*n, columns, context, value) || value.isFunction()) return NodeRef();
                return makeRef<Constant>(std::move(value), n->position);
            }
            default:
                return NodeRef();
        }
    });
}

Ref<Function> calledFunction(const Call& call, Context& context) {
    if (call.callee->kind == NodeKind::Constant) {
        const Value& v = static_cast<const Constant&>(*call.callee).value;
        return v.isFunction() ? Ref<Function>(&v.function()) : Ref<Function>();
    }
    if (call.callee->kind != NodeKind::Name) return Ref<Function>();
    const auto& name = static_cast<const Name&>(*call.callee);
    Value value;
    if (!name.functionOnly && context.scope && context.scope->lookup(name.name, value) && value.isFunction()) {
        return Ref<Function>(&value.function());
    }
    const BuiltinFunction* builtin = FunctionRegistry::instance().find(unqualified(name.name));
    return builtin ? Ref<Function>(const_cast<BuiltinFunction*>(builtin)) : Ref<Function>();
}

template <class Test>
static bool holdsCall(const Node& node, Context& context, const Test& test) {
    auto any = [&](const NodeRef& n) { return n && holdsCall(*n, context, test); };
    switch (node.kind) {
        case NodeKind::Unary:
            return any(static_cast<const Unary&>(node).operand);
        case NodeKind::Binary:
            return any(static_cast<const Binary&>(node).left) || any(static_cast<const Binary&>(node).right);
        case NodeKind::Ternary: {
            const auto& n = static_cast<const Ternary&>(node);
            return any(n.condition) || any(n.then) || any(n.otherwise);
        }
        case NodeKind::Call: {
            const auto& call = static_cast<const Call&>(node);
            Ref<Function> f = calledFunction(call, context);
            if (f && test(f->signature())) return true;
            return std::any_of(call.arguments.begin(), call.arguments.end(),
                               [&](const Argument& a) { return any(a.value); });
        }
        case NodeKind::Index:
            return any(static_cast<const Index&>(node).object);
        case NodeKind::Alias:
            return any(static_cast<const Alias&>(node).value);
        default:
            return false;
    }
}

bool holdsAggregate(const Node& node, Context& context) {
    return holdsCall(node, context, [](const Signature& s) { return s.aggregate; });
}

bool readsOtherRows(const Node& node, Context& context) {
    return holdsCall(node, context, [](const Signature& s) { return s.aggregate || s.orderSensitive; });
}

namespace {

bool isBlockType(Type type) {
    return isNumeric(type) || isTemporal(type);
}

// Tries to say the whole expression as a block program; gives up with false.
class BlockBuilder {
public:
    BlockBuilder(const TableSchema& columns, const std::vector<int>& used, Context& context, BlockProgram& program)
        : columns_(columns), used_(used), context_(context), program_(program) {}

    bool build(const Node& node, BlockProgram::Register& out) {
        switch (node.kind) {
            case NodeKind::Constant:
                return constant(static_cast<const Constant&>(node).value, out);
            case NodeKind::Name:
                return name(static_cast<const Name&>(node), out);
            case NodeKind::Unary: {
                const auto& n = static_cast<const Unary&>(node);
                BlockProgram::Register a;
                if (!build(*n.operand, a)) return false;
                out = n.op == Operator::Neg ? program_.negate(a) : program_.logicalNot(a);
                return true;
            }
            case NodeKind::Binary:
                return binary(static_cast<const Binary&>(node), out);
            case NodeKind::Call:
                return call(static_cast<const Call&>(node), out);
            default:
                return false;
        }
    }

private:
    bool constant(const Value& v, BlockProgram::Register& out) {
        if (!v.isScalar() || !isBlockType(v.type())) return false;
        out = program_.constant(v);
        return true;
    }

    bool name(const Name& n, BlockProgram::Register& out) {
        int c = findColumn(columns_, n.name);
        if (c < 0) {
            Value v;
            return context_.scope && context_.scope->lookup(n.name, v) && constant(v, out);
        }
        const ColumnSchema& column = columns_[static_cast<size_t>(c)];
        if (!isBlockType(column.type)) return false;
        for (const auto& [known, r] : inputs_) {
            if (known == c) {
                out = r;
                return true;
            }
        }
        auto index = std::find(used_.begin(), used_.end(), c) - used_.begin();
        out = program_.input(static_cast<int>(index), column.type);
        inputs_.emplace_back(c, out);
        return true;
    }

    // symbol = `IBM compares codes.
    bool symbolEquality(const Binary& n, BlockProgram::Register& out) {
        if (n.op != Operator::Eq && n.op != Operator::Ne) return false;
        const Node *column = n.left.get(), *text = n.right.get();
        if (column->kind == NodeKind::Constant) std::swap(column, text);
        if (column->kind != NodeKind::Name) return false;
        int c = findColumn(columns_, static_cast<const Name&>(*column).name);
        if (c < 0 || columns_[static_cast<size_t>(c)].type != Type::Symbol) return false;
        Value v;
        if (text->kind == NodeKind::Constant) {
            v = static_cast<const Constant&>(*text).value;
        } else if (text->kind != NodeKind::Name || !context_.scope ||
                   !context_.scope->lookup(static_cast<const Name&>(*text).name, v)) {
            return false;
        }
        if (!v.isText()) return false;
        auto index = std::find(used_.begin(), used_.end(), c) - used_.begin();
        // Codes are compared as INT. An unknown text has no code: -1 is none's.
        BlockProgram::Register codes = program_.input(static_cast<int>(index), Type::Int);
        out = program_.binary(n.op, codes, program_.constant(Value::ofInt(symbols::find(v.text()))));
        return true;
    }

    // A pair that stands there, or that a variable holds.
    bool pairOf(const Node& node, Value& pair) const {
        if (node.kind == NodeKind::Constant) {
            pair = static_cast<const Constant&>(node).value;
        } else if (node.kind == NodeKind::Name) {
            const std::string& name = static_cast<const Name&>(node).name;
            if (findColumn(columns_, name) >= 0 || !context_.scope || !context_.scope->lookup(name, pair)) return false;
        }
        return pair.isPair();
    }

    bool binary(const Binary& n, BlockProgram::Register& out) {
        if (symbolEquality(n, out)) return true;
        if (n.op == Operator::Between) {
            BlockProgram::Register x, low, high;
            Value lowValue, highValue;
            if (n.right->kind == NodeKind::Binary && static_cast<const Binary&>(*n.right).op == Operator::Pair) {
                const auto& pair = static_cast<const Binary&>(*n.right);
                if (!build(*n.left, x) || !build(*pair.left, low) || !build(*pair.right, high)) return false;
            } else if (Value pair; pairOf(*n.right, pair)) {
                if (!build(*n.left, x) || !constant(pair.at(0), low) || !constant(pair.at(1), high)) return false;
            } else {
                return false;
            }
            out = program_.binary(Operator::And, program_.binary(Operator::Ge, x, low),
                                  program_.binary(Operator::Le, x, high));
            return true;
        }
        if (n.op > Operator::Mod || n.op == Operator::Dot) return false;
        BlockProgram::Register a, b;
        if (!build(*n.left, a) || !build(*n.right, b)) return false;
        out = program_.binary(n.op, a, b);
        return true;
    }

    bool call(const Call& n, BlockProgram::Register& out) {
        if (n.callee->kind != NodeKind::Name || n.arguments.empty()) return false;
        std::string_view f = static_cast<const Name&>(*n.callee).name;
        Value variable;
        if (context_.scope && context_.scope->lookup(f, variable)) return false;
        BlockProgram::Register a;
        Type type;
        const Role role = roleOf(n.callee);
        if (n.arguments.size() == 1 && typeByName(f, type) && isBlockType(type) && type != Type::Char) {
            if (!build(*n.arguments[0].value, a)) return false;
            out = program_.cast(a, type);
            return true;
        }
        const bool isUnary = role == Role::Absolute || role == Role::IsNull || role == Role::Not || role == Role::Hour;
        if (n.arguments.size() == 1 && isUnary) {
            if (!build(*n.arguments[0].value, a)) return false;
            if (role == Role::Absolute) out = program_.absolute(a);
            if (role == Role::IsNull) out = program_.isNull(a);
            if (role == Role::Not) out = program_.logicalNot(a);
            if (role == Role::Hour) {
                out = program_.binary(Operator::Div, program_.cast(program_.cast(a, Type::Minute), Type::Int),
                                      program_.constant(Value::ofInt(60)));
            }
            return true;
        }
        if (n.arguments.size() == 3 && role == Role::Select) {
            BlockProgram::Register b, c;
            if (!build(*n.arguments[0].value, a) || !build(*n.arguments[1].value, b) ||
                !build(*n.arguments[2].value, c)) {
                return false;
            }
            out = program_.select(a, b, c);
            return true;
        }
        if (n.arguments.size() == 2 && role == Role::Between && n.arguments[1].value) {
            return binary(Binary(Operator::Between, n.arguments[0].value, n.arguments[1].value, n.position), out);
        }
        if (const OperatorFacts* op = operatorByFunction(f); op && n.arguments.size() == 2 && op->op <= Operator::Mod) {
            return binary(Binary(op->op, n.arguments[0].value, n.arguments[1].value, n.position), out);
        }
        return false;
    }

    const TableSchema& columns_;
    const std::vector<int>& used_;
    Context& context_;
    BlockProgram& program_;
    std::vector<std::pair<int, BlockProgram::Register>> inputs_;
};

[[noreturn]] void unknownColumn(const Name& name, const TableSchema& columns) {
    std::string known;
    std::vector<std::string_view> names;
    for (const ColumnSchema& c : columns) {
        if (c.name.starts_with(' ')) continue;  // a query makes it for itself
        known += (known.empty() ? "" : ", ") + c.name;
        names.push_back(c.name);
    }
    std::string hint = didYouMean(nearestNames(name.name, names));
    if (!names.empty()) hint += (hint.empty() ? "" : " ") + std::string("The columns are ") + known + ".";
    throw UserError(name.position, fmt::format("Unrecognized column name [{}]. RefId: S02005", name.name),
                    std::move(hint));
}

[[noreturn]] void unknownFunction(const Name& name) {
    throw UserError(name.position,
                    fmt::format("The function or procedure '{}' is not defined. RefId: S06004", name.name),
                    didYouMean(nearestNames(name.name, FunctionRegistry::instance().names())));
}

}  // namespace

void requireKnownNames(const Node& node, const TableSchema& columns, Context& context) {
    forEachUse(node, [&](const Name& n, bool called) {
        if (findColumn(columns, n.name) >= 0) return;
        Value value;
        const bool known = !n.columnOnly && ((context.scope && context.scope->lookup(n.name, value)) ||
                                             FunctionRegistry::instance().find(unqualified(n.name)));
        if (!known && called) unknownFunction(n);
        if (!known) unknownColumn(n, columns);
    });
}

// count(*) is how many items any column has.
static NodeRef withoutStars(const NodeRef& node, const TableSchema& columns) {
    if (columns.empty()) return node;
    bool stars = false;
    auto isStarCall = [](const Node& n) {
        if (n.kind != NodeKind::Call) return false;
        const auto& call = static_cast<const Call&>(n);
        return call.arguments.size() == 1 && call.arguments[0].value->kind == NodeKind::Star;
    };
    NodeRef result = rewrite(node, [&](const NodeRef& n) -> NodeRef {
        if (!isStarCall(*n)) return NodeRef();
        stars = true;
        std::vector<Argument> column = {{"", makeRef<Name>(columns[0].name, n->position)}};
        auto size = makeRef<Name>("size", n->position);
        size->functionOnly = true;
        return makeRef<Call>(std::move(size), std::move(column), Call::Style::Function, n->position);
    });
    return stars ? result : node;
}

ColumnExpression::ColumnExpression(const NodeRef& given, const TableSchema& columns, Context& context)
    : node_(withoutStars(given, columns)) {
    const NodeRef& node = node_;
    requireKnownNames(*node, columns, context);
    forEachName(*node, [&](const Name& n) {
        int c = findColumn(columns, n.name);
        if (c >= 0 && std::find(columns_.begin(), columns_.end(), c) == columns_.end()) columns_.push_back(c);
    });
    if (node->kind == NodeKind::Name && !columns_.empty()) {
        plainColumn_ = columns_[0];
        type_ = columns[static_cast<size_t>(plainColumn_)].type;
        elementwise_ = true;
        return;
    }
    auto program = std::make_unique<BlockProgram>();
    BlockProgram::Register result;
    if (!columns_.empty() && BlockBuilder(columns, columns_, context, *program).build(*node, result)) {
        program->setResult(result);
        type_ = program->resultType();
        program_ = std::move(program);
        elementwise_ = true;
        return;
    }
    std::vector<std::string> parameters;
    for (int c : columns_) parameters.push_back(columns[static_cast<size_t>(c)].name);
    closure_ = compileExpression(node, parameters, context.scope, *context.services);
    if (columns_.empty()) return;
    const std::optional<ResultType> items = elementwiseType(*node, columns, context.scope);
    if (!items || isDecimal(items->type)) return;
    type_ = items->type;
    elementwise_ = true;
}

// A call whose type was known before gives that, whatever it was given.
Value ColumnExpression::oneItemPerRow(Value given, int64_t rows) const {
    if (given.isScalar()) return Value::of(Vector::filled(type_, rows, cast(given, type_)));
    if (!given.isTypedVector() || given.size() != rows)
        throw InternalError("An expression of " + std::to_string(rows) + " rows gave " + typeString(given));
    return given.type() == type_ ? given : cast(given, type_);
}

Value ColumnExpression::evaluate(Context& context, std::span<const Value> columnValues, int64_t rows) const {
    if (plainColumn_ >= 0) return columnValues[0];
    if (program_) {
        std::vector<const Vector*> inputs;
        for (const Value& v : columnValues) inputs.push_back(&v.vector());
        return Value::of(program_->run(inputs, rows));
    }
    std::vector<Value> arguments(columnValues.begin(), columnValues.end());
    Value given = callFunction(*closure_, context, arguments);
    return elementwise_ ? oneItemPerRow(std::move(given), rows) : given;
}

Value ColumnExpression::evaluate(Context& context, const MemoryTable& table) const {
    std::vector<Value> values;
    for (int c : columns_) values.push_back(table.column(c));
    return evaluate(context, values, table.rowCount());
}

}  // namespace pelorus
