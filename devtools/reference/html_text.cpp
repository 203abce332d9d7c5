#include "devtools/reference/html_text.h"

namespace pelorus {

std::string htmlEscaped(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (const char c : text) {
        switch (c) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '"':
                out += "&quot;";
                break;
            case '\'':
                out += "&#39;";
                break;
            default:
                out += c;
        }
    }
    return out;
}

std::string htmlProse(std::string_view text) {
    std::string out = "<p>";
    bool isCode = false;
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '`' && (isCode || text.find('`', i + 1) != std::string_view::npos)) {
            out += isCode ? "</code>" : "<code>";
            isCode = !isCode;
        } else if (text.substr(i).starts_with("\n\n")) {
            out += "</p>\n<p>";
            ++i;
        } else {
            out += htmlEscaped(text.substr(i, 1));
        }
    }
    return out + (isCode ? "</code></p>" : "</p>");
}

}  // namespace pelorus
