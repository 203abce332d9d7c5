#include "sql/operators/window/window_stream.h"

#include <algorithm>

#include "common/check.h"

namespace pelorus {

// Some sixty ranges, unless that makes them very long.
constexpr int64_t kFewestRows = 16384, kMaxRows = int64_t{1} << 20, kRanges = 64;

WindowStream::WindowStream(std::vector<const Window*> windows, std::string kept, int64_t total,
                           std::function<void(const MemoryTable& values)> take, Context& context)
    : windows_(std::move(windows)), kept_(std::move(kept)), take_(std::move(take)), context_(context) {
    for (const Window* window : windows_) {
        const WindowReach reach = reachOf(*window, context).value_or(WindowReach{total, total});
        reach_.before = std::max(reach_.before, std::min(reach.before, total));
        reach_.behind = std::max(reach_.behind, std::min(reach.behind, total));
    }
    buffer_.total = total;
    enough_ = reach_.before + reach_.behind + std::clamp(total / kRanges, kFewestRows, kMaxRows);
    due_ = enough_;
}

void WindowStream::add(const MemoryTable& rows) {
    if (!buffer_.rows) buffer_.rows = MemoryTable::empty(rows.columns(), std::min(enough_, buffer_.total));
    buffer_.rows->append(rows);
    if (buffer_.rows->rowCount() < due_) return;
    compute(false);
    due_ = std::max(enough_, 2 * buffer_.rows->rowCount());
}

void WindowStream::compute(bool isLast) {
    if (!buffer_.rows) return;
    context_.checkCancelled();
    const int64_t count = buffer_.rows->rowCount();
    const std::vector<OrderKey> order = windowOrder(*windows_[0], *buffer_.rows, context_);
    findPeers(buffer_, order);
    // Rows with equal order keys are computed together, when the next key is there.
    const auto peersFrom = [&](int64_t row) -> int64_t {
        return order.empty() ? row : buffer_.peerBegin[static_cast<size_t>(row)];
    };
    int64_t end = isLast ? count : std::min(count - reach_.behind, order.empty() ? count : peersFrom(count - 1));
    if (end > done_ && end < count) end = peersFrom(end);
    if (end <= done_) return;

    MemoryTable values({kept_}, {Value::of(buffer_.rows->column(kept_)->vector().slice(done_, end - done_))});
    for (size_t w = 0; w < windows_.size(); ++w) {
        const Value all = windowValues(*windows_[w], buffer_, context_);
        values.setColumn(" value" + std::to_string(w),
                         all.isTypedVector() ? Value::of(all.vector().slice(done_, end - done_)) : all);
    }
    CHECK(values.rowCount() == end - done_) << "a window has a value for each row";
    if (isLast) buffer_.rows = nullptr;
    take_(values);
    if (isLast) return;

    CHECK(end <= count) << "only rows that are there are done";
    const int64_t first = std::max<int64_t>(0, end - reach_.before);
    for (int64_t row = 1; row <= first; ++row)
        buffer_.peersBefore += buffer_.peerBegin[static_cast<size_t>(row)] == row ? 1 : 0;
    buffer_.before += first;
    done_ = end - first;
    const Ref<MemoryTable> rest = buffer_.rows->slice(first, count - first);
    buffer_.rows = MemoryTable::empty(rest->columns());  // a slice would keep all rows in memory
    buffer_.rows->append(*rest);
}

}  // namespace pelorus
