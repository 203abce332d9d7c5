#include "sql/physical/run_partitions.h"

#include <algorithm>
#include <utility>

#include "common/thread/thread_pool.h"
#include "runtime/function/principal.h"
#include "runtime/function/progress.h"
#include "sql/execution/query_profile.h"
#include "sql/expression/constraint.h"
#include "sql/operators/row_concatenation.h"
#include "sql/plan/rules/prune.h"

namespace pelorus {

// Returns the partitions that a plan may read.
static std::vector<size_t> partitionsOf(const PlanNode& plan, Context& context) {
    const ScanNode& scan = *scanOf(plan);
    return partitionsToRead(scan.source, constraintsOf(scan.conditions, scan.source.columns(), context));
}

static PlanInput onePartition(size_t partition) {
    PlanInput input;
    input.partitions = std::vector{partition};
    return input;
}

SelectedRows runPerPartition(const PerPartitionNode& node, PlanProfile* profile, Context& context) {
    const TracePause pause;
    std::vector<PlanInput> parts;
    for (const size_t p : partitionsOf(node, context)) parts.push_back(onePartition(p));
    if (parts.empty()) parts.emplace_back().partitions.emplace();
    for (PlanInput& part : parts) part.profile = profile;
    RowConcatenation result;
    std::vector<PivotedRows> pivots;  // their columns are known when all have run
    ProgressPhase progress(context.request->progress, "query", ProgressUnit::Tasks, static_cast<int64_t>(parts.size()));
    for (const PlanInput& part : parts) {
        context.checkCancelled();
        SelectedRows selected = runPipelines(*node.input, context, part);
        if (selected.pivoted.table) {
            selected.pivoted.table = selected.rows;
            pivots.push_back(std::move(selected.pivoted));
        } else {
            result.add(*selected.rows);
        }
        progress.add(1);
    }
    unifyColumns(pivots);
    for (const PivotedRows& pivot : pivots) result.add(*pivot.table);
    SelectedRows all;
    all.rows = result.finish();
    return all;
}

SelectedRows runPhases(const PhasesNode& node, const PlanInput& input, Context& context) {
    const std::vector<size_t> partitions = input.partitions ? *input.partitions : partitionsOf(node, context);
    std::vector<Ref<MemoryTable>> results(partitions.size());
    ProgressPhase progress(context.request->progress, "query", ProgressUnit::Tasks,
                           static_cast<int64_t>(partitions.size()));
    parallelFor(static_cast<int64_t>(partitions.size()), [&](int64_t i) {
        Context own = context;
        own.callDepth = 0;
        own.checkCancelled();
        const auto k = static_cast<size_t>(i);
        results[k] = runPipelines(*node.input, own, onePartition(partitions[k])).rows;
        progress.add(1);
    });
    RowConcatenation all;
    for (const Ref<MemoryTable>& result : results) {
        if (result->rowCount() > 0) all.add(*result);
    }
    PlanInput reduced;
    reduced.rows = all.finish();
    return reduced.rows ? runPipelines(*node.reduce, context, reduced) : runPipelines(*node.whole, context, input);
}

}  // namespace pelorus
