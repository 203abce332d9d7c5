#include "postgres/parse/nesting.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace pelorus::postgres {

namespace {

// The counts of one level of parentheses: what the current element of a list has, and words after which the next part
// of the statement hangs deeper, whatever commas follow.
struct Level {
    int item = 0;
    int chained = 0;
};

bool isWordCharacter(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || static_cast<signed char>(c) < 0;
}

// Returns whether the tree behind this word is a child of, or next to, the tree before it: union, join and the like.
bool isChaining(std::string_view word) {
    constexpr std::string_view kWords[] = {"union", "intersect", "except", "join", "select", "with", "values"};
    return std::any_of(std::begin(kWords), std::end(kWords), [word](std::string_view known) {
        return std::equal(word.begin(), word.end(), known.begin(), known.end(),
                          [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
    });
}

// A cursor over the string that knows strings and comments.
class Reader {
public:
    explicit Reader(std::string_view text) : text_(text) {}
    bool isAtEnd() const { return at_ >= text_.size(); }
    char current() const { return text_[at_]; }
    void step() { ++at_; }
    bool skipComment();
    int commentDepth() const { return commentDepth_; }  // the most comments within each other so far
    bool skipQuoted();
    std::string_view word();

private:
    bool startsWith(std::string_view part) const { return text_.substr(at_, part.size()) == part; }
    void skipPast(size_t found, size_t length) {
        at_ = found == std::string_view::npos ? text_.size() : found + length;
    }

    std::string_view text_;
    size_t at_ = 0;
    int commentDepth_ = 0;
};

bool Reader::skipComment() {
    if (startsWith("--")) {
        skipPast(text_.find('\n', at_), 1);
        return true;
    }
    if (!startsWith("/*")) return false;
    int depth = 0;
    while (!isAtEnd()) {
        if (startsWith("/*")) {
            commentDepth_ = std::max(commentDepth_, ++depth);
            at_ += 2;
        } else if (startsWith("*/")) {
            at_ += 2;
            if (--depth == 0) break;
        } else {
            ++at_;
        }
    }
    return true;
}

bool Reader::skipQuoted() {
    const char quote = current();
    if (quote == '\'' || quote == '"') {
        const bool escapes = quote == '\'' && at_ > 0 && (text_[at_ - 1] == 'E' || text_[at_ - 1] == 'e');
        for (++at_; !isAtEnd(); ++at_) {
            if (escapes && current() == '\\') {
                ++at_;
            } else if (current() == quote) {
                ++at_;
                return true;
            }
        }
        return true;
    }
    if (quote != '$') return false;
    size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != '$' && isWordCharacter(text_[end])) ++end;
    if (end >= text_.size() || text_[end] != '$') return false;
    const std::string_view tag = text_.substr(at_, end + 1 - at_);
    if (tag.size() > 2 && std::isdigit(static_cast<unsigned char>(tag[1])) != 0) return false;
    skipPast(text_.find(tag, end + 1), tag.size());
    return true;
}

std::string_view Reader::word() {
    const size_t begin = at_;
    while (!isAtEnd() && isWordCharacter(current()) && current() != '$') ++at_;
    if (at_ == begin) ++at_;
    return text_.substr(begin, at_ - begin);
}

}  // namespace

int nestingBound(std::string_view text) {
    Reader reader(text);
    std::vector<Level> levels(1);
    int open = 0;  // of all levels
    int most = 0;
    const auto count = [&](bool isChained) {
        (isChained ? levels.back().chained : levels.back().item)++;
        most = std::max(most, ++open);
    };
    const auto endItem = [&] {
        open -= levels.back().item;
        levels.back().item = 0;
    };
    while (!reader.isAtEnd()) {
        const char c = reader.current();
        if (reader.skipComment()) continue;
        if (std::isspace(static_cast<unsigned char>(c)) != 0) {
            reader.step();
        } else if (reader.skipQuoted()) {
            count(false);
        } else if (isWordCharacter(c)) {
            count(isChaining(reader.word()));
        } else if (c == '(' || c == '[') {
            count(false);
            levels.emplace_back();
            reader.step();
        } else if (c == ')' || c == ']') {
            endItem();
            open -= levels.back().chained;
            levels.pop_back();
            if (levels.empty()) levels.emplace_back();
            reader.step();
        } else if (c == ',' || c == ';') {
            endItem();
            if (c == ';') {
                open -= levels.back().chained;
                levels.back().chained = 0;
            }
            reader.step();
        } else {
            count(false);
            reader.step();
        }
    }
    // The parser takes time by the square of it.
    constexpr int kMaxCommentDepth = 1'000;
    return reader.commentDepth() > kMaxCommentDepth ? kMaxNesting + 1 : most;
}

}  // namespace pelorus::postgres
