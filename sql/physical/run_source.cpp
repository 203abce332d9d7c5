#include "sql/physical/run_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "common/error.h"
#include "interpreter/engine/engine.h"
#include "runtime/code/rewrite.h"
#include "runtime/format/to_source.h"
#include "runtime/kernel/elementwise/operators.h"
#include "runtime/table/column_lookup.h"
#include "runtime/table/computed_table.h"
#include "runtime/value/print.h"
#include "sql/bind/bind_source.h"
#include "sql/bind/file_source.h"
#include "sql/bind/join_names.h"
#include "sql/bind/join_sides.h"
#include "sql/bind/read_names.h"
#include "sql/bind/sources.h"
#include "sql/execution/query_profile.h"
#include "sql/operators/join/clause_join.h"
#include "sql/operators/join/joined_rows.h"
#include "sql/operators/scan/materialise.h"
#include "sql/physical/run_join_graph.h"
#include "sql/physical/run_query.h"
#include "sql/plan/join_function.h"
#include "sql/rewrite/inner_joins_first.h"

namespace pelorus {

namespace {

using Kind = SourceNode::Kind;

Value runWholeJoin(const JoinFunctionNode& node, Context& context);

// Returns the value of a node alone: of a join by a function its rows, with all columns.
Value valueOf(const SourceNode& node, Context& context) {
    switch (node.kind) {
        case Kind::Table:
            return static_cast<const TableSourceNode&>(node).table;
        case Kind::File:
            return readFileSource(*node.code, context);
        case Kind::Derived:
            return runQuery(static_cast<const Query&>(*node.code), context);
        case Kind::JoinFunction:
            return runWholeJoin(static_cast<const JoinFunctionNode&>(node), context);
        case Kind::TableFunction:
        case Kind::Join:
            break;
    }
    return evaluateCode(node.code, context);
}

// Computes a node. Throws UserError when it gives neither a table nor a dictionary.
Value runNode(const SourceNode& node, Context& context) {
    Value value = valueOf(node, context);
    if (value.isDictionary()) return value;
    if (auto* computed = value.isTable() ? dynamic_cast<ComputedTable*>(&value.table()) : nullptr)
        return Value::of(Ref<Table>(computed->rows(context)));
    if (!value.isTable()) {
        const bool isNamed = !nameOfSource(node.code, "").empty();
        throw UserError(fmt::format("A query reads from a table, but {} is {}.",
                                    isNamed ? nameOfSource(node.code, "") : "what follows from", typeString(value)),
                        value.isString()
                            ? fmt::format("To read the file of that name write loadText({}).", toSource(*node.code))
                            : "");
    }
    return value;
}

// Returns the arguments of a join function, by parameter.
std::vector<Value> argumentsOf(const JoinFunctionNode& node, Context& context) {
    std::vector<Value> values(node.function.signature().parameters.size(), omitted());
    for (const JoinArgument& argument : node.arguments) {
        Value& value = values[argument.parameter];
        value = argument.table  ? runNode(*argument.table, context)
                : argument.code ? evaluateCode(argument.code, context)
                                : argument.value;
    }
    return values;
}

// The step of a trace that records a join by a function, its sides included.
class JoinStep {
public:
    explicit JoinStep(const JoinFunctionNode& node) : node_(node), step_("join") {
        if (step_) step_.note("sql", toSource(*node.code));
    }
    Value join(std::span<const Value> arguments, const JoinedColumns& shown, Context& context) {
        const Ref<Table> rows = joinByFunction(node_.function.name(), arguments, shown, context);
        step_.note("rows", rows->rowCount());
        return Value::of(rows);
    }

private:
    const JoinFunctionNode& node_;
    TraceStep step_;
};

// Computes a join by a function that is read whole.
Value runWholeJoin(const JoinFunctionNode& node, Context& context) {
    JoinStep step(node);
    return step.join(argumentsOf(node, context), {node.rightName}, context);
}

// Computes the part of a side that the query needs, where that is less than all of it.
Value narrowedSide(const std::vector<JoinSide>& sides, size_t index, const NodeList& where,
                   const std::function<bool(const std::string& column)>& isRead, Context& context) {
    const Ref<Query> needed = neededRows(sides, index, where, isRead, context);
    if (!needed) return sides[index].table;
    Value rows = runQuery(*needed, context);
    rows.table().name = sides[index].table.table().name;
    return rows;
}

// Prunes the two tables of ej, lj …: to rows that satisfy the query's conditions, and columns that it reads.
void leaveOutUnneeded(const JoinFunctionNode& node, const Query& query, const ReadNames& read,
                      std::vector<Value>& arguments, Context& context) {
    const std::optional<JoinKind> kind = narrowedJoin(node.function.name());
    if (!kind) return;
    std::set<std::string> keys;
    bool filtered = false;
    for (size_t i = 2; i < arguments.size(); ++i) {
        const bool given = !isOmitted(arguments[i]) && !arguments[i].isVoid();
        if (given && i < 4 && isLiteral(arguments[i].type())) {
            for (int64_t k = 0; k < arguments[i].size(); ++k) keys.emplace(arguments[i].at(k).string());
        }
        filtered = filtered || (given && arguments[i].isScalar() && arguments[i].type() == Type::Code);
    }
    const std::vector<std::string> qualifiers{node.side(0)->qualifier, node.side(1)->qualifier};
    const std::vector<JoinSide> sides{{arguments[0], qualifiers[0]}, {arguments[1], qualifiers[1]}};
    const auto isRead = [&](const std::string& column) {
        return filtered || keys.contains(column) || isColumnRead(read, qualifiers, column);
    };
    for (size_t i = 0; i < 2; ++i) {
        const NodeList where = takesConditions({*kind}, i) ? query.where : NodeList{};
        arguments[i] = narrowedSide(sides, i, where, isRead, context);
    }
}

// Computes a join by a function that a query reads from. `isAlone`: nothing else is joined, and conditions of the
// query may be applied before this join.
Value runJoinFunction(const JoinFunctionNode& node, const Query& query, const ReadNames& read, bool isAlone,
                      RowSource& source, Context& context) {
    JoinStep step(node);
    std::vector<Value> values = argumentsOf(node, context);
    for (size_t side = 0; side < 2 && values.size() >= 2; ++side) {
        if (node.side(side) && values[side].isTable())
            source.sides.push_back({node.side(side)->qualifier, values[side].table().columns()});
    }
    if (isAlone) {
        source.qualified = namesOfEquiJoinKeys(node.function.name(), node.rightName, values);
        if (source.sides.size() == 2) leaveOutUnneeded(node, query, read, values, context);
    }
    JoinedColumns shown{node.rightName};
    JoinFunctionNames keys = namesOfRightKeys(node.function.name(), node.rightName, values, read);
    shown.hiddenPrefix = keys.hiddenPrefix;
    source.qualified.insert(source.qualified.end(), keys.names.begin(), keys.names.end());
    return step.join(values, shown, context);
}

// Returns the condition with each t.x of a table that is joined already as the column that `left` has for it: tables
// before t may have an x, too.
NodeRef withJoinedNames(const NodeRef& on, const TableSchema& left, const std::string& rightName,
                        const std::vector<QualifiedColumn>& joined) {
    return rewrite(on, [&](const NodeRef& node) -> NodeRef {
        if (node->kind != NodeKind::Member) return NodeRef();
        const auto& member = static_cast<const Member&>(*node);
        if (member.key || member.object->kind != NodeKind::Name) return NodeRef();
        const std::string& qualifier = static_cast<const Name&>(*member.object).name;
        if (qualifier == rightName) return NodeRef();
        for (const QualifiedColumn& known : joined) {
            const bool isMeant = known.qualifier == qualifier && known.column == member.name;
            if (isMeant && findColumn(left, known.name) >= 0) return makeRef<Name>(known.name, member.position);
        }
        return NodeRef();
    });
}

// Joins the rows so far, `left`, with those of the next side, and names the columns that come.
Value runClause(const JoinClause& clause, const Value& left, const JoinSide& right,
                const std::shared_ptr<const ReadNames>& read, RowSource& source, Context& context) {
    TraceStep step("join");
    if (step) {
        step.note("right", toSource(*clause.table));
        if (clause.on) step.note("on", toSource(*clause.on));
    }
    const ClauseSides sides{left.table().columns(), right.table.table().columns(), right.qualifier};
    std::optional<JoinCondition> condition;
    JoinedColumns shown{right.qualifier};
    if (!read->all()) shown.isRead = [read](const std::string& name) { return read->holds(name); };
    const JoinKind kind = clause.on ? clause.kind : JoinKind::Cross;
    if (kind != JoinKind::Cross) {
        const NodeRef on = withJoinedNames(clause.on, sides.left, right.qualifier, source.qualified);
        condition = joinCondition(on, sides.left, sides.right, right.qualifier);
        shown.hiddenPrefix = hiddenKeysOfClause(kind, sides, condition->keys, *read);
    }
    Value rows = Value::of(joinByClause(left, right.table, kind, condition ? &*condition : nullptr, shown, context));
    step.note("rows", rows.table().rowCount());
    nameColumnsOfClause(kind, sides, condition ? condition->keys : JoinColumns{}, shown.hiddenPrefix, source);
    return rows;
}

// Returns the joins with inner ones first, and `whole` in their order.
JoinNode withInnerJoinsFirst(const JoinNode& node, const Query& query, std::vector<JoinSide>& whole) {
    std::vector<JoinedTable> tables;
    for (const JoinSide& side : whole) tables.push_back({side.qualifier, &side.table.table().columns()});
    std::vector<SourceRef> sides{node.sides[0]};
    std::vector<JoinClause> clauses;
    std::vector<JoinSide> ordered{whole[0]};
    for (const size_t clause : innerJoinsFirst(query, node.clauses, tables)) {
        sides.push_back(node.sides[clause + 1]);
        clauses.push_back(node.clauses[clause]);
        ordered.push_back(whole[clause + 1]);
    }
    whole = std::move(ordered);
    return {std::move(sides), std::move(clauses), node.code};
}

// Computes joins by clauses, from left to right, of the parts of the tables that the query needs.
Value runJoins(const JoinNode& given, const Query& query, const std::shared_ptr<const ReadNames>& read,
               RowSource& source, Context& context) {
    std::vector<JoinSide> whole;
    std::vector<std::string> qualifiers;
    std::vector<JoinKind> kinds;
    std::vector<QualifiedColumn> keysOfFunction;
    for (const SourceRef& side : given.sides) {
        const bool isFunction = whole.empty() && side->kind == Kind::JoinFunction;
        Value value = isFunction ? runJoinFunction(static_cast<const JoinFunctionNode&>(*side), query, *read, false,
                                                   source, context)
                                 : runNode(*side, context);
        whole.push_back({std::move(value), side->qualifier});
    }
    source.sides.clear();
    const bool areTables =
        std::all_of(whole.begin(), whole.end(), [](const JoinSide& side) { return side.table.isTable(); });
    const bool mayBeGraph = areTables && given.sides[0]->kind != Kind::JoinFunction;
    const JoinNode node = mayBeGraph ? withInnerJoinsFirst(given, query, whole) : given;
    for (const JoinSide& side : whole) qualifiers.push_back(side.qualifier);
    keysOfFunction.swap(source.qualified);
    for (const JoinClause& clause : node.clauses) kinds.push_back(clause.kind);
    const auto isRead = [&](const std::string& column) { return isColumnRead(*read, qualifiers, column); };
    const size_t ofGraph = mayBeGraph ? sidesOfGraph(node, query) : 0;
    std::vector<JoinSide> sides = whole;
    for (size_t i = ofGraph; i < sides.size(); ++i) {
        const NodeList where = takesConditions(kinds, i) ? query.where : NodeList{};
        sides[i].table = narrowedSide(whole, i, where, isRead, context);
    }
    Value value = sides[0].table;
    if (ofGraph > 0) {
        value = runJoinGraph(node, query, ofGraph, whole, read, source, context);
    } else {
        source.qualified = qualifiedColumns(value.table().columns(), sides[0].qualifier);
        source.qualified.insert(source.qualified.end(), keysOfFunction.begin(), keysOfFunction.end());
    }
    for (size_t i = ofGraph > 0 ? ofGraph - 1 : 0; i < node.clauses.size(); ++i) {
        if (dynamic_cast<JoinedRows*>(&value.table())) value = Value::of(Ref<Table>(materialise(value, context)));
        value = runClause(node.clauses[i], value, sides[i + 1], read, source, context);
    }
    return value;
}

}  // namespace

RowSource runSource(const Query& query, const SourceNode& node, Context& context) {
    RowSource source;
    Value value;
    if (node.kind == Kind::Join || node.kind == Kind::JoinFunction) {
        const auto read = std::make_shared<const ReadNames>(query);
        value = node.kind == Kind::Join
                    ? runJoins(static_cast<const JoinNode&>(node), query, read, source, context)
                    : runJoinFunction(static_cast<const JoinFunctionNode&>(node), query, *read, true, source, context);
    } else {
        value = runNode(node, context);
    }
    if (auto* joined = dynamic_cast<JoinedRows*>(&value.table())) {
        const bool onlyReads = query.verb == QueryVerb::Select || query.verb == QueryVerb::Exec;
        if (onlyReads && joined->hasBlocks()) {
            source.snapshot = joined->snapshot();
        } else {
            value = Value::of(Ref<Table>(joined->rows(context)));
        }
    }
    takeTable(source, Ref<Table>(&value.table()), query.verb, context);
    return source;
}

RowSource resolveSource(const Query& query, Context& context) {
    return runSource(query, *bindSource(query, context), context);
}

Value tableValue(const NodeRef& node, Context& context) {
    return runNode(*bindTable(node, "", context), context);
}

}  // namespace pelorus
