#include "sql/spilled_join.h"

#include <numeric>

#include "sql/external_sort.h"
#include "sql/partial_query.h"
#include "sql/query_snapshot.h"
#include "sql/row_source.h"
#include "sql/spilled_parts.h"

namespace pelorus {

namespace {

int64_t estimatedBytes(const Table& table) {
    return estimatedRowBytes(table.columns()) * table.rowCount();
}

// Keys that hash alike on both sides.
bool haveOneType(const Table& left, const Table& right, const JoinColumns& keys) {
    for (size_t k = 0; k < keys.left.size(); ++k) {
        const int l = left.findColumn(keys.left[k]), r = right.findColumn(keys.right[k]);
        if (l < 0 || r < 0) return false;
        const Type type = left.columns()[static_cast<size_t>(l)].type;
        if (type != right.columns()[static_cast<size_t>(r)].type || isDecimal(type)) return false;
    }
    return true;
}

RowSource sourceOf(const Value& table) {
    RowSource source;
    source.table = Ref<Table>(&table.table());
    source.memory = Ref<MemoryTable>(dynamic_cast<MemoryTable*>(&table.table()));
    source.partitioned = table.table().asPartitioned();
    if (source.partitioned) source.snapshot = snapshotForQuery(*source.partitioned);
    return source;
}

SpilledParts spilled(const RowSource& source, const std::vector<std::string>& keyNames, bool numbered,
                     Context& context) {
    std::vector<ColumnExpression> keys;
    for (const std::string& name : keyNames)
        keys.emplace_back(makeRef<Name>(name, SourcePosition{}), source.columns(), context);
    std::vector<int> columns(source.columns().size());
    std::iota(columns.begin(), columns.end(), 0);
    Filter all({}, source.columns(), context);
    return SpilledParts(*spillFolderOf(context), source.columns(), keys, std::move(columns), numbered,
                        morselsOf(source, {}), all, context);
}

constexpr const char* kRow = " row";

// The table with its row numbers as the last column.
Ref<MemoryTable> withRowsLast(const MemoryTable& rows) {
    Ref<MemoryTable> result = rows.copy();
    const Value numbers = *rows.column(kRow);
    result->dropColumn(result->findColumn(kRow));
    result->setColumn(kRow, numbers);
    return result;
}

}  // namespace

Ref<MemoryTable> joinInParts(const Value& left, const Value& right, const JoinColumns& equalKeys, const PartJoin& join,
                             Context& context) {
    if (!spillFolderOf(context) || equalKeys.left.empty() || !left.isTable() || !right.isTable()) return nullptr;
    const Table &l = left.table(), &r = right.table();
    const RowSource leftSource = sourceOf(left), rightSource = sourceOf(right);
    const auto isReadable = [](const RowSource& s) { return s.memory || s.partitioned; };
    if (!isReadable(leftSource) || !isReadable(rightSource)) return nullptr;
    if (!leftSource.partitioned && !rightSource.partitioned) return nullptr;
    if (needsOtherNodes(leftSource, context) || needsOtherNodes(rightSource, context)) return nullptr;
    const bool storable = SpilledParts::canHold(l.columns()) && SpilledParts::canHold(r.columns());
    if (!storable || !haveOneType(l, r, equalKeys)) return nullptr;
    // The sides, their numbered keys, and a row of the result for each left one.
    const int64_t needed = 2 * estimatedBytes(l) + estimatedBytes(r) + 24 * (l.rowCount() + r.rowCount());
    if (needed <= roomBytes()) return nullptr;

    const SpilledParts leftParts = spilled(leftSource, equalKeys.left, true, context);
    const SpilledParts rightParts = spilled(rightSource, equalKeys.right, false, context);
    SortedRuns runs(*spillFolderOf(context), {OrderKey{}});
    for (size_t p = 0; p < SpilledParts::kCount; ++p) {
        const Ref<MemoryTable> rows = leftParts.rows(p);
        // Of an empty one only the columns matter, when all are.
        if (rows->rowCount() == 0 && (p + 1 < SpilledParts::kCount || !runs.isEmpty())) continue;
        const Ref<MemoryTable> joined = withRowsLast(*join(*rows, *rightParts.rows(p)));
        if (!SpillFile::canHold(*joined)) return nullptr;  // lists in the cells
        runs.add(*joined);
    }
    return runs.merged();
}

}  // namespace pelorus
