#include "presentation/view/text_width.h"

#include <clocale>
#include <cwchar>

#include <fmt/format.h>

#include "common/check.h"

namespace pelorus {

namespace {

constexpr uint32_t kReplacement = 0xFFFD;

// The locale of character widths, for the life of the process. nullptr where the system has no such locale: every
// character is one column then.
locale_t utf8Locale() {
    static const locale_t locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
    return locale;
}

}  // namespace

Utf8Char firstChar(std::string_view string) {
    DCHECK(!string.empty()) << "a string with a first character is not empty";
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(string[i]); };
    const unsigned lead = byte(0);
    if (lead < 0x80) return {lead, 1};
    const size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || bytes > string.size()) return {kReplacement, 1};
    uint32_t code = lead & (0xFFU >> (bytes + 1));
    for (size_t i = 1; i < bytes; ++i) {
        if ((byte(i) & 0xC0) != 0x80) return {kReplacement, 1};
        code = code << 6 | (byte(i) & 0x3F);
    }
    constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool isSurrogate = code >= 0xD800 && code < 0xE000;
    if (code < kLeast[bytes] || code > 0x10FFFF || isSurrogate) return {kReplacement, 1};
    return {code, bytes};
}

int charWidth(uint32_t code) {
    if (code < 0x7F) return code >= 0x20;
    const locale_t locale = utf8Locale();
    if (!locale) return 1;
    const locale_t before = uselocale(locale);
    const int width = wcwidth(static_cast<wchar_t>(code));
    uselocale(before);
    return width < 0 ? code >= 0xA0 : width;  // characters that are newer than the C library are narrow
}

size_t textWidth(std::string_view string) {
    size_t width = 0;
    while (!string.empty()) {
        const Utf8Char c = firstChar(string);
        width += static_cast<size_t>(charWidth(c.code));
        string.remove_prefix(c.bytes);
    }
    return width;
}

size_t prefixOfWidth(std::string_view string, size_t columns) {
    size_t at = 0;
    while (at < string.size()) {
        const Utf8Char c = firstChar(string.substr(at));
        const auto width = static_cast<size_t>(charWidth(c.code));
        if (width > columns) break;
        columns -= width;
        at += c.bytes;
    }
    return at;
}

std::string printableString(std::string_view string, bool keepLines) {
    std::string shown;
    shown.reserve(string.size());
    while (!string.empty()) {
        const Utf8Char c = firstChar(string);
        const bool isBadByte = c.code == kReplacement && c.bytes == 1;
        const bool isControl = c.code < 0x20 || (c.code >= 0x7F && c.code < 0xA0);
        const bool overridesDirection =
            (c.code >= 0x202A && c.code <= 0x202E) || (c.code >= 0x2066 && c.code <= 0x2069);
        if (keepLines && (c.code == '\n' || c.code == '\t')) {
            shown += string[0];
        } else if (c.code == '\n') {
            shown += "\\n";
        } else if (c.code == '\t') {
            shown += "\\t";
        } else if (c.code == '\r') {
            shown += "\\r";
        } else if (isBadByte) {
            shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(string[0]));
        } else if (isControl) {
            shown += fmt::format("\\x{:02x}", c.code);
        } else if (overridesDirection) {
            shown += fmt::format("\\u{:04x}", c.code);
        } else {
            shown.append(string, 0, c.bytes);
        }
        string.remove_prefix(c.bytes);
    }
    return shown;
}

}  // namespace pelorus
