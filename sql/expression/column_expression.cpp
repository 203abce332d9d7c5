#include "sql/expression/column_expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "common/error.h"
#include "interpreter/bytecode/effects.h"
#include "interpreter/compiler/compiler.h"
#include "interpreter/expression/bind.h"
#include "interpreter/session/session.h"
#include "interpreter/vm/vm.h"
#include "runtime/code/rewrite.h"
#include "runtime/format/to_source.h"
#include "runtime/registry/name_advice.h"
#include "runtime/registry/registry.h"
#include "runtime/table/column_advice.h"
#include "runtime/table/column_lookup.h"
#include "sql/expression/bind_only.h"

namespace pelorus {

// Calls f for each name, and whether it is that of a function which is called.
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
    // A query that is explained calls nothing that may change something.
    if (BindOnly::isOn() && effectOf(NodeRef(const_cast<Node*>(&node)), context) >= Effect::Writes) return false;
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

[[noreturn]] void unknownColumn(const Name& name, const TableSchema& columns) {
    const UserError error = pelorus::unknownColumn(name.name, columns);
    throw UserError(name.position, error.what(), error.hint());
}

[[noreturn]] void unknownFunction(const Name& name, const Context& context) {
    std::vector<std::string> own;
    if (const auto* session = static_cast<const Session*>(context.session)) own = session->functionNames();
    throw UserError(name.position,
                    fmt::format("The function or procedure '{}' is not defined. RefId: S06004", name.name),
                    adviceForName(name.name, NameUse::Called, {own.begin(), own.end()}));
}

}  // namespace

void requireKnownNames(const Node& node, const TableSchema& columns, Context& context) {
    forEachUse(node, [&](const Name& n, bool called) {
        if (findColumn(columns, n.name) >= 0) return;
        Value value;
        const bool known = !n.columnOnly && ((context.scope && context.scope->lookup(n.name, value)) ||
                                             FunctionRegistry::instance().find(unqualified(n.name)));
        if (!known && called) unknownFunction(n, context);
        if (!known) unknownColumn(n, columns);
    });
}

// count(*) is the number of elements of any column.
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
        const ColumnSchema& column = columns[static_cast<size_t>(plainColumn_)];
        type_ = ResultType::of(column.type, column.scale);
        elementwise_ = true;
        return;
    }
    for (int c : columns_) names_.push_back(columns[static_cast<size_t>(c)].name);
    const BoundRef bound = columns_.empty() ? nullptr : bindExpression(*node, columns, context);
    // Constants of all rows have the shape that a call returns.
    if (bound && bound->isElementwise && bound->kind != Bound::Kind::Constant) {
        try {
            program_ = std::make_unique<BatchProgram>(bound, columns_);
            type_ = bound->type;
            elementwise_ = true;
            return;
        } catch (const UserError&) {
            // The conversion does not exist: the call reports the position.
        }
    }
    closure_ = compiled(context);
}

Ref<Closure> ColumnExpression::compiled(Context& context) const {
    return compileExpression(node_, names_, context.scope, *context.services);
}

Value ColumnExpression::evaluate(Context& context, std::span<const Value> columnValues, int64_t rows) const {
    if (plainColumn_ >= 0) return columnValues[0];
    if (program_) {
        try {
            return program_->run(context, columnValues, rows);
        } catch (const Error&) {
            context.checkCancelled();
            // The interpreter reports the error with its position in the source; unless && or || skip it.
            std::vector<Value> arguments(columnValues.begin(), columnValues.end());
            const Value given = callFunction(*compiled(context), context, arguments);
            if (!given.isScalar() && (!given.isTypedVector() || given.size() != rows)) throw;
            return valuesFor(given, type_, rows);
        }
    }
    std::vector<Value> arguments(columnValues.begin(), columnValues.end());
    return callFunction(*closure_, context, arguments);
}

Value ColumnExpression::evaluate(Context& context, const MemoryTable& table) const {
    std::vector<Value> values;
    for (int c : columns_) values.push_back(table.column(c));
    return evaluate(context, values, table.rowCount());
}

}  // namespace pelorus
