// Functions that build queries from metacode of their clauses.
#include <fmt/format.h>

#include "common/error.h"
#include "runtime/code/column_name.h"
#include "runtime/code/query.h"
#include "runtime/table/table.h"
#include "stdlib/arguments.h"
#include "stdlib/metaprogramming/nodes.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

constexpr int64_t kMapHint = 256;  // shown next to `map`

NodeRef columnNode(std::string_view name, const Value& qualifier) {
    if (name == "*") return makeRef<Star>(SourcePosition{});
    if (!qualifier.isString()) return makeRef<Name>(std::string(name), SourcePosition{});
    NodeRef table = makeRef<Name>(std::string(qualifier.string()), SourcePosition{});
    return makeRef<Member>(std::move(table), std::string(name), NodeRef(), SourcePosition{});
}

Value aliasOf(NodeRef value, std::vector<std::string> names) {
    return codeValue(makeRef<Alias>(std::move(value), std::move(names), SourcePosition{}));
}

// sqlCol(colName, [func], [alias], [qualifier])
Value sqlColKernel(Context&, Arguments a) {
    if (!isLiteral(a[0].type())) refuseArgument(0, "colName", "a string or a vector of strings", a[0]);
    auto one = [&](std::string_view name) {
        NodeRef column = columnNode(name, a[3]);
        if (!isGiven(a, 1)) return column;
        std::vector<Argument> list = {{"", std::move(column)}};
        return NodeRef(makeRef<Call>(nodeOf(a[1]), std::move(list), Call::Style::Function, SourcePosition{}));
    };
    std::vector<std::string> aliases;
    if (isGiven(a, 2)) aliases = namesArgument(a, 2, "alias");
    if (a[0].isScalar()) {
        NodeRef column = one(a[0].string());
        return aliases.empty() ? codeValue(column) : aliasOf(std::move(column), aliases);
    }
    if (!aliases.empty() && static_cast<int64_t>(aliases.size()) != a[0].size()) {
        throw UserError(2, fmt::format("alias must have one name for each of the {} columns, but it has {}.",
                                       a[0].size(), aliases.size()));
    }
    std::vector<Value> all;
    for (int64_t i = 0; i < a[0].size(); ++i) {
        NodeRef column = one(a[0].at(i).string());
        all.push_back(aliases.empty() ? codeValue(column)
                                      : aliasOf(std::move(column), {aliases[static_cast<size_t>(i)]}));
    }
    return Value::of(makeRef<Tuple>(std::move(all)));
}

// sqlColAlias(colDefs, [colNames])
Value sqlColAliasKernel(Context&, Arguments a) {
    std::vector<std::string> names;
    if (isGiven(a, 1)) names = namesArgument(a, 1, "colNames");
    if (a[0].isTuple()) {
        const auto& elements = a[0].tuple().elements;
        if (!names.empty() && names.size() != elements.size()) {
            throw UserError(1, fmt::format("There must be one name for each of the {} columns, but there are {}.",
                                           elements.size(), names.size()));
        }
        std::vector<Value> results;
        for (size_t i = 0; i < elements.size(); ++i) {
            NodeRef node = nodeOf(elements[i]);
            std::string name = names.empty() ? defaultColumnName(*node) : names[i];
            results.push_back(aliasOf(std::move(node), {std::move(name)}));
        }
        return Value::of(makeRef<Tuple>(std::move(results)));
    }
    if (!isCode(a[0])) refuseArgument(0, "colDefs", "metacode, or a tuple of it", a[0]);
    NodeRef node = nodeOf(a[0]);
    if (names.empty()) names = {defaultColumnName(*node)};
    return aliasOf(std::move(node), std::move(names));
}

Value sqlTupleKernel(Context&, Arguments a) {
    NodeList elements;
    for (const std::string& name : namesArgument(a, 0, "colNames")) elements.push_back(columnNode(name, Value()));
    return codeValue(makeRef<TupleLiteral>(std::move(elements), SourcePosition{}));
}

// ---- clauses

NodeRef codeArgument(const Value& v, size_t i, std::string_view name) {
    if (!isCode(v)) refuseArgument(i, name, "metacode, or a tuple of it", v);
    return v.as<Code>()->node;
}

std::vector<SelectItem> selectItems(Arguments a, size_t i, std::string_view name) {
    std::vector<SelectItem> elements;
    if (!isGiven(a, i)) return elements;
    for (const Value& v : elementsOf(a[i])) {
        SelectItem element;
        element.value = codeArgument(v, i, name);
        if (element.value->kind == NodeKind::Alias) {
            const auto& alias = static_cast<const Alias&>(*element.value);
            element.aliases = alias.names;
            element.value = alias.value;
        }
        elements.push_back(std::move(element));
    }
    return elements;
}

NodeList conditions(Arguments a, size_t i, std::string_view name) {
    NodeList list;
    if (!isGiven(a, i)) return list;
    for (const Value& v : elementsOf(a[i])) list.push_back(codeArgument(v, i, name));
    return list;
}

NodeRef joinedByAnd(const NodeList& list) {
    NodeRef all;
    for (const NodeRef& one : list) {
        all = all ? NodeRef(makeRef<Binary>(Operator::And, all, one, SourcePosition{})) : one;
    }
    return all;
}

// Columns with their direction: 1 ascending, 0 descending, one for all or one each.
std::vector<OrderItem> orderItems(Arguments a, size_t columns, size_t ascending, std::string_view name) {
    std::vector<OrderItem> elements;
    NodeList nodes = conditions(a, columns, name);
    for (size_t k = 0; k < nodes.size(); ++k) {
        OrderItem element;
        element.value = nodes[k];
        if (isGiven(a, ascending)) {
            const Value& flags = a[ascending];
            if (!flags.isScalar() && flags.size() != static_cast<int64_t>(nodes.size())) {
                throw UserError(static_cast<int>(ascending), "There must be one direction for each column.");
            }
            element.ascending = (flags.isScalar() ? flags : flags.at(static_cast<int64_t>(k))).asLong() != 0;
        }
        element.nullsFirst = element.ascending;
        elements.push_back(std::move(element));
    }
    return elements;
}

// The node of a table: a table by value, shown by the variable that holds it; or code that returns one; or the name of
// a variable.
NodeRef tableNode(const Value& v, size_t i, std::string_view name, const Context& context) {
    if (isCode(v)) return v.as<Code>()->node;
    if (v.isString()) {
        std::vector<Argument> list = {{"", makeRef<Constant>(v, SourcePosition{})}};
        return makeRef<Call>(makeRef<Name>("objByName", SourcePosition{}), std::move(list), Call::Style::Function,
                             SourcePosition{});
    }
    if (!v.isTable()) refuseArgument(i, name, "a table, its name, or metacode", v);
    auto constant = makeRef<Constant>(v, SourcePosition{});
    std::string known = context.scope ? context.scope->nameOf(*v.object()) : "";
    if (known.empty()) known = v.table().name;
    constant->spelling =
        known.empty() ? fmt::format("t{:x}", reinterpret_cast<uintptr_t>(v.object())) : std::move(known);
    return constant;
}

void setLimit(Query& query, const Value& limit) {
    const SourcePosition nowhere;
    if (limit.isPair()) {
        query.top = makeRef<Binary>(Operator::Pair, makeRef<Constant>(limit.at(0), nowhere),
                                    makeRef<Constant>(limit.at(1), nowhere), nowhere);
        return;
    }
    if (!limit.isScalar() || !isIntegral(limit.type())) refuseArgument(10, "limit", "an integer or a pair", limit);
    // The last rows can only be said by limit -n.
    (limit.integer() < 0 ? query.limit : query.top) = makeRef<Constant>(limit, nowhere);
}

void setCumulativeKeys(Query& query, Arguments a) {
    if (!isGiven(a, 14)) return;
    if (isGiven(a, 4) && a[4].asLong() != 1) {
        throw UserError(14, "cgroupBy goes with group by only: groupFlag must be 1.");
    }
    if (!isGiven(a, 8)) throw UserError(8, "cgroupBy needs orderBy: the order in which groups accumulate.");
    if (a[14].isScalar() && isIntegral(a[14].type())) {
        int64_t count = a[14].asLong();
        if (count < 0 || count > static_cast<int64_t>(query.groupBy.size())) {
            throw UserError(14, fmt::format("cgroupBy is {}, but groupBy has {} keys.", count, query.groupBy.size()));
        }
        query.cumulativeKeys = static_cast<int>(count);
    } else {
        std::vector<SelectItem> keys = selectItems(a, 14, "cgroupBy");
        query.cumulativeKeys = static_cast<int>(keys.size());
        query.groupBy.insert(query.groupBy.end(), keys.begin(), keys.end());
    }
    if (query.cumulativeKeys > 0) query.grouping = GroupKind::CumulativeGroup;
}

Value sqlKernel(Context& context, Arguments a) {
    auto query = makeRef<Query>(SourcePosition{});
    query->items = selectItems(a, 0, "select");
    query->table = tableNode(a[1], 1, "from", context);
    query->where = conditions(a, 2, "where");
    query->groupBy = selectItems(a, 3, "groupBy");
    const int64_t flag = integerArgument(a, 4, "groupFlag", 1);
    if (flag < 0 || flag > 2) {
        throw UserError(4,
                        fmt::format("groupFlag must be 0 (context by), 1 (group by) or 2 (pivot by), not {}.", flag));
    }
    constexpr GroupKind kKinds[] = {GroupKind::Context, GroupKind::Group, GroupKind::Pivot};
    if (!query->groupBy.empty()) query->grouping = kKinds[flag];
    query->csort = orderItems(a, 5, 6, "csort");
    query->having = joinedByAnd(conditions(a, 7, "having"));
    query->orderBy = orderItems(a, 8, 9, "orderBy");
    if (isGiven(a, 10)) setLimit(*query, a[10]);
    query->hint = integerArgument(a, 11, "hint", 0);
    if (flagArgument(a, 12, "exec", false)) query->verb = QueryVerb::Exec;
    query->map = flagArgument(a, 13, "map", false);
    if (query->map) query->hint |= kMapHint;
    setCumulativeKeys(*query, a);
    return codeValue(query);
}

// sqlUpdate(table, updates, [from], [where], [contextBy], [csort], [ascSort], [having])
Value sqlUpdateKernel(Context& context, Arguments a) {
    auto query = makeRef<Query>(SourcePosition{});
    query->verb = QueryVerb::Update;
    query->table = tableNode(a[0], 0, "table", context);
    query->items = selectItems(a, 1, "updates");
    for (const SelectItem& element : query->items) {
        if (element.aliases.empty()) {
            throw UserError(1, "Each update must name its column.", "As in <price * 2 as price>.");
        }
    }
    if (isGiven(a, 2)) query->updateSource = tableNode(a[2], 2, "from", context);
    query->where = conditions(a, 3, "where");
    query->groupBy = selectItems(a, 4, "contextBy");
    if (!query->groupBy.empty()) query->grouping = GroupKind::Context;
    query->csort = orderItems(a, 5, 6, "csort");
    query->having = joinedByAnd(conditions(a, 7, "having"));
    if (query->groupBy.empty() && (!query->csort.empty() || query->having)) {
        throw UserError(4, "csort and having need contextBy.");
    }
    return codeValue(query);
}

// sqlDelete(table, [where], [from])
Value sqlDeleteKernel(Context& context, Arguments a) {
    auto query = makeRef<Query>(SourcePosition{});
    query->verb = QueryVerb::Delete;
    query->table = tableNode(a[0], 0, "table", context);
    query->where = conditions(a, 1, "where");
    if (isGiven(a, 2)) query->updateSource = tableNode(a[2], 2, "from", context);
    return codeValue(query);
}

}  // namespace

void registerQueryBuilders(FunctionRegistry& registry) {
    registry.add("sqlCol(colName, [func], [alias], [qualifier])", sqlColKernel,
                 {.summary = "Metacode of a column, or of a function of it; a tuple for several names.",
                  .parameters = "colName: the name of a column, or several\n"
                                "func: a function of the column; none when omitted\n"
                                "alias: one name, or one for each column\n"
                                "qualifier: the table, when a join has the name twice",
                  .errors = "alias has another length than colName.",
                  .example = "sqlCol(`price) -> < price >\nsqlCol(`price, max, `top) -> < max(price) as top >"});
    registry.add(
        "sqlColAlias(colDefs, [colNames])", sqlColAliasKernel,
        {.summary = "Metacode of columns with names; without names, those that a query would give.",
         .errors = "There is not one name for each column.",
         .example = "sqlColAlias(<x + 1>, `y) -> < x + 1 as y >\nsqlColAlias(<avg(x)>) -> < avg(x) as avg_x >"});
    registry.add("sqlTuple(colNames)", sqlTupleKernel,
                 {.summary = "Metacode of a tuple of columns, for makeUnifiedCall.",
                  .example = "sqlTuple(`open`close) -> < (open, close) >"});
    registry.add(
        "sql(select, from, [where], [groupBy], [groupFlag=1], [csort], [ascSort=1], [having], [orderBy], "
        "[ascOrder=1], [limit], [hint], [exec=false], [map=false], [cgroupBy])",
        sqlKernel,
        {.summary = "Metacode of a query from metacode of its parts; eval runs it.",
         .parameters = "select: metacode of a column or expression, or a tuple of them\n"
                       "from: a table, its name, or metacode\n"
                       "where: one condition as metacode, or a tuple of them\n"
                       "groupBy: the keys, metacode or a tuple\n"
                       "groupFlag: 1 group by, 0 context by, 2 pivot by\n"
                       "csort: the order within each group of context by, metacode or a tuple\n"
                       "ascSort: 1 ascending, 0 descending; one for all or each\n"
                       "having: a condition on groups as metacode, or a tuple of them\n"
                       "orderBy: the order of the result, metacode or a tuple\n"
                       "ascOrder: 1 ascending, 0 descending; one for all or each\n"
                       "limit: the first n rows, or start:end; of each group under context by\n"
                       "hint: an integer, the sum of the numbers of hints\n"
                       "exec: true gives a vector, as exec does, false a table\n"
                       "map: true runs the query in each partition on its own\n"
                       "cgroupBy: keys, or how many of groupBy's last are",
         .errors = "A part is no metacode; cgroupBy without orderBy.",
         .example = "sql(sqlCol(`x), \"t\", <x > 1>, exec=true) -> < exec x from objByName(\"t\") where x > 1 >"},
        {.takesSharedTables = true});
    registry.add("sqlUpdate(table, updates, [from], [where], [contextBy], [csort], [ascSort=1], [having])",
                 sqlUpdateKernel,
                 {.summary = "Metacode of an update; each update is written <value as column>.",
                  .parameters = "table: a table, its name, or metacode\n"
                                "updates: metacode <value as column>, or a tuple of them\n"
                                "from: a table or metacode of a join that gives the values\n"
                                "where: one condition as metacode, or a tuple of them\n"
                                "contextBy: the keys of groups, metacode or a tuple\n"
                                "csort: the order within each group, metacode or a tuple\n"
                                "ascSort: 1 ascending, 0 descending; one for all of csort or one for each\n"
                                "having: a condition on groups as metacode, or a tuple of them",
                  .errors = "An update without a column; csort or having without contextBy.",
                  .example = "t = table(1 2 as a); sqlUpdate(t, <a * 2 as a>).eval(); t.a -> [2,4]"},
                 {.takesSharedTables = true});
    registry.add("sqlDelete(table, [where], [from])", sqlDeleteKernel,
                 {.summary = "Metacode of a delete; with a join in from, of the table's rows that the join finds.",
                  .parameters = "table: a table, its name, or metacode\n"
                                "where: one condition as metacode, or a tuple of them; all rows when omitted\n"
                                "from: metacode of a join that finds the rows",
                  .example = "t = table(1 2 as a); sqlDelete(t, <a = 1>).eval(); t.a -> [2]"},
                 {.takesSharedTables = true});
}

}  // namespace pelorus
