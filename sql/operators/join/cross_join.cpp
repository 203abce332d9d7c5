#include "sql/operators/join/cross_join.h"

#include <fmt/format.h>

#include "common/error.h"
#include "runtime/memory/broker.h"
#include "sql/spill/spilled_parts.h"

namespace pelorus {

CrossJoin::CrossJoin(Ref<MemoryTable> left, Ref<MemoryTable> right, const JoinedColumns& shown)
    : JoinedRows(std::move(left), std::move(right), {}, shown) {
    if (rowCount() > INT32_MAX) {
        throw UserError(fmt::format("The cross join would have {} rows; the most is 2147483647.", rowCount()));
    }
}

void CrossJoin::requireRoom(int64_t rows, const TableSchema& columns) const {
    constexpr double kMegabyte = 1 << 20;
    const int64_t rowBytes = estimatedRowBytes(columns), room = memory::availableBytes();
    if (rowBytes == 0 || rows <= room / rowBytes) return;
    throw UserError(fmt::format("The cross join would have {} rows of {} bytes, {:.1f} MB, but there is room for "
                                "{:.1f} MB.",
                                rows, rowBytes, static_cast<double>(rows) * static_cast<double>(rowBytes) / kMegabyte,
                                static_cast<double>(room) / kMegabyte),
                    "Add conditions, aggregate in the same query, select fewer columns, or raise maxMemSize.");
}

const int32_t* CrossJoin::sourceRows(size_t side, int64_t begin, int64_t count, RowNumbers& room) const {
    room.resize(static_cast<size_t>(count));
    const int64_t width = sides_[1]->rowCount();
    int64_t left = count > 0 ? begin / width : 0, right = count > 0 ? begin % width : 0;
    for (int32_t& row : room) {
        row = static_cast<int32_t>(side == 0 ? left : right);
        if (++right == width) {
            right = 0;
            ++left;
        }
    }
    return room.data();
}

}  // namespace pelorus
