#include <algorithm>

#include "runtime/value/element_width.h"
#include "runtime/value/value_range.h"
#include "runtime/value/vector.h"

namespace pelorus {

static bool hasRanges(Type type) {
    return (isIntegral(type) || isTemporal(type)) && widthOf(type) <= static_cast<int>(sizeof(int64_t));
}

template <class T>
static BlockRange rangeOf(const T* items) {
    constexpr int64_t kItems = BlockRanges::kBlockItems;
    const int64_t nulls = std::count(items, items + kItems, null<T>);
    if (nulls == kItems) return {.nullCount = nulls};
    const ValueRange<T> range = rangeOf(items, kItems, NullValues::Skip);
    return {range.low, range.high, nulls};
}

std::optional<BlockRange> Vector::range(int64_t begin) const {
    if (!hasRanges(type_) || begin + BlockRanges::kBlockItems > size_) return std::nullopt;
    const int64_t first = (items_ - buffer_->begin()) / width_ + begin;
    if (first % BlockRanges::kBlockItems != 0) return std::nullopt;
    const int64_t capacity = static_cast<int64_t>(buffer_->sizeBytes()) / width_;
    BlockRanges& known = buffer_->ranges(static_cast<size_t>(capacity / BlockRanges::kBlockItems));
    const auto find = [&] {
        BlockRange found;
        withWidth(width_, [&](auto zero) {
            if constexpr (sizeof(zero) <= sizeof(int64_t)) found = rangeOf(items<decltype(zero)>() + begin);
        });
        return found;
    };
    BlockRange range;
    if (!known.range(static_cast<size_t>(first / BlockRanges::kBlockItems), find, range)) return std::nullopt;
    return range;
}

}  // namespace pelorus
