#include "runtime/text/text_analyzer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "common/error.h"
#include "runtime/text/word_stem.h"

namespace pelorus {

namespace {

constexpr std::array<std::string_view, 33> kStopWords{
    "a",   "an",    "and",  "are",   "as",    "at",   "be",   "but", "by",  "for",  "if",
    "in",  "into",  "is",   "it",    "no",    "not",  "of",   "on",  "or",  "such", "that",
    "the", "their", "then", "there", "these", "they", "this", "to",  "was", "will", "with"};

constexpr const char* kForm = "textindex(parser=english, full=false, lowercase=true, stem=true)";

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return out;
}

// Returns the character that begins at `at`, and its size in bytes. Bytes that are no UTF-8 count as one separator
// each.
uint32_t characterAt(std::string_view text, size_t at, size_t& bytes) {
    const auto lead = static_cast<uint8_t>(text[at]);
    bytes = 1;
    if (lead < 0x80) return lead;
    const size_t more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0;
    if (more == 0 || at + more >= text.size()) return 0;
    uint32_t code = lead & (0x3FU >> more);
    for (size_t i = 1; i <= more; ++i) {
        const auto next = static_cast<uint8_t>(text[at + i]);
        if ((next & 0xC0) != 0x80) return 0;
        code = code << 6 | (next & 0x3F);
    }
    bytes = more + 1;
    return code;
}

bool isIdeograph(uint32_t c) {
    return (c >= 0x3040 && c <= 0x30FF) || (c >= 0x3400 && c <= 0x9FFF) || (c >= 0xAC00 && c <= 0xD7AF) ||
           (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x20000 && c <= 0x3FFFF);
}

bool isWordCharacter(uint32_t c) {
    if (c < 0x80) return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    const bool isPunctuation = c < 0xC0 || c == 0xD7 || c == 0xF7 || (c >= 0x2000 && c <= 0x2BFF) ||
                               (c >= 0x3000 && c <= 0x303F) || (c >= 0xFE30 && c <= 0xFE4F) ||
                               (c >= 0xFF00 && c <= 0xFF0F) || (c >= 0xFF1A && c <= 0xFF20) ||
                               (c >= 0xFF3B && c <= 0xFF40) || (c >= 0xFF5B && c <= 0xFF65);
    return !isPunctuation;
}

}  // namespace

bool TextAnalyzer::isTextIndex(std::string_view description) {
    return lower(description.substr(0, 9)) == "textindex";
}

TextAnalyzer TextAnalyzer::parse(std::string_view description, int argument) {
    auto refuse = [&](std::string_view why) -> UserError {
        return UserError(argument, fmt::format("The text index {} {}.", description, why),
                         std::string("Write it as ") + kForm + ".");
    };
    std::string text = lower(description);
    text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
    if (!text.starts_with("textindex(") || text.back() != ')') throw refuse("is not understood");
    std::string_view rest = std::string_view(text).substr(10);
    rest.remove_suffix(1);
    TextAnalyzer analyzer;
    bool hasParser = false;
    while (!rest.empty()) {
        const std::string_view element = rest.substr(0, rest.find(','));
        rest.remove_prefix(std::min(rest.size(), element.size() + 1));
        const size_t equals = element.find('=');
        const std::string_view name = element.substr(0, equals);
        const std::string_view value = equals == std::string_view::npos ? "" : element.substr(equals + 1);
        if (name == "parser") {
            constexpr std::array<std::string_view, 4> kParsers{"none", "english", "chinese", "mixed"};
            const auto at = std::find(kParsers.begin(), kParsers.end(), value);
            if (at == kParsers.end()) throw refuse("has an unknown parser: none, english, chinese and mixed are known");
            analyzer.parser_ = static_cast<Parser>(at - kParsers.begin());
            hasParser = true;
            continue;
        }
        if (value != "true" && value != "false") throw refuse("has an option that is neither true nor false");
        if (name == "lowercase") {
            analyzer.lowercase_ = value == "true";
        } else if (name == "stem") {
            analyzer.stem_ = value == "true";
        } else if (name != "full") {  // `full` is accepted; it selects a way to split Chinese by a dictionary, which is
                                      // not supported
            throw refuse(fmt::format("has an unknown option {}", name));
        }
    }
    if (!hasParser) throw refuse("names no parser");
    analyzer.lowercase_ = analyzer.lowercase_ && analyzer.parser_ != Parser::None;
    analyzer.stem_ = analyzer.stem_ && analyzer.parser_ == Parser::English && analyzer.lowercase_;
    return analyzer;
}

bool TextAnalyzer::next(std::string_view text, size_t& at, std::string_view& word) const {
    if (parser_ == Parser::None) {
        if (at > 0 || text.empty()) return false;
        word = text;
        at = text.size();
        return true;
    }
    const bool pairs = parser_ != Parser::English;
    size_t bytes = 0;
    uint32_t c = 0;
    while (at < text.size() && !isWordCharacter(c = characterAt(text, at, bytes))) at += bytes;
    if (at >= text.size()) return false;
    const size_t begin = at;
    if (pairs && isIdeograph(c)) {
        at += bytes;
        size_t second = 0;
        const bool hasPair = at < text.size() && isIdeograph(characterAt(text, at, second));
        word = text.substr(begin, bytes + (hasPair ? second : 0));
        // The second one begins the next pair, unless it ends the run.
        size_t ignored = 0;
        const bool isLast =
            hasPair && (at + second >= text.size() || !isIdeograph(characterAt(text, at + second, ignored)));
        if (isLast) at += second;
        return true;
    }
    while (at < text.size()) {
        c = characterAt(text, at, bytes);
        if (!isWordCharacter(c) || (pairs && isIdeograph(c))) break;
        at += bytes;
    }
    word = text.substr(begin, at - begin);
    return true;
}

std::string TextAnalyzer::term(std::string_view word) const {
    if (parser_ == Parser::None) return std::string(word);
    std::string term = part(word);
    if (std::find(kStopWords.begin(), kStopWords.end(), lowercase_ ? term : lower(term)) != kStopWords.end()) return {};
    return stem_ ? stemOf(std::move(term)) : term;
}

std::vector<std::string> TextAnalyzer::terms(std::string_view text) const {
    std::vector<std::string> result;
    forEachWord(text, [&](std::string_view word) {
        std::string t = term(word);
        if (!t.empty()) result.push_back(std::move(t));
        return true;
    });
    return result;
}

std::string TextAnalyzer::part(std::string_view text) const {
    return lowercase_ ? lower(text) : std::string(text);
}

}  // namespace pelorus
