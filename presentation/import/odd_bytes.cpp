#include "presentation/import/odd_bytes.h"

#include <cstring>

#include "runtime/text/field_scanner.h"

namespace pelorus::text {

namespace {

// Returns whether every byte is one of ASCII other than zero: eight at a time, whose highest bits tell.
bool isPlain(std::string_view string) {
    constexpr uint64_t kHigh = 0x8080808080808080ULL, kOnes = 0x0101010101010101ULL;
    uint64_t odd = 0;
    size_t at = 0;
    for (; string.size() - at >= sizeof(uint64_t); at += sizeof(uint64_t)) {
        uint64_t word;
        std::memcpy(&word, string.data() + at, sizeof word);
        odd |= word | ((word - kOnes) & ~word);  // a byte that is zero borrows, and others do not when there is none
    }
    for (; at < string.size(); ++at) odd |= string[at] == '\0' ? kHigh : static_cast<unsigned char>(string[at]);
    return (odd & kHigh) == 0;
}

// Returns the length of the UTF-8 character at the beginning of a string that is not empty; 0 when there is none.
size_t characterBytes(std::string_view string) {
    const auto byte = [&](size_t i) { return i < string.size() ? static_cast<uint8_t>(string[i]) : uint8_t{0}; };
    const auto follows = [&](size_t i) { return (byte(i) & 0xC0) == 0x80; };
    const uint8_t lead = byte(0), second = byte(1);
    if (lead < 0x80) return 1;
    if (lead >= 0xC2 && lead < 0xE0) return follows(1) ? 2 : 0;
    if (lead >= 0xE0 && lead < 0xF0) {
        const bool isLong = lead == 0xE0 && second < 0xA0, isHalf = lead == 0xED && second >= 0xA0;
        return follows(1) && follows(2) && !isLong && !isHalf ? 3 : 0;
    }
    if (lead >= 0xF0 && lead < 0xF5) {
        const bool isLong = lead == 0xF0 && second < 0x90, isBeyond = lead == 0xF4 && second >= 0x90;
        return follows(1) && follows(2) && follows(3) && !isLong && !isBeyond ? 4 : 0;
    }
    return 0;
}

}  // namespace

size_t findNotUtf8(std::string_view string) {
    constexpr uint64_t kHigh = 0x8080808080808080ULL;
    for (size_t at = 0; at < string.size();) {
        if (string.size() - at >= sizeof(uint64_t)) {
            uint64_t word;
            std::memcpy(&word, string.data() + at, sizeof word);
            if ((word & kHigh) == 0) {
                at += sizeof word;
                continue;
            }
        }
        const size_t size = characterBytes(string.substr(at));
        if (size == 0) return at;
        at += size;
    }
    return std::string_view::npos;
}

void findOddBytes(std::string_view lines, const TextSchema& schema, char delimiter, int64_t firstLine,
                  TextReport& report) {
    if (isPlain(lines)) return;
    const bool hasBad = findNotUtf8(lines) != std::string_view::npos;
    const bool hasZero = lines.find('\0') != std::string_view::npos;
    if (!hasBad && !hasZero) return;
    // Damage is rare: the fields up to it are scanned once more.
    FieldScanner scanner(lines, delimiter);
    int64_t line = firstLine;
    TextReport::OddBytes notUtf8, zeroBytes;
    const auto isDone = [&] { return (!hasBad || notUtf8.line > 0) && (!hasZero || zeroBytes.line > 0); };
    while (!scanner.atEnd() && !isDone()) {
        size_t column = 0;  // index in the schema, whose fields ascend
        int number = 0;
        for (bool last = false; !last; ++number) {
            const Field field = scanner.next();
            last = field.lastOfLine;
            while (column < schema.size() && schema[column].field < number) ++column;
            if (column >= schema.size() || schema[column].field != number) continue;
            if (notUtf8.line == 0 && findNotUtf8(field.text) != std::string_view::npos) notUtf8 = {line, column};
            if (zeroBytes.line == 0 && field.text.find('\0') != std::string_view::npos) zeroBytes = {line, column};
        }
        line += 1 + scanner.takeInnerLines();
    }
    if (report.notUtf8.line == 0) report.notUtf8 = notUtf8;
    if (report.zeroBytes.line == 0) report.zeroBytes = zeroBytes;
}

}  // namespace pelorus::text
