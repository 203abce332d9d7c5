#include "sql/operators/context/spilled_context.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/memory/broker.h"
#include "sql/bind/nodes/bind_input.h"
#include "sql/expression/bind_expression.h"
#include "sql/keys/key_ranges.h"
#include "sql/operators/aggregate/by_key.h"
#include "sql/operators/row_concatenation.h"
#include "sql/operators/scan/filter.h"
#include "sql/operators/scan/table_scan.h"
#include "sql/operators/select_rows.h"
#include "sql/plan/row_source.h"
#include "sql/plan/select_plan.h"
#include "sql/remote/partial_query.h"
#include "sql/spill/sorted_runs.h"
#include "sql/spill/spilled_parts.h"

namespace pelorus {

namespace {

constexpr const char* kRow = " row";
constexpr size_t kSampledBlocks = 64;

using SelectRows = std::function<Ref<MemoryTable>(const SelectPlan&, Context&)>;

// Estimates the memory of the rows while they are processed: they, their positions, the rows gathered by group, and the
// result. csort sorts words of its keys.
int64_t neededBytes(const SelectPlan& plan, const std::vector<int>& columns, const std::vector<Morsel>& morsels) {
    TableSchema read;
    for (const int c : columns) read.push_back(plan.source.columns()[static_cast<size_t>(c)]);
    int64_t rows = 0;
    for (const Morsel& m : morsels) {
        for (int b = m.firstBlock; b < m.endBlock; ++b) rows += m.reader->blockRows(b);
    }
    const auto items = static_cast<int64_t>(plan.items.size());
    return rows * (2 * estimatedRowBytes(read) + 12 * items + 16 + (plan.query->csort.empty() ? 0 : 48));
}

bool canBeCut(const SelectPlan& plan, const std::vector<int>& columns, Context& context) {
    TableSchema read;
    for (const int c : columns) read.push_back(plan.source.columns()[static_cast<size_t>(c)]);
    if (!plan.laterFilters.empty() || !SpilledParts::canHold(read)) return false;
    for (const OutputItem& key : plan.keys) {
        const ExpressionProgram e = bindProgram(key.value, plan.source.columns(), context);
        if (!e.isElementwise() || e.isConstant()) return false;
    }
    return !plan.keys.empty();
}

// Makes the plan over the rows of a partition on disk.
SelectPlan planOver(const SelectPlan& plan, Ref<MemoryTable> rows) {
    SelectPlan own = plan;
    own.source = sourceOf(std::move(rows));
    own.filters.clear();
    return own;
}

// Makes the plan over the rows of a hash partition, with hidden last columns by which the rows of all partitions are
// sorted.
SelectPlan planOfPart(const SelectPlan& plan, Ref<MemoryTable> rows) {
    SelectPlan own = planOver(plan, std::move(rows));
    const SourcePosition nowhere;
    if (keepsTableOrder(*plan.query)) {
        own.items.push_back({{" order"}, makeRef<Name>(kRow, nowhere), true});
        return own;
    }
    for (size_t k = 0; k < plan.keys.size(); ++k)
        own.items.push_back({{fmt::format(" key{}", k)}, plan.keys[k].value, true});
    return own;
}

// Cuts the rows by ranges of the keys, whose groups follow each other in the order that the result has.
Ref<MemoryTable> byRanges(const SelectPlan& plan, const std::vector<ExpressionProgram>& keys, const KeyRanges& ranges,
                          const std::vector<int>& columns, const std::vector<Morsel>& morsels, Filter& filter,
                          Context& context, const SelectRows& select) {
    const RowCut cut = [&](Batch& rows, Context& own, uint8_t* parts) {
        std::vector<Value> values;
        for (const ExpressionProgram& key : keys) values.push_back(rows.evaluate(key, own));
        ranges.find(values, rows.rows(), parts);
    };
    const SpilledParts parts(*spillFolderOf(context), plan.source.columns(), cut, columns, false, morsels, filter,
                             context);
    RowConcatenation result;
    bool isEmpty = true;
    for (size_t p = 0; p < SpilledParts::kCount; ++p) {
        context.checkCancelled();
        const Ref<MemoryTable> rows = parts.rows(p);
        // Only the columns of an empty part matter, and only when all parts are empty.
        if (rows->rowCount() == 0 && (p + 1 < SpilledParts::kCount || !isEmpty)) continue;
        isEmpty = false;
        result.add(*select(planOver(plan, rows), context));
    }
    return result.finish();
}

}  // namespace

Ref<MemoryTable> selectContextInParts(const SelectPlan& plan, Context& context,
                                      const std::function<Ref<MemoryTable>(const SelectPlan&, Context&)>& select) {
    const SpillFolder* folder = spillFolderOf(context);
    if (!folder || !plan.source.partitioned() || needsOtherNodes(plan.source, context)) return nullptr;
    const std::vector<int> columns = mentionedColumns(plan);
    if (!canBeCut(plan, columns, context)) return nullptr;
    Filter filter(plan.filters, plan.source.columns(), context);
    const std::vector<Morsel> morsels = morselsOf(plan.source, filter.constraints());
    if (neededBytes(plan, columns, morsels) <= memory::availableBytes()) return nullptr;

    std::vector<ExpressionProgram> keys;
    for (const OutputItem& key : plan.keys) keys.push_back(bindProgram(key.value, plan.source.columns(), context));
    if (!keepsTableOrder(*plan.query) && !morsels.empty()) {
        if (const auto ranges = keyRangesOf(morsels, keys, filter, context, std::min(kSampledBlocks, morsels.size())))
            return byRanges(plan, keys, *ranges, columns, morsels, filter, context, select);
    }
    const SpilledParts parts(*folder, plan.source.columns(), cutByKeys(keys), columns, true, morsels, filter, context);
    SortedRuns runs(*folder, std::vector<OrderKey>(keepsTableOrder(*plan.query) ? 1 : keys.size()));
    for (size_t p = 0; p < SpilledParts::kCount; ++p) {
        context.checkCancelled();
        const Ref<MemoryTable> rows = parts.rows(p);
        // Only the columns of an empty part matter, and only when all parts are empty.
        if (rows->rowCount() == 0 && (p + 1 < SpilledParts::kCount || !runs.isEmpty())) continue;
        const Ref<MemoryTable> selected = select(planOfPart(plan, rows), context);
        if (!runs.canHold(*selected)) return nullptr;  // lists in the cells
        runs.add(*selected);
    }
    return runs.merged();
}

}  // namespace pelorus
