#include "runtime/text/text_match.h"

#include <algorithm>
#include <bit>

#include "common/error.h"

namespace pelorus {

// Returns the positions at which the characters of a text begin, and its end.
static std::vector<size_t> characterStarts(std::string_view text) {
    std::vector<size_t> starts;
    for (size_t i = 0; i < text.size(); ++i) {
        if ((static_cast<uint8_t>(text[i]) & 0xC0) != 0x80) starts.push_back(i);
    }
    starts.push_back(text.size());
    return starts;
}

double similarityOf(std::string_view a, std::string_view b, int64_t samePrefix) {
    const std::vector<size_t> inA = characterStarts(a), inB = characterStarts(b);
    const size_t n = inA.size() - 1, m = inB.size() - 1;
    const size_t prefix = std::min<size_t>(static_cast<size_t>(samePrefix), n);
    if (prefix > m || a.substr(0, inA[prefix]) != b.substr(0, inB[prefix])) return -1;
    if (std::min(n, m) == 0) return n == m ? 1 : -1;
    auto character = [](std::string_view text, const std::vector<size_t>& starts, size_t i) {
        return text.substr(starts[i], starts[i + 1] - starts[i]);
    };
    // The row of the table of edit distances, updated in place.
    std::vector<size_t> row(m - prefix + 1);
    for (size_t j = 0; j < row.size(); ++j) row[j] = j;
    for (size_t i = prefix; i < n; ++i) {
        size_t diagonal = row[0];
        row[0] = i - prefix + 1;
        for (size_t j = prefix; j < m; ++j) {
            const size_t above = row[j - prefix + 1];
            const size_t changed = diagonal + (character(a, inA, i) != character(b, inB, j));
            row[j - prefix + 1] = std::min({changed, above + 1, row[j - prefix] + 1});
            diagonal = above;
        }
    }
    return 1 - static_cast<double>(row.back()) / static_cast<double>(std::min(n, m));
}

bool WordPattern::matches(std::string_view word) const {
    if (!term.empty() && (similarity > 1 ? word != term : similarityOf(term, word, samePrefix) < similarity))
        return false;
    return word.starts_with(prefix) && word.ends_with(suffix);
}

TextMatcher::TextMatcher(const TextAnalyzer& analyzer, std::vector<WordPattern> patterns, WordOrder order, int64_t slop)
    : analyzer_(analyzer), patterns_(std::move(patterns)), order_(order), slop_(slop) {
    if (patterns_.size() > 64) {
        throw UserError(1,
                        "A text search has at most 64 words, but there are " + std::to_string(patterns_.size()) + ".");
    }
}

uint64_t TextMatcher::patternsOf(std::string_view word, bool& isStopWord) {
    const auto found = known_.find(word);
    if (found != known_.end()) {
        isStopWord = found->second.isStopWord;
        return found->second.patterns;
    }
    const std::string term = analyzer_.term(word);
    Known result{0, term.empty()};
    for (size_t i = 0; i < patterns_.size() && !term.empty(); ++i) {
        if (patterns_[i].matches(term)) result.patterns |= uint64_t{1} << i;
    }
    constexpr size_t kWorthKnowing = size_t{1} << 16;  // beyond it, words hardly repeat
    if (analyzer_.hasWords() && known_.size() < kWorthKnowing) known_.emplace(word, result);
    isStopWord = result.isStopWord;
    return result.patterns;
}

bool TextMatcher::matches(std::string_view text) {
    if (patterns_.empty()) return false;
    const uint64_t all = ~uint64_t{0} >> (64 - patterns_.size());
    uint64_t seen = 0;
    words_.clear();
    analyzer_.forEachWord(text, [&](std::string_view word) {
        bool isStopWord = false;
        const uint64_t patterns = patternsOf(word, isStopWord);
        seen |= patterns;
        if (!isStopWord && order_ >= WordOrder::InOrder) words_.push_back(patterns);
        if (order_ == WordOrder::Any) return seen == 0;
        return order_ != WordOrder::All || seen != all;
    });
    if (order_ == WordOrder::Any) return seen != 0;
    if (seen != all) return false;
    if (order_ == WordOrder::All) return true;
    return order_ == WordOrder::InOrder ? findsInOrder() : findsUnordered();
}

// Returns whether the patterns match in order. From each first word, the next pattern takes the first word that it
// matches: no other choice ends earlier.
bool TextMatcher::findsInOrder() const {
    const auto count = static_cast<int64_t>(patterns_.size()), size = static_cast<int64_t>(words_.size());
    for (int64_t begin = 0; begin + count <= size; ++begin) {
        if (!(words_[static_cast<size_t>(begin)] & 1)) continue;
        const int64_t end = std::min(size, begin + count + std::min(slop_, size));
        int64_t at = begin + 1, found = 1;
        for (; at < end && found < count; ++at) found += words_[static_cast<size_t>(at)] >> found & 1;
        if (found == count) return true;
    }
    return false;
}

// Returns whether each pattern matches as often as it is asked within a window no longer than the words and the slop.
bool TextMatcher::findsUnordered() const {
    const auto count = static_cast<int64_t>(patterns_.size()), size = static_cast<int64_t>(words_.size());
    std::vector<int64_t> asked(patterns_.size());
    for (size_t i = 0; i < patterns_.size(); ++i) {
        asked[i] = std::count(patterns_.begin(), patterns_.end(), patterns_[i]);
    }
    const int64_t length = count + std::min(slop_, size);
    std::vector<int64_t> there(patterns_.size());
    for (int64_t at = 0; at < size; ++at) {
        bool all = true;
        for (size_t i = 0; i < patterns_.size(); ++i) {
            there[i] += words_[static_cast<size_t>(at)] >> i & 1;
            if (at >= length) there[i] -= words_[static_cast<size_t>(at - length)] >> i & 1;
            all = all && there[i] >= asked[i];
        }
        if (all) return true;
    }
    return false;
}

}  // namespace pelorus
