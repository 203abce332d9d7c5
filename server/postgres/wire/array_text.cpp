#include "server/postgres/wire/array_text.h"

#include <algorithm>
#include <cctype>

#include "postgres/sql_error.h"

namespace pelorus::postgres {
namespace {

bool isBlank(char c) {
    return std::isspace(static_cast<unsigned char>(c)) != 0;
}

bool isNullWord(std::string_view word) {
    return word.size() == 4 && std::equal(word.begin(), word.end(), "null", [](char a, char b) {
               return std::tolower(static_cast<unsigned char>(a)) == b;
           });
}

[[noreturn]] void refuse(std::string_view text) {
    throw SqlError(sql_state::kInvalidText, "malformed array literal: \"" + std::string(text) + "\"");
}

// A reader of the elements between the braces.
class ArrayReader {
public:
    explicit ArrayReader(std::string_view text) : text_(text) {}

    ArrayElements read() {
        skipBlanks();
        // A prefix such as [0:2]= names the bounds, which are not kept.
        if (peek() == '[') {
            const size_t equals = text_.find('=', at_);
            if (equals == std::string_view::npos) refuse(text_);
            at_ = equals + 1;
        }
        take('{');
        ArrayElements elements;
        skipBlanks();
        if (peek() == '}') {
            ++at_;
        } else {
            do elements.push_back(element());
            while (isGoingOn());
        }
        skipBlanks();
        if (at_ != text_.size()) refuse(text_);
        return elements;
    }

private:
    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    void skipBlanks() {
        while (at_ < text_.size() && isBlank(text_[at_])) ++at_;
    }
    void take(char c) {
        if (peek() != c) refuse(text_);
        ++at_;
    }
    bool isGoingOn() {
        skipBlanks();
        if (peek() == ',') {
            ++at_;
            return true;
        }
        take('}');
        return false;
    }
    std::optional<std::string> element() {
        skipBlanks();
        if (peek() == '{') throw SqlError(sql_state::kFeatureNotSupported, "arrays have one dimension here");
        std::string word;
        const bool isQuoted = peek() == '"';
        if (isQuoted) {
            ++at_;
            while (peek() != '"') word += character();
            ++at_;
            return word;
        }
        while (at_ < text_.size() && peek() != ',' && peek() != '}') {
            if (peek() == '"' || peek() == '{') refuse(text_);
            word += character();
        }
        while (!word.empty() && isBlank(word.back())) word.pop_back();
        if (word.empty()) refuse(text_);
        if (isNullWord(word)) return std::nullopt;
        return word;
    }
    char character() {
        if (peek() == '\\') ++at_;
        if (at_ >= text_.size()) refuse(text_);
        return text_[at_++];
    }

    const std::string_view text_;
    size_t at_ = 0;
};

}  // namespace

ArrayElements parseArray(std::string_view text) {
    return ArrayReader(text).read();
}

ArrayElements parseVector(std::string_view text) {
    ArrayElements elements;
    for (size_t i = 0; i < text.size();) {
        while (i < text.size() && isBlank(text[i])) ++i;
        size_t end = i;
        while (end < text.size() && !isBlank(text[end])) ++end;
        if (end > i) elements.emplace_back(text.substr(i, end - i));
        i = end;
    }
    return elements;
}

void appendArrayElement(std::string& out, std::string_view element) {
    const auto needsQuotes = [](char c) {
        return c == '"' || c == '\\' || c == '{' || c == '}' || c == ',' || isBlank(c);
    };
    if (!element.empty() && !isNullWord(element) && std::none_of(element.begin(), element.end(), needsQuotes)) {
        out += element;
        return;
    }
    out += '"';
    for (const char c : element) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    out += '"';
}

std::string arrayText(const ArrayElements& elements) {
    std::string text = "{";
    for (const auto& element : elements) {
        if (text.size() > 1) text += ',';
        if (element) {
            appendArrayElement(text, *element);
        } else {
            text += "NULL";
        }
    }
    return text + '}';
}

}  // namespace pelorus::postgres
