#include "sql/expression/bind_expression.h"

#include <fmt/format.h>

#include "common/error.h"
#include "interpreter/expression/bind.h"
#include "interpreter/session/session.h"
#include "runtime/code/name_uses.h"
#include "runtime/code/rewrite.h"
#include "runtime/registry/name_advice.h"
#include "runtime/registry/registry.h"
#include "runtime/table/column_advice.h"
#include "runtime/table/column_lookup.h"

namespace pelorus {

// ::avg is the built-in avg.
static std::string_view unqualified(std::string_view function) {
    return function.starts_with("::") ? function.substr(2) : function;
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

BoundRef bindOverColumns(const NodeRef& given, const TableSchema& columns, Context& context) {
    const bool isPlain =
        given->kind == NodeKind::Name && findColumn(columns, static_cast<const Name&>(*given).name) >= 0;
    if (isPlain) return bindExpression(given, columns, context);
    const NodeRef code = withoutStars(given, columns);
    requireKnownNames(*code, columns, context);
    const std::shared_ptr<const ExpressionCode> whole = codeOver(code, columns);
    if (whole->columns.empty()) return opaqueCode(whole);
    BoundRef bound = bindCode(whole, columns, context);
    // Constants of all rows have the shape that a call returns.
    return bound->isElementwise && bound->kind != Bound::Kind::Constant ? bound : opaqueCode(whole);
}

ExpressionProgram bindProgram(const NodeRef& code, const TableSchema& columns, Context& context) {
    return {bindOverColumns(code, columns, context), context};
}

}  // namespace pelorus
