#include "interpreter/bytecode/effects.h"

#include <algorithm>
#include <set>

#include "common/thread/stack_room.h"
#include "interpreter/bytecode/closure.h"
#include "interpreter/bytecode/compiled_function.h"
#include "runtime/code/expression.h"
#include "runtime/code/rewrite.h"
#include "runtime/registry/registry.h"
#include "runtime/value/vector.h"

namespace pelorus {

namespace {

class EffectFinder {
public:
    Effect found() const { return found_; }

    void addFunction(const Function& function) {
        if (found_ == Effect::Writes || !seen_.insert(&function).second) return;
        if (const auto* builtin = dynamic_cast<const BuiltinFunction*>(&function)) {
            add(builtin->declaration().effect);
        } else if (const auto* partial = dynamic_cast<const PartialFunction*>(&function)) {
            addFunction(*partial->function());
            for (const Value& fixed : partial->fixed()) addValue(fixed);
        } else if (const auto* cell = dynamic_cast<const FunctionCell*>(&function)) {
            cell->target ? addFunction(*cell->target) : add(Effect::Writes);
        } else if (const auto* closure = dynamic_cast<const Closure*>(&function)) {
            for (const Value& captured : closure->captures()) addValue(captured);
            addCode(closure->code());
        } else {
            add(Effect::Writes);
        }
    }

    void addQuery(const Query& query, const Context* context) {
        const bool reads = query.verb == QueryVerb::Select || query.verb == QueryVerb::Exec;
        if (reads && query.table) addExpression(query.table, context);
        for (const JoinClause& join : query.joins) addExpression(join.table, context);
        for (const auto& [name, with] : query.with) addExpression(with, context);
        for (const SetOperation& other : query.unions) addExpression(other.query, context);
        if (query.updateSource) addExpression(query.updateSource, context);
        if (query.insertSource || !query.insertRows.empty()) add(Effect::Writes);
        rewriteQuery(query, [&](const NodeRef& node) { return visit(node, context); });
    }

    void addExpression(const NodeRef& node, const Context* context) {
        if (node) rewrite(node, [&](const NodeRef& part) { return visit(part, context); });
    }

private:
    void add(Effect effect) { found_ = std::max(found_, effect == Effect::Undeclared ? Effect::Writes : effect); }

    void addValue(const Value& value) {
        requireStackRoom();
        if (value.isFunction()) addFunction(value.function());
        if (value.isTuple()) {
            for (const Value& item : value.tuple().elements) addValue(item);
        }
    }

    // Columns and variables have no effect; functions of a script or the product with such a name may be called.
    void addName(const std::string& name, const Context* context) {
        Value known;
        if (context && context->scope && context->scope->lookup(name, known) && known.isFunction())
            return addFunction(known.function());
        if (const BuiltinFunction* builtin = FunctionRegistry::instance().find(name)) addFunction(*builtin);
    }

    NodeRef visit(const NodeRef& node, const Context* context) {
        switch (node->kind) {
            case NodeKind::Name:
                addName(static_cast<const Name&>(*node).name, context);
                return node;
            case NodeKind::Constant:
                addValue(static_cast<const Constant&>(*node).value);
                return node;
            case NodeKind::Query:
                isChange(static_cast<const Query&>(*node)) ? add(Effect::Writes)
                                                           : addQuery(static_cast<const Query&>(*node), context);
                return node;
            case NodeKind::Lambda:
            case NodeKind::Metacode:
            case NodeKind::MacroColumn:
                add(Effect::Writes);
                return node;
            default:
                return NodeRef();
        }
    }
    static bool isChange(const Query& query) {
        return query.verb != QueryVerb::Select && query.verb != QueryVerb::Exec;
    }

    void addCode(const CompiledFunction& code) {
        for (const Value& constant : code.constants) addConstant(constant);
        for (const auto& [name, function] : code.references) addFunction(*function);
        for (const CallSite& site : code.callSites) {
            if (site.function) addFunction(*site.function);
            // The callee is a function value in a variable.
            const int space = spaceOf(site.callee);
            if (space == static_cast<int>(Space::Frame) || space == static_cast<int>(Space::Globals))
                add(Effect::Writes);
        }
        for (const Instruction& instruction : code.code) {
            switch (instruction.op) {
                case Op::LoadShared:
                case Op::DefineFunction:
                case Op::Share:
                case Op::Directive:
                case Op::Show:
                case Op::MakeCode:
                    add(Effect::Writes);
                    break;
                case Op::IndexStore:
                    // The call writes to values that others share, too, unless it owns them.
                    if (spaceOf(instruction.a) != static_cast<int>(Space::Frame)) add(Effect::Writes);
                    break;
                default:
                    break;
            }
        }
    }
    void addConstant(const Value& constant) {
        addValue(constant);
        if (constant.type() != Type::Code || !constant.isScalar()) return;
        addExpression(constant.as<Code>()->node, nullptr);
    }

    Effect found_ = Effect::Pure;
    std::set<const Function*> seen_;
};

}  // namespace

Effect effectOf(const Function& function) {
    EffectFinder finder;
    finder.addFunction(function);
    return finder.found();
}

Effect effectOf(const NodeRef& expression, const Context& context) {
    EffectFinder finder;
    finder.addExpression(expression, &context);
    return finder.found();
}

Effect effectOf(const Query& query, const Context& context) {
    EffectFinder finder;
    finder.addQuery(query, &context);
    return finder.found();
}

}  // namespace pelorus
