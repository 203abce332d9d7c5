#include "sql/operators/scan/scan_columns.h"

#include "sql/execution/driver.h"
#include "sql/operators/scan/result_sink.h"
#include "sql/operators/scan/table_scan.h"

namespace pelorus {

Ref<MemoryTable> scanColumns(const RowSource& source, Filter& filter, const std::vector<int>& columns,
                             Context& context) {
    std::vector<ResultSink::Column> wanted;
    for (const int c : columns) wanted.push_back({source.columns()[static_cast<size_t>(c)], c});
    if (const OnePartition* whole = filter.empty() ? source.whole() : nullptr) {
        const int64_t rows = source.table->rowCount();
        TableSchema schema;
        for (const ResultSink::Column& column : wanted) schema.push_back(column.schema);
        whole->requireRoom(rows, schema);
        auto result = makeRef<MemoryTable>();
        for (const ResultSink::Column& column : wanted)
            result->setColumn(column.schema.name, whole->column(column.number, rows));
        if (source.profile) source.profile->countWhole(rows);
        return result;
    }
    std::vector<int> read = filter.columns(context);
    read.insert(read.end(), columns.begin(), columns.end());
    const TableScan scan(morselsOf(source, filter.constraints()), std::move(read));
    ResultSink result(std::move(wanted));
    run({scan, {&filter}, result}, context);
    return result.rows();
}

}  // namespace pelorus
