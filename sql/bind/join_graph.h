// The graph of the tables that a query joins without an order of its own, and of the conditions between them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "runtime/table/table.h"

namespace pelorus {

// A table of a graph: its name in the query, which may be empty, and its columns.
struct GraphSide {
    std::string qualifier;
    TableSchema columns;
};

// A column of a side. Numbers beyond the side's columns are those of its keys, one after the other.
struct GraphColumn {
    size_t side = 0;
    int number = 0;
    bool operator==(const GraphColumn&) const = default;
};

// Returns the name that a column has in the conditions between sides. Begins with a blank: no script can write it.
std::string graphColumnName(size_t side, const std::string& column);

// An expression over one side that an equality compares with another side: the join computes it of each row, as one
// more column behind the side's own.
struct GraphKey {
    NodeRef code;  // over the side's own columns
    ColumnSchema column;
};

// A condition on several sides, which is no equality of two columns.
struct GraphCondition {
    NodeRef code;                      // over columns called as graphColumnName says
    std::vector<GraphColumn> columns;  // that it reads, each once
    std::vector<size_t> sides;         // ascending
};

// Sides 0 … n - 1 are joined, the others later: names of their columns are known, and conditions on them refused.
class JoinGraph {
public:
    JoinGraph(std::vector<GraphSide> sides, size_t joined);

    // Takes a condition that the rows of the join must satisfy: as a filter of a side, an equality, or a condition
    // between sides. What all arms of an `or` have in common counts for itself. Returns false, having taken nothing,
    // for a condition that is not decided row by row, or that names anything but columns of the joined sides and
    // constants.
    bool add(const NodeRef& condition, Context& context);

    // Makes of conditions between sides filters and keys, now that all equalities are known: a column may be replaced
    // by an equal one of another side. `rows[i]` are those of side i. To be called once, behind the last condition.
    void settle(std::span<const int64_t> rows, Context& context);

    size_t joined() const { return joined_; }
    const GraphSide& side(size_t index) const { return sides_[index]; }
    // Conditions on one side, over its own columns.
    const NodeList& filters(size_t side) const { return filters_[side]; }
    // Expressions over one side that equalities compare.
    const std::vector<GraphKey>& keys(size_t side) const { return keys_[side]; }
    // Returns the columns of a side and its keys behind them, as the rows that are joined have them.
    TableSchema columnsWithKeys(size_t side) const;
    // Sets of columns, each of another side, that must be equal. None of them NULL.
    const std::vector<std::vector<GraphColumn>>& equalities() const { return equalities_; }
    const std::vector<GraphCondition>& conditions() const { return conditions_; }

private:
    struct Resolved {
        NodeRef code;
        std::vector<GraphColumn> columns;
        bool isKnown = true;  // all names are columns of joined sides, and constants
    };

    Resolved resolve(const NodeRef& condition, Context& context) const;
    // Returns the column that a name means; its side is sides_.size() for what is none.
    GraphColumn find(const std::string& name) const;
    GraphColumn find(const std::string& qualifier, const std::string& name) const;
    void place(const NodeRef& original, Resolved resolved, Context& context);
    void addCommonParts(const NodeRef& condition, Context& context);
    void addFiltersOfArms(const NodeRef& condition, Context& context);
    void addEquality(GraphColumn a, GraphColumn b);
    // Takes an equality of expressions, each over one side, of types that are joined by equality.
    bool addKeys(const Binary& equality, std::span<const int64_t> rows, Context& context);
    // Returns the code over the columns of one side alone, those of others replaced by equal ones: of the sides where
    // that can be done the one with the fewest rows. Null for none.
    struct OnSide {
        NodeRef code;  // over the side's own columns
        size_t side = 0;
    };
    std::optional<OnSide> onOneSide(const NodeRef& resolved, std::span<const int64_t> rows) const;
    NodeRef asCodeOf(const NodeRef& resolved, size_t side) const;
    // Returns the column of a side that is equal to another one, or that column itself; nothing for none.
    std::optional<GraphColumn> equalColumn(const GraphColumn& column, size_t side) const;
    const ColumnSchema& columnOf(const GraphColumn& column) const;
    // Returns the column that holds an expression over one side; nothing where its type is known at run time only.
    std::optional<GraphKey> keyFor(const OnSide& part, Context& context) const;
    GraphColumn addKey(GraphKey key, size_t side);
    // Returns the code of a column or key, over the side's own columns.
    NodeRef codeOf(const GraphColumn& column) const;
    NodeRef asFilter(const NodeRef& resolved, size_t side) const;

    const std::vector<GraphSide> sides_;
    const size_t joined_;
    std::vector<NodeList> filters_;
    std::vector<std::vector<GraphKey>> keys_;
    std::vector<std::vector<GraphColumn>> equalities_;
    std::vector<GraphCondition> conditions_;
};

}  // namespace pelorus
