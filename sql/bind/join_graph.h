// The graph of the tables that a query joins without an order of its own, and of the conditions between them.
#pragma once

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

// A column of a side.
struct GraphColumn {
    size_t side = 0;
    int number = 0;
    bool operator==(const GraphColumn&) const = default;
};

// Returns the name that a column has in the conditions between sides. Begins with a blank: no script can write it.
std::string graphColumnName(size_t side, const std::string& column);

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

    size_t joined() const { return joined_; }
    const GraphSide& side(size_t index) const { return sides_[index]; }
    // Conditions on one side, over its own columns.
    const NodeList& filters(size_t side) const { return filters_[side]; }
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
    NodeRef asFilter(const NodeRef& resolved, size_t side) const;

    const std::vector<GraphSide> sides_;
    const size_t joined_;
    std::vector<NodeList> filters_;
    std::vector<std::vector<GraphColumn>> equalities_;
    std::vector<GraphCondition> conditions_;
};

}  // namespace pelorus
