#include "sql/operators/scan/materialise.h"

#include <numeric>
#include <utility>
#include <vector>

#include "runtime/function/principal.h"
#include "runtime/table/computed_table.h"
#include "runtime/table/table_access.h"
#include "sql/execution/query_snapshot.h"
#include "sql/operators/scan/scan_columns.h"
#include "sql/plan/row_source.h"
#include "sql/remote/partial_query.h"

namespace pelorus {

Ref<MemoryTable> materialise(const Value& table, Context& context) {
    requireAccess(context, table, Right::Read);
    if (Ref<MemoryTable> memory = tableToRead(table)) return memory;
    if (auto* computed = dynamic_cast<ComputedTable*>(&table.table())) return computed->rows(context);
    RowSource source;
    source.table = Ref<Table>(&table.table());
    if (source.partitioned()) source.snapshot = snapshotForQuery(*source.partitioned(), context.principal());
    std::vector<int> columns(source.columns().size());
    std::iota(columns.begin(), columns.end(), 0);
    if (needsOtherNodes(source, context)) return gatherColumns(source, {}, columns, context);
    Filter none({}, source.columns(), context);
    return scanColumns(source, none, columns, context);
}

}  // namespace pelorus
