#include "devtools/formatter/token_layout.h"

#include <algorithm>

namespace pelorus {

namespace {

class Placement {
public:
    Placement(std::string_view text, const std::vector<Token>& tokens, const std::vector<StatementRange>& ranges)
        : text_(text), tokens_(tokens), ranges_(ranges), statements_(ranges.size()) {}

    std::vector<TokenPlace> run() {
        for (size_t i = 0; i < tokens_.size(); ++i) place(i);
        return std::move(places_);
    }

private:
    struct Bracket {
        char character;
        int level;  // level of the line that opened the bracket
        bool hasStatements;
    };
    struct Statement {
        size_t depth = 0;  // brackets around it
        int level = 0;     // level of the first line
    };

    size_t offset(size_t token) const { return static_cast<size_t>(tokens_[token].begin() - text_.data()); }

    // The statement that begins at the token, the innermost of several; -1 when none does.
    int beginningAt(size_t token) {
        int found = -1;
        while (next_ < ranges_.size() && ranges_[next_].begin <= offset(token)) {
            if (ranges_[next_].begin == offset(token)) {
                found = static_cast<int>(next_);
                if (ranges_[next_].parent < 0) ++topLevel_;
            }
            ++next_;
        }
        return found;
    }

    int levelInside() const { return brackets_.empty() ? 0 : brackets_.back().level + 1; }

    void place(size_t i) {
        const Token& token = tokens_[i];
        const bool startsLine = i == 0 || token.newlineBefore;
        const int statement = beginningAt(i);
        const bool closes = token.is(")") || token.is("]") || token.is("}");
        TokenPlace place;
        place.innerLevel = levelInside();
        place.bracket = brackets_.empty() ? '\0' : brackets_.back().character;
        if (startsLine) lineLevel_ = levelOfLine(i, statement, closes);
        place.level = lineLevel_;
        if (!closes && startsLine && statement < 0) place.innerLevel = lineLevel_;
        if (statement >= 0) {
            // All statements that begin here share the first line.
            for (int s = statement; s >= 0 && ranges_[static_cast<size_t>(s)].begin == offset(i);
                 s = ranges_[static_cast<size_t>(s)].parent) {
                statements_[static_cast<size_t>(s)] = {brackets_.size(), lineLevel_};
            }
            if (startsLine) place.innerLevel = lineLevel_;
        }
        if (closes && !brackets_.empty()) {
            place.closesBlock = token.is("}") && brackets_.back().hasStatements;
            brackets_.pop_back();
        }
        if (token.is("(") || token.is("[") || token.is("{")) {
            const bool hasStatements = token.is("{") && beginsStatements(i);
            place.opensBlock = hasStatements;
            brackets_.push_back({token.source[0], lineLevel_, hasStatements});
        }
        place.statement = topLevel_;
        places_.push_back(place);
    }

    // Returns whether a statement or the end of an empty block follows the brace.
    bool beginsStatements(size_t brace) const {
        if (brace + 1 >= tokens_.size()) return false;
        if (tokens_[brace + 1].is("}")) {
            // The braces are an empty dictionary or an empty body.
            return brace > 0 && (tokens_[brace - 1].is(")") || tokens_[brace - 1].isWord("else") ||
                                 tokens_[brace - 1].isWord("do") || tokens_[brace - 1].isWord("try"));
        }
        size_t first = brace + 1;
        while (first < tokens_.size() && tokens_[first].is(";")) ++first;
        if (first >= tokens_.size()) return false;
        const size_t begin = offset(first);
        const auto found = std::lower_bound(ranges_.begin(), ranges_.end(), begin,
                                            [](const StatementRange& r, size_t at) { return r.begin < at; });
        return found != ranges_.end() && found->begin == begin;
    }

    int levelOfLine(size_t i, int statement, bool closes) {
        const Token& token = tokens_[i];
        if (closes) return brackets_.empty() ? 0 : brackets_.back().level;
        const int base = levelInside();
        if (token.kind == TokenKind::End) return base;
        if (!brackets_.empty() && !brackets_.back().hasStatements) return base;
        if (statement >= 0) return levelOfStatement(statement, base);
        // A further line of a statement. Words that go on with its next part are as far left as its first.
        const int first = levelOfCurrent(i, base);
        const bool isPart = token.isWord("else") || token.isWord("catch") || token.is("{") || token.is(";") ||
                            (token.isWord("while") && i > 0 && !tokens_[i - 1].is("."));
        return isPart ? first : first + 1;
    }

    int levelOfStatement(int statement, int base) const {
        // The outermost statement that begins here decides.
        int outer = statement;
        const size_t begin = ranges_[static_cast<size_t>(statement)].begin;
        while (ranges_[static_cast<size_t>(outer)].parent >= 0 &&
               ranges_[static_cast<size_t>(ranges_[static_cast<size_t>(outer)].parent)].begin == begin) {
            outer = ranges_[static_cast<size_t>(outer)].parent;
        }
        const int parent = ranges_[static_cast<size_t>(outer)].parent;
        if (parent < 0 || statements_[static_cast<size_t>(parent)].depth != brackets_.size()) return base;
        // A body without braces, or the function behind its annotation.
        const Statement& around = statements_[static_cast<size_t>(parent)];
        return text_[ranges_[static_cast<size_t>(parent)].begin] == '@' ? around.level : around.level + 1;
    }

    // The level of the innermost statement around the token that is in the same brackets.
    int levelOfCurrent(size_t i, int base) const {
        const size_t at = offset(i);
        const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), at,
                                            [](size_t place, const StatementRange& r) { return place < r.begin; });
        if (after == ranges_.begin()) return base;
        int s = static_cast<int>(after - ranges_.begin()) - 1;
        while (s >= 0) {
            const StatementRange& range = ranges_[static_cast<size_t>(s)];
            if (range.end > at && statements_[static_cast<size_t>(s)].depth == brackets_.size()) {
                return statements_[static_cast<size_t>(s)].level;
            }
            s = range.parent;
        }
        return base;
    }

    std::string_view text_;
    const std::vector<Token>& tokens_;
    const std::vector<StatementRange>& ranges_;
    std::vector<Statement> statements_;
    std::vector<TokenPlace> places_;
    std::vector<Bracket> brackets_;
    size_t next_ = 0;
    int topLevel_ = -1;
    int lineLevel_ = 0;
};

}  // namespace

std::vector<TokenPlace> placeTokens(std::string_view text, const std::vector<Token>& tokens,
                                    const std::vector<StatementRange>& ranges) {
    return Placement(text, tokens, ranges).run();
}

}  // namespace pelorus
