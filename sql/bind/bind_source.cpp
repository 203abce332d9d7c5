#include "sql/bind/bind_source.h"

#include <fmt/format.h>

#include "common/error.h"
#include "common/nearest_name.h"
#include "interpreter/parser/parser.h"
#include "interpreter/session/session.h"
#include "runtime/code/column_name.h"
#include "runtime/code/rewrite.h"
#include "runtime/format/to_source.h"
#include "runtime/registry/registry.h"
#include "runtime/value/print.h"
#include "sql/bind/file_source.h"
#include "sql/bind/sources.h"

namespace pelorus {

namespace {

using Kind = SourceNode::Kind;

// leftFilter, rightFilter: conditions that are passed as metacode.
bool isFilter(const BuiltinFunction& join, size_t i) {
    return i < kDeclaredParameters && join.declaration().takes[i].special == Takes::Code;
}

// t.value > 1 denotes its metacode, of the side that it filters.
Value filterCode(const NodeRef& filter) {
    return codeValue(rewrite(filter, [](const NodeRef& n) -> NodeRef {
        if (n->kind != NodeKind::Member) return NodeRef();
        const auto& member = static_cast<const Member&>(*n);
        if (member.key || member.object->kind != NodeKind::Name) return NodeRef();
        return makeRef<Name>(member.name, member.position);
    }));
}

// Whether a name is that of a variable that holds metacode.
bool isCodeVariable(const Node& node, Context& context, Value& held) {
    if (node.kind != NodeKind::Name || !context.scope) return false;
    const bool isVariable = context.scope->lookup(static_cast<const Name&>(node).name, held);
    return isVariable && held.isScalar() && held.type() == Type::Code;
}

JoinArgument argumentOf(const BuiltinFunction& function, size_t parameter, const NodeRef& code, Context& context) {
    if (parameter < 2) return {parameter, bindTable(code, "", context)};
    const bool filters = isFilter(function, parameter) && code->kind != NodeKind::Metacode;
    if (!filters) return {parameter, nullptr, code};
    Value held;
    if (isCodeVariable(*code, context, held)) return {parameter, nullptr, {}, held};
    return {parameter, nullptr, {}, filterCode(code)};
}

// ej(a as x, b, …): the argument expressions name the tables. A call with arguments that the function does not have
// is left to the function, which reports them.
SourceRef bindJoinFunction(const NodeRef& code, const std::string& qualifier, Context& context) {
    const auto& call = static_cast<const Call&>(*code);
    const BuiltinFunction& function = FunctionRegistry::instance().get(static_cast<const Name&>(*call.callee).name);
    const auto& parameters = function.signature().parameters;
    std::vector<JoinArgument> arguments;
    std::string rightName;
    for (size_t i = 0; i < call.arguments.size(); ++i) {
        const Argument& argument = call.arguments[i];
        size_t p = i;
        if (!argument.keyword.empty()) {
            p = 0;
            while (p < parameters.size() && parameters[p].name != argument.keyword) ++p;
        }
        if (p >= parameters.size()) return std::make_shared<CodeSourceNode>(Kind::TableFunction, code, qualifier);
        if (p == 1) rightName = nameOfArgument(argument.value);
        if (argument.value->kind == NodeKind::Omitted) continue;
        arguments.push_back(argumentOf(function, p, argument.value, context));
    }
    return std::make_shared<JoinFunctionNode>(function, std::move(arguments), std::move(rightName), code, qualifier);
}

// Whether the first part of a dotted name is a variable.
bool isKnown(const std::string& path, Context& context) {
    Value ignored;
    return context.scope && context.scope->lookup(path.substr(0, path.find('.')), ignored);
}

// Returns tables of the session with a similar name; without one, advice on how a stored table gets a name.
std::string adviceForTable(std::string_view name, const Context& context) {
    std::vector<std::string> tables;
    const auto* session = static_cast<const Session*>(context.session);
    for (const std::string& variable : session ? session->variableNames() : std::vector<std::string>()) {
        Value value;
        if (session->lookup(variable, value) && value.isTable()) tables.push_back(variable);
    }
    std::string hint = didYouMean(nearestNames(name, {tables.begin(), tables.end()}));
    return hint.empty() ? "Load it into a variable first, as in t = loadTable(\"dfs://db\", \"t\")." : hint;
}

Value tableNamed(const Name& name, Context& context) {
    Value value;
    if (!context.scope || !context.scope->lookup(name.name, value)) {
        throw SyntaxError(name.position,
                          fmt::format("Can't recognize table {0}: Can't find the object with name {0}", name.name),
                          adviceForTable(name.name, context));
    }
    return value;
}

}  // namespace

SourceRef bindTable(const NodeRef& given, const std::string& alias, Context& context) {
    const bool isAlias = given->kind == NodeKind::Alias;
    const NodeRef code = isAlias ? static_cast<const Alias&>(*given).value : given;
    const std::string qualifier = isAlias ? static_cast<const Alias&>(*given).names[0] : nameOfSource(code, alias);
    const auto known = [&](Value table) -> SourceRef {
        return std::make_shared<TableSourceNode>(std::move(table), code, qualifier);
    };
    const auto computed = [&](Kind kind) -> SourceRef {
        return std::make_shared<CodeSourceNode>(kind, code, qualifier);
    };
    if (isFileSource(*code)) return computed(Kind::File);
    if (code->kind == NodeKind::Constant) return known(static_cast<const Constant&>(*code).value);
    if (code->kind == NodeKind::Query) return computed(Kind::Derived);
    if (code->kind == NodeKind::Name) return known(tableNamed(static_cast<const Name&>(*code), context));
    if (code->kind == NodeKind::Call && isJoinFunction(static_cast<const Call&>(*code)))
        return bindJoinFunction(code, qualifier, context);
    if (std::string path, table; catalogTable(*code, path, table) && !isKnown(path, context)) {
        // schema.table, catalog.schema.table
        std::vector<Value> arguments{Value::ofString(path), Value::ofString(table)};
        return known(FunctionRegistry::instance().get("loadTable").call(context, arguments));
    }
    return computed(Kind::TableFunction);
}

SourceRef bindSource(const Query& query, Context& context) {
    if (!query.table) throw UserError("The query names no table.", "Add a from clause.");
    const bool onlyReads = query.verb == QueryVerb::Select || query.verb == QueryVerb::Exec;
    if (!onlyReads && isFileSource(*query.table)) {
        throw UserError(query.table->position,
                        fmt::format("{} is a string, and not a table to change.", toSource(*query.table)),
                        "Read a file into a variable first, as in t = loadText(\"trades.csv\").");
    }
    SourceRef first = bindTable(query.table, query.tableAlias, context);
    if (query.joins.empty()) return first;
    std::vector<SourceRef> sides{std::move(first)};
    for (const JoinClause& join : query.joins) sides.push_back(bindTable(join.table, join.alias, context));
    return std::make_shared<JoinNode>(std::move(sides), query.joins, query.table);
}

}  // namespace pelorus
