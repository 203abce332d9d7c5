#include "sql/operators/window/window_stream.h"

#include <algorithm>

#include "common/check.h"

namespace pelorus {

// Some sixty ranges, unless that makes them very long.
constexpr int64_t kFewestRows = 16384, kMostRows = int64_t{1} << 20, kStretches = 64;

WindowStream::WindowStream(std::vector<const Window*> windows, std::string kept, int64_t total,
                           std::function<void(const MemoryTable& values)> take, Context& context)
    : windows_(std::move(windows)), kept_(std::move(kept)), take_(std::move(take)), context_(context) {
    for (const Window* window : windows_) {
        const WindowReach reach = reachOf(*window, context).value_or(WindowReach{total, total});
        reach_.before = std::max(reach_.before, std::min(reach.before, total));
        reach_.behind = std::max(reach_.behind, std::min(reach.behind, total));
    }
    stretch_.total = total;
    enough_ = reach_.before + reach_.behind + std::clamp(total / kStretches, kFewestRows, kMostRows);
    due_ = enough_;
}

void WindowStream::add(const MemoryTable& rows) {
    if (!stretch_.rows) stretch_.rows = MemoryTable::empty(rows.columns(), std::min(enough_, stretch_.total));
    stretch_.rows->append(rows);
    if (stretch_.rows->rowCount() < due_) return;
    compute(false);
    due_ = std::max(enough_, 2 * stretch_.rows->rowCount());
}

void WindowStream::compute(bool isLast) {
    if (!stretch_.rows) return;
    context_.checkCancelled();
    const int64_t count = stretch_.rows->rowCount();
    const std::vector<OrderKey> order = windowOrder(*windows_[0], *stretch_.rows, context_);
    findPeers(stretch_, order);
    // Rows with equal order keys are computed together, when the next key is there.
    const auto peersFrom = [&](int64_t row) -> int64_t {
        return order.empty() ? row : stretch_.peerBegin[static_cast<size_t>(row)];
    };
    int64_t end = isLast ? count : std::min(count - reach_.behind, order.empty() ? count : peersFrom(count - 1));
    if (end > done_ && end < count) end = peersFrom(end);
    if (end <= done_) return;

    MemoryTable values({kept_}, {Value::of(stretch_.rows->column(kept_)->vector().slice(done_, end - done_))});
    for (size_t w = 0; w < windows_.size(); ++w) {
        const Value all = windowValues(*windows_[w], stretch_, context_);
        values.setColumn(" value" + std::to_string(w),
                         all.isTypedVector() ? Value::of(all.vector().slice(done_, end - done_)) : all);
    }
    CHECK(values.rowCount() == end - done_) << "a window has a value for each row";
    if (isLast) stretch_.rows = nullptr;
    take_(values);
    if (isLast) return;

    CHECK(end <= count) << "only rows that are there are done";
    const int64_t first = std::max<int64_t>(0, end - reach_.before);
    for (int64_t row = 1; row <= first; ++row)
        stretch_.peersBefore += stretch_.peerBegin[static_cast<size_t>(row)] == row ? 1 : 0;
    stretch_.before += first;
    done_ = end - first;
    const Ref<MemoryTable> rest = stretch_.rows->slice(first, count - first);
    stretch_.rows = MemoryTable::empty(rest->columns());  // a slice would keep all rows in memory
    stretch_.rows->append(*rest);
}

}  // namespace pelorus
