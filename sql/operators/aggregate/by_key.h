// Aggregation partitioned by key: when a table partition has many unordered groups, rows are first partitioned by their
// keys, so that the groups of each hash or range partition fit into a core's cache, and no group is in two of them.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "interpreter/expression/expression_program.h"
#include "runtime/function/context.h"
#include "runtime/memory/broker.h"
#include "runtime/table/spill_file.h"
#include "sql/operators/aggregate/group_parts.h"

namespace pelorus {

class Filter;
class KeyRanges;
struct Morsel;

// Samples one block in the middle of the partition to estimate whether it has many groups. Deterministic: the merge
// order, and so the result's bits, depend on it.
bool prefersKeyParts(std::span<const Morsel> partition, const std::vector<ExpressionProgram>& keys,
                     const AggregatePlan& aggregates, Filter& filter, Context& context);

// Estimates ranges of the keys that hold about as many of the rows each, from a sample of so many blocks; nothing where
// keys have no ranges. REQUIRES: there are morsels.
std::optional<KeyRanges> keyRangesOf(std::span<const Morsel> morsels, const std::vector<ExpressionProgram>& keys,
                                     Filter& filter, Context& context, size_t blocks = 8);

// Aggregates a partition by hash or range partitions of the keys, concurrently, and passes the groups of each to
// `take`. The partition's rows are one leaf: those of a group are added in their order. Rows beyond the grant are
// spilled.
void groupByKeyParts(std::span<const Morsel> partition, const std::vector<ExpressionProgram>& keys,
                     const AggregatePlan& aggregates, Filter& filter, const KeyRanges* ranges, memory::Grant& grant,
                     const TakePart& take, Context& context);

}  // namespace pelorus
