// Analyzer that splits texts into words for text search, as configured for the index of a column:
// "textindex(parser=english, full=false, lowercase=true, stem=true)".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pelorus {

class TextAnalyzer {
public:
    // Throws UserError, about argument `argument`, for an invalid description.
    static TextAnalyzer parse(std::string_view description, int argument);
    // Returns whether a description is one of a text index: it begins with textindex, in any case of letters.
    static bool isTextIndex(std::string_view description);

    // Calls f for the words of a text in their order; ends when `f(word)` is false. A pair of neighbouring Chinese
    // characters is a word, and so is a single one.
    template <class F>
    void forEachWord(std::string_view text, F f) const {
        size_t at = 0;
        std::string_view word;
        while (next(text, at, word)) {
            if (!f(word)) return;
        }
    }
    // Returns the term by which a word is looked up: in lower case, its stem. Empty for a stop word, which is never
    // counted.
    std::string term(std::string_view word) const;
    // Returns the terms of a text without stop words.
    std::vector<std::string> terms(std::string_view text) const;
    // Returns the beginning or end of a word in the form that is compared with terms.
    std::string part(std::string_view text) const;

    // Returns whether texts are split into words; these are shorter, so that it pays to remember them.
    bool hasWords() const { return parser_ != Parser::None; }

private:
    enum class Parser { None, English, Chinese, Mixed };

    bool next(std::string_view text, size_t& at, std::string_view& word) const;

    Parser parser_ = Parser::None;
    bool lowercase_ = true;
    bool stem_ = false;
};

}  // namespace pelorus
