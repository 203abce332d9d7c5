#include "interpreter/engine/engine.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "interpreter/compiler/compiler.h"
#include "interpreter/engine/query_cache.h"
#include "interpreter/engine/unreadable_constants.h"
#include "interpreter/parser/foreign_syntax.h"
#include "interpreter/parser/lexer.h"
#include "interpreter/parser/parser.h"
#include "interpreter/parser/syntax_error.h"
#include "runtime/code/statement.h"
#include "runtime/function/file_access.h"
#include "runtime/function/principal.h"
#include "runtime/registry/name_advice.h"
#include "runtime/registry/registry.h"
#include "runtime/value/dictionary.h"

namespace pelorus {

NameRoles rolesIn(const Session& session) {
    NameRoles roles = [&session](std::string_view name) {
        if (session.findVariable(name) >= 0) return NameRole::Variable;
        if (session.findFunction(name)) return NameRole::Function;
        for (const Ref<Module>& module : session.modules()) {
            if (module->find(name)) return NameRole::Function;
        }
        auto* shared = session.services().find<SharedObjects>();
        Value ignored;
        return shared && shared->find(name, ignored) ? NameRole::Variable : NameRole::Unknown;
    };
    roles.parameters = [&session](std::string_view function) {
        std::vector<std::string> names;
        Value found;
        if (!session.lookupFunction(function, found)) return names;
        for (const Parameter& p : found.function().signature().parameters) names.push_back(p.name);
        return names;
    };
    return roles;
}

// Loads the modules that `use` lines name; returns true when the session has more than before.
static bool useModules(const NodeList& statements, Session& session) {
    bool added = false;
    for (const NodeRef& node : statements) {
        if (node->kind != NodeKind::Use) continue;
        const std::string& name = static_cast<const Directive&>(*node).text;
        if (name.starts_with("catalog ")) continue;
        if (session.findDefinedModule(name)) {
            added = true;
            continue;
        }
        auto* store = session.services().find<ModuleStore>();
        if (!store) throw SyntaxError(node->position, "This process has no modules.");
        try {
            session.useModule(session.debugger
                                  ? store->loadForDebugger(name, session.services(), session.debuggedModules)
                                  : store->load(name, session.services()));
        } catch (const SyntaxError&) {
            throw;
        } catch (const UserError& e) {
            throw SyntaxError(node->position, e.what(), e.hint());
        }
        added = true;
    }
    return added;
}

// #include "path": replaced by the statements of the file.
static NodeList withIncludes(const NodeList& statements, Session& session, Context& context, int depth) {
    constexpr int kMaxNested = 32;
    NodeList result;
    for (const NodeRef& node : statements) {
        if (node->kind != NodeKind::Include) {
            result.push_back(node);
            continue;
        }
        if (depth == kMaxNested) {
            throw SyntaxError(node->position, "The scripts include each other in a circle.");
        }
        const std::string& path = static_cast<const Directive&>(*node).text;
        try {
            NodeList inner = parseScript(readWholeFile(userFiles(context), path), rolesIn(session));
            useModules(inner, session);
            for (NodeRef& included : withIncludes(inner, session, context, depth + 1))
                result.push_back(std::move(included));
        } catch (const SyntaxError& e) {
            if (depth > 0) throw;
            throw SyntaxError(node->position,
                              fmt::format("{}:{}:{}: {}", path, e.position.line, e.position.column, e.what()),
                              e.hint());
        } catch (const Error& e) {
            throw SyntaxError(node->position, e.what(), e.hint());
        }
    }
    return result;
}

// Errors of the compiler read like those of the parser: nothing has run in both cases.
static Ref<CompiledFunction> compiledPart(const NodeList& statements, Session& session) {
    try {
        return compileScript(statements, session);
    } catch (const SyntaxError& e) {
        if (std::string_view(e.what()).starts_with("Syntax Error") || !e.position.known()) throw;
        throw syntaxError(e.position, e.what(), e.hint());
    }
}

static Value evaluateParts(std::string_view script, Session& session, Context& context, const ShowValue& show,
                           QueryCache* cache) {
    if (!context.session) session.reuseSlots();
    // Code that runs asks the context for its session: eval, objs, undef.
    void* outerSession = context.session;
    context.session = &session;
    struct Restore {
        Context& context;
        void* session;
        ~Restore() { context.session = session; }
    } restore{context, outerSession};
    const auto run = [&](const NodeList& statements) {
        const Ref<CompiledFunction> compiled = compiledPart(statements, session);
        if (!outerSession) noticeUnreadableConstants(statements, session, context);
        Value last = runScript(*compiled, session, context, show);
        requireAccessWithin(context, last, Right::Read);
        return last;
    };
    const NameRoles roles = rolesIn(session);
    // The notes on a text belong to each of its runs.
    if (context.request->notice) cache = nullptr;
    if (cache) {
        if (const NodeList known = cache->find(script, roles); !known.empty()) return run(known);
    }
    AskedRoles asked;
    Value last;
    ScriptReader reader(script, cache ? asked.noting(roles) : roles);
    NodeList toKeep;
    bool isFirst = true;
    for (NodeList statements; reader.next(statements); isFirst = false) {
        // The names of a module are known to the whole part: its functions may be used as x f y.
        if (useModules(statements, session)) {
            reader.takeNotes();
            statements = reader.again();
        }
        for (const ParserNote& note : reader.takeNotes()) {
            if (!context.request->notice) break;
            context.request->notice(fmt::format("Note: line {}: {}", note.position.line, note.text));
        }
        if (!statements.empty() && statements.back()->kind == NodeKind::Go) statements.pop_back();
        toKeep = isFirst && QueryCache::isOneQuery(statements) ? statements : NodeList();
        statements = withIncludes(statements, session, context, 0);
        if (!statements.empty() && statements[0]->kind == NodeKind::Module) {
            session.useModule(moduleOf(statements, "", session.modules(), *context.services,
                                       session.debugger ? CompiledFor::Debugger : CompiledFor::Speed));
            return Value();
        }
        last = run(statements);
    }
    if (cache && !toKeep.empty()) cache->add(script, std::move(asked), std::move(toKeep));
    return last;
}

// Adds advice to an error where the script has a phrase of another language.
Value evaluate(std::string_view script, Session& session, Context& context, const ShowValue& show, QueryCache* cache) {
    try {
        return evaluateParts(script, session, context, show, cache);
    } catch (const SyntaxError& e) {
        std::string advice = foreignSyntaxAdvice(script, e.position, false);
        if (advice.empty()) throw;
        throw SyntaxError(e.position, e.what(), std::move(advice), e.atEnd);
    } catch (const ScriptError& e) {
        std::string advice = e.thrownByUser || !e.modulePlace.empty() || !e.callStack.empty()
                                 ? std::string()
                                 : foreignSyntaxAdvice(script, e.position, true);
        if (advice.empty()) throw;
        ScriptError advised(e.what(), e.message, std::move(advice), e.position, e.thrownByUser);
        throw advised;
    }
}

Value evaluateCode(const NodeRef& code, Context& context) {
    const Scope* scope = context.scope ? context.scope : static_cast<Session*>(context.session);
    if (code->kind == NodeKind::Query) {
        // In the scope of the caller itself: a closure would capture only names outside of queries.
        std::vector<Value> arguments{codeValue(code)};
        return FunctionRegistry::instance().get("executeQuery").call(context, arguments);
    }
    // A variable needs no code that captures it; a function may be bound to another one than the scope has.
    if (code->kind == NodeKind::Name && scope) {
        Value value;
        if (scope->lookup(static_cast<const Name&>(*code).name, value) && !value.isFunction()) return value;
    }
    Ref<Closure> function = compileExpression(code, {}, scope, *context.services);
    std::vector<Value> none;
    return callFunction(*function, context, none);
}

namespace {

// Scope of code from text: its dictionary, then the session.
class TextScope final : public Scope {
public:
    TextScope(Value variables, const Scope* session) : variables_(std::move(variables)), session_(session) {}

    bool lookup(std::string_view name, Value& value) const override {
        const Value key = Value::ofString(name);
        if (variables_.isDictionary() && isLiteral(variables_.dictionary().keyType()) &&
            variables_.dictionary().contains(key)) {
            value = variables_.dictionary().get(key);
            return true;
        }
        return session_ && session_->lookup(name, value);
    }
    std::string nameOf(const Object& object) const override { return session_ ? session_->nameOf(object) : ""; }

private:
    Value variables_;
    const Scope* session_;
};

}  // namespace

Value evaluateCode(const Code& code, Context& context) {
    if (!code.wasString) return evaluateCode(code.node, context);
    const Scope* outer = context.scope;
    Value variables = code.variables;
    Value named;
    bool current = outer && !code.variablesName.empty() && outer->lookup(code.variablesName, named);
    if (current && named.isDictionary()) variables = named;
    TextScope scope(std::move(variables), static_cast<Session*>(context.session));
    Context inner = context;
    inner.scope = &scope;
    return evaluateCode(code.node, inner);
}

// tableInsert{t} by a client means the session's t: the function gets the variable itself and may change it in place,
// which the value of the partial application, a copy, could not. Slot of such a variable, or -1.
static int slotChangedBy(const NodeRef& node, const Value& function, const Session& session) {
    if (node->kind != NodeKind::Partial) return -1;
    const auto* partial = dynamic_cast<const PartialFunction*>(&function.function());
    if (!partial || !partial->function()->signature().mutatesFirst) return -1;
    const std::vector<Argument>& given = static_cast<const Partial&>(*node).arguments;
    if (given.empty() || given[0].value->kind != NodeKind::Name) return -1;
    return session.findVariable(static_cast<const Name&>(*given[0].value).name);
}

static Value callOnVariable(Value partialFunction, int slot, std::vector<Value> arguments, Session& session,
                            Context& context) {
    const auto& partial = static_cast<const PartialFunction&>(partialFunction.function());
    const Ref<Function> function = partial.function();
    std::vector<Value> all = partial.fixed();
    size_t next = 0;
    for (Value& value : all) {
        if (isOmitted(value) && next < arguments.size()) value = std::move(arguments[next++]);
    }
    for (; next < arguments.size(); ++next) all.push_back(std::move(arguments[next]));
    all[0] = std::move(session.variable(slot));
    partialFunction = Value();  // the table has one owner now
    try {
        Value result = callFunction(*function, context, all);
        session.variable(slot) = std::move(all[0]);
        requireAccessWithin(context, result, Right::Read);
        return result;
    } catch (...) {
        session.variable(slot) = std::move(all[0]);
        throw;
    }
}

Value callByExpression(std::string_view expression, std::vector<Value> arguments, Session& session, Context& context) {
    // Functions that a node calls by name do not come from the session, and some of them no script can reach.
    if (context.request->principal().isNode()) {
        if (const BuiltinFunction* asked = FunctionRegistry::instance().findForNode(expression)) {
            return asked->call(context, arguments);
        }
    }
    NodeRef node = parseExpression(expression, rolesIn(session));
    void* outerSession = context.session;
    context.session = &session;
    struct Restore {
        Context& context;
        void* session;
        ~Restore() { context.session = session; }
    } restore{context, outerSession};
    Value function;
    if (node->kind == NodeKind::Name) {
        const std::string& name = static_cast<const Name&>(*node).name;
        if (!session.lookup(name, function) || !function.isFunction()) {
            const BuiltinFunction* builtin = FunctionRegistry::instance().find(name);
            if (!builtin) {
                // Clients compare the whole message, which is why it ends here.
                throw UserError(fmt::format("Can't recognize function name {}", name));
            }
            function = Value::of(Ref<Function>(const_cast<BuiltinFunction*>(builtin)));
        }
    } else {
        Ref<Closure> compiled = compileExpression(node, {}, &session, *context.services);
        std::vector<Value> none;
        function = callFunction(*compiled, context, none);
    }
    if (!function.isFunction()) throw UserError(fmt::format("{} is not a function.", expression));
    // A VOID argument of a client denotes the default of a parameter that has one.
    if (dynamic_cast<const Closure*>(&function.function())) {
        const std::vector<Parameter>& parameters = function.function().signature().parameters;
        for (size_t i = 0; i < std::min(arguments.size(), parameters.size()); ++i) {
            if (parameters[i].optional && arguments[i].isVoid() && arguments[i].extra() == 0) arguments[i] = omitted();
        }
    }
    const int slot = slotChangedBy(node, function, session);
    if (slot >= 0) return callOnVariable(std::move(function), slot, std::move(arguments), session, context);
    Value result = callFunction(function.function(), context, arguments);
    requireAccessWithin(context, result, Right::Read);
    return result;
}

// Returns the number of statements in a text: -1 when it does not parse, -2 when it ends inside a construct.
static int statementCount(std::string_view text) {
    try {
        return static_cast<int>(parseScript(text).size());
    } catch (const SyntaxError& e) {
        return e.atEnd ? -2 : -1;
    }
}

// Returns the end of the brackets that open in the first line: a function that does not parse is one statement, and its
// lines are none by themselves. Without brackets returns the end of the first line.
static size_t endOfBrackets(std::string_view text, size_t firstEnd) {
    size_t end = firstEnd;
    for (;;) {
        int open = 0;
        bool torn = false;
        try {
            for (const Token& token : tokenize(text.substr(0, end))) {
                open += token.is("{") || token.is("(") || token.is("[");
                open -= token.is("}") || token.is(")") || token.is("]");
            }
        } catch (const SyntaxError& e) {
            torn = e.atEnd;  // inside a comment or string of several lines
            if (!torn) return firstEnd;
        }
        if (!torn && open <= 0) return end;
        if (end >= text.size()) return firstEnd;
        end = std::min(text.find('\n', end + 1), text.size());
    }
}

// End of the statement that begins at `begin`: the first whole line with which the text parses, and further lines as
// long as they belong to the same statement, as the clauses of a query do. A text that never parses ends with the
// brackets of its first line.
static size_t endOfStatement(std::string_view script, size_t begin) {
    auto lineEnd = [&](size_t from) { return std::min(script.find('\n', from), script.size()); };
    size_t firstEnd = lineEnd(begin);
    size_t end = firstEnd;
    int count = statementCount(script.substr(begin, end - begin));
    // An annotation by itself is no statement: it belongs to the function that follows.
    const auto isAnnotation = [&](size_t at) {
        const size_t first = script.find_first_not_of(" \t\r", at);
        return first != std::string_view::npos && script[first] == '@';
    };
    while ((count == -2 || (count == 0 && isAnnotation(begin))) && end < script.size()) {
        end = lineEnd(end + 1);
        count = statementCount(script.substr(begin, end - begin));
    }
    if (count < 0) return begin + endOfBrackets(script.substr(begin), firstEnd - begin);
    size_t extended = end;
    while (extended < script.size() && !isAnnotation(extended + 1)) {
        extended = lineEnd(extended + 1);
        int more = statementCount(script.substr(begin, extended - begin));
        if (more > count || more == -1) break;
        if (more == count) end = extended;
    }
    return end;
}

std::vector<ScriptPart> splitStatements(std::string_view script) {
    std::vector<ScriptPart> parts;
    int32_t line = 1;
    for (size_t begin = 0; begin < script.size();) {
        size_t end = endOfStatement(script, begin);
        std::string_view text = script.substr(begin, end - begin);
        if (text.find_first_not_of(" \t\r\n;") != std::string_view::npos) parts.push_back({std::string(text), line});
        line += static_cast<int32_t>(std::count(text.begin(), text.end(), '\n')) + 1;
        begin = end + 1;
    }
    return parts;
}

}  // namespace pelorus
