// A join of several tables that exceeds memory: the tables that share a key are cut by its hash on disk, and joined one
// part after the other.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "runtime/function/context.h"
#include "sql/operators/join/graph_join.h"

namespace pelorus {

// A side of a graph, before its filters are applied.
struct GraphTable {
    Value table;
    std::vector<int> needed;  // the columns that the join or the query reads, ascending; at least one
    double bytes = 0;         // an estimate of the needed columns of the rows that pass the filters
};

// Whether the sides and their join, by the estimates, find no room in memory.
bool exceedsMemory(const std::vector<GraphTable>& sides);

// How a graph is cut.
struct GraphCut {
    size_t equality = 0;          // of the graph, whose columns are cut
    std::vector<size_t> columns;  // by side, where in that set of equal columns its own is; kNotCut for none
    static constexpr size_t kNotCut = static_cast<size_t>(-1);
};

// Returns how the sides are cut so that the joins of the parts fit into memory, by the set of equal columns that covers
// most bytes. Nothing where they fit as they are, or where no cut helps: sides in memory, on other nodes or with lists
// in their cells are not cut.
std::optional<GraphCut> cutOfGraph(const JoinGraph& graph, const std::vector<GraphTable>& sides, Context& context);

// Joins the parts. `rows` has the rows of the sides that are not cut, and empty places for the others. `order` gives
// the order in which sides are joined, for the rows of a part. With `isOrdered` the rows come in the order of the
// sides' rows, the first side's before the second's; null where the cells of the result cannot be written to disk.
// Throws UserError where a part does not fit into memory.
Ref<MemoryTable> joinGraphInParts(const JoinGraph& graph, const std::vector<GraphTable>& sides, const GraphCut& cut,
                                  std::vector<Ref<MemoryTable>> rows, std::vector<ShownColumn> shown, bool isOrdered,
                                  const std::function<std::vector<size_t>(const std::vector<Ref<MemoryTable>>&)>& order,
                                  Context& context);

}  // namespace pelorus
