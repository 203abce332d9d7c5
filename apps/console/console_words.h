// Words of the console that are not the language: \q, \run FILE.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace pelorus {

// Table of the words. A word begins with a backslash at the start of an input, its arguments are the rest of the line.
class ConsoleWords {
public:
    using Action = std::function<void(const std::string& arguments)>;
    struct Word {
        std::string name;       // without the backslash
        std::string arguments;  // as help shows them: "FILE", "[n]", or nothing
        std::string help;
        Action action;
    };

    void add(Word word) { words_.push_back(std::move(word)); }
    const std::vector<Word>& words() const { return words_; }
    // One line per word.
    std::string list() const;

    static bool isWord(std::string_view input);
    // REQUIRES: isWord(input). Throws UserError with near names when there is no such word, and what its action throws.
    void run(std::string_view input) const;

private:
    std::vector<Word> words_;
};

}  // namespace pelorus
