// Translates one select with all its clauses into steps.
//
// A select becomes a chain of queries, its levels: rows of `from` and `where`; groups; columns that window functions or
// sub-queries compute for each row; the select list. An expression of a later level that needs a column of an earlier
// one makes that level export it. Most selects have one level, and so are one query of the engine.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "postgres/steps/plan_steps.h"
#include "postgres/steps/row_steps.h"
#include "postgres/translate/translation.h"
#include "postgres/typing/assignment.h"
#include "postgres/typing/typed.h"
#include "runtime/code/query.h"

namespace pelorus::postgres {

struct LiteralRows;
struct RowLiteral;

// A column that names of a statement find.
struct RangeColumn {
    std::string name;
    Typed value;
    bool isMerged = false;  // of the right side of `using`: only its qualified name finds it
    Oid element = 0;        // of a function that returns rows: `value` is an array of this type until they are made
};

// A table, sub-query or function of `from`, under the name that columns are qualified by.
struct RangeEntry {
    std::string schema;  // of a table without an alias
    std::string name;
    std::vector<RangeColumn> columns;
    std::vector<size_t> key = {};  // places of the columns of a table's primary key
};

// The result of a select: a step that has its rows.
struct Selected {
    std::string step;
    std::vector<RangeColumn> columns;  // `value.code` is the name of the step's column
};

class SelectTranslator {
public:
    using Json = nlohmann::json;

    // `outer` is the select around this one, whose columns it may name; null for none. Steps are added to `steps`.
    SelectTranslator(Translation& translation, SelectTranslator* outer, std::vector<PlanStep>& steps);

    // Translates a SelectStmt: a select, values, or a set operation of them.
    Selected translate(const Json& select);

    // Makes rows that a step has known by a name, as a query of WITH is.
    void addTable(const std::string& name, Selected rows) { commonTables_.emplace_back(name, std::move(rows)); }

    // A cell of the rows that are inserted: a constant, else parameter $n, else a column of the step that computes it.
    struct Cell {
        Value constant;
        int parameter = 0;
        std::string column;
        bool isDefault = false;  // DEFAULT was written
    };
    // The cells of all rows, row by row.
    struct Cells {
        std::vector<Cell> cells;
        size_t width = 0;
        std::string step;  // has one row; empty: no cell is computed
    };
    // change_clauses.cpp: translates the lists of VALUES, and the rows that follow them, whose cells are assigned to
    // these columns, in their order.
    Cells translateCells(const Json& lists, std::span<const AssignmentTarget> targets,
                         const LiteralRows* rows = nullptr);
    // Translates the condition of an update or delete, and the new values of its columns, in the order of `targetList`,
    // into a query whose verb is not set yet; null where a sub-query reads columns of the changed row, which no single
    // query says.
    Ref<Query> translateChange(const Json& statement, std::span<const AssignmentTarget> targets);

    // A column of an outer select that this one reads, and the name of its value.
    struct OuterColumn {
        std::string name;
        Typed value;  // in terms of the outer select
    };
    const std::vector<OuterColumn>& outerColumns() const { return outerColumns_; }

private:
    // One query of the chain.
    struct Level {
        std::string name;  // of its step
        Ref<Query> query;
        std::map<std::string, Typed> exported;  // by the source of their code
        std::vector<PlanStep> after;            // that add columns to its rows
        bool isGrouped = false;
    };
    // A key of `group by`, to find it again in later expressions.
    struct GroupKey {
        std::string canonical;
        Typed value;            // in terms of the level above the groups
        bool isAbsent = false;  // of another grouping set: NULL in this one
    };
    // A source of `from`: its columns, and the step that has its rows.
    struct Source {
        RangeEntry entry;
        std::string table;
        // Where it reads columns of the sources before it: these, and the steps that compute its rows for each row of
        // theirs, which see the values under the names of the columns.
        std::vector<OuterColumn> reads = {};
        std::vector<PlanStep> steps = {};
    };
    enum class JoinSide : uint8_t { Inner, Left, Right, Full, Cross };

    // change_clauses.cpp: translates a select with `for update` and the like, which locks its rows first.
    Selected translateLocking(const Json& select);
    // from_clause.cpp
    void translateFrom(const Json& from, std::vector<const Json*>& conditions);
    void addSource(const Json& item, std::vector<const Json*>& conditions);
    void addJoin(const Json& join, std::vector<const Json*>& conditions);
    Source anySource(const Json& item);
    Source tableSource(const Json& item);
    Source querySource(const Json& item);
    // named_queries.cpp: the rows of a view's query.
    Source viewSource(const ViewEntry& view);
    Source functionSource(const Json& item);
    // Takes over the steps of a part of `from`, whose translator has read `reads`: values of this select's own outer
    // row are passed on; with columns of other sources the part is one of lateral.
    void takeSteps(Source& source, std::vector<OuterColumn> reads, std::vector<PlanStep> steps, bool isLateral);
    // lateral.cpp: joins the rows so far with those that a source has for each of them.
    void joinLateral(Source source, JoinSide side, const std::vector<const Json*>& on, std::vector<const Json*>& where);
    void filterLateral(Source& source, const std::vector<const Json*>& on);
    // Returns a value of this select's rows as what steps for each row are given: a column of the level below, or a
    // name of the scope that begins with =.
    std::string rowInput(const Typed& value, Level& below, int place);
    RangeEntry rangeOfSelected(const Selected& selected, const std::string& alias);
    void renameRange(RangeEntry& entry, const Json& alias) const;
    // Returns the sources of a join that is computed as rows of its own.
    std::vector<RangeEntry> rangesOfJoin(const Json& join, std::string& rows);
    void joinRanges(std::vector<RangeEntry> entries, const std::string& table, JoinSide side,
                    std::vector<const Json*> on, std::vector<const Json*>& where);
    void joinSource(Source source, JoinSide side, std::vector<const Json*> on, std::vector<const Json*>& where);
    void joinByNames(const std::vector<std::string>& names, size_t firstRight, JoinSide side, JoinClause& clause,
                     int place);
    // Returns the columns that an equality of two columns compares; nothing for any other condition.
    std::optional<std::pair<Typed, Typed>> comparedColumns(const Json& node);
    // Returns whether the column is one by which an outer join has found its table: the engine keeps the other side's.
    bool isOuterKey(const Typed& column) const;
    // Makes rows of the joins so far, so that those that follow may compare any of their columns.
    void settleJoins();
    // Makes rows of the joins so far, those for which the conditions are true.
    void filterJoins(const std::vector<const Json*>& conditions);
    std::vector<const Json*> conjuncts(const Json& condition) const;
    bool isNameFree(const RangeEntry& entry) const;

    // expressions.cpp: an expression in terms of the level at_.
    Typed value(const Json& node);
    Typed groupedOrOwn(const Json& node);
    Typed valueOf(const Json& node);
    Typed columnValue(const Json& body);
    Typed operatorValue(const Json& body);
    Typed caseValue(const Json& body);
    Typed booleanValue(const Json& node);
    Typed castValue(const Json& body);
    Typed functionValue(const Json& body);
    Typed subscriptValue(const Json& body);
    Typed arrayValue(const Json& body);
    Typed inListValue(const Json& body);
    Typed betweenValue(const Json& body);
    Typed sessionValue(const Json& body);
    Typed currentSchema() const;
    std::optional<Typed> sessionFunction(const std::string& name, const Json& arguments, int place);
    // session_functions.cpp: nextval and the like.
    Typed sequenceValue(const std::string& name, const Json& arguments, int place);
    std::optional<Typed> setConfig(const Json& list, int place);
    std::optional<Typed> advisoryFunction(const std::string& name, const Json& arguments, int place);
    Typed anyOfArray(const Json& body, bool isAll);
    // Returns code that is true exactly where the expression is true (or false, for `wanted` false), and never NULL.
    NodeRef condition(const Json& node, bool wanted);
    NodeRef conditionOf(const Json& node, bool wanted);
    NodeRef membership(const Json& body, bool isIn);
    // parameter_lists.cpp: returns null where the items are not alike.
    NodeRef searchInParameters(const Json& items, const Typed& x);
    std::vector<Typed> values(const Json& list);
    std::vector<Typed> positional(const std::string& name, const Json& arguments);
    Typed under(NodeRef guard, const Json& node);

    // names.cpp
    std::optional<Typed> findColumn(const std::string& schema, const std::string& table, const std::string& column,
                                    int place);
    Typed outerColumn(const std::string& schema, const std::string& table, const std::string& column, int place);
    Typed exported(Typed value, size_t from, size_t to, int place);
    Typed exportedOnce(const Typed& value, Level& level, int place);
    bool isDeterminedByGroups(const std::string& source, const Level& level) const;
    std::string canonical(const Json& node, bool isOwn = true);
    const std::pair<std::string, Selected>* findCommonTable(const std::string& name) const;

    // aggregates.cpp
    bool isAggregateCall(const Json& body) const;
    bool hasAggregates(const Json& node) const;
    bool hasWindows(const Json& node) const;
    void translateGroups(const Json& select);
    const Json& groupedBy(const Json& item, const Json& targets);
    void prepareGroupedSubqueries(const Json& select, const std::vector<const Json*>& keys);
    // grouping_sets.cpp: a select for each set, one behind the other.
    Selected translateGroupingSets(const Json& select);
    Typed groupingValue(const Json& body);
    Typed aggregateValue(const Json& body);
    // Adds the call of an aggregate to the query that computes it, and returns its column.
    using AddAggregate = std::function<Typed(NodeRef code, Oid type)>;
    // An aggregate's call while it is translated.
    struct AggregateCall {
        const std::string& name;
        const Json& body;
        const AddAggregate& add;
        std::vector<Typed> arguments;
        NodeRef filter;  // true for the rows that count; null: all do
        bool isDistinct = false;
        int place = -1;
    };
    // aggregate_calls.cpp, a family each
    Typed aggregateOf(const std::string& name, const Json& body, const AddAggregate& add);
    Typed countOf(AggregateCall& call);
    Typed extremeOf(AggregateCall& call);
    Typed sumOf(AggregateCall& call);
    Typed sumOfOneValue(AggregateCall& call, Typed argument, bool isWide);
    Typed exactMeanOf(AggregateCall& call, Typed argument);
    Typed deviationOf(AggregateCall& call);
    Typed truthOf(AggregateCall& call);
    Typed pairOf(AggregateCall& call);
    Typed listOf(AggregateCall& call);
    Typed orderedSetOf(AggregateCall& call);
    NodeList orderKeysOf(const AggregateCall& call);
    // Returns the argument with NULL for the rows that do not count, and one value a row for a constant.
    Typed perRow(const AggregateCall& call, Typed typed) const;
    // While it lives, expressions are translated in the rows of a level below, without guards.
    class RowsBelow {
    public:
        RowsBelow(SelectTranslator& translator, size_t level, bool isInAggregate);
        ~RowsBelow();
        RowsBelow(const RowsBelow&) = delete;

    private:
        SelectTranslator& translator_;
        const size_t above_;
        const bool wasInAggregate_;
        std::vector<NodeRef> guards_;
    };
    Typed windowValue(const Json& body);
    Ref<Window> windowOf(const Json& definition, NodeRef call);

    // subqueries.cpp
    bool hasSubqueries(const Json& node) const;
    // Translates the sub-queries of an expression, before anything else of it: one that reads columns of this select
    // gets a level, which computes it for each row.
    void prepareSubqueries(const Json& node);
    void prepareSubquery(const Json& body);
    void prepareTest(const Json& body);
    void applyToRows(const Json& body, std::vector<PlanStep> steps, std::vector<RowInput> inputs, RowValue given,
                     Typed result);
    Typed subqueryValue(const Json& body);
    NodeRef subqueryCondition(const Json& body, bool wanted);
    // The parts of `x in (select …)`: names of steps that have the values, and what is known of them.
    struct Membership {
        Typed tested;
        std::string values, hasNull, isEmpty;
        bool isNegated = false;  // <> all
    };
    Membership membershipOf(const Json& body);

    // change_clauses.cpp
    Typed parameterValue(const Json& body);
    Cell cellOf(const Json& node, const AssignmentTarget& target);
    Cell cellOf(const RowLiteral& literal, const AssignmentTarget& target);
    Cell assignedCell(Typed typed, const AssignmentTarget& target);

    // select_translator.cpp
    Selected translateSelect(const Json& select);
    Selected translateValues(const Json& select);
    Selected translateSetOperation(const Json& select);
    // Sorts and cuts the rows; of their columns the first `shown` stay.
    Selected withOrder(Selected rows, const Json& select, size_t shown = SIZE_MAX);
    void translateWith(const Json& clause);
    // named_queries.cpp: a query of WITH RECURSIVE that reads itself.
    Selected translateRecursive(const Json& table);
    // Returns the rows of all queries in columns of common types, one behind the other.
    Selected stacked(const std::vector<Selected>& queries, const char* construct);
    // Takes over the columns of outer selects that an inner one, which is a part of this one, has read.
    void readAs(const SelectTranslator& part);
    std::vector<RangeColumn> selectList(const Json& select);
    void addStars(const Json& fields, std::vector<RangeColumn>& columns, int place);
    std::string labelOf(const Json& target) const;
    void orderBy(const Json& select, std::vector<RangeColumn>& columns, Query& query);
    void limitRows(const Json& select, Query& query);
    void expandSets(std::vector<RangeColumn>& columns);
    void distinctOn(const Json& select, std::vector<RangeColumn>& columns);
    void pushLevel();
    void finishLevels();
    Level& level() { return levels_[at_]; }

    Translation& translation_;
    SelectTranslator* outer_;
    std::vector<PlanStep>& steps_;
    std::vector<std::pair<std::string, Selected>> commonTables_;
    std::vector<RangeEntry> ranges_;
    std::vector<Level> levels_;
    size_t at_ = 0;  // the level in whose terms expressions are translated
    std::vector<GroupKey> groupKeys_;
    std::vector<bool> groupPresence_;  // which keys of `group by` are those of this grouping set; empty: all
    std::vector<const Json*> windowDefinitions_;
    // A sub-query's result, and the level in whose terms it is.
    struct PreparedSubquery {
        Typed value;
        size_t level = 0;
    };
    std::map<const Json*, PreparedSubquery> subqueries_;
    std::map<const Json*, Selected> testedQueries_;  // of in, any and all
    std::vector<OuterColumn> outerColumns_;
    std::vector<NodeRef> guards_;  // conditions under which the expression is read: see under()
    // What aggregates and windows may not stand in, as PostgreSQL names it; null where both may.
    const char* plainPlace_ = nullptr;
    bool isInAggregate_ = false;
    bool hasEmptyNull_ = false;  // of the expression that is translated: see Typed
};

}  // namespace pelorus::postgres
