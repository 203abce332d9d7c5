#include "storage/rows/index_key.h"

#include <algorithm>
#include <cstring>

#include "runtime/value/value.h"

namespace pelorus {

static constexpr char kValue = 0, kNull = 1;

static void appendText(RowCell text, std::string& key) {
    for (const char c : text) {
        key.push_back(c);
        if (c == 0) key.push_back(static_cast<char>(0xff));
    }
    key.append(2, '\0');
}

// Turns the bits of a floating-point number into an integer of the same order.
template <class Float, class Bits>
static Bits orderedBits(RowCell cell) {
    Float number;
    std::memcpy(&number, cell.data(), sizeof number);
    if (number == 0) number = 0;  // -0 equals 0
    Bits bits;
    std::memcpy(&bits, &number, sizeof bits);
    const Bits sign = Bits{1} << (sizeof(Bits) * 8 - 1);
    return (bits & sign) != 0 ? ~bits : bits | sign;
}

template <class Bits>
static void appendBigEndian(Bits bits, std::string& key) {
    for (int shift = static_cast<int>(sizeof(Bits)) * 8 - 8; shift >= 0; shift -= 8)
        key.push_back(static_cast<char>(bits >> shift));
}

void appendKeyPart(const RowColumn& column, RowCell cell, std::string& key) {
    if (isNullCell(column.type, cell)) {
        key.push_back(kNull);
        key.append(isTextColumn(column) ? 0 : cell.size(), '\0');
        return;
    }
    key.push_back(kValue);
    switch (storageOf(column.type)) {
        case Storage::String:
            return appendText(cell, key);
        case Storage::Float32:
            return appendBigEndian(orderedBits<float, uint32_t>(cell), key);
        case Storage::Float64:
            return appendBigEndian(orderedBits<double, uint64_t>(cell), key);
        default:
            break;
    }
    const size_t begin = key.size();
    key.append(cell.rbegin(), cell.rend());
    const bool isSigned = column.type != Type::Uuid && column.type != Type::Int128 && column.type != Type::IpAddr;
    if (isSigned) key[begin] = static_cast<char>(key[begin] ^ 0x80);
}

size_t keyPartBytes(const RowColumn& column) {
    return isTextColumn(column) ? 0 : 1 + static_cast<size_t>(widthOf(column.type));
}

std::optional<std::string> keyBehind(std::string prefix) {
    while (!prefix.empty()) {
        const auto last = static_cast<unsigned char>(prefix.back());
        if (last != 0xff) {
            prefix.back() = static_cast<char>(last + 1);
            return prefix;
        }
        prefix.pop_back();
    }
    return std::nullopt;
}

}  // namespace pelorus
