// Text search: the query and its match against a text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runtime/text/text_analyzer.h"

namespace pelorus {

// The conditions on one word. All that are given must hold.
struct WordPattern {
    std::string term;            // the word is equal to it; empty: any word
    std::string prefix, suffix;  // the word begins and ends with these
    // Minimum similarity to `term`, from 0 to 1, with equal first characters; above 1: equal.
    double similarity = 2;
    int64_t samePrefix = 0;

    bool matches(std::string_view word) const;
    friend bool operator==(const WordPattern&, const WordPattern&) = default;
};

enum class WordOrder : uint8_t {
    Any,        // one of the words is in the text
    All,        // each of them does
    InOrder,    // they occur in this order, with at most `slop` other words between them
    Unordered,  // they occur in any order, with at most `slop` other words between them
};

// A matcher of patterns against texts. It does not analyse a word again that it has met, so that one matcher for many
// texts is quicker. Not thread-safe.
class TextMatcher {
public:
    // Throws UserError for more than 64 patterns.
    TextMatcher(const TextAnalyzer& analyzer, std::vector<WordPattern> patterns, WordOrder order, int64_t slop = 0);

    bool matches(std::string_view text);

private:
    // Returns the patterns that a word matches, as bits.
    uint64_t patternsOf(std::string_view word, bool& isStopWord);
    bool findsInOrder() const;
    bool findsUnordered() const;

    TextAnalyzer analyzer_;
    std::vector<WordPattern> patterns_;
    WordOrder order_;
    int64_t slop_;

    struct Hash {
        using is_transparent = void;
        size_t operator()(std::string_view s) const { return std::hash<std::string_view>()(s); }
    };
    struct Known {
        uint64_t patterns;
        bool isStopWord;
    };
    std::unordered_map<std::string, Known, Hash, std::equal_to<>> known_;
    std::vector<uint64_t> words_;  // patterns of each word of the current text
};

// Returns 1 for equal words, less for each character that must be changed, added or left out; negative for very
// different ones. The first `samePrefix` characters must be equal.
double similarityOf(std::string_view a, std::string_view b, int64_t samePrefix);

}  // namespace pelorus
