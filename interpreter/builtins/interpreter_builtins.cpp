#include "interpreter/builtins/interpreter_builtins.h"

#include <fmt/format.h>

#include "common/error.h"
#include "interpreter/bytecode/hot_code.h"
#include "interpreter/codegen/compiled_regions.h"
#include "interpreter/engine/engine.h"
#include "interpreter/parser/parser.h"
#include "interpreter/vm/macro.h"
#include "runtime/code/query.h"
#include "runtime/code/rewrite.h"
#include "runtime/kernel/index/assemble.h"
#include "runtime/registry/function_theme.h"
#include "runtime/serialize/value_codec.h"
#include "runtime/table/table.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"

namespace pelorus {

namespace {

const Code& codeOf(const Value& v, int argument) {
    if (!v.isScalar() || v.type() != Type::Code) throw UserError(argument, "X must be metacode, as in <1 + 2>.");
    return *v.as<Code>();
}

Value evalKernel(Context& context, Arguments arguments) {
    const Value& x = arguments[0];
    if (x.isTuple()) {
        std::vector<Value> results;
        for (const Value& item : x.tuple().elements) results.push_back(evaluateCode(codeOf(item, 0), context));
        return assemble(std::move(results));
    }
    return evaluateCode(codeOf(x, 0), context);
}

// Returns the function that parseExpr's overloadedOperators hold for an operator, or VOID.
Value overloadOf(const Value& operators, Operator op) {
    for (const char* name : {facts(op).symbol, facts(op).function}) {
        const Value key = Value::ofString(name);
        if (operators.dictionary().contains(key)) return operators.dictionary().get(key);
    }
    return Value();
}

NodeRef withOperators(const NodeRef& node, const Value& operators) {
    return rewrite(node, [&](const NodeRef& n) -> NodeRef {
        if (n->kind != NodeKind::Binary) return NodeRef();
        const auto& binary = static_cast<const Binary&>(*n);
        const Value function = overloadOf(operators, binary.op);
        if (function.isVoid()) return NodeRef();
        if (!function.isFunction()) throw UserError(3, "overloadedOperators must map operators to functions.");
        std::vector<Argument> operands = {{"", withOperators(binary.left, operators)},
                                          {"", withOperators(binary.right, operators)}};
        return makeRef<Call>(makeRef<Constant>(function, n->position), std::move(operands), Call::Style::Function,
                             n->position);
    });
}

Value parseExprKernel(Context& context, Arguments arguments) {
    const Value &text = arguments[0], &variables = arguments[1], &operators = arguments[3];
    if (!isLiteral(text.type())) throw UserError(0, "X must be the text of an expression, or a vector of strings.");
    if (!isOmitted(variables) && !variables.isVoid() && !variables.isDictionary()) {
        throw UserError(1, "varDict must be a dictionary of names and values.");
    }
    bool overloads = operators.isDictionary();
    auto* session = static_cast<Session*>(context.session);
    auto one = [&](std::string_view source) {
        NodeRef node = parseExpression(source, session ? rolesIn(*session) : NameRoles());
        if (overloads) node = withOperators(node, operators);
        auto code = makeRef<Code>(std::move(node));
        code->wasString = true;
        if (variables.isDictionary()) {
            code->variables = variables;
            if (context.scope) code->variablesName = context.scope->nameOf(*variables.object());
        }
        return Value::ofSystem(Type::Code, code);
    };
    if (text.isScalar()) return one(text.string());
    std::vector<Value> all;
    for (int64_t i = 0; i < text.size(); ++i) all.push_back(one(text.at(i).string()));
    return Value::of(makeRef<Tuple>(std::move(all)));
}

Value funcByNameKernel(Context& context, Arguments arguments) {
    if (!arguments[0].isString()) throw UserError(0, "name must be a string.");
    Value value;
    std::string_view name = arguments[0].string();
    if (const OperatorFacts* op = operatorBySymbol(name)) name = op->function;
    if (name.starts_with("::")) name.remove_prefix(2);
    if (context.scope && context.scope->lookup(name, value) && value.isFunction()) return value;
    return Value::of(Ref<Function>(const_cast<BuiltinFunction*>(&FunctionRegistry::instance().get(name))));
}

Value parseCode(std::string_view text) {
    // "< x + 1 >" as shown: the brackets are not part of the code.
    size_t begin = text.find_first_not_of(" <");
    size_t end = text.find_last_not_of(" >");
    if (begin == std::string_view::npos || end == std::string_view::npos) throw UserError("Empty metacode.");
    return codeValue(parseExpression(text.substr(begin, end - begin + 1)));
}

}  // namespace

void registerInterpreterBuiltins(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Public, Effect::Writes);
    const FunctionTheme theme("the session");
    setCodeParser(parseCode);
    registerNameBuiltins(registry);
    registerTestingBuiltins(registry);
    registerModuleBuiltins(registry);
    registerClassBuiltins(registry);
    registerTransactionBuiltins(registry);
    registerViewBuiltins(registry);
    registry.add("eval(expr)", evalKernel,
                 {.summary = "The value of metacode in the scope of the caller; of a tuple of metacode, all values.",
                  .errors = "expr is no metacode.",
                  .example = "eval(<1 + 2>) -> 3"});
    registry.add("parseExpr(X, [varDict], [modules], [overloadedOperators])", parseExprKernel,
                 {.summary = "Metacode from the text of one expression or query; a tuple for a vector of strings.",
                  .parameters = "varDict: values of names in the text\noverloadedOperators: what operators mean there",
                  .errors = "A syntax error in the text, with its place.",
                  .example = "parseExpr(\"1 + 2\") -> < 1 + 2 >\neval(parseExpr(\"a * b\", {a: 6, b: 7})) -> 42"},
                 kReads);
    registry.add(
        "getCompiledRegionCount()", [](Context&, Arguments) { return Value::ofLong(compiledRegionCount()); },
        {.summary = "How many expressions over vectors run as machine code in this process, as LONG.",
         .example = "getCompiledRegionCount()"},
        kReads);
    registry.add(
        "getCompiledFunctionCount()", [](Context&, Arguments) { return Value::ofLong(compiledScalarCount()); },
        {.summary = "How many loops and functions of scalars became machine code in this process, as LONG.",
         .example = "getCompiledFunctionCount()"},
        kReads);
    registry.add("funcByName(name)", funcByNameKernel,
                 {.summary = "The built-in or user function of that name, or of that operator.",
                  .errors = "There is no such function, or this version does not have it yet.",
                  .example = "funcByName(\"sum\") -> sum\nfuncByName(\"+\")(1, 2) -> 3"},
                 kReads);
}

}  // namespace pelorus
