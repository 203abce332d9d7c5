#include "sql/operators/join/spilled_join.h"

#include <numeric>

#include "common/check.h"
#include "runtime/function/principal.h"
#include "runtime/memory/broker.h"
#include "sql/execution/query_snapshot.h"
#include "sql/expression/bind_expression.h"
#include "sql/operators/scan/filter.h"
#include "sql/operators/scan/materialise.h"
#include "sql/operators/scan/table_scan.h"
#include "sql/remote/partial_query.h"
#include "sql/spill/sorted_runs.h"
#include "sql/spill/spilled_parts.h"

namespace pelorus {

namespace {

int64_t estimatedBytes(const Table& table) {
    return estimatedRowBytes(table.columns()) * table.rowCount();
}

// Whether the keys hash alike on both sides.
bool haveOneType(const Table& left, const Table& right, const JoinColumns& keys) {
    for (size_t k = 0; k < keys.left.size(); ++k) {
        const int l = left.findColumn(keys.left[k]), r = right.findColumn(keys.right[k]);
        if (l < 0 || r < 0) return false;
        const Type type = left.columns()[static_cast<size_t>(l)].type;
        if (type != right.columns()[static_cast<size_t>(r)].type || isDecimal(type)) return false;
    }
    return true;
}

}  // namespace

RowSource sideToSpill(const Value& table, Context& context) {
    if (Ref<MemoryTable> memory = tableToRead(table)) return sourceOf(std::move(memory));
    RowSource source;
    source.table = Ref<Table>(&table.table());
    if (source.partitioned()) source.snapshot = snapshotForQuery(*source.partitioned(), context.principal());
    return source;
}

bool canSpillSide(const Value& table, Context& context) {
    if (!table.isTable() || !table.table().asPartitioned()) return false;
    const RowSource source = sideToSpill(table, context);
    return source.snapshot != nullptr && !needsOtherNodes(source, context);
}

namespace {

SpilledParts spilledByKeys(const RowSource& source, const std::vector<std::string>& keyNames, bool numbered,
                           Context& context) {
    std::vector<ExpressionProgram> keys;
    for (const std::string& name : keyNames)
        keys.push_back(bindProgram(makeRef<Name>(name, SourcePosition{}), source.columns(), context));
    return spilledSide(source, cutByKeys(keys), numbered, context);
}

constexpr const char* kRightRow = " right row";  // where both sides are numbered

// Replaces the row numbers of the sides by a last column of numbers that rise with the rows.
Ref<MemoryTable> withNumbersLast(const MemoryTable& rows, JoinOrder order) {
    Ref<MemoryTable> result = rows.copy();
    Ref<Vector> numbers = takeNumbers(*result, kSpilledRow);
    if (order == JoinOrder::LeftThenRight) {
        constexpr int64_t kBehindAll = int64_t{1} << 62;
        const Ref<Vector> right = takeNumbers(*result, kRightRow);
        numbers = numbers->copy();
        auto* out = numbers->mutableData<int64_t>();
        for (int64_t i = 0; i < numbers->size(); ++i) {
            if (isNull(out[i])) out[i] = kBehindAll + right->data<int64_t>()[i];
        }
    }
    result->setColumn(kSpilledRow, Value::of(numbers));
    return result;
}

}  // namespace

JoinOrder orderOf(JoinKind kind) {
    if (kind == JoinKind::Right) return JoinOrder::Right;
    return kind == JoinKind::Full ? JoinOrder::LeftThenRight : JoinOrder::Left;
}

Ref<Vector> takeNumbers(MemoryTable& rows, const char* name) {
    const int column = rows.findColumn(name);
    CHECK(column >= 0) << "spilled rows have their numbers";
    const Ref<Vector> numbers(&rows.column(column).vector());
    rows.dropColumn(column);
    return numbers;
}

std::optional<SpilledSides> sidesToSpill(const Value& left, const Value& right, JoinOrder order, Context& context) {
    if (!spillFolderOf(context) || !left.isTable() || !right.isTable()) return std::nullopt;
    const Table &l = left.table(), &r = right.table();
    SpilledSides sides{sideToSpill(left, context), sideToSpill(right, context)};
    const auto isReadable = [](const RowSource& s) { return s.snapshot != nullptr; };
    if (!isReadable(sides.left) || !isReadable(sides.right)) return std::nullopt;
    if (!sides.left.partitioned() && !sides.right.partitioned()) return std::nullopt;
    if (needsOtherNodes(sides.left, context) || needsOtherNodes(sides.right, context)) return std::nullopt;
    if (!SpilledParts::canHold(l.columns()) || !SpilledParts::canHold(r.columns())) return std::nullopt;
    // Memory of the sides, their numbered keys, and the min number of result rows; a full join may have those of both
    // sides, with the columns of both.
    const int64_t result =
        order == JoinOrder::Right ? estimatedBytes(r)
        : order == JoinOrder::Left
            ? estimatedBytes(l)
            : (estimatedRowBytes(l.columns()) + estimatedRowBytes(r.columns())) * (l.rowCount() + r.rowCount());
    const int64_t needed = estimatedBytes(l) + estimatedBytes(r) + result + 24 * (l.rowCount() + r.rowCount());
    if (needed <= memory::availableBytes()) return std::nullopt;
    return sides;
}

SpilledParts spilledSide(const RowSource& source, const RowCut& cut, bool numbered, Context& context) {
    std::vector<int> columns(source.columns().size());
    std::iota(columns.begin(), columns.end(), 0);
    Filter all({}, source.columns(), context);
    return SpilledParts(*spillFolderOf(context), source.columns(), cut, std::move(columns), numbered,
                        morselsOf(source, {}), all, context);
}

Ref<MemoryTable> joinInParts(const Value& left, const Value& right, const JoinColumns& equalKeys, JoinOrder order,
                             const PartJoin& join, Context& context) {
    if (equalKeys.left.empty()) return nullptr;
    const std::optional<SpilledSides> sides = sidesToSpill(left, right, order, context);
    if (!sides || !haveOneType(left.table(), right.table(), equalKeys)) return nullptr;
    const bool numbersLeft = order != JoinOrder::Right, numbersRight = order != JoinOrder::Left;
    const SpilledParts leftParts = spilledByKeys(sides->left, equalKeys.left, numbersLeft, context);
    const SpilledParts rightParts = spilledByKeys(sides->right, equalKeys.right, numbersRight, context);
    SortedRuns runs(*spillFolderOf(context), {OrderKey{}});
    for (size_t p = 0; p < SpilledParts::kCount; ++p) {
        const Ref<MemoryTable> leftRows = leftParts.rows(p), rightRows = rightParts.rows(p);
        const bool givesNone =
            (!numbersLeft || leftRows->rowCount() == 0) && (!numbersRight || rightRows->rowCount() == 0);
        // Only the columns of an empty part matter, and only when all parts are empty.
        if (givesNone && (p + 1 < SpilledParts::kCount || !runs.isEmpty())) continue;
        if (numbersLeft && numbersRight) rightRows->renameColumn(rightRows->findColumn(kSpilledRow), kRightRow);
        const Ref<MemoryTable> whole = materialise(Value::of(join(leftRows, rightRows)), context);
        const Ref<MemoryTable> joined = withNumbersLast(*whole, order);
        if (!runs.canHold(*joined)) return nullptr;  // lists in the cells
        runs.add(*joined);
    }
    return runs.merged();
}

}  // namespace pelorus
