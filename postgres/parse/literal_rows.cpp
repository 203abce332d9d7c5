#include "postgres/parse/literal_rows.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <utility>

#include "common/thread/cancellation.h"

namespace pelorus::postgres {

namespace {

constexpr size_t kMaxSmallDigits = 10;
constexpr int64_t kMaxSmall = INT32_MAX;
constexpr size_t kRowsBetweenChecks = 65'536;

bool isBlank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

bool isWordCharacter(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return std::isalnum(byte) != 0 || c == '_' || c == '$' || byte >= 0x80;
}

// Reads an insert up to the end of its list. Whatever is not as plain as it expects makes it fail, and the parser reads
// the whole text.
class RowCutter {
public:
    explicit RowCutter(std::string_view text) : text_(text) {}

    bool run() {
        if (takeWord() != "insert" || !findValues()) return false;
        skipBlanks();
        if (!skipParentheses()) return false;
        skipBlanks();
        begin_ = at_;
        while (peek() == ',') {
            ++at_;
            skipBlanks();
            if (!takeRow()) return false;
            skipBlanks();
            end_ = at_;
            if (++count_ % kRowsBetweenChecks == 0) checkCancelled();
        }
        return count_ > 0 && isEnd();
    }

    CutText result() {
        std::string left(text_);
        std::fill(left.begin() + static_cast<ptrdiff_t>(begin_), left.begin() + static_cast<ptrdiff_t>(end_), ' ');
        return {std::move(left), std::make_shared<const LiteralRows>(std::move(rows_))};
    }

private:
    char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
    void skipBlanks() {
        while (at_ < text_.size() && isBlank(text_[at_])) ++at_;
    }
    // Returns the word that begins here, in lower case; empty for anything else.
    std::string takeWord() {
        skipBlanks();
        std::string word;
        if (isDigit(peek())) return word;
        while (isWordCharacter(peek()))
            word.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(text_[at_++]))));
        return word;
    }
    // Goes behind the word `values` outside of parentheses.
    bool findValues() {
        while (at_ < text_.size()) {
            const char c = peek();
            if (isBlank(c) || c == '.') {
                ++at_;
            } else if (c == '(') {
                if (!skipParentheses()) return false;
            } else if (c == '"') {
                if (!skipQuoted('"')) return false;
            } else {
                const std::string word = takeWord();
                if (word == "values") return true;
                if (word.empty() || word == "select") return false;
            }
        }
        return false;
    }
    // Goes behind a text in quotes of this kind, which double where they belong to it.
    bool skipQuoted(char quote) {
        ++at_;
        while (at_ < text_.size()) {
            if (text_[at_++] != quote) continue;
            if (peek() != quote) return true;
            ++at_;
        }
        return false;
    }
    // Goes behind the parenthesis that closes the one here.
    bool skipParentheses() {
        if (peek() != '(') return false;
        int depth = 0;
        while (at_ < text_.size()) {
            const char c = peek();
            const char before = at_ > 0 ? text_[at_ - 1] : ' ';
            const bool isComment = (c == '-' && peek(1) == '-') || (c == '/' && peek(1) == '*');
            const bool isTagged = c == '$' && !isDigit(peek(1));
            if (isComment || isTagged) return false;
            if (c == '\'' || c == '"') {
                // E'\'' and its kind end elsewhere.
                if (isWordCharacter(before) || before == '&' || !skipQuoted(c)) return false;
                continue;
            }
            ++at_;
            if (c == '(') ++depth;
            if (c == ')' && --depth == 0) return true;
        }
        return false;
    }

    bool takeRow() {
        if (peek() != '(') return false;
        ++at_;
        size_t width = 0;
        for (;;) {
            skipBlanks();
            if (!takeLiteral()) return false;
            ++width;
            skipBlanks();
            const char c = peek();
            ++at_;
            if (c == ')') break;
            if (c != ',') return false;
        }
        if (rows_.width == 0) rows_.width = width;
        return width == rows_.width;
    }
    bool takeLiteral() {
        RowLiteral literal;
        literal.place = static_cast<int>(at_);
        const char c = peek();
        const bool isTaken = c == '\''                ? takeText(literal)
                             : c == '-' || isDigit(c) ? takeNumber(literal)
                                                      : takeNamed(literal);
        if (isTaken) rows_.cells.push_back(std::move(literal));
        return isTaken;
    }
    bool takeText(RowLiteral& literal) {
        literal.kind = RowLiteral::Kind::Text;
        const size_t begin = ++at_;
        for (;;) {
            const size_t quote = text_.find('\'', at_);
            if (quote == std::string_view::npos) return false;
            at_ = quote + 1;
            if (peek() != '\'') break;
            ++at_;
        }
        const std::string_view inside = text_.substr(begin, at_ - 1 - begin);
        literal.value.reserve(inside.size());
        for (size_t i = 0; i < inside.size(); ++i) {
            literal.value.push_back(inside[i]);
            if (inside[i] == '\'') ++i;
        }
        return true;
    }
    void takeDigits(std::string& digits) {
        while (isDigit(peek())) digits.push_back(text_[at_++]);
    }
    bool takeNumber(RowLiteral& literal) {
        literal.kind = RowLiteral::Kind::Number;
        std::string& digits = literal.value;
        const bool isNegative = peek() == '-';
        if (isNegative) ++at_;
        takeDigits(digits);
        if (digits.empty()) return false;
        const bool isWhole = peek() != '.' && peek() != 'e' && peek() != 'E';
        if (peek() == '.') {
            digits.push_back(text_[at_++]);
            if (!isDigit(peek())) return false;
            takeDigits(digits);
        }
        if (peek() == 'e' || peek() == 'E') {
            digits.push_back(text_[at_++]);
            if (peek() == '+' || peek() == '-') digits.push_back(text_[at_++]);
            if (!isDigit(peek())) return false;
            takeDigits(digits);
        }
        if (isWordCharacter(peek())) return false;
        literal.isSmall =
            isWhole && digits.size() <= kMaxSmallDigits && std::strtoll(digits.c_str(), nullptr, 10) <= kMaxSmall;
        if (isNegative) digits.insert(digits.begin(), '-');
        return true;
    }
    bool takeNamed(RowLiteral& literal) {
        const std::string word = takeWord();
        literal.kind = word == "true"      ? RowLiteral::Kind::True
                       : word == "false"   ? RowLiteral::Kind::False
                       : word == "default" ? RowLiteral::Kind::Default
                                           : RowLiteral::Kind::Null;
        return literal.kind != RowLiteral::Kind::Null || word == "null";
    }
    // Returns whether the list has ended.
    bool isEnd() {
        if (at_ == text_.size()) return true;
        // Another statement behind it would be parsed in vain.
        if (peek() == ';') return text_.find_first_not_of(" \t\n\r\f;", at_) == std::string_view::npos;
        const std::string word = takeWord();
        return word == "on" || word == "returning";
    }

    const std::string_view text_;
    size_t at_ = 0;
    size_t begin_ = 0, end_ = 0;  // what is cut
    size_t count_ = 0;            // of rows that are cut
    LiteralRows rows_;
};

}  // namespace

CutText cutLiteralRows(std::string_view text) {
    RowCutter cutter(text);
    if (text.size() > INT32_MAX || !cutter.run()) return {};
    return cutter.result();
}

}  // namespace pelorus::postgres
