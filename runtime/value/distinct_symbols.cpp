#include "runtime/value/distinct_symbols.h"

#include <algorithm>
#include <bit>

#include "common/thread/cancellation.h"

namespace pelorus {

namespace {

// Numbers codes in the order in which they come, by open addressing.
class CodeNumbers {
public:
    // Returns the number of a code, `size` where it is new.
    int32_t number(int32_t code) {
        size_t at = slotOf(code);
        if (slots_[at].number >= 0) return slots_[at].number;
        if (2 * (codes_.size() + 1) > slots_.size()) {
            grow();
            at = slotOf(code);
        }
        slots_[at] = {code, static_cast<int32_t>(codes_.size())};
        codes_.push_back(code);
        return slots_[at].number;
    }
    const std::vector<int32_t>& codes() const { return codes_; }

private:
    struct Slot {
        int32_t code = 0;
        int32_t number = -1;  // -1 is free
    };
    size_t slotOf(int32_t code) const {
        // The high bits of a product by the golden ratio spread codes that are near each other.
        size_t at = static_cast<uint32_t>(code) * 0x9e3779b1u >> shift_;
        while (slots_[at].number >= 0 && slots_[at].code != code) at = (at + 1) & (slots_.size() - 1);
        return at;
    }
    void grow() {
        slots_.assign(2 * slots_.size(), Slot{});
        --shift_;
        for (size_t number = 0; number < codes_.size(); ++number)
            slots_[slotOf(codes_[number])] = {codes_[number], static_cast<int32_t>(number)};
    }

    int shift_ = 32 - 8;
    std::vector<Slot> slots_ = std::vector<Slot>(size_t{1} << 8);
    std::vector<int32_t> codes_;
};

}  // namespace

std::optional<DistinctSymbols> distinctSymbols(const Vector& symbols) {
    constexpr int64_t kLeastRows = 64, kRowsOfOne = 8;
    const int64_t rows = symbols.size();
    if (rows < kLeastRows) return std::nullopt;
    const int32_t* codes = symbols.data<int32_t>();
    CodeNumbers numbers;
    DistinctSymbols distinct;
    distinct.positions.resize(static_cast<size_t>(rows));
    bool areMany = false;
    inPieces(rows, [&](int64_t begin, int64_t end) {
        if (areMany) return;
        for (int64_t i = begin; i < end; ++i) distinct.positions[static_cast<size_t>(i)] = numbers.number(codes[i]);
        areMany = std::ssize(numbers.codes()) > rows / kRowsOfOne;
    });
    if (areMany) return std::nullopt;
    distinct.elements = Vector::of(Type::Symbol, numbers.codes());
    return distinct;
}

}  // namespace pelorus
