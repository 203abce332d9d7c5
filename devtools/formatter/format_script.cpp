#include "devtools/formatter/format_script.h"

#include <algorithm>
#include <set>

#include "common/string/trim.h"
#include "devtools/formatter/blank_rules.h"
#include "devtools/formatter/token_layout.h"
#include "runtime/format/to_source.h"

namespace pelorus {

namespace {

// The blanks and comments between two tokens.
struct Comment {
    std::string_view text;
    int newlines = 0;   // before it
    size_t blanks = 0;  // before it, on its line
    bool isLine = false;
};
struct Gap {
    std::vector<Comment> comments;
    int newlines = 0;  // after the last comment
};

Gap readGap(std::string_view text) {
    Gap gap;
    size_t at = 0, blanks = 0;
    int newlines = 0;
    const auto add = [&](size_t length, bool isLine) {
        const std::string_view comment = text.substr(at, length);
        gap.comments.push_back({isLine ? trimEnd(comment, " \t\r\f\v") : comment, newlines, blanks, isLine});
        at += length;
        newlines = 0;
        blanks = 0;
    };
    while (at < text.size()) {
        const std::string_view rest = text.substr(at);
        if (rest.starts_with("//") || rest.starts_with("#!")) {
            add(std::min(rest.find('\n'), rest.size()), true);
        } else if (rest.starts_with("/*")) {
            const size_t end = rest.find("*/", 2);
            add(end == std::string_view::npos ? rest.size() : end + 2, false);
        } else {
            blanks = rest[0] == '\n' ? 0 : blanks + 1;
            newlines += rest[0] == '\n';
            ++at;
        }
    }
    gap.newlines = newlines;
    return gap;
}

class Formatter {
public:
    Formatter(std::string_view text, const FormatOptions& options, const std::set<int>& kept)
        : text_(text), options_(options), kept_(kept) {}

    std::string run() {
        std::vector<SyntaxError> refused;
        const std::vector<Token> tokens = scanDocument(text_, refused);
        const RecoveredScript script = parseRecovering(text_);
        const std::vector<TokenPlace> places = placeTokens(text_, tokens, script.ranges);
        size_t end = 0;
        for (size_t i = 0; i < tokens.size(); ++i) {
            const auto begin = static_cast<size_t>(tokens[i].begin() - text_.data());
            const bool blank =
                i > 0 && (isKept(places[i].statement) ? tokens[i].spaceBefore : wantsBlank(tokens, places, i));
            writeGap(readGap(text_.substr(end, begin - end)), places[i], blank, tokens[i].kind == TokenKind::End);
            out_ += tokens[i].source;
            end = begin + tokens[i].source.size();
        }
        while (!out_.empty() && (out_.back() == '\n' || out_.back() == ' ')) out_.pop_back();
        if (!out_.empty()) out_ += '\n';
        return std::move(out_);
    }

private:
    bool isKept(int statement) const { return kept_.contains(statement) || kept_.contains(-1); }

    void breakLine(int newlines, int level) {
        if (!out_.empty()) out_.append(static_cast<size_t>(std::clamp(newlines, 1, 2)), '\n');
        const auto width = static_cast<size_t>(options_.useTabs ? level : level * options_.indentWidth);
        out_.append(width, options_.useTabs ? '\t' : ' ');
    }

    void writeGap(const Gap& gap, const TokenPlace& place, bool blank, bool isEnd) {
        for (const Comment& comment : gap.comments) {
            if (comment.newlines > 0 || out_.empty()) {
                breakLine(comment.newlines, place.innerLevel);
            } else {
                // A comment at the end of a line keeps its distance, by which people align them.
                out_.append(comment.isLine ? std::max<size_t>(comment.blanks, 1) : std::min<size_t>(comment.blanks, 1),
                            ' ');
            }
            out_ += comment.text;
        }
        if (isEnd) return;
        if (gap.newlines > 0) {
            breakLine(gap.newlines, place.level);
        } else if (gap.comments.empty() ? blank : place.statement >= 0 && !out_.empty()) {
            out_ += ' ';
        }
    }

    std::string_view text_;
    const FormatOptions& options_;
    const std::set<int>& kept_;
    std::string out_;
};

std::vector<std::string> codeOf(const NodeList& statements) {
    std::vector<std::string> code;
    code.reserve(statements.size());
    for (const NodeRef& statement : statements) code.push_back(toSource(*statement));
    return code;
}

// The statements of the top level whose code differs; -1 alone when they cannot be compared one by one.
std::set<int> changedStatements(const RecoveredScript& before, const RecoveredScript& after) {
    if (!after.errors.empty() || before.statements.size() != after.statements.size()) return {-1};
    const std::vector<std::string> a = codeOf(before.statements), b = codeOf(after.statements);
    std::set<int> changed;
    const auto tops = std::count_if(before.ranges.begin(), before.ranges.end(),
                                    [](const StatementRange& range) { return range.parent < 0; });
    const bool isOneToOne = static_cast<size_t>(tops) == a.size();
    for (size_t i = 0; i < a.size(); ++i) {
        if (a[i] != b[i]) changed.insert(isOneToOne ? static_cast<int>(i) : -1);
    }
    return changed;
}

bool hasSameTokens(std::string_view before, std::string_view after) {
    const std::vector<Token> a = scanTokens(before), b = scanTokens(after);
    // Empty lines at the beginning and the end are removed.
    const auto isEdge = [&](const Token& token) { return &token == a.data() || token.kind == TokenKind::End; };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const Token& x, const Token& y) {
        return x.kind == y.kind && x.source == y.source && (isEdge(x) || x.newlineBefore == y.newlineBefore);
    });
}

}  // namespace

std::string formatScript(std::string_view text, const FormatOptions& options) {
    FormatOptions checked = options;
    checked.indentWidth = std::clamp(checked.indentWidth, 1, 16);
    const RecoveredScript before = parseRecovering(text);
    if (!before.errors.empty()) throw before.errors.front();
    std::set<int> kept;
    constexpr int kMaxRounds = 4;
    for (int round = 0; round < kMaxRounds; ++round) {
        std::string result = Formatter(text, checked, kept).run();
        const RecoveredScript after = parseRecovering(result);
        const std::set<int> changed = changedStatements(before, after);
        if (changed.empty() && hasSameTokens(text, result)) return result;
        const size_t known = kept.size();
        kept.insert(changed.begin(), changed.end());
        if (changed.empty() || kept.size() == known) kept.insert(-1);
    }
    return std::string(text);
}

}  // namespace pelorus
