#include "sql/operators/window/window_stream.h"

#include <algorithm>

#include "common/check.h"
#include "sql/operators/select_rows.h"
#include "sql/operators/window/window_operator.h"

namespace pelorus {

// Some sixty ranges, unless that makes them very long.
constexpr int64_t kFewestRows = 16384, kMaxRows = int64_t{1} << 20, kRanges = 64;

WindowStream::WindowStream(const std::vector<const Window*>& windows, std::string kept, int64_t total,
                           std::function<void(const MemoryTable& values)> take, Context& context)
    : kept_(std::move(kept)), take_(std::move(take)), context_(context), total_(total) {
    for (const Window* window : windows) {
        windows_.push_back(bindWindow(*window, context));
        const WindowReach reach = reachOf(windows_.back()).value_or(WindowReach{total, total});
        reach_.before = std::max(reach_.before, std::min(reach.before, total));
        reach_.behind = std::max(reach_.behind, std::min(reach.behind, total));
    }
    enough_ = reach_.before + reach_.behind + std::clamp(total / kRanges, kFewestRows, kMaxRows);
    due_ = enough_;
}

void WindowStream::add(const MemoryTable& rows) {
    if (!buffer_) buffer_ = MemoryTable::empty(rows.columns(), std::min(enough_, total_));
    buffer_->append(rows);
    if (buffer_->rowCount() < due_) return;
    compute(false);
    due_ = std::max(enough_, 2 * buffer_->rowCount());
}

void WindowStream::compute(bool isLast) {
    if (!buffer_) return;
    context_.checkCancelled();
    const int64_t count = buffer_->rowCount();
    const std::vector<OrderKey> order = orderKeys(windows_[0].node->orderBy, *buffer_, context_);
    const std::vector<int32_t> group = {0, static_cast<int32_t>(count)};
    WindowRows bounds{.groupBegin = group,
                      .isRange = count != total_,
                      .before = before_,
                      .peersBefore = peersBefore_,
                      .total = total_};
    findPeers(bounds, order);
    // Returns the number of peers that begin at the rows up to this one.
    const auto peersUpTo = [&](int64_t row) {
        const auto& begins = bounds.peerBegin;
        return std::upper_bound(begins.begin(), begins.end() - 1, row) - begins.begin();
    };
    // Rows with equal order keys are computed together, when the next key is there.
    const auto peersFrom = [&](int64_t row) -> int64_t {
        return order.empty() ? row : bounds.peerBegin[static_cast<size_t>(peersUpTo(row) - 1)];
    };
    int64_t end = isLast ? count : std::min(count - reach_.behind, order.empty() ? count : peersFrom(count - 1));
    if (end > done_ && end < count) end = peersFrom(end);
    if (end <= done_) return;

    MemoryTable values({kept_}, {Value::of(buffer_->column(kept_)->vector().slice(done_, end - done_))});
    for (size_t w = 0; w < windows_.size(); ++w) {
        const Value all = windowValues(windows_[w], bounds, order, *buffer_, context_);
        values.setColumn(" value" + std::to_string(w),
                         all.isTypedVector() ? Value::of(all.vector().slice(done_, end - done_)) : all);
    }
    CHECK(values.rowCount() == end - done_) << "a window has a value for each row";
    if (isLast) buffer_ = nullptr;
    take_(values);
    if (isLast) return;

    CHECK(end <= count) << "only rows that are there are done";
    const int64_t first = std::max<int64_t>(0, end - reach_.before);
    if (first > 0) peersBefore_ += peersUpTo(first) - 1;
    before_ += first;
    done_ = end - first;
    const Ref<MemoryTable> rest = buffer_->slice(first, count - first);
    buffer_ = MemoryTable::empty(rest->columns());  // a slice would keep all rows in memory
    buffer_->append(*rest);
}

}  // namespace pelorus
