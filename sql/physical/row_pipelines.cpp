#include "sql/physical/row_pipelines.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "runtime/kernel/sort/row_order.h"
#include "sql/execution/driver.h"
#include "sql/operators/distinct_sink.h"
#include "sql/operators/late_columns.h"
#include "sql/operators/scan/filter.h"
#include "sql/operators/scan/projection.h"
#include "sql/operators/scan/result_sink.h"
#include "sql/operators/scan/row_limit.h"
#include "sql/operators/scan/table_scan.h"
#include "sql/operators/top_n_cost.h"
#include "sql/operators/top_n_sink.h"
#include "sql/remote/partial_query.h"
#include "sql/spill/sorted_runs.h"

namespace pelorus {

namespace {

std::vector<ExpressionProgram> programsOf(const std::vector<RowItem>& items) {
    std::vector<ExpressionProgram> programs;
    for (const RowItem& item : items) programs.push_back(item.value);
    return programs;
}

TableSchema schemaOf(const std::vector<RowItem>& items) {
    TableSchema schema;
    for (const RowItem& item : items) schema.push_back(item.schema());
    return schema;
}

// Whether some item is more than a column of the source.
bool isComputed(const std::vector<RowItem>& items) {
    return std::any_of(items.begin(), items.end(), [](const RowItem& item) { return item.value.plainColumn() < 0; });
}

// Returns the columns of a result: those of which all rows pass are shared with a table in memory until someone changes
// one.
std::vector<ResultSink::Column> resultColumns(const std::vector<RowItem>& items, int64_t needed,
                                              const RowSource& source, bool allPass) {
    std::vector<ResultSink::Column> columns;
    const bool projects = isComputed(items);
    for (const RowItem& item : items)
        columns.push_back({item.schema(), projects ? static_cast<int>(columns.size()) : item.value.plainColumn()});
    const OnePartition* whole = allPass ? source.whole() : nullptr;
    if (!whole) return columns;
    const int64_t rows = std::min(needed, source.table->rowCount());
    whole->requireRoom(rows, schemaOf(items));
    for (size_t i = 0; i < columns.size(); ++i) {
        const int c = items[i].value.plainColumn();
        if (c >= 0) columns[i].known = whole->column(c, rows);
    }
    return columns;
}

// Runs scan, conditions, limit and projection into a result.
Ref<MemoryTable> collectedRows(const std::vector<RowItem>& items, int64_t needed, const RowSource& source,
                               Filter& filter, Context& context) {
    std::vector<ResultSink::Column> columns = resultColumns(items, needed, source, filter.empty());
    std::vector<const ExpressionProgram*> read;
    for (size_t i = 0; i < columns.size(); ++i) {
        if (columns[i].known.isVoid()) read.push_back(&items[i].value);
    }
    ResultSink result(std::move(columns), needed);
    if (read.empty()) {
        Ref<MemoryTable> rows = result.rows();
        if (source.profile) source.profile->countWhole(rows->rowCount());
        return rows;
    }
    // Columns that may not be read to their end are not prefetched.
    const bool readsAll = needed == INT64_MAX;
    const TableScan scan(morselsOf(source, filter.constraints(), filter.empty() ? needed : INT64_MAX),
                         readsAll ? readColumns(filter, read, context) : std::vector<int>());
    RowLimit limit(needed);
    std::optional<Projection> projection;
    std::vector<BatchOperator*> operators = {&filter};
    if (!readsAll) operators.push_back(&limit);
    if (isComputed(items)) operators.push_back(&projection.emplace(programsOf(items)));
    run({scan, std::move(operators), result}, context);
    return result.rows();
}

// Returns the keys of an order of rows that have its columns.
std::vector<OrderKey> orderOf(const std::vector<TopKey>& keys, const MemoryTable& rows) {
    std::vector<OrderKey> order;
    for (const TopKey& key : keys)
        order.push_back({rows.column(static_cast<int>(key.item)), key.ascending, key.nullsGiven, key.nullsFirst});
    return order;
}

}  // namespace

Ref<MemoryTable> projectedRows(const ProjectNode& node, const ScannedSource& scan, Context& context) {
    if (needsOtherNodes(scan.source, context))
        return rowsFromNodes(scan.source, scan.conditions, node.items, {}, node.needed, context);
    Filter filter(scan.conditions, scan.source.columns(), context);
    return collectedRows(node.items, node.needed, scan.source, filter, context);
}

Ref<MemoryTable> firstRows(const TopRowsNode& node, const ScannedSource& scan, Context& context) {
    if (needsOtherNodes(scan.source, context)) {
        Ref<MemoryTable> rows = rowsFromNodes(scan.source, scan.conditions, node.items, node.keys, node.count, context);
        std::vector<OrderKey> order = orderOf(node.keys, *rows);
        return sortedRows(std::move(rows), std::move(order), context, node.count);
    }
    Filter filter(scan.conditions, scan.source.columns(), context);
    std::vector<Morsel> morsels = morselsOf(scan.source, filter.constraints());
    if (!prefersTopN(node, morsels, !scan.source.memory(), filter.empty())) {
        Ref<MemoryTable> rows = collectedRows(node.items, INT64_MAX, scan.source, filter, context);
        std::vector<OrderKey> order = orderOf(node.keys, *rows);
        int64_t spilled = 0;
        rows = sortedRows(std::move(rows), std::move(order), context, node.count, &spilled);
        if (scan.source.profile) scan.source.profile->spilledBytes += spilled;
        return rows;
    }
    std::vector<const ExpressionProgram*> read;
    for (const TopKey& key : node.keys) read.push_back(&node.items[key.item].value);
    const TableScan source(std::move(morsels), readColumns(filter, read, context));
    TopNSink sink(node.items, node.keys, node.count, scan.source.memory() && !filter.empty());
    run({source, {&filter}, sink}, context);
    return fetchRows(source, sink.places(), node.items, context);
}

Ref<MemoryTable> distinctRows(const DistinctNode& node, const ProjectNode& projected, const ScannedSource& scan,
                              Context& context) {
    Filter filter(scan.conditions, scan.source.columns(), context);
    Projection projection(programsOf(projected.items));
    DistinctSink sink(schemaOf(projected.items), node.needed);
    std::vector<const ExpressionProgram*> read;
    for (const RowItem& item : projected.items) read.push_back(&item.value);
    const TableScan source(morselsOf(scan.source, filter.constraints()), readColumns(filter, read, context));
    run({source, {&filter, &projection}, sink}, context);
    return sink.rows();
}

}  // namespace pelorus
