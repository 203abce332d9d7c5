#include "runtime/arrow/flat_view.h"

#include <string>

namespace pelorus::arrow {

void refuseArrow(std::string_view how) {
    throw DamagedArrow("The Arrow data are damaged: " + std::string(how) + ".");
}

void FlatView::require(size_t place, size_t count) const {
    if (place > bytes_.size() || count > bytes_.size() - place) refuseArrow("a message leads outside of itself");
}

size_t FlatView::follow(size_t place) const {
    // Places are below 2^32 and offsets, too: the sum does not overflow.
    const size_t target = place + read<uint32_t>(place);
    require(target, 4);
    return target;
}

FlatView::FlatView(std::string_view bytes) : bytes_(bytes) {
    if (bytes.size() > INT32_MAX) refuseArrow("a message has more than 2 GB");
    table_ = follow(0);
}

size_t FlatView::placeOf(int field) const {
    const int64_t vtable = static_cast<int64_t>(table_) - read<int32_t>(table_);
    if (vtable < 0) refuseArrow("a message leads outside of itself");
    const auto begin = static_cast<size_t>(vtable);
    const size_t sizeBytes = read<uint16_t>(begin);
    const size_t entry = 4 + static_cast<size_t>(field) * 2;
    if (entry + 2 > sizeBytes) return 0;
    const size_t offset = read<uint16_t>(begin + entry);
    return offset == 0 ? 0 : table_ + offset;
}

std::string_view FlatView::text(int field) const {
    const size_t place = placeOf(field);
    if (place == 0) return {};
    const size_t begin = follow(place), size = read<uint32_t>(begin);
    require(begin + 4, size);
    return bytes_.substr(begin + 4, size);
}

size_t FlatView::tableCount(int field) const {
    const size_t place = placeOf(field);
    if (place == 0) return 0;
    const size_t begin = follow(place), count = read<uint32_t>(begin);
    require(begin + 4, count * 4);
    return count;
}

FlatView FlatView::tableAt(int field, size_t i) const {
    if (i >= tableCount(field)) refuseArrow("a message has fewer parts than it needs");
    return {bytes_, follow(follow(placeOf(field)) + 4 + i * 4)};
}

std::string_view FlatView::structs(int field, size_t structBytes) const {
    const size_t place = placeOf(field);
    if (place == 0) return {};
    const size_t begin = follow(place), count = read<uint32_t>(begin);
    require(begin + 4, count * structBytes);
    return bytes_.substr(begin + 4, count * structBytes);
}

FlatView FlatView::table(int field) const {
    const size_t place = placeOf(field);
    if (place == 0) refuseArrow("a message lacks a part");
    return {bytes_, follow(place)};
}

}  // namespace pelorus::arrow
