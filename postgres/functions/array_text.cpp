#include "postgres/functions/array_text.h"

#include <algorithm>
#include <cctype>

#include "postgres/sql_error.h"

namespace pelorus::postgres {

namespace {

bool isNullWord(std::string_view text) {
    constexpr std::string_view kNull = "null";
    return std::equal(text.begin(), text.end(), kNull.begin(), kNull.end(),
                      [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
}

bool needsQuotes(std::string_view text) {
    return text.empty() || isNullWord(text) || text.find_first_of("{}\",\\ \t\r\n\f\v") != std::string_view::npos;
}

[[noreturn]] void refuse(std::string_view text) {
    throw SqlError(sql_state::kInvalidText, "malformed array literal: \"" + std::string(text) + "\"");
}

}  // namespace

std::string arrayText(const std::vector<ArrayItem>& items) {
    std::string text = "{";
    for (const ArrayItem& item : items) {
        if (text.size() > 1) text += ',';
        if (!item) {
            text += "NULL";
        } else if (needsQuotes(*item)) {
            text += '"';
            for (const char c : *item) {
                if (c == '"' || c == '\\') text += '\\';
                text += c;
            }
            text += '"';
        } else {
            text += *item;
        }
    }
    return text + "}";
}

std::vector<ArrayItem> arrayItems(std::string_view text) {
    if (text.size() < 2 || text.front() != '{' || text.back() != '}') refuse(text);
    const std::string_view inner = text.substr(1, text.size() - 2);
    std::vector<ArrayItem> items;
    size_t at = 0;
    const auto skipBlanks = [&] {
        while (at < inner.size() && std::isspace(static_cast<unsigned char>(inner[at])) != 0) ++at;
    };
    skipBlanks();
    if (at == inner.size()) return items;
    while (true) {
        skipBlanks();
        std::string item;
        bool isQuoted = false;
        if (at < inner.size() && inner[at] == '{')
            throw SqlError(sql_state::kFeatureNotSupported, "Arrays of several dimensions are not supported.");
        if (at < inner.size() && inner[at] == '"') {
            isQuoted = true;
            for (++at; at < inner.size() && inner[at] != '"'; ++at) {
                if (inner[at] == '\\' && at + 1 < inner.size()) ++at;
                item += inner[at];
            }
            if (at >= inner.size()) refuse(text);
            ++at;
        } else {
            for (; at < inner.size() && inner[at] != ','; ++at) {
                if (inner[at] == '}' || inner[at] == '"') refuse(text);
                if (inner[at] == '\\' && at + 1 < inner.size()) ++at;
                item += inner[at];
            }
            while (!item.empty() && std::isspace(static_cast<unsigned char>(item.back())) != 0) item.pop_back();
            if (item.empty()) refuse(text);
        }
        items.push_back(!isQuoted && isNullWord(item) ? ArrayItem() : ArrayItem(item));
        skipBlanks();
        if (at == inner.size()) return items;
        if (inner[at] != ',') refuse(text);
        ++at;
    }
}

}  // namespace pelorus::postgres
