#include "devtools/editing/highlight.h"

#include <algorithm>

#include "interpreter/parser/keywords.h"
#include "interpreter/parser/lexer.h"
#include "interpreter/parser/named_constants.h"
#include "runtime/registry/registry.h"

namespace pelorus {

namespace {

template <class Words>
bool isAmong(const Token& token, const Words& words) {
    return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return token.isKeyword(word); });
}

class Highlighter {
public:
    Highlighter(std::string_view text, size_t cursor, const SessionNames& names)
        : text_(text), cursor_(cursor), names_(names), tokens_(scanTokens(text)) {
        result_.styles.resize(text.size(), TextStyle::Plain);
    }

    Highlighting run() {
        size_t end = 0;
        for (size_t i = 0; i < tokens_.size(); ++i) {
            const size_t begin = offset(tokens_[i].begin());
            colourGap(end, begin);
            end = begin + tokens_[i].source.size();
            colourToken(i);
        }
        for (const Bracket& bracket : brackets_) unmatched_.push_back(bracket.place);
        colourBrackets();
        return std::move(result_);
    }

private:
    struct Bracket {
        char character;
        size_t place;
    };

    size_t offset(const char* place) const { return static_cast<size_t>(place - text_.data()); }

    void fill(size_t begin, size_t end, TextStyle style) {
        std::fill(result_.styles.begin() + static_cast<ptrdiff_t>(begin),
                  result_.styles.begin() + static_cast<ptrdiff_t>(end), style);
    }

    // Notes for each line that begins in the range what is open there.
    void noteLines(size_t begin, size_t end, char open) {
        if (result_.open.empty()) result_.open.push_back('\0');
        for (size_t i = begin; i < end; ++i) {
            if (text_[i] == '\n') result_.open.push_back(open);
        }
    }

    // Blanks and comments between two tokens.
    void colourGap(size_t begin, size_t end) {
        size_t at = begin;
        const char outside = brackets_.empty() ? '\0' : brackets_.back().character;
        while (at < end) {
            const size_t comment = std::min(text_.find('/', at), end);
            noteLines(at, comment, outside);
            if (comment == end) return;
            const bool toLineEnd = text_.substr(comment, 2) != "/*";
            size_t commentEnd = text_.find(toLineEnd ? "\n" : "*/", comment + 2);
            commentEnd = std::min(commentEnd == std::string_view::npos ? end : commentEnd + (toLineEnd ? 0 : 2), end);
            fill(comment, commentEnd, TextStyle::Comment);
            noteLines(comment, commentEnd, '*');
            at = std::max(commentEnd, comment + 1);
        }
    }

    void colourToken(size_t i) {
        const Token& token = tokens_[i];
        const size_t begin = offset(token.begin());
        const size_t end = begin + token.source.size();
        switch (token.kind) {
            case TokenKind::End:
            case TokenKind::Invalid:
                break;
            case TokenKind::Identifier:
                fill(begin, end, styleOfName(i));
                break;
            case TokenKind::Number:
                fill(begin, end, TextStyle::Number);
                break;
            case TokenKind::String:
            case TokenKind::ColumnName:
                fill(begin, end, TextStyle::String);
                noteLines(begin, end, token.source[token.kind == TokenKind::ColumnName ? 1 : 0]);
                break;
            case TokenKind::Backtick:
            case TokenKind::Macro:
            case TokenKind::MacroMany:
                fill(begin, end, TextStyle::Symbol);
                break;
            case TokenKind::Unfinished: {
                const bool isComment = token.source[0] == '/';
                fill(begin, end, isComment ? TextStyle::Comment : TextStyle::String);
                noteLines(begin, end, isComment ? '*' : token.source[token.source[0] == '_' ? 1 : 0]);
                break;
            }
            case TokenKind::Punctuation:
                if (token.source.size() == 1) noteBracket(token.source[0], begin);
                break;
        }
    }

    TextStyle styleOfName(size_t i) {
        const Token& token = tokens_[i];
        const Token& next = tokens_[i + 1];
        const bool isCalled = next.is("(") && !next.spaceBefore;
        if (i > 0 && tokens_[i - 1].is(".") && !token.spaceBefore) {
            return isCalled ? TextStyle::Function : TextStyle::Plain;
        }
        followQuery(i);
        if (next.is("=") && !inQuery_) return TextStyle::Plain;
        if (isAmong(token, kStatementWords)) return TextStyle::Keyword;
        if (isAmong(token, kDefinitionWords) && !isCalled && isStart(i)) return TextStyle::Keyword;
        if (inQuery_ && (!isCalled || isAmong(token, kConditionWords)) && isQueryWord(token)) {
            return TextStyle::Keyword;
        }
        switch (names_.kindOf(token.source)) {
            case NameKind::Function:
                return TextStyle::Function;
            case NameKind::Unknown:
                break;
            default:
                return TextStyle::Plain;
        }
        Value value;
        if (token.source == "true" || token.source == "false" || token.source == "NULL" ||
            namedConstant(token.source, value)) {
            return isCalled ? TextStyle::Function : TextStyle::Number;
        }
        if (inQuery_ && !isCalled) return TextStyle::Plain;  // columns often have names of functions
        return FunctionRegistry::instance().find(token.source) ? TextStyle::Function : TextStyle::Plain;
    }

    static bool isQueryWord(const Token& token) {
        return isAmong(token, kClauseWords) || isAmong(token, kConditionWords) || isAmong(token, kQueryWords);
    }

    // Returns whether a statement may begin at the token.
    bool isStart(size_t i) const {
        return i == 0 || tokens_[i].newlineBefore || tokens_[i - 1].is(";") || tokens_[i - 1].is("{") ||
               tokens_[i - 1].is("<") || tokens_[i - 1].is("(");
    }

    // A query ends with its statement. A line that begins with another name after a whole operand is a new one.
    void followQuery(size_t i) {
        const Token& token = tokens_[i];
        if (i > 0 && tokens_[i - 1].is(";")) inQuery_ = false;
        if (inQuery_ && token.newlineBefore && !isQueryWord(token)) {
            const Token& before = tokens_[i - 1];
            const bool isWholeBefore = before.kind != TokenKind::Punctuation || before.is(")") || before.is("]");
            const bool isWordBefore =
                before.kind == TokenKind::Identifier && (isQueryWord(before) || isAmong(before, kStatementWords));
            if (isWholeBefore && !isWordBefore) inQuery_ = false;
        }
        if (token.isKeyword("select") || token.isKeyword("exec") || (isAmong(token, kDefinitionWords) && isStart(i))) {
            inQuery_ = !(tokens_[i + 1].is("(") && !tokens_[i + 1].spaceBefore) || token.isKeyword("select");
        }
    }

    void noteBracket(char c, size_t place) {
        constexpr std::string_view kOpen = "([{", kClose = ")]}";
        if (kOpen.find(c) != std::string_view::npos) {
            brackets_.push_back({c, place});
            return;
        }
        const size_t kind = kClose.find(c);
        if (kind == std::string_view::npos) return;
        if (brackets_.empty() || brackets_.back().character != kOpen[kind]) {
            unmatched_.push_back(place);
            hasStrayClose_ = true;
            return;
        }
        const size_t open = brackets_.back().place;
        brackets_.pop_back();
        // The pair of the bracket under the cursor, or of the one before the cursor, is marked.
        const bool under = open == cursor_ || place == cursor_;
        const bool before = open + 1 == cursor_ || place + 1 == cursor_;
        if (under || (before && !pairIsUnder_)) {
            pair_[0] = open;
            pair_[1] = place;
            hasPair_ = true;
            pairIsUnder_ = under;
        }
    }

    // Brackets that are open at the end are not wrong yet, unless a closing one in between is.
    void colourBrackets() {
        for (const size_t place : unmatched_) {
            const bool isOpen = std::string_view("([{").find(text_[place]) != std::string_view::npos;
            if (!isOpen || hasStrayClose_) fill(place, place + 1, TextStyle::UnmatchedBracket);
        }
        if (!hasPair_) return;
        for (const size_t place : pair_) fill(place, place + 1, TextStyle::MatchingBracket);
    }

    std::string_view text_;
    size_t cursor_;
    const SessionNames& names_;
    std::vector<Token> tokens_;
    Highlighting result_;
    std::vector<Bracket> brackets_;
    std::vector<size_t> unmatched_;
    size_t pair_[2] = {};
    bool hasPair_ = false;
    bool pairIsUnder_ = false;
    bool hasStrayClose_ = false;
    bool inQuery_ = false;
};

}  // namespace

Highlighting highlight(std::string_view text, size_t cursor, const SessionNames& names) {
    Highlighting result = Highlighter(text, cursor, names).run();
    if (result.open.empty()) result.open.push_back('\0');
    return result;
}

}  // namespace pelorus
