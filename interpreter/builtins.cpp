#include "interpreter/builtins.h"

#include <fmt/format.h>

#include "common/error.h"
#include "interpreter/engine.h"
#include "interpreter/fusion/compiled_regions.h"
#include "interpreter/macro.h"
#include "interpreter/parser.h"
#include "runtime/code/query.h"
#include "runtime/format/print.h"
#include "runtime/kernel/assemble.h"
#include "runtime/serialize/value_codec.h"
#include "runtime/table.h"

namespace pelorus {

namespace {

Session& sessionOf(Context& context) {
    if (!context.session) throw UserError("This function needs a session.");
    return *static_cast<Session*>(context.session);
}

const NodeRef& codeOf(const Value& v, int argument) {
    if (v.type() != Type::Code) throw UserError(argument, "X must be metacode, as in <1 + 2>.");
    return v.as<Code>()->node;
}

Value evalKernel(Context& context, Arguments arguments) {
    const Value& x = arguments[0];
    if (x.isTuple()) {
        std::vector<Value> results;
        for (const Value& item : x.tuple().items) results.push_back(evaluateCode(codeOf(item, 0), context));
        return assemble(std::move(results));
    }
    return evaluateCode(codeOf(x, 0), context);
}

Value parseExprKernel(Context&, Arguments arguments) {
    if (!arguments[0].isText()) throw UserError(0, "X must be the text of an expression.");
    return codeValue(parseExpression(arguments[0].text()));
}

NodeRef nodeOf(const Value& v) {
    if (v.type() == Type::Code) return v.as<Code>()->node;
    if (v.isFunction() && !v.function().name().empty()) {
        return makeRef<Name>(std::string(v.function().name()), SourcePosition{});
    }
    return makeRef<Constant>(v, SourcePosition{});
}

Value makeCallKernel(Context&, Arguments arguments) {
    std::vector<Argument> list;
    for (size_t i = 1; i < arguments.size(); ++i) list.push_back({"", nodeOf(arguments[i])});
    return codeValue(makeRef<Call>(nodeOf(arguments[0]), std::move(list), Call::Style::Function, SourcePosition{}));
}

Value sqlColKernel(Context&, Arguments arguments) {
    auto one = [&](std::string_view name, const Value& alias) {
        NodeRef column = makeRef<Name>(std::string(name), SourcePosition{});
        if (!isOmitted(arguments[1]) && !arguments[1].isVoid()) {
            column = makeRef<Call>(nodeOf(arguments[1]), std::vector<Argument>{{"", column}}, Call::Style::Function,
                                   SourcePosition{});
        }
        if (!alias.isText()) return codeValue(column);
        auto query = makeRef<Query>(SourcePosition{});
        return codeValue(
            makeRef<Call>(makeRef<Name>("sqlColAlias", SourcePosition{}),
                          std::vector<Argument>{{"", column}, {"", makeRef<Constant>(alias, SourcePosition{})}},
                          Call::Style::Function, SourcePosition{}));
    };
    if (!isLiteral(arguments[0].type())) throw UserError(0, "colName must be a string or a vector of strings.");
    if (arguments[0].isScalar()) return one(arguments[0].text(), arguments[2]);
    std::vector<Value> all;
    for (int64_t i = 0; i < arguments[0].size(); ++i) {
        Value alias = arguments[2].isVector() ? arguments[2].at(i) : Value();
        all.push_back(one(arguments[0].at(i).text(), alias));
    }
    return Value::of(makeRef<Tuple>(std::move(all)));
}

Value definedKernel(Context& context, Arguments arguments) {
    const Value& names = arguments[0];
    if (!isLiteral(names.type())) throw UserError(0, "names must be a string or a vector of strings.");
    auto known = [&](std::string_view name) {
        Value value;
        return Value::ofBool(sessionOf(context).lookup(name, value) || FunctionRegistry::instance().find(name));
    };
    if (names.isScalar()) return known(names.text());
    std::vector<Value> all;
    for (int64_t i = 0; i < names.size(); ++i) all.push_back(known(names.at(i).text()));
    return listOf(std::move(all));
}

Value undefKernel(Context& context, Arguments arguments) {
    Session& session = sessionOf(context);
    auto* shared = context.service<SharedObjects>();
    if (!isLiteral(arguments[0].type())) throw UserError(0, "names must be a string or a vector of strings.");
    std::string kind = arguments[1].isText() ? std::string(arguments[1].text()) : "VAR";
    for (int64_t i = 0; i < arguments[0].size(); ++i) {
        std::string name(arguments[0].at(i).text());
        if (name == "all") {
            session.clearVariables();
            continue;
        }
        bool done = kind == "SHARED" ? shared && shared->erase(name)
                    : kind == "DEF"  ? session.eraseFunction(name)
                                     : session.eraseVariable(name);
        if (!done) throw UserError(0, fmt::format("There is no {} to undefine.", name));
    }
    return Value();
}

Value objsKernel(Context& context, Arguments) {
    Session& session = sessionOf(context);
    std::vector<std::string> names, types, forms;
    std::vector<int32_t> rows, columns;
    std::vector<int64_t> bytes;
    for (const std::string& name : session.variableNames()) {
        const Value& v = session.variable(session.findVariable(name));
        names.push_back(name);
        types.emplace_back(typeName(v.type()));
        constexpr const char* kForms[] = {"SCALAR", "VECTOR", "PAIR", "MATRIX", "SET", "DICTIONARY", "TABLE"};
        forms.emplace_back(static_cast<size_t>(v.form()) < 7 ? kForms[static_cast<size_t>(v.form())] : "OTHER");
        rows.push_back(static_cast<int32_t>(v.isMatrix() ? v.matrix().rows : v.size()));
        columns.push_back(static_cast<int32_t>(v.isMatrix()  ? v.matrix().columns
                                               : v.isTable() ? v.table().columnCount()
                                                             : 1));
        bytes.push_back(v.isTypedVector() ? v.vector().memoryBytes() : 16);
    }
    return Value::of(Ref<Table>(makeRef<MemoryTable>(
        std::vector<std::string>{"name", "type", "form", "rows", "columns", "bytes"},
        std::vector<Value>{Value::of(Vector::ofStrings(names)), Value::of(Vector::ofStrings(types)),
                           Value::of(Vector::ofStrings(forms)), Value::of(Vector::of(Type::Int, rows)),
                           Value::of(Vector::of(Type::Int, columns)), Value::of(Vector::of(Type::Long, bytes))})));
}

Value funcByNameKernel(Context& context, Arguments arguments) {
    if (!arguments[0].isText()) throw UserError(0, "name must be a string.");
    Value value;
    std::string_view name = arguments[0].text();
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
    setCodeParser(parseCode);
    registry.add("eval(X)", evalKernel,
                 {.summary = "The value of metacode X in the scope of the caller; of a tuple of metacode, all values.",
                  .errors = "X is no metacode.",
                  .example = "eval(<1 + 2>) -> 3"});
    registry.add("parseExpr(X, [varDict], [modules], [overloadedOperators])", parseExprKernel,
                 {.summary = "Metacode from the text of one expression or query.",
                  .errors = "A syntax error in the text, with its place.",
                  .example = "parseExpr(\"1 + 2\") -> < 1 + 2 >"});
    registry.add("makeCall(F, args...)", makeCallKernel,
                 {.summary = "Metacode that calls F with the given arguments, which may be metacode.",
                  .example = "makeCall(sum, 1 2 3) -> < sum([1,2,3]) >"});
    registry.add("sqlCol(colName, [func], [alias], [qualifier])", sqlColKernel,
                 {.summary = "Metacode of a column, or of a function of it; a tuple for several names.",
                  .example = "sqlCol(`price) -> < price >"});
    registry.add("defined(names, [type])", definedKernel,
                 {.summary = "Whether a variable, function or shared object of that name exists, as BOOL.",
                  .example = "defined(`sum) -> true"});
    registry.add("undef(names, [objType])", undefKernel,
                 {.summary = "Releases variables (VAR), shared objects (SHARED) or functions (DEF) by name.",
                  .errors = "There is nothing of that name."});
    registry.add("objs([shared=false])", objsKernel,
                 {.summary = "A table of the session's variables with types and sizes."});
    registry.add("getCompiledRegionCount()", [](Context&, Arguments) { return Value::ofLong(compiledRegionCount()); },
                 {.summary = "How many fused expressions run as machine code in this process, as LONG."});
    registry.add("funcByName(name)", funcByNameKernel,
                 {.summary = "The function of that name.", .example = "funcByName(\"sum\") -> sum"});
}

}  // namespace pelorus
