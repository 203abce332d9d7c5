#include "sql/bind/sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "common/error.h"
#include "common/nearest_name.h"
#include "common/thread/mutex.h"
#include "interpreter/engine/engine.h"
#include "interpreter/parser/parser.h"
#include "interpreter/session/session.h"
#include "runtime/code/column_name.h"
#include "runtime/code/rewrite.h"
#include "runtime/format/to_source.h"
#include "runtime/function/principal.h"
#include "runtime/kernel/elementwise/operators.h"
#include "runtime/kernel/index/row_selection.h"
#include "runtime/registry/registry.h"
#include "runtime/table/computed_table.h"
#include "runtime/table/table_access.h"
#include "runtime/value/cast.h"
#include "runtime/value/print.h"
#include "sql/bind/file_source.h"
#include "sql/bind/join_sides.h"
#include "sql/bind/read_names.h"
#include "sql/execute.h"
#include "sql/execution/query_profile.h"
#include "sql/execution/query_snapshot.h"
#include "sql/expression/bind_expression.h"
#include "sql/expression/bind_only.h"
#include "sql/operators/join/cross_join.h"
#include "sql/operators/join/joins.h"
#include "sql/operators/join/spilled_join.h"
#include "sql/operators/scan/materialise.h"
#include "sql/operators/scan/scan.h"
#include "sql/remote/partial_query.h"

namespace pelorus {

std::string nameOfSource(const NodeRef& node, const std::string& alias) {
    if (!alias.empty() || !node) return alias;
    if (node->kind == NodeKind::Name) return static_cast<const Name&>(*node).name;
    if (isFileSource(*node)) return nameOfFileSource(*node);
    if (node->kind == NodeKind::Constant) return static_cast<const Constant&>(*node).spelling;
    return "";
}

bool isJoinFunction(const Call& call) {
    return call.callee->kind == NodeKind::Name && isJoinName(static_cast<const Name&>(*call.callee).name);
}

namespace {

JoinedColumns shownColumns(std::string rightName, const std::shared_ptr<const ReadNames>& read) {
    JoinedColumns shown{std::move(rightName)};
    if (!read->all()) shown.isRead = [read](const std::string& name) { return read->holds(name); };
    return shown;
}

}  // namespace

// Whether a column of a joined table is read, under its name or with the prefix that the join adds.
static bool isColumnRead(const ReadNames& read, const std::vector<JoinSide>& sides, const std::string& column) {
    if (read.holds(column) || column.starts_with(' ')) return true;
    return std::any_of(sides.begin() + 1, sides.end(), [&](const JoinSide& side) {
        return side.qualifier.empty() || read.holds(side.qualifier + "_" + column);
    });
}

// leftFilter, rightFilter: conditions that are passed as metacode.
static bool isFilter(const BuiltinFunction& join, size_t i) {
    return i < kDeclaredParameters && join.declaration().takes[i].special == Takes::Code;
}

// Prunes the two tables of ej, lj …: to rows that satisfy the query's conditions, and columns that it reads.
static void leaveOutUnneeded(const BuiltinFunction& function, std::vector<JoinSide> sides,
                             std::vector<Value>& arguments, const Query& query, Context& context) {
    const std::optional<JoinKind> kind = narrowedJoin(function.name());
    if (!kind) return;
    std::set<std::string> keys;
    bool filtered = false;
    for (size_t i = 2; i < arguments.size(); ++i) {
        const bool given = !isOmitted(arguments[i]) && !arguments[i].isVoid();
        if (given && i < 4 && isLiteral(arguments[i].type())) {
            for (int64_t k = 0; k < arguments[i].size(); ++k) keys.emplace(arguments[i].at(k).string());
        }
        filtered = filtered || (given && isFilter(function, i));
    }
    const ReadNames read(query);
    const auto isRead = [&](const std::string& column) {
        return filtered || keys.contains(column) || isColumnRead(read, sides, column);
    };
    for (size_t i = 0; i < 2; ++i) {
        arguments[i] = neededRows(sides, i, takesConditions({*kind}, i) ? query.where : NodeList{}, isRead, context);
    }
}

// Query that reads from ej(a, b, …), and the names that it may use for columns of the join.
struct JoinReader {
    const Query& query;
    const ReadNames& read;
    bool isAlone;  // nothing else is joined: conditions of the query may be applied before this join
    std::vector<QualifiedColumn>& names;
};

// Returns the names of key columns that an argument has; empty when it has none.
static std::vector<std::string> keyNames(const Value& argument) {
    std::vector<std::string> names;
    if (isOmitted(argument) || !isLiteral(argument.type())) return names;
    for (int64_t i = 0; i < argument.size(); ++i) names.emplace_back(argument.at(i).string());
    return names;
}

// Whether a query names a key of the right table of a left join: with the table's name, or without where the left table
// has no column of this name.
static bool readsRightKey(const ReadNames& read, const Value& left, const std::string& right, const std::string& key) {
    if (read.mentions(right + "_" + key)) return true;
    return left.isTable() && left.table().findColumn(key) < 0 && read.mentions(key);
}

// Names the keys of the right table of lj, lsj, aj, wj and pwj, which the result of these does not show. Those of the
// first three are kept in hidden columns when the query reads one: where a row has no partner they are NULL, and not
// the left key. Returns the prefix of these columns; empty when there are none.
static std::string nameRightKeys(std::string_view function, const std::string& right, std::span<const Value> arguments,
                                 const JoinReader& reader) {
    const bool isWindow = function == "wj" || function == "pwj";
    if (right.empty() || (!isWindow && function != "lj" && function != "lsj" && function != "aj")) return "";
    const size_t first = isWindow ? 4 : 2;
    std::vector<std::string> keys = keyNames(arguments[first + 1]);
    if (keys.empty()) keys = keyNames(arguments[first]);
    // An as-of join shows the last one, which may be another than the left's.
    if (function == "aj" && !keys.empty()) keys.pop_back();
    const auto isRead = [&](const std::string& key) { return readsRightKey(reader.read, arguments[0], right, key); };
    if (!isWindow && std::none_of(keys.begin(), keys.end(), isRead)) return "";
    // Many right rows belong to one of a window join: no column has their key, and its name is unknown.
    const std::string prefix = fmt::format("{}{}.", isWindow ? "" : " ", right);
    for (const std::string& key : keys) reader.names.push_back({right, key, prefix + key});
    return isWindow ? "" : prefix;
}

// ej(a as x, b, …): the argument expressions name the tables. `reader`: of the query whose source it is; null in an
// expression that is no source.
static Value joinedTables(const Call& call, Context& context, const JoinReader* reader = nullptr) {
    const BuiltinFunction& function = FunctionRegistry::instance().get(static_cast<const Name&>(*call.callee).name);
    const auto& parameters = function.signature().parameters;
    std::vector<Value> values(parameters.size(), omitted());
    std::string rightName;
    TraceStep step("join");
    if (step) step.note("sql", toSource(call));
    for (size_t i = 0; i < call.arguments.size(); ++i) {
        const Argument& argument = call.arguments[i];
        size_t p = i;
        if (!argument.keyword.empty()) {
            p = 0;
            while (p < parameters.size() && parameters[p].name != argument.keyword) ++p;
        }
        if (p >= parameters.size()) return evaluateCode(NodeRef(const_cast<Call*>(&call)), context);
        if (p == 1) {
            bool alias = argument.value->kind == NodeKind::Alias;
            rightName = alias ? static_cast<const Alias&>(*argument.value).names[0] : nameOfSource(argument.value, "");
        }
        if (argument.value->kind == NodeKind::Omitted) continue;
        const bool filters = isFilter(function, p) && argument.value->kind != NodeKind::Metacode;
        if (filters && argument.value->kind == NodeKind::Name) {
            // A variable that holds metacode.
            Value& held = values[p];
            const auto& name = static_cast<const Name&>(*argument.value);
            const bool isVariable = context.scope && context.scope->lookup(name.name, held);
            if (isVariable && held.isScalar() && held.type() == Type::Code) continue;
        }
        if (filters) {
            // t.value > 1 denotes its metacode, of the side that it filters.
            values[p] = codeValue(rewrite(argument.value, [](const NodeRef& n) -> NodeRef {
                if (n->kind != NodeKind::Member) return NodeRef();
                const auto& member = static_cast<const Member&>(*n);
                if (member.key || member.object->kind != NodeKind::Name) return NodeRef();
                return makeRef<Name>(member.name, member.position);
            }));
            continue;
        }
        if (p >= 2) {
            requireBindable(*argument.value, context);
            const BindOnly runs(false);
            values[p] = evaluateCode(argument.value, context);
            continue;
        }
        values[p] = withoutRowsIfBound(tableValue(argument.value, context));
    }
    if (reader && reader->isAlone && values[0].isTable() && values[1].isTable()) {
        auto qualifier = [&](size_t i) {
            const NodeRef& node = call.arguments[i].value;
            return node->kind == NodeKind::Alias ? static_cast<const Alias&>(*node).names[0] : nameOfSource(node, "");
        };
        const bool inOrder = call.arguments[0].keyword.empty() && call.arguments[1].keyword.empty();
        if (inOrder)
            leaveOutUnneeded(function, {{values[0], qualifier(0)}, {values[1], qualifier(1)}}, values, reader->query,
                             context);
    }
    JoinedColumns shown{rightName};
    if (reader) shown.hiddenPrefix = nameRightKeys(function.name(), rightName, values, *reader);
    const Ref<Table> rows = joinByFunction(function.name(), values, shown, context);
    step.note("rows", rows->rowCount());
    return Value::of(rows);
}

// Whether the first part of a dotted name is a variable.
static bool isKnown(const std::string& path, Context& context) {
    Value ignored;
    return context.scope && context.scope->lookup(path.substr(0, path.find('.')), ignored);
}

// Returns tables of the session with a similar name; without one, advice on how a stored table gets a name.
static std::string adviceForTable(std::string_view name, const Context& context) {
    std::vector<std::string> tables;
    const auto* session = static_cast<const Session*>(context.session);
    for (const std::string& variable : session ? session->variableNames() : std::vector<std::string>()) {
        Value value;
        if (session->lookup(variable, value) && value.isTable()) tables.push_back(variable);
    }
    std::string hint = didYouMean(nearestNames(name, {tables.begin(), tables.end()}));
    return hint.empty() ? "Load it into a variable first, as in t = loadTable(\"dfs://db\", \"t\")." : hint;
}

Value tableValue(const NodeRef& node, Context& context) {
    if (node->kind == NodeKind::Alias) return tableValue(static_cast<const Alias&>(*node).value, context);
    Value value;
    if (isFileSource(*node)) {
        value = readFileSource(*node, context);
    } else if (node->kind == NodeKind::Constant) {
        value = static_cast<const Constant&>(*node).value;
    } else if (node->kind == NodeKind::Query) {
        value = executeQuery(static_cast<const Query&>(*node), context);
    } else if (node->kind == NodeKind::Name) {
        const auto& name = static_cast<const Name&>(*node);
        if (!context.scope || !context.scope->lookup(name.name, value)) {
            throw SyntaxError(name.position,
                              fmt::format("Can't recognize table {0}: Can't find the object with name {0}", name.name),
                              adviceForTable(name.name, context));
        }
    } else if (node->kind == NodeKind::Call && isJoinFunction(static_cast<const Call&>(*node))) {
        value = joinedTables(static_cast<const Call&>(*node), context);
    } else if (std::string path, table; catalogTable(*node, path, table) && !isKnown(path, context)) {
        // schema.table, catalog.schema.table
        std::vector<Value> arguments{Value::ofString(path), Value::ofString(table)};
        value = FunctionRegistry::instance().get("loadTable").call(context, arguments);
    } else {
        requireBindable(*node, context);
        const BindOnly runs(false);
        value = evaluateCode(node, context);
    }
    if (value.isDictionary()) return value;
    if (auto* computed = value.isTable() ? dynamic_cast<ComputedTable*>(&value.table()) : nullptr)
        return Value::of(Ref<Table>(computed->rows(context)));
    if (!value.isTable()) {
        throw UserError(
            fmt::format("A query reads from a table, but {} is {}.",
                        nameOfSource(node, "").empty() ? "what follows from" : nameOfSource(node, ""),
                        typeString(value)),
            value.isString() ? fmt::format("To read the file of that name write loadText({}).", toSource(*node)) : "");
    }
    return value;
}

// a.x = b.y and a.z = b.w
struct JoinCondition {
    JoinColumns keys;
    NodeList leftFilters, rightFilters;  // parts that read one side only
};

// Returns the condition with t.x as x, when all of it reads one side: true for the right one.
static NodeRef oneSided(const NodeRef& node, const Table& left, const Table& right, const std::string& rightName,
                        bool& isRight) {
    bool readsLeft = false, readsRight = false;
    auto note = [&](const std::string& qualifier, const std::string& name) {
        const bool known = right.findColumn(name) >= 0;
        const bool ofRight =
            qualifier.empty() ? left.findColumn(name) < 0 && known : !rightName.empty() && qualifier == rightName;
        if (ofRight) {
            readsRight = true;
        } else if (left.findColumn(name) >= 0) {
            readsLeft = true;
        }
    };
    NodeRef plain = rewrite(node, [&](const NodeRef& n) -> NodeRef {
        if (n->kind == NodeKind::Name) note("", static_cast<const Name&>(*n).name);
        if (n->kind != NodeKind::Member) return NodeRef();
        const auto& member = static_cast<const Member&>(*n);
        if (member.key || member.object->kind != NodeKind::Name) return NodeRef();
        note(static_cast<const Name&>(*member.object).name, member.name);
        return makeRef<Name>(member.name, member.position);
    });
    isRight = readsRight;
    return readsLeft && readsRight ? NodeRef() : plain;
}

static void conditionOf(const NodeRef& on, const Table& left, const Table& right, const std::string& rightName,
                        JoinCondition& condition) {
    JoinColumns& keys = condition.keys;
    if (on->kind == NodeKind::Binary && static_cast<const Binary&>(*on).op == Operator::And) {
        conditionOf(static_cast<const Binary&>(*on).left, left, right, rightName, condition);
        conditionOf(static_cast<const Binary&>(*on).right, left, right, rightName, condition);
        return;
    }
    bool isRight = false;
    if (NodeRef filter = oneSided(on, left, right, rightName, isRight)) {
        (isRight ? condition.rightFilters : condition.leftFilters).push_back(std::move(filter));
        return;
    }
    if (on->kind != NodeKind::Binary || static_cast<const Binary&>(*on).op != Operator::Eq) {
        throw UserError(
            "The condition of a join must be equalities between the tables, and filters of one of them, "
            "joined by and.");
    }
    const auto& n = static_cast<const Binary&>(*on);
    auto column = [](const NodeRef& side, std::string& qualifier) -> std::string {
        if (side->kind == NodeKind::Name) return static_cast<const Name&>(*side).name;
        if (side->kind == NodeKind::Member) {
            const auto& m = static_cast<const Member&>(*side);
            if (m.object->kind == NodeKind::Name) qualifier = static_cast<const Name&>(*m.object).name;
            return m.name;
        }
        throw UserError("The condition of a join must compare columns.");
    };
    std::string qualifierA, qualifierB;
    std::string a = column(n.left, qualifierA), b = column(n.right, qualifierB);
    bool swapped =
        (!rightName.empty() && qualifierA == rightName) || (left.findColumn(a) < 0 && right.findColumn(a) >= 0);
    keys.left.push_back(swapped ? b : a);
    keys.right.push_back(swapped ? a : b);
}

// Returns which rows of a table satisfy all the conditions; empty when there are no conditions.
static std::vector<char> maskOf(const NodeList& conditions, const MemoryTable& table, Context& context) {
    std::vector<char> mask;
    for (const NodeRef& condition : conditions) {
        const bool isFirst = mask.empty();
        mask.resize(static_cast<size_t>(table.rowCount()));
        const ExpressionProgram e = bindProgram(condition, table.columns(), context);
        std::vector<char> both(mask.size());
        for (int32_t r : rowsWhere(e.evaluate(context, table), table.rowCount(), "on"))
            both[static_cast<size_t>(r)] = isFirst || mask[static_cast<size_t>(r)];
        mask = std::move(both);
    }
    return mask;
}

static std::vector<QualifiedColumn> columnsOf(const Value& table, const std::string& qualifier) {
    std::vector<QualifiedColumn> names;
    if (qualifier.empty() || !table.isTable()) return names;
    for (const ColumnSchema& c : table.table().columns()) names.push_back({qualifier, c.name, c.name});
    return names;
}

// Adds the names that a join assigns to the columns of its right table. `keys` are those under the left table's names.
static void addRightNames(const Table& left, const Table& right, const std::string& rightName,
                          const std::vector<std::string>& leftOut, const JoinColumns& keys,
                          std::vector<QualifiedColumn>& names) {
    for (const ColumnSchema& c : right.columns()) {
        const auto key = std::find(keys.right.begin(), keys.right.end(), c.name);
        if (key != keys.right.end()) {
            names.push_back({rightName, c.name, keys.left[static_cast<size_t>(key - keys.right.begin())]});
            continue;
        }
        const bool isTaken =
            left.findColumn(c.name) >= 0 && std::find(leftOut.begin(), leftOut.end(), c.name) == leftOut.end();
        names.push_back({rightName, c.name, joinedName(c.name, rightName, isTaken)});
    }
}

// ej(t, u, `a, `k) shows the key under the name it has on the left: k of u is a.
static void addKeysOfEquiJoin(const Call& join, Context& context, std::vector<QualifiedColumn>& names) {
    if (join.callee->kind != NodeKind::Name || join.arguments.size() < 4) return;
    const std::string& function = static_cast<const Name&>(*join.callee).name;
    if (function != "ej" && function != "sej") return;
    Value keys[2];
    for (size_t i = 0; i < 2; ++i) {
        const Argument& argument = join.arguments[i + 2];
        if (!argument.keyword.empty() || argument.value->kind == NodeKind::Omitted) return;
        keys[i] = evaluateCode(argument.value, context);
        if (!isLiteral(keys[i].type()) || keys[i].size() != keys[0].size()) return;
    }
    const std::string right = nameOfSource(join.arguments[1].value, "");
    for (int64_t i = 0; i < keys[0].size(); ++i) {
        names.push_back({right, std::string(keys[1].at(i).string()), std::string(keys[0].at(i).string())});
    }
}

// Returns the right to its table that a query needs.
static Right rightOf(QueryVerb verb) {
    return verb == QueryVerb::Insert   ? Right::Insert
           : verb == QueryVerb::Update ? Right::Update
           : verb == QueryVerb::Delete ? Right::Delete
                                       : Right::Read;
}

// A statement reads the rows that a shared table has when it begins, and stops no writer.
static void readSnapshot(RowSource& source) {
    source.shared = Ref<MemoryTable>(source.memory());
    const OptionalLock guard(source.shared->lock.get());
    source.table = Ref<Table>(source.shared->snapshot());
    source.seenChanges = source.shared->changeCount();
}

// Joins the rows so far, `value`, with those of the next side by the clause `join`, and names the columns that come.
static void joinByClause(const JoinClause& join, const JoinSide& side, const std::shared_ptr<const ReadNames>& read,
                         Value& value, RowSource& source, Context& context) {
    const Value& rightValue = side.table;
    const std::string& rightName = side.qualifier;
    std::vector<QualifiedColumn>& names = source.qualified;
    TraceStep step("join");
    if (step) {
        step.note("right", toSource(*join.table));
        if (join.on) step.note("on", toSource(*join.on));
    }
    if (dynamic_cast<JoinedRows*>(&value.table())) value = Value::of(Ref<Table>(materialise(value, context)));
    const Ref<Table> left(&value.table()), right(&rightValue.table());
    if (join.kind == JoinKind::Cross || !join.on) {
        const auto shown = shownColumns(rightName, read);
        value = Value::of(
            Ref<Table>(makeRef<CrossJoin>(materialise(value, context), materialise(rightValue, context), shown)));
        addRightNames(*left, *right, rightName, {}, {}, names);
        step.note("rows", value.table().rowCount());
        return;
    }
    JoinCondition condition;
    conditionOf(join.on, *left, *right, rightName, condition);
    if (condition.keys.left.empty()) {
        throw UserError("The condition of a join must compare a column of each table.");
    }
    JoinedColumns shown = shownColumns(rightName, read);
    const JoinColumns& keys = condition.keys;
    const bool isRight = join.kind == JoinKind::Right;
    const bool isLeft = join.kind == JoinKind::Left || join.kind == JoinKind::LeftSemi;
    // In rows without a partner, the key that the result leaves out is NULL, not the other side's.
    for (const std::string& key : isRight ? keys.left : keys.right) {
        const bool isRead = isRight ? read->mentions(key) : isLeft && readsRightKey(*read, value, rightName, key);
        if (isRead) shown.hiddenPrefix = fmt::format(" {}.", isRight ? "left" : rightName);
    }
    auto joined = [&](const Ref<MemoryTable>& l, const Ref<MemoryTable>& r) {
        return Ref<Table>(
            equiJoin(l, r, keys, join.kind, shown,
                     {maskOf(condition.leftFilters, *l, context), maskOf(condition.rightFilters, *r, context)}));
    };
    const Ref<MemoryTable> rows = joinInParts(value, rightValue, keys, orderOf(join.kind), joined, context);
    value = Value::of(rows ? Ref<Table>(rows) : joined(materialise(value, context), materialise(rightValue, context)));
    step.note("rows", value.table().rowCount());
    if (isRight) {
        for (QualifiedColumn& column : names) {
            if (std::find(keys.left.begin(), keys.left.end(), column.name) == keys.left.end()) continue;
            column.name = shown.hiddenPrefix + column.name;
            source.leftKeys.push_back(column);
        }
    }
    addRightNames(*left, *right, rightName, isRight ? keys.left : std::vector<std::string>{},
                  isRight || join.kind == JoinKind::Full ? JoinColumns{} : keys, names);
    if (!isLeft || shown.hiddenPrefix.empty()) return;
    for (QualifiedColumn& column : names) {
        const bool isKey = std::find(keys.right.begin(), keys.right.end(), column.column) != keys.right.end();
        if (isKey && column.qualifier == rightName) column.name = shown.hiddenPrefix + column.column;
    }
}

RowSource resolveSource(const Query& query, Context& context) {
    if (!query.table) throw UserError("The query names no table.", "Add a from clause.");
    const bool onlyReads = query.verb == QueryVerb::Select || query.verb == QueryVerb::Exec;
    if (!onlyReads && isFileSource(*query.table)) {
        throw UserError(query.table->position,
                        fmt::format("{} is a string, and not a table to change.", toSource(*query.table)),
                        "Read a file into a variable first, as in t = loadText(\"trades.csv\").");
    }
    const bool isJoin = query.table->kind == NodeKind::Call && isJoinFunction(static_cast<const Call&>(*query.table));
    const auto read = std::make_shared<const ReadNames>(query);
    RowSource source;
    std::vector<QualifiedColumn> keysOfFunction;
    const JoinReader reader{query, *read, query.joins.empty(), keysOfFunction};
    Value value = isJoin ? joinedTables(static_cast<const Call&>(*query.table), context, &reader)
                         : tableValue(query.table, context);
    std::vector<QualifiedColumn>& names = source.qualified;
    if (isJoin && query.joins.empty()) addKeysOfEquiJoin(static_cast<const Call&>(*query.table), context, names);
    std::vector<JoinSide> sides{{value, nameOfSource(query.table, query.tableAlias)}};
    if (!query.joins.empty()) {
        std::vector<JoinKind> kinds;
        for (const JoinClause& join : query.joins) {
            sides.push_back(
                {withoutRowsIfBound(tableValue(join.table, context)), nameOfSource(join.table, join.alias)});
            kinds.push_back(join.kind);
        }
        sides[0].table = withoutRowsIfBound(sides[0].table);
        const std::vector<JoinSide> whole = sides;
        const auto isRead = [&](const std::string& column) { return isColumnRead(*read, whole, column); };
        for (size_t i = 0; i < sides.size(); ++i) {
            sides[i].table =
                neededRows(whole, i, takesConditions(kinds, i) ? query.where : NodeList{}, isRead, context);
        }
        value = sides[0].table;
        names = columnsOf(value, sides[0].qualifier);
    }
    names.insert(names.end(), keysOfFunction.begin(), keysOfFunction.end());
    for (size_t number = 0; number < query.joins.size(); ++number)
        joinByClause(query.joins[number], sides[number + 1], read, value, source, context);
    if (auto* joined = dynamic_cast<JoinedRows*>(&value.table())) {
        if (onlyReads && joined->hasBlocks()) {
            source.snapshot = joined->snapshot();
        } else {
            value = Value::of(Ref<Table>(joined->rows(context)));
        }
    }
    source.table = Ref<Table>(&value.table());
    if (source.memory()) {
        if (source.memory()->lock) {
            requireAccess(context, *source.memory(), rightOf(query.verb));
            readSnapshot(source);
        }
        source.snapshot = std::make_shared<MemoryTableSnapshot>(Ref<MemoryTable>(source.memory()));
    }
    // Taken once: the whole query sees the same rows. The target of a change asks for another right than to read.
    const bool isTarget = query.verb == QueryVerb::Update || query.verb == QueryVerb::Delete;
    if (source.partitioned()) {
        source.snapshot = isTarget ? source.partitioned()->takeSnapshot()
                                   : snapshotForQuery(*source.partitioned(), context.principal());
    }
    return source;
}

}  // namespace pelorus
