#include "sql/physical/pipelines.h"

#include <algorithm>
#include <optional>

#include "common/check.h"
#include "sql/operators/aggregate/cumulative_rows.h"
#include "sql/operators/aggregate/grouped_rows.h"
#include "sql/operators/aggregate/interval_rows.h"
#include "sql/operators/distinct_rows.h"
#include "sql/operators/select_rows.h"
#include "sql/physical/row_pipelines.h"
#include "sql/physical/run_partitions.h"
#include "sql/physical/run_windows.h"
#include "sql/plan/group_nodes.h"
#include "sql/plan/window_node.h"
#include "sql/remote/partial_query.h"
#include "sql/spill/sorted_runs.h"

namespace pelorus {

namespace {

using Kind = PlanNode::Kind;

Ref<MemoryTable> constantRow(const ConstantsNode& node, Context& context) {
    auto result = makeRef<MemoryTable>();
    for (const BoundItem& item : node.items)
        addOutput(*result, item.written, item.value.evaluate(context, std::span<const Value>(), 0), 1);
    return result;
}

Ref<MemoryTable> limited(const LimitNode& node, Ref<MemoryTable> rows) {
    for (const std::string& name : node.hidden) {
        if (const int c = rows->findColumn(name); c >= 0) rows->dropColumn(c);
    }
    const int64_t total = rows->rowCount();
    const int64_t begin = std::min(node.begin, total);
    const int64_t count = std::min(node.count, total - begin);
    return begin == 0 && count == total ? rows : rows->slice(begin, count);
}

// A run of one plan: each node takes the rows of its input.
class PlanRun {
public:
    PlanRun(Context& context, const PlanInput& input) : context_(context), input_(input) {}

    SelectedRows run(const PlanNode& plan) {
        PlanProfile::Timer timer(input_.profile, plan.id);
        SelectedRows selected =
            plan.kind == Kind::Sort ? sorted(static_cast<const SortNode&>(plan), timer) : computed(plan);
        timer.setRows(selected.rows->rowCount());
        return selected;
    }

private:
    static SelectedRows only(Ref<MemoryTable> rows) {
        SelectedRows selected;
        selected.rows = std::move(rows);
        return selected;
    }

    SelectedRows computed(const PlanNode& plan) {
        switch (plan.kind) {
            case Kind::Constants:
                return only(constantRow(static_cast<const ConstantsNode&>(plan), context_));
            case Kind::Limit: {
                SelectedRows selected = run(*plan.input);
                selected.rows = limited(static_cast<const LimitNode&>(plan), std::move(selected.rows));
                return selected;
            }
            case Kind::Distinct:
                return distinct(static_cast<const DistinctNode&>(plan));
            case Kind::Project:
                return only(projectedRows(static_cast<const ProjectNode&>(plan), scanned(plan), context_));
            case Kind::TopRows:
                return only(firstRows(static_cast<const TopRowsNode&>(plan), scanned(plan), context_));
            case Kind::Collect: {
                const auto& node = static_cast<const CollectNode&>(plan);
                SelectedRows selected = only(collectedItems(node, *rowsOf(*node.input), context_));
                selected.oneCell = node.isOneCell;
                return selected;
            }
            case Kind::Aggregate: {
                const auto& node = static_cast<const AggregateNode&>(plan);
                SelectedRows selected = only(aggregatedRows(node, source(node), scan(node).conditions, context_));
                selected.oneCell = node.keys.empty();
                return selected;
            }
            case Kind::WholeGroups:
                return only(
                    rowsOfWholeGroups(static_cast<const WholeGroupsNode&>(plan), *rowsOf(*plan.input), context_));
            case Kind::Interval:
                return only(interval(static_cast<const IntervalNode&>(plan)));
            case Kind::Cumulative:
                return only(cumulatedStates(static_cast<const CumulativeNode&>(plan), source(plan),
                                            scan(plan).conditions, context_));
            case Kind::CumulativeRows:
                return only(
                    cumulatedRows(static_cast<const CumulativeRowsNode&>(plan), *rowsOf(*plan.input), context_));
            case Kind::Pivot: {
                SelectedRows selected;
                selected.pivoted = pivotedRows(static_cast<const PivotNode&>(plan), *run(*plan.input).rows, context_);
                selected.rows = selected.pivoted.table;
                return selected;
            }
            case Kind::Window:
                return only(runWindow(
                    static_cast<const WindowNode&>(plan), source(plan), [&] { return rowsOf(*plan.input); }, context_));
            case Kind::Roll:
                return only(runRoll(
                    static_cast<const RollNode&>(plan), source(plan), [&] { return rowsOf(*plan.input); }, context_));
            case Kind::Over:
                return runOver(
                    static_cast<const OverNode&>(plan), source(plan), [&] { return inputOf(plan); }, context_);
            case Kind::PerPartition:
                return runPerPartition(static_cast<const PerPartitionNode&>(plan), input_.profile, context_);
            case Kind::Phases:
                return phases(static_cast<const PhasesNode&>(plan));
            case Kind::Sort:
            case Kind::Scan:
            case Kind::Filter:
                break;
        }
        CHECK(false) << "no rows come from this node alone";
        return {};
    }

    SelectedRows sorted(const SortNode& node, PlanProfile::Timer& timer) {
        SelectedRows selected = run(*node.input);
        std::vector<OrderKey> keys = orderKeys(node.keys, *selected.rows, context_);
        int64_t spilled = 0;
        selected.rows = sortedRows(std::move(selected.rows), std::move(keys), context_, node.needed, &spilled);
        timer.addSpilled(spilled);
        return selected;
    }

    // Returns rows as whole columns.
    Ref<MemoryTable> rowsOf(const PlanNode& plan) {
        if (plan.kind == Kind::Scan) return scannedRows(static_cast<const ScanNode&>(plan), source(plan), context_);
        CHECK(plan.kind == Kind::Filter) << "whole columns come from a scan or a filter";
        PlanProfile::Timer timer(input_.profile, plan.id);
        Ref<MemoryTable> rows = filteredRows(static_cast<const FilterNode&>(plan), rowsOf(*plan.input), context_);
        timer.setRows(rows->rowCount());
        return rows;
    }

    // Returns the rows of a node's input, as whole columns of a scan, or as another node gives them.
    Ref<MemoryTable> inputOf(const PlanNode& plan) {
        const bool isOfScan = plan.input->kind == Kind::Scan || plan.input->kind == Kind::Filter;
        return isOfScan ? rowsOf(*plan.input) : run(*plan.input).rows;
    }

    static const ScanNode& scan(const PlanNode& plan) { return *scanOf(plan); }

    // Returns what the scan of a plan reads.
    const RowSource& source(const PlanNode& plan) {
        const ScanNode& scan = PlanRun::scan(plan);
        if (!scan.isGiven && !input_.partitions) return scan.source;
        if (!own_) own_ = scan.isGiven ? sourceOf(input_.rows) : scan.source;
        if (!scan.isGiven) own_->partitions = input_.partitions;
        return *own_;
    }

    ScannedSource scanned(const PlanNode& plan) { return {source(plan), scan(plan).conditions}; }

    // Rows that are computed one by one are deduplicated early: only distinct ones are kept.
    SelectedRows distinct(const DistinctNode& node) {
        if (node.input->kind == Kind::Project && node.hidden == 0 && !needsOtherNodes(source(node), context_)) {
            return only(distinctRows(node, static_cast<const ProjectNode&>(*node.input), scanned(node), context_));
        }
        SelectedRows selected = run(*node.input);
        const int keys = selected.rows->columnCount() - node.hidden;
        selected.rows = distinctRows(selected.rows, keys, node.needed);
        return selected;
    }

    Ref<MemoryTable> interval(const IntervalNode& node) {
        const auto runGroups = [&](const Ref<MemoryTable>& rows) {
            PlanInput given;
            given.rows = rows;
            given.profile = input_.profile;
            return PlanRun(context_, given).run(*node.groups).rows;
        };
        return intervalRows(node, *rowsOf(*node.input), runGroups, context_);
    }

    SelectedRows phases(const PhasesNode& node) {
        SelectedRows selected = runPhases(node, input_, context_);
        selected.oneCell = node.whole->kind == Kind::Collect;
        return selected;
    }

    Context& context_;
    const PlanInput& input_;
    std::optional<RowSource> own_;  // what the scan reads, where the input says so
};

}  // namespace

SelectedRows runPipelines(const PlanNode& plan, Context& context, const PlanInput& input) {
    return PlanRun(context, input).run(plan);
}

}  // namespace pelorus
