// select, exec, update, delete and insert as plain data. See expression.h.
#pragma once

#include <string>
#include <vector>

#include "runtime/code/expression.h"

namespace pelorus {

struct SelectItem {
    NodeRef value;                     // may be a Star, or a MacroColumn
    std::vector<std::string> aliases;  // names after `as`; several for a function with several results
    NodeRef aliasMacro;                // the macro variable in `as _$name`
    bool isPlain = false;              // the name stands without `as`, behind a name that is no function
};

struct OrderItem {
    NodeRef value;
    bool ascending = true;
    bool nullsGiven = false;
    bool nullsFirst = true;
};

enum class JoinKind : uint8_t { Inner, Left, LeftSemi, Right, Full, Cross };

// a join b on …; the function forms ej(a, b, …) are Calls in `source` of the query.
struct JoinClause {
    JoinKind kind;
    NodeRef table;
    std::string alias;
    NodeRef on;  // null for a cross join
};

// How the rows of a query meet those of another one that follows: union, intersect, except. Without `all` equal rows
// count once; with it, intersect keeps a row as often as the side where it is rarer has it, and except takes away as
// many as the other side has.
enum class SetOperator : uint8_t { Union, Intersect, Except };

inline const char* setOperatorName(SetOperator op) {
    return op == SetOperator::Intersect ? "intersect" : op == SetOperator::Except ? "except" : "union";
}

struct SetOperation {
    SetOperator op = SetOperator::Union;
    bool all = false;
    NodeRef query;
};

enum class QueryVerb : uint8_t { Select, Exec, Update, Delete, Insert };
enum class GroupKind : uint8_t { None, Group, Context, Pivot, CumulativeGroup };

struct Query final : Node {
    explicit Query(SourcePosition p) : Node(NodeKind::Query, p) {}

    QueryVerb verb = QueryVerb::Select;
    int64_t hint = 0;  // bit mask of HINT_…
    bool distinct = false;
    std::vector<SelectItem> items;  // for update: value is the new value, aliases[0] the column
    NodeRef table;                  // a Name, a Call, a Query, a Constant holding a table; null for `select 1`
    std::string tableAlias;
    std::vector<JoinClause> joins;
    // Conditions separated by commas are separate; `and` stays inside one.
    NodeList where;
    GroupKind grouping = GroupKind::None;
    std::vector<SelectItem> groupBy;
    // group by rollup(…), cube(…), grouping sets (…): the positions in groupBy of the keys of each set; empty for plain
    // keys.
    std::vector<std::vector<size_t>> groupingSets;
    int cumulativeKeys = 0;  // how many of groupBy, from its end, stand after cgroup by
    std::vector<OrderItem> csort;
    NodeRef having;
    std::vector<OrderItem> orderBy;
    NodeRef top;     // top n, top a:b
    NodeRef offset;  // limit offset, n
    NodeRef limit;
    bool map = false;
    // It calls names that the parser did not know: built-ins in another letter case, or columns before their aliases.
    bool callsUnknown = false;
    // with name as (query)
    std::vector<std::pair<std::string, NodeRef>> with;
    std::vector<SetOperation> unions;  // in their order, from left to right
    // insert into t (columns) values (…), (…) or a select in insertSource
    std::vector<std::string> insertColumns;
    std::vector<NodeList> insertRows;
    NodeRef insertSource;
    // update t set … from ej(t, r, …): where the rows come from
    NodeRef updateSource;
    std::string updateSourceAlias;
};

enum class FrameBound : uint8_t { UnboundedPreceding, Preceding, CurrentRow, Following, UnboundedFollowing };
// What the distances of a frame count: rows, values of the order's key, or peers (rows with equal keys).
enum class FrameUnit : uint8_t { Rows, Range, Groups };
// The rows that a frame leaves out: none, the current one, it and its peers, or its peers alone.
enum class FrameExclusion : uint8_t { None, CurrentRow, Group, Ties };

// f(args) over (partition by … order by … rows|range|groups between … and … exclude …)
struct Window final : Node {
    Window(NodeRef call, SourcePosition p) : Node(NodeKind::Window, p), call(std::move(call)) {}
    NodeRef call;
    NodeList partitionBy;
    std::vector<OrderItem> orderBy;
    bool hasFrame = false;
    FrameUnit unit = FrameUnit::Rows;
    FrameExclusion exclusion = FrameExclusion::None;
    FrameBound low = FrameBound::UnboundedPreceding, high = FrameBound::CurrentRow;
    NodeRef lowOffset, highOffset;  // offsets of Preceding and Following
};

}  // namespace pelorus
