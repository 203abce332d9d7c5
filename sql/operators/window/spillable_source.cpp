#include "sql/operators/window/spillable_source.h"

#include <algorithm>

#include "runtime/memory/broker.h"
#include "sql/execution/batch.h"
#include "sql/keys/key_ranges.h"
#include "sql/operators/aggregate/by_key.h"
#include "sql/operators/scan/filter.h"
#include "sql/operators/scan/scan_columns.h"
#include "sql/operators/scan/table_scan.h"
#include "sql/plan/row_source.h"
#include "sql/remote/partial_query.h"

namespace pelorus {

constexpr size_t kSampledBlocks = 64;

bool canSpill(const RowSource& source, const std::vector<int>& columns, Context& context) {
    return spillFolderOf(context) && source.partitioned() && !needsOtherNodes(source, context) &&
           SpilledParts::canHold(columnsOf(source, columns));
}

TableSchema columnsOf(const RowSource& source, const std::vector<int>& numbers) {
    TableSchema columns;
    for (const int c : numbers) columns.push_back(source.columns()[static_cast<size_t>(c)]);
    return columns;
}

SpillableSource::SpillableSource(const RowSource& source, const NodeList& conditions, Context& context)
    : source_(source), context_(context), filter_(std::make_unique<Filter>(conditions, source.columns(), context)) {}
SpillableSource::~SpillableSource() = default;

const TableSchema& SpillableSource::columns() const {
    return source_.columns();
}

std::vector<Morsel> SpillableSource::morsels() {
    return morselsOf(source_, filter_->constraints());
}

bool SpillableSource::exceedsMemory(int64_t bytesOfRow) {
    int64_t rows = 0;
    for (const Morsel& morsel : morsels()) rows += morsel.rows();
    return rows * bytesOfRow > memory::availableBytes();
}

Ref<MemoryTable> SpillableSource::rows(const std::vector<int>& columns) {
    return scanColumns(source_, *filter_, columns, context_)->copy();
}

SpilledParts SpillableSource::parts(const RowCut& cut, const std::vector<int>& columns) {
    return {*spillFolderOf(context_), source_.columns(), cut, columns, true, morsels(), *filter_, context_};
}

std::optional<KeyRanges> SpillableSource::ranges(const std::vector<ExpressionProgram>& keys) {
    const std::vector<Morsel> all = morsels();
    if (all.empty()) return std::nullopt;
    return keyRangesOf(all, keys, *filter_, context_, std::min(kSampledBlocks, all.size()));
}

RowCut cutByRanges(const std::vector<ExpressionProgram>& keys, const KeyRanges& ranges) {
    return [&keys, &ranges](Batch& rows, Context& context, uint8_t* parts) {
        std::vector<Value> values;
        for (const ExpressionProgram& key : keys) values.push_back(rows.evaluate(key, context));
        ranges.find(values, rows.rows(), parts);
    };
}

}  // namespace pelorus
