#include "devtools/reference/markdown_inline.h"

#include <fmt/format.h>

#include <cctype>

#include "devtools/reference/html_text.h"

namespace pelorus {

namespace {

// A link "[text](target)" at the beginning of a text, a picture's after its "!".
struct Link {
    std::string_view text, target;
    size_t size = 0;  // 0: there is none
};

Link linkAt(std::string_view text) {
    if (!text.starts_with('[')) return {};
    const size_t close = text.find("](");
    const size_t end = close == std::string_view::npos ? close : text.find(')', close);
    if (end == std::string_view::npos) return {};
    const std::string_view target = text.substr(close + 2, end - close - 2);
    if (target.find(' ') != std::string_view::npos) return {};
    return {text.substr(1, close - 1), target, end + 1};
}

bool isSafe(std::string_view address) {
    const size_t colon = address.find(':');
    return colon == std::string_view::npos || address.starts_with("https://") || address.starts_with("http://");
}

std::string htmlOfLink(const Link& found, const LinkRule& link) {
    // The rule says of a text within what it says of none, so that it is text.
    const std::string inner = htmlOfInline(found.text, [](std::string_view) { return std::string(); });
    const std::string address = link(found.target);
    if (address.empty() || !isSafe(address)) return inner;
    return fmt::format("<a href=\"{}\">{}</a>", htmlEscaped(address), inner);
}

}  // namespace

std::string htmlOfInline(std::string_view text, const LinkRule& link) {
    std::string out;
    bool isBold = false;
    for (size_t i = 0; i < text.size();) {
        const std::string_view rest = text.substr(i);
        if (rest[0] == '`') {
            const size_t end = rest.find('`', 1);
            if (end != std::string_view::npos) {
                out += "<code>" + htmlEscaped(rest.substr(1, end - 1)) + "</code>";
                i += end + 1;
                continue;
            }
        } else if (rest.starts_with("**") && (isBold || rest.find("**", 2) != std::string_view::npos)) {
            out += isBold ? "</strong>" : "<strong>";
            isBold = !isBold;
            i += 2;
            continue;
        } else if (rest[0] == '[') {
            if (const Link found = linkAt(rest); found.size > 0) {
                out += htmlOfLink(found, link);
                i += found.size;
                continue;
            }
        } else if (rest.starts_with("![")) {
            if (const Link picture = linkAt(rest.substr(1)); picture.size > 0) {
                out += "<em>" + htmlEscaped(picture.text) + "</em>";
                i += picture.size + 1;
                continue;
            }
        }
        out += htmlEscaped(rest.substr(0, 1));
        ++i;
    }
    return out + (isBold ? "</strong>" : "");
}

std::string plainInline(std::string_view text) {
    std::string out;
    for (size_t i = 0; i < text.size();) {
        const std::string_view rest = text.substr(i);
        const size_t mark = rest.starts_with("![") ? 1 : 0;
        if (const Link found = linkAt(rest.substr(mark)); found.size > 0) {
            out += plainInline(found.text);
            i += found.size + mark;
        } else if (rest[0] == '`') {
            ++i;
        } else if (rest.starts_with("**")) {
            i += 2;
        } else {
            out += rest[0];
            ++i;
        }
    }
    return out;
}

std::string headingId(std::string_view heading) {
    std::string id;
    for (const char c : plainInline(heading)) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isalnum(byte) != 0 || c == '_' || c == '-' || byte >= 0x80)
            id += static_cast<char>(std::tolower(byte));
        else if (c == ' ')
            id += '-';
    }
    return id;
}

}  // namespace pelorus
