#include "sql/operators/window/streamed_windows.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <optional>

#include "runtime/code/query.h"
#include "sql/execution/batch.h"
#include "sql/expression/bind_expression.h"
#include "sql/keys/key_ranges.h"
#include "sql/operators/select_rows.h"
#include "sql/operators/window/window_stream.h"
#include "sql/spill/placed_rows.h"
#include "sql/spill/sorted_runs.h"

namespace pelorus {

namespace {

constexpr const char* kRow = " row";

using Windows = std::vector<const Window*>;

// Returns the keys of a part's rows, those of equal ones in table order.
std::vector<OrderKey> keysOf(const MemoryTable& part, const std::vector<OrderItem>& order, Context& context) {
    std::vector<OrderKey> keys = orderKeys(order, part, context);
    keys.push_back({*part.column(kRow)});
    return keys;
}

Ref<MemoryTable> sorted(const MemoryTable& part, const std::vector<OrderKey>& keys) {
    const std::vector<int32_t> order = sortPositions(keys, part.rowCount());
    return part.gather(order.data(), part.rowCount());
}

// Sorts all rows, in runs on disk.
void sortAll(const std::vector<OrderItem>& order, SpillableSource& source, const std::vector<int>& columns,
             SortedRuns& runs, Context& context) {
    // Any partitioning will do: the numbers of the rows are the last key.
    std::atomic<size_t> next{0};
    const RowCut cut = [&](Batch& rows, Context&, uint8_t* parts) {
        std::fill_n(parts, rows.rows(), static_cast<uint8_t>(next++ % SpilledParts::kCount));
    };
    const SpilledParts parts = source.parts(cut, columns);
    for (size_t p = 0; p < SpilledParts::kCount; ++p) {
        context.checkCancelled();
        const Ref<MemoryTable> rows = parts.rows(p);
        if (rows->rowCount() == 0 && (p + 1 < SpilledParts::kCount || !runs.isEmpty())) continue;
        const std::vector<OrderKey> keys = keysOf(*rows, order, context);
        for (size_t k = 0; k < keys.size(); ++k) rows->setColumn(fmt::format(" key{}", k), keys[k].column);
        runs.add(*sorted(*rows, keys));
    }
}

// Computes the windows over so many rows, which `feed` passes in order.
Ref<MemoryTable> streamed(const Windows& windows, int64_t rows, Context& context,
                          const std::function<void(WindowStream& stream)>& feed) {
    PlacedRows placed(rows);
    bool isPlaced = true;
    const auto take = [&](const MemoryTable& values) {
        const Ref<MemoryTable> own = values.copy();
        own->dropColumn(0);
        isPlaced = isPlaced && placed.add(*own, values.column(0));
    };
    WindowStream stream(windows, kRow, rows, take, context);
    feed(stream);
    stream.finish();
    return isPlaced && rows > 0 ? placed.finish() : nullptr;
}

// Whether ranges of the keys follow each other as the rows shall: all keys in one direction, NULLs at its lower end.
bool isOrderOfRanges(const std::vector<OrderItem>& order) {
    return std::all_of(order.begin(), order.end(), [&](const OrderItem& item) {
        return item.ascending == order[0].ascending && (!item.nullsGiven || item.nullsFirst == item.ascending);
    });
}

// Computes the windows over ranges of the keys, each sorted by itself.
Ref<MemoryTable> byRanges(const Windows& windows, const std::vector<ExpressionProgram>& keys, const KeyRanges& ranges,
                          SpillableSource& source, const std::vector<int>& columns, Context& context) {
    const SpilledParts parts = source.parts(cutByRanges(keys, ranges), columns);
    const std::vector<OrderItem>& order = windows[0]->orderBy;
    return streamed(windows, parts.rowCount(), context, [&](WindowStream& stream) {
        for (size_t p = 0; p < SpilledParts::kCount; ++p) {
            context.checkCancelled();
            const Ref<MemoryTable> rows = parts.rows(order[0].ascending ? p : SpilledParts::kCount - 1 - p);
            if (rows->rowCount() > 0) stream.add(*sorted(*rows, keysOf(*rows, order, context)));
        }
    });
}

}  // namespace

Ref<MemoryTable> streamedWindows(const std::vector<const Window*>& windows, SpillableSource& source,
                                 const std::vector<int>& columns, Context& context) {
    const std::vector<OrderItem>& order = windows[0]->orderBy;
    std::vector<ExpressionProgram> programs;
    std::vector<OrderKey> keys;
    for (const OrderItem& item : order) {
        programs.push_back(bindProgram(item.value, source.columns(), context));
        if (!programs.back().isElementwise() || programs.back().isConstant()) return nullptr;
        keys.push_back({Value(), item.ascending, item.nullsGiven, item.nullsFirst});
    }
    if (order.empty()) return nullptr;  // the rows come in their order
    if (isOrderOfRanges(order)) {
        if (const auto ranges = source.ranges(programs))
            return byRanges(windows, programs, *ranges, source, columns, context);
    }
    keys.emplace_back();
    SortedRuns runs(*spillFolderOf(context), std::move(keys));
    sortAll(order, source, columns, runs, context);
    return streamed(windows, runs.rowCount(), context,
                    [&](WindowStream& stream) { runs.merge([&](const MemoryTable& rows) { stream.add(rows); }); });
}

}  // namespace pelorus
