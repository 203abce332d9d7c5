// A join of several tables, one after the other, that moves row numbers only: columns are gathered where a key or a
// condition needs them, and by whoever reads the result.
#pragma once

#include <string>
#include <vector>

#include "runtime/function/context.h"
#include "sql/bind/join_graph.h"
#include "sql/operators/join/joined_rows.h"

namespace pelorus {

// Which column of a side the result shows, and its name.
struct ShownColumn {
    GraphColumn column;
    std::string name;
};

class GraphJoin {
public:
    // `sides` are the rows of the sides of the graph, their filters applied. Both outlive the object.
    GraphJoin(const JoinGraph& graph, const std::vector<Ref<MemoryTable>>& sides, Context& context)
        : graph_(graph), sides_(sides), context_(context), rows_(sides.size()), isJoined_(sides.size(), false) {}

    // Joins one more side to those so far, by all equalities that it has with them, and drops the rows that a condition
    // excludes which is decided by now. Throws UserError when that would be more than 2^31 - 1 rows, or a cross product
    // beyond memory.
    void join(size_t side);
    int64_t rowCount() const { return count_; }
    // Sorts the rows by the row numbers of the sides, the first side's before the second's.
    void sort();
    // Returns the rows. At least one column is shown. The object is of no further use.
    Ref<JoinedRows> finish(const std::vector<ShownColumn>& shown);

private:
    using Condition = const GraphCondition*;

    Value gathered(GraphColumn column, int64_t begin, int64_t count) const;
    std::vector<Condition> decidedBy(size_t side) const;
    void joinByKeys(size_t side, const MemoryTable& own, const MemoryTable& others);
    void cross(size_t side, const std::vector<Condition>& conditions);
    void take(size_t side, SideRows others, SideRows own);
    std::vector<int32_t> rowsThatSatisfy(const GraphCondition& condition) const;
    void keep(const std::vector<int32_t>& positions);
    void choose(const std::vector<int32_t>& positions);

    const JoinGraph& graph_;
    const std::vector<Ref<MemoryTable>>& sides_;
    Context& context_;
    std::vector<SideRows> rows_;  // of each joined side, for each row of the result
    std::vector<bool> isJoined_;
    int64_t count_ = 0;
};

}  // namespace pelorus
