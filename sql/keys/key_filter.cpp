#include "sql/keys/key_filter.h"

#include <algorithm>

#include "common/check.h"
#include "sql/keys/join_key_range.h"
#include "sql/keys/row_pieces.h"

namespace pelorus {

namespace {

template <class T>
class KeySet {
public:
    KeySet(const Vector& keys, ValueRange<T> range, T none)
        : low_(range.low),
          width_(static_cast<uint64_t>(range.high) - static_cast<uint64_t>(range.low) + 1),
          none_(none) {
        words_.resize(width_ / 64 + 1);
        const T* x = keys.data<T>();
        for (int64_t i = 0; i < keys.size(); ++i) {
            if (isNull(x[i]) || x[i] == none_) continue;
            const uint64_t place = placeOf(x[i]);
            words_[place / 64] |= uint64_t{1} << (place % 64);
        }
    }

    // Whether the key may be in the set; false for NULL, which is outside of its range.
    bool holds(T key) const {
        const uint64_t place = placeOf(key);
        return place < width_ && (words_[place / 64] >> (place % 64) & 1) != 0 && key != none_;
    }

private:
    uint64_t placeOf(T key) const {
        return static_cast<uint64_t>(static_cast<int64_t>(key)) - static_cast<uint64_t>(static_cast<int64_t>(low_));
    }

    const T low_;
    const uint64_t width_;
    const T none_;
    std::vector<uint64_t> words_;
};

template <class T>
std::optional<std::vector<int32_t>> rowsAmong(const Vector& rows, const Vector& keys) {
    const ValueRange<T> range = rangeOf<T>(keys, NullValues::Skip);
    if (range.isEmpty()) return std::vector<int32_t>();
    const uint64_t steps = static_cast<uint64_t>(range.high) - static_cast<uint64_t>(range.low);
    const auto widest = static_cast<uint64_t>(std::max<int64_t>(int64_t{1} << 20, 32 * (rows.size() + keys.size())));
    if (steps >= widest) return std::nullopt;
    const KeySet<T> set(keys, range, rows.type() == Type::Symbol ? T{0} : null<T>);
    const T* x = rows.data<T>();
    std::vector<std::vector<int32_t>> pieces(static_cast<size_t>(pieceCount(rows.size())));
    forEachPiece(rows.size(), [&](int64_t begin, int64_t end) {
        std::vector<int32_t>& piece = pieces[static_cast<size_t>(begin / kPieceRows)];
        piece.resize(static_cast<size_t>(end - begin));
        size_t count = 0;
        for (int64_t i = begin; i < end; ++i) {
            piece[count] = static_cast<int32_t>(i);
            count += set.holds(x[i]);
        }
        piece.resize(count);
    });
    size_t count = 0;
    for (const auto& piece : pieces) count += piece.size();
    std::vector<int32_t> positions;
    positions.reserve(count);
    for (const auto& piece : pieces) positions.insert(positions.end(), piece.begin(), piece.end());
    return positions;
}

}  // namespace

std::optional<std::vector<int32_t>> rowsWithKeyAmong(const Vector& rows, const Vector& keys) {
    CHECK(rows.type() == keys.type()) << "keys are compared within one type";
    if (isDecimal(rows.type())) return std::nullopt;
    switch (storageOf(rows.type())) {
        case Storage::Int16:
            return rowsAmong<int16_t>(rows, keys);
        case Storage::Int32:
            return rowsAmong<int32_t>(rows, keys);
        case Storage::Int64:
            return rowsAmong<int64_t>(rows, keys);
        default:
            return std::nullopt;
    }
}

}  // namespace pelorus
