#include "sql/spilled_join.h"

#include <numeric>

#include "sql/external_sort.h"
#include "sql/partial_query.h"
#include "sql/query_snapshot.h"
#include "sql/row_source.h"
#include "sql/spilled_parts.h"

namespace pelorus {

namespace {

// Texts are taken to be of some twenty bytes.
int64_t estimatedBytes(const Table& table) {
    int64_t perRow = 0;
    for (const ColumnSchema& c : table.columns()) perRow += storageOf(c.type) == Storage::Text ? 28 : widthOf(c.type);
    return perRow * table.rowCount();
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

}  // namespace

Ref<MemoryTable> joinInParts(const Value& left, const Value& right, const JoinColumns& keys, JoinKind kind,
                             const JoinedColumns& shown, Context& context) {
    if (kind == JoinKind::Full || kind == JoinKind::Right || !spillFolderOf(context)) return nullptr;
    const Table &l = left.table(), &r = right.table();
    const RowSource leftSource = sourceOf(left), rightSource = sourceOf(right);
    const auto isReadable = [](const RowSource& s) { return s.memory || s.partitioned; };
    if (!isReadable(leftSource) || !isReadable(rightSource)) return nullptr;
    if (!leftSource.partitioned && !rightSource.partitioned) return nullptr;
    if (needsOtherNodes(leftSource, context) || needsOtherNodes(rightSource, context)) return nullptr;
    const bool storable = SpilledParts::canHold(l.columns()) && SpilledParts::canHold(r.columns());
    if (!storable || !haveOneType(l, r, keys)) return nullptr;
    // The sides, their numbered keys, and a row of the result for each left one.
    const int64_t needed = 2 * estimatedBytes(l) + estimatedBytes(r) + 24 * (l.rowCount() + r.rowCount());
    if (needed <= roomBytes()) return nullptr;

    const SpilledParts leftParts = spilled(leftSource, keys.left, true, context);
    const SpilledParts rightParts = spilled(rightSource, keys.right, false, context);
    Ref<MemoryTable> result;
    for (size_t p = 0; p < SpilledParts::kCount; ++p) {
        const Ref<MemoryTable> rows = equiJoin(*leftParts.rows(p), *rightParts.rows(p), keys, kind, shown);
        if (result) {
            result->append(*rows);
        } else {
            result = rows->copy();
        }
    }
    std::vector<OrderKey> order;
    order.push_back({*result->column(" row")});
    result = sortedRows(std::move(result), std::move(order), context);
    result->dropColumn(result->findColumn(" row"));
    return result;
}

}  // namespace pelorus
