#include <algorithm>

#include "runtime/value/element_width.h"
#include "runtime/value/value_range.h"
#include "runtime/value/vector.h"

namespace pelorus {

static bool hasRanges(Type type) {
    return (isIntegral(type) || isTemporal(type)) && widthOf(type) <= static_cast<int>(sizeof(int64_t));
}

template <class T>
static BlockRange rangeOf(const T* elements) {
    constexpr int64_t kItems = BlockRanges::kBlockElements;
    const int64_t nulls = std::count(elements, elements + kItems, null<T>);
    if (nulls == kItems) return {.nullCount = nulls};
    const ValueRange<T> range = rangeOf(elements, kItems, NullValues::Skip);
    return {range.low, range.high, nulls};
}

std::optional<BlockRange> Vector::range(int64_t begin) const {
    if (!hasRanges(type_) || begin + BlockRanges::kBlockElements > size_) return std::nullopt;
    const int64_t first = (elements_ - buffer_->begin()) / width_ + begin;
    if (first % BlockRanges::kBlockElements != 0) return std::nullopt;
    const int64_t capacity = static_cast<int64_t>(buffer_->sizeBytes()) / width_;
    BlockRanges& known = buffer_->ranges(static_cast<size_t>(capacity / BlockRanges::kBlockElements));
    const auto find = [&] {
        BlockRange found;
        withWidth(width_, [&](auto zero) {
            if constexpr (sizeof(zero) <= sizeof(int64_t)) found = rangeOf(data<decltype(zero)>() + begin);
        });
        return found;
    };
    BlockRange range;
    if (!known.range(static_cast<size_t>(first / BlockRanges::kBlockElements), find, range)) return std::nullopt;
    return range;
}

}  // namespace pelorus
