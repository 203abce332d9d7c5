#include "runtime/text/word_stem.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace pelorus {

namespace {

// Stemmer in the terms of the paper: a stem's measure m counts its changes from vowels to consonants.
class Stemmer {
public:
    explicit Stemmer(std::string word) : word_(std::move(word)) {}

    std::string stem() {
        plurals();
        pastAndProgressive();
        if (ends("y") && hasVowel(word_.size() - 1)) word_.back() = 'i';
        replaceFirst(kDouble, 0);
        replaceFirst(kSingle, 0);
        lastSuffix();
        finalE();
        return word_;
    }

private:
    struct Rule {
        std::string_view suffix, with;
    };
    static constexpr std::array<Rule, 20> kDouble{
        {{"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"}, {"anci", "ance"}, {"izer", "ize"},
         {"abli", "able"},   {"alli", "al"},     {"entli", "ent"}, {"eli", "e"},     {"ousli", "ous"},
         {"ization", "ize"}, {"ation", "ate"},   {"ator", "ate"},  {"alism", "al"},  {"iveness", "ive"},
         {"fulness", "ful"}, {"ousness", "ous"}, {"aliti", "al"},  {"iviti", "ive"}, {"biliti", "ble"}}};
    static constexpr std::array<Rule, 7> kSingle{
        {{"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"}, {"ical", "ic"}, {"ful", ""}, {"ness", ""}}};
    static constexpr std::array<std::string_view, 18> kLast{"al",   "ance", "ence",  "er",   "ic",  "able",
                                                            "ible", "ant",  "ement", "ment", "ent", "ou",
                                                            "ism",  "ate",  "iti",   "ous",  "ive", "ize"};

    bool isConsonant(size_t i) const {
        const char c = word_[i];
        if (c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u') return false;
        return c != 'y' || i == 0 || !isConsonant(i - 1);
    }
    int measure(size_t length) const {
        int m = 0;
        for (size_t i = 1; i < length; ++i) m += isConsonant(i) && !isConsonant(i - 1);
        return m;
    }
    bool hasVowel(size_t length) const {
        for (size_t i = 0; i < length; ++i) {
            if (!isConsonant(i)) return true;
        }
        return false;
    }
    bool endsInDouble() const {
        const size_t n = word_.size();
        return n >= 2 && word_[n - 1] == word_[n - 2] && isConsonant(n - 1);
    }
    // Returns whether the first `length` letters end as "hop" does, which needs a final e.
    bool endsShort(size_t length) const {
        if (length < 3 || !isConsonant(length - 1) || isConsonant(length - 2) || !isConsonant(length - 3)) return false;
        const char last = word_[length - 1];
        return last != 'w' && last != 'x' && last != 'y';
    }
    bool ends(std::string_view suffix) const {
        return word_.size() > suffix.size() && std::string_view(word_).ends_with(suffix);
    }
    void cut(size_t letters) { word_.erase(word_.size() - letters); }

    void plurals() {
        if (ends("sses") || ends("ies")) {
            cut(2);
        } else if (ends("s") && !ends("ss")) {
            cut(1);
        }
    }
    void pastAndProgressive() {
        if (ends("eed")) {
            if (measure(word_.size() - 3) > 0) cut(1);
            return;
        }
        const size_t letters = ends("ed") ? 2 : ends("ing") ? 3 : 0;
        if (letters == 0 || !hasVowel(word_.size() - letters)) return;
        cut(letters);
        if (ends("at") || ends("bl") || ends("iz")) {
            word_ += 'e';
        } else if (endsInDouble() && word_.back() != 'l' && word_.back() != 's' && word_.back() != 'z') {
            cut(1);
        } else if (measure(word_.size()) == 1 && endsShort(word_.size())) {
            word_ += 'e';
        }
    }
    // Replaces the longest suffix only: when its stem is too short, no other is tried.
    template <size_t N>
    void replaceFirst(const std::array<Rule, N>& rules, int above) {
        const Rule* longest = nullptr;
        for (const Rule& rule : rules) {
            if (ends(rule.suffix) && (!longest || rule.suffix.size() > longest->suffix.size())) longest = &rule;
        }
        if (!longest || measure(word_.size() - longest->suffix.size()) <= above) return;
        cut(longest->suffix.size());
        word_ += longest->with;
    }
    void lastSuffix() {
        std::string_view longest;
        for (const std::string_view suffix : kLast) {
            if (ends(suffix) && suffix.size() > longest.size()) longest = suffix;
        }
        if (longest.empty() && ends("ion")) {
            const char before = word_[word_.size() - 4];
            if (before == 's' || before == 't') longest = "ion";
        }
        if (!longest.empty() && measure(word_.size() - longest.size()) > 1) cut(longest.size());
    }
    void finalE() {
        if (ends("e")) {
            const size_t length = word_.size() - 1;
            const int m = measure(length);
            if (m > 1 || (m == 1 && !endsShort(length))) cut(1);
        }
        if (ends("ll") && measure(word_.size()) > 1) cut(1);
    }

    std::string word_;
};

}  // namespace

std::string stemOf(std::string word) {
    const bool isPlain = std::all_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
    return isPlain && word.size() > 2 ? Stemmer(std::move(word)).stem() : word;
}

}  // namespace pelorus
