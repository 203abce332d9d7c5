#include "sql/physical/source_columns.h"

#include <algorithm>

#include "common/error.h"
#include "interpreter/bytecode/effects.h"
#include "interpreter/engine/engine.h"
#include "runtime/code/rewrite.h"
#include "runtime/format/to_source.h"
#include "runtime/table/computed_table.h"
#include "sql/bind/bind_source.h"
#include "sql/bind/file_source.h"
#include "sql/bind/sources.h"
#include "sql/expression/unknown_value.h"
#include "sql/expression/with_scope.h"
#include "sql/physical/bound_query.h"
#include "sql/physical/run_source.h"

namespace pelorus {

namespace {

using Kind = SourceNode::Kind;

[[noreturn]] void refuseCall(const NodeRef& code, const NodeRef& shown) {
    throw UserError(code->position,
                    "The query is not run to be explained, and its table is unknown without calling " +
                        toSource(*shown) + ", which may change something.",
                    "Assign the table to a variable, and explain the query over that.");
}

// Throws UserError when an expression that would have to be computed may change something.
void requireNoEffect(const NodeRef& code, const NodeRef& shown, const Context& context) {
    if (effectOf(code, context) >= Effect::Writes) refuseCall(code, shown);
}

// Does the same for the calls in metacode.
void requireNoEffectOfCalls(const NodeRef& code, const NodeRef& shown, const Context& context) {
    rewrite(code, [&](const NodeRef& node) -> NodeRef {
        if (node->kind == NodeKind::Call) requireNoEffect(node, shown, context);
        return NodeRef();
    });
}

// Replaces calls in a condition of a join that may change something: which rows match decides about no column.
NodeRef withoutEffects(const NodeRef& condition, const Context& context) {
    return rewrite(condition, [&](const NodeRef& node) -> NodeRef {
        const bool changes = node->kind == NodeKind::Call && effectOf(node, context) >= Effect::Writes;
        return changes ? unknownValue(*node, Type::Bool) : NodeRef();
    });
}

// Returns the code that a value of metacode holds; the value itself is none.
NodeRef heldCode(const Value& value) {
    return value.isScalar() && value.type() == Type::Code ? value.as<Code>()->node : NodeRef();
}

JoinArgument knownArgument(const JoinFunctionNode& join, const JoinArgument& given, Context& context) {
    JoinArgument known = given;
    if (given.table) known.table = knownSource(given.table, context);
    if (given.code) {
        // Metacode is made without running it.
        if (given.code->kind != NodeKind::Metacode) requireNoEffect(given.code, join.code, context);
        known.value = evaluateCode(given.code, context);
        known.code = NodeRef();
    }
    const NodeRef held = heldCode(known.value);
    if (!held) return known;
    // Conditions choose rows, and may be left open; aggregates give columns.
    const bool isFilter = join.function.declaration().takes[given.parameter].special == Takes::Code;
    if (!isFilter) requireNoEffectOfCalls(held, join.code, context);
    known.value = codeValue(withoutEffects(held, context));
    return known;
}

SourceRef mapSides(const JoinNode& join, SourceRef (*map)(const SourceRef&, Context&), Context& context) {
    std::vector<SourceRef> sides;
    for (const SourceRef& side : join.sides) sides.push_back(map(side, context));
    std::vector<JoinClause> clauses = join.clauses;
    for (JoinClause& clause : clauses) {
        if (clause.on) clause.on = withoutEffects(clause.on, context);
    }
    return std::make_shared<JoinNode>(std::move(sides), std::move(clauses), join.code);
}

SourceRef tableNode(Value table, const SourceNode& source) {
    return std::make_shared<TableSourceNode>(std::move(table), source.code, source.qualifier);
}

// Returns the table without its rows, under the name by which joins call its columns.
Value emptied(const Value& table, const Context& context) {
    if (!table.isTable()) return table;
    const Ref<MemoryTable> empty = MemoryTable::empty(table.table().columns());
    const std::string variable = context.scope ? context.scope->nameOf(*table.object()) : "";
    empty->name = variable.empty() ? table.table().name : variable;
    return Value::of(Ref<Table>(empty));
}

// Does for a side of a join what sourceWithoutRows does, tables included.
SourceRef emptySide(const SourceRef& source, Context& context) {
    if (source->kind != Kind::Table) return sourceWithoutRows(source, context);
    return tableNode(emptied(static_cast<const TableSourceNode&>(*source).table, context), *source);
}

}  // namespace

SourceRef knownSource(const SourceRef& source, Context& context) {
    switch (source->kind) {
        case Kind::Table:
        case Kind::Derived:
            return source;
        case Kind::File:
            return tableNode(fileColumns(*source->code, context), *source);
        case Kind::TableFunction:
            requireNoEffect(source->code, source->code, context);
            return tableNode(evaluateCode(source->code, context), *source);
        case Kind::JoinFunction: {
            const auto& join = static_cast<const JoinFunctionNode&>(*source);
            std::vector<JoinArgument> arguments;
            for (const JoinArgument& given : join.arguments) arguments.push_back(knownArgument(join, given, context));
            return std::make_shared<JoinFunctionNode>(join.function, std::move(arguments), join.rightName, join.code,
                                                      join.qualifier);
        }
        case Kind::Join:
            return mapSides(static_cast<const JoinNode&>(*source), knownSource, context);
    }
    return source;
}

SourceRef sourceWithoutRows(const SourceRef& source, Context& context) {
    switch (source->kind) {
        case Kind::Table: {
            const Value& table = static_cast<const TableSourceNode&>(*source).table;
            const bool isComputed = table.isTable() && dynamic_cast<ComputedTable*>(&table.table()) != nullptr;
            return isComputed ? tableNode(emptied(table, context), *source) : source;
        }
        case Kind::Derived:
            return tableNode(Value::of(Ref<Table>(boundTable(static_cast<const Query&>(*source->code), context))),
                             *source);
        case Kind::JoinFunction: {
            const auto& join = static_cast<const JoinFunctionNode&>(*source);
            std::vector<JoinArgument> arguments = join.arguments;
            for (JoinArgument& argument : arguments) {
                if (argument.table) argument.table = emptySide(argument.table, context);
            }
            return std::make_shared<JoinFunctionNode>(join.function, std::move(arguments), join.rightName, join.code,
                                                      join.qualifier);
        }
        case Kind::Join:
            return mapSides(static_cast<const JoinNode&>(*source), emptySide, context);
        case Kind::File:
        case Kind::TableFunction:
            break;
    }
    return source;
}

RowSource columnsOf(const Query& query, const SourceRef& source, Context& context) {
    const Ref<Query> all = makeRef<Query>(query.position);
    all->table = query.table;
    all->tableAlias = query.tableAlias;
    all->joins = query.joins;
    all->items = {{makeRef<Star>(query.position), {}, NodeRef()}};
    return runSource(*all, *sourceWithoutRows(knownSource(source, context), context), context);
}

namespace {

bool callsForTables(const Query& query);

// Whether the columns of a table after `from` are known only by calling a function, which may take long.
bool callsForTable(const NodeRef& code) {
    if (!code) return false;
    switch (code->kind) {
        case NodeKind::Alias:
            return callsForTable(static_cast<const Alias&>(*code).value);
        case NodeKind::Query:
            return callsForTables(static_cast<const Query&>(*code));
        case NodeKind::Call: {
            const auto& call = static_cast<const Call&>(*code);
            if (isJoinFunction(call)) {
                const size_t tables = std::min<size_t>(call.arguments.size(), 2);
                return std::any_of(call.arguments.begin(), call.arguments.begin() + static_cast<std::ptrdiff_t>(tables),
                                   [](const Argument& a) { return callsForTable(a.value); });
            }
            const bool loads =
                call.callee->kind == NodeKind::Name && static_cast<const Name&>(*call.callee).name == "loadTable";
            return !loads;
        }
        default:
            return false;
    }
}

bool callsForTables(const Query& query) {
    const auto ofPair = [](const auto& part) { return callsForTable(part.second); };
    return callsForTable(query.table) ||
           std::any_of(query.joins.begin(), query.joins.end(), [](const auto& j) { return callsForTable(j.table); }) ||
           std::any_of(query.with.begin(), query.with.end(), ofPair) ||
           std::any_of(query.unions.begin(), query.unions.end(),
                       [](const SetOperation& other) { return callsForTable(other.query); });
}

std::optional<std::vector<std::string>> ownColumnsOf(const Query& query, WithScope& scope, Context& context) {
    if (callsForTables(query)) return std::nullopt;
    try {
        for (const auto& [name, with] : query.with)
            scope.add(name, Value::of(Ref<Table>(boundTable(static_cast<const Query&>(*with), context))));
        const RowSource rows = columnsOf(query, bindSource(query, context), context);
        std::vector<std::string> names;
        for (const ColumnSchema& column : rows.columns()) names.push_back(column.name);
        for (const QualifiedColumn& column : rows.qualified) names.push_back(column.column);
        return names;
    } catch (const UserError&) {
        return std::nullopt;  // running it tells why
    }
}

}  // namespace

OuterRows asOuterRows(const Query& query, const RowSource& source) {
    return {query, source, &ownColumnsOf};
}

}  // namespace pelorus
