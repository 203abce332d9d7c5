#include "interpreter/parser/lexer.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "common/lookalike_characters.h"
#include "common/time/calendar.h"
#include "interpreter/parser/parser.h"
#include "interpreter/parser/syntax_error.h"

namespace pelorus {

bool Token::isKeyword(std::string_view lowerCase) const {
    if (kind != TokenKind::Identifier || source.size() != lowerCase.size()) return false;
    if (source == lowerCase) return true;
    for (size_t i = 0; i < source.size(); ++i) {
        char c = lowerCase[i];
        if (source[i] != (c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c)) return false;
    }
    return true;
}

namespace {

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}
// Bytes of 0x80 and above belong to letters outside ASCII.
bool isLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}
bool isWordCharacter(char c) {
    return isLetter(c) || isDigit(c) || c == '_';
}

// Longest first, so that the first match is the right one.
constexpr std::array<std::string_view, 43> kPunctuation = {
    "...", "::", "..", "&&", "||",  "<<", ">>", "<=", ">=", "==", "!=", "<>", "<-", "->", "**",
    "+=",  "-=", "*=", "/=", "\\=", "(",  ")",  "[",  "]",  "{",  "}",  ",",  ";",  ":",  "?",
    ".",   "+",  "-",  "*",  "/",   "\\", "%",  "$",  "@",  "#",  "<",  ">",  "="};

class Lexer {
public:
    explicit Lexer(std::string_view text) : text_(text) {}

    std::vector<Token> run() {
        std::vector<Token> tokens;
        tokens.reserve(expectedTokens());
        do {
            tokens.push_back(next(tokens.empty() ? nullptr : &tokens.back()));
        } while (tokens.back().kind != TokenKind::End);
        return tokens;
    }

    // Returns as many tokens as most texts of this size have, at most 350 MB of them: room that is not used takes no
    // memory, and moving the tokens of a long list took as long as reading them.
    size_t expectedTokens() const {
        constexpr size_t kBytesPerToken = 3, kMaxReserved = 4'000'000;
        return std::min(text_.size() / kBytesPerToken + 1, kMaxReserved);
    }

    // For a document, `errors` receives the errors; see scanDocument.
    std::vector<Token> scan(std::vector<SyntaxError>* errors) {
        std::vector<Token> tokens;
        tokens.reserve(expectedTokens());
        do {
            try {
                tokens.push_back(next(tokens.empty() ? nullptr : &tokens.back()));
            } catch (const SyntaxError& e) {
                tokens.push_back(refused(e));
                if (!errors) continue;
                errors->push_back(e);
                if (e.atEnd && text_[start_] != '/') endWithLine(tokens.back());
            }
        } while (tokens.back().kind != TokenKind::End);
        return tokens;
    }

private:
    // Returns the token for the text at start_ that the language refuses; reading goes on after it.
    Token refused(const SyntaxError& error) {
        Token token;
        token.kind = error.atEnd ? TokenKind::Unfinished : TokenKind::Invalid;
        at_ = error.atEnd ? text_.size() : std::max(at_, start_ + 1);
        token.source = text_.substr(start_, at_ - start_);
        token.position = error.position;
        token.spaceBefore = start_ == 0 || std::strchr(" \t\n", text_[start_ - 1]) != nullptr;
        return token;
    }

    // Cuts the unfinished string at the end of the line on which it begins.
    void endWithLine(Token& token) {
        at_ = std::min(text_.find('\n', start_), text_.size());
        while (at_ > start_ + 1 && text_[at_ - 1] == '\r') --at_;
        token.source = text_.substr(start_, at_ - start_);
        line_ = token.position.line;
        lineStart_ = start_ + 1 - static_cast<size_t>(token.position.column);
    }

    char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
    // Blanks outside ASCII are made of bytes that letters have, too.
    bool continuesWord() const { return isWordCharacter(peek()) && wideBlankLength(text_.substr(at_)) == 0; }
    SourcePosition here() const { return {line_, static_cast<int32_t>(at_ - lineStart_) + 1}; }

    void newline() {
        ++line_;
        lineStart_ = at_ + 1;
    }

    void skipBlanks(Token& token) {
        size_t start = at_;
        // The first line of a script file may name the program that runs it.
        if (at_ == 0 && text_.starts_with("#!")) skipLine();
        while (at_ < text_.size()) {
            char c = text_[at_];
            if (c == '\n') {
                newline();
                token.newlineBefore = true;
                ++at_;
            } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
                ++at_;
            } else if (const size_t blank = wideBlankLength(text_.substr(at_)); blank > 0) {
                at_ += blank;
            } else if (c == '/' && peek(1) == '/') {
                skipLine();
            } else if (c == '/' && peek(1) == '*') {
                skipComment(token);
            } else {
                break;
            }
        }
        token.spaceBefore = at_ > start || start == 0;
    }

    void skipLine() {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    }

    void skipComment(Token& token) {
        SourcePosition start = here();
        start_ = at_;
        for (at_ += 2; at_ < text_.size(); ++at_) {
            if (text_[at_] == '\n') {
                newline();
                token.newlineBefore = true;
            } else if (text_[at_] == '*' && peek(1) == '/') {
                at_ += 2;
                return;
            }
        }
        throw syntaxError(start, "The comment that begins here has no end.", "Write */ where it ends.", true);
    }

    Token next(const Token* previous) {
        Token token;
        skipBlanks(token);
        token.position = here();
        start_ = at_;
        if (at_ >= text_.size()) {
            token.source = text_.substr(text_.size());
            return token;
        }
        char c = text_[at_];
        if (isDigit(c) || (c == '.' && isDigit(peek(1)) && !continuesOperand(previous, token))) {
            number();
            token.kind = TokenKind::Number;
        } else if (isLetter(c)) {
            identifier();
            token.kind = TokenKind::Identifier;
        } else if (c == '"' || c == '\'') {
            token.text = quoted();
            token.kind = TokenKind::String;
            token.isChar = c == '\'' && token.text.size() == 1;
        } else if (c == '`') {
            ++at_;
            while (continuesWord() || peek() == '.') ++at_;
            token.text = text_.substr(start_ + 1, at_ - start_ - 1);
            token.kind = TokenKind::Backtick;
        } else if (c == '_') {
            underscore(token);
        } else {
            token.kind = TokenKind::Punctuation;
            punctuation();
        }
        token.source = text_.substr(start_, at_ - start_);
        return token;
    }

    // d.1 reads key 1 of d; 1 .1 are two numbers.
    static bool continuesOperand(const Token* previous, const Token& token) {
        if (!previous || token.spaceBefore) return false;
        return previous->kind == TokenKind::Identifier || previous->is(")") || previous->is("]") || previous->is("}");
    }

    void identifier() {
        for (;;) {
            while (continuesWord()) ++at_;
            if (peek() == ':' && peek(1) == ':' && isLetter(peek(2))) {
                at_ += 2;
                continue;
            }
            break;
        }
        if (peek() == '!' && peek(1) != '=') ++at_;
    }

    void underscore(Token& token) {
        ++at_;
        if (peek() == '"' || peek() == '\'') {
            token.text = quoted();
            token.kind = TokenKind::ColumnName;
            return;
        }
        if (peek() == '$') {
            ++at_;
            token.kind = TokenKind::Macro;
            if (peek() == '$') {
                ++at_;
                token.kind = TokenKind::MacroMany;
            }
            size_t nameStart = at_;
            while (continuesWord()) ++at_;
            if (at_ > nameStart) {
                token.text = text_.substr(nameStart, at_ - nameStart);
                return;
            }
        }
        throw syntaxError(token.position, "A name cannot begin with '_'.",
                          "Write _\"name\" for a column with that name, or _$variable in metacode.");
    }

    std::string quoted() {
        SourcePosition start = here();
        char quote = text_[at_++];
        std::string content;
        while (at_ < text_.size() && text_[at_] != quote) {
            char c = text_[at_];
            if (c == '\n') newline();
            if (c == '\\' && at_ + 1 < text_.size() && escape(text_[at_ + 1], content)) {
                at_ += 2;
                continue;
            }
            content += c;
            ++at_;
        }
        if (at_ >= text_.size()) {
            throw syntaxError(start, "The string that begins here has no end.",
                              "Close it with the quote it began with.", true);
        }
        ++at_;
        return content;
    }

    static bool escape(char c, std::string& content) {
        switch (c) {
            case 'n':
                content += '\n';
                return true;
            case 'r':
                content += '\r';
                return true;
            case 't':
                content += '\t';
                return true;
            case '\\':
            case '\'':
            case '"':
                content += c;
                return true;
            default:
                return false;
        }
    }

    void punctuation() {
        std::string_view rest = text_.substr(at_);
        for (std::string_view candidate : kPunctuation) {
            if (candidate.front() == rest.front() && rest.starts_with(candidate)) {
                at_ += candidate.size();
                return;
            }
        }
        if (std::strchr("&|^!", rest[0]) != nullptr && rest[0] != '\0') {
            ++at_;
            return;
        }
        auto byte = static_cast<unsigned char>(rest[0]);
        std::string shown =
            byte >= 0x20 && byte < 0x7F ? "'" + std::string(1, rest[0]) + "'" : "Byte " + std::to_string(byte);
        throw syntaxError(here(), shown + " is not part of the language.", "Remove it, or put it inside a string.");
    }

    size_t digitsAt(size_t ahead) const {
        size_t count = 0;
        while (isDigit(peek(ahead + count))) ++count;
        return count;
    }

    // hh:mm:ss[.fraction] or hh:mmm at `ahead`: its length, or 0.
    size_t clockAt(size_t ahead, bool minuteAllowed) const {
        size_t hours = digitsAt(ahead);
        if (hours < 1 || hours > 2 || peek(ahead + hours) != ':' || digitsAt(ahead + hours + 1) != 2) return 0;
        size_t length = hours + 3;
        if (minuteAllowed && peek(ahead + length) == 'm' && !isWordCharacter(peek(ahead + length + 1)))
            return length + 1;
        if (peek(ahead + length) != ':' || digitsAt(ahead + length + 1) != 2) return 0;
        length += 3;
        if (peek(ahead + length) == '.' && isDigit(peek(ahead + length + 1))) {
            length += 1 + digitsAt(ahead + length + 1);
        }
        return length;
    }

    // yyyy.mmM, yyyy.mm.dd and yyyy.mm.ddThh:mm:ss: its length, or 0.
    size_t dateAt() const {
        if (digitsAt(0) != 4 || peek(4) != '.') return 0;
        size_t month = digitsAt(5);
        if (month < 1 || month > 2) return 0;
        size_t length = 5 + month;
        if (peek(length) == 'M' && !isWordCharacter(peek(length + 1))) return length + 1;
        if (peek(length) != '.') return 0;
        size_t day = digitsAt(length + 1);
        if (day < 1 || day > 2) return 0;
        length += 1 + day;
        if (peek(length) == 'T' || peek(length) == ' ') {
            size_t clock = clockAt(length + 1, false);
            if (clock > 0) return length + 1 + clock;
        }
        return length;
    }

    void number() {
        size_t length = dateAt();
        if (length == 0) length = clockAt(0, true);
        if (length > 0) {
            at_ += length;
            // Letters that stick to a date are refused by numberLiteral, with the place.
            while (continuesWord()) ++at_;
            return;
        }
        decimal();
        size_t imaginary = imaginaryAt();
        if (imaginary > 0) {
            at_ += imaginary;
        } else {
            while (continuesWord()) ++at_;
        }
    }

    void decimal() {
        at_ += digitsAt(0);
        if (peek() == '.' && peek(1) != '.' && !isLetter(peek(1)) && peek(1) != '_') {
            ++at_;
            at_ += digitsAt(0);
        }
        at_ += exponentAt(0);
    }

    size_t exponentAt(size_t ahead) const {
        if (peek(ahead) != 'e' && peek(ahead) != 'E') return 0;
        size_t sign = peek(ahead + 1) == '+' || peek(ahead + 1) == '-' ? 1 : 0;
        size_t count = digitsAt(ahead + 1 + sign);
        return count == 0 ? 0 : 1 + sign + count;
    }

    // The +4.0i of 2.3+4.0i: its length, or 0. 1+4i is a sum of two INTs, so one of the parts must have a point.
    size_t imaginaryAt() const {
        if (peek() != '+' && peek() != '-') return 0;
        size_t length = 1 + digitsAt(1);
        if (length == 1) return 0;
        bool point = text_.substr(start_, at_ - start_).find('.') != std::string_view::npos;
        if (peek(length) == '.' && isDigit(peek(length + 1))) {
            point = true;
            length += 1 + digitsAt(length + 1);
        }
        length += exponentAt(length);
        return point && peek(length) == 'i' && !isWordCharacter(peek(length + 1)) ? length + 1 : 0;
    }

    std::string_view text_;
    size_t at_ = 0;
    size_t start_ = 0;
    int32_t line_ = 1;
    size_t lineStart_ = 0;
};

}  // namespace

std::vector<Token> tokenize(std::string_view text) {
    return Lexer(text).run();
}

std::vector<Token> scanTokens(std::string_view text) {
    return Lexer(text).scan(nullptr);
}

std::vector<Token> scanDocument(std::string_view text, std::vector<SyntaxError>& refused) {
    return Lexer(text).scan(&refused);
}

}  // namespace pelorus
