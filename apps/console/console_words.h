// ConsoleWords is the table of the console's own commands, such as \q and \run FILE.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace pelorus {

// The words and their actions. A word begins with a backslash at the start of an input; its arguments are the rest of
// the line.
class ConsoleWords {
public:
    using Action = std::function<void(const std::string& arguments)>;
    struct Word {
        std::string name;       // without the backslash
        std::string arguments;  // arguments as help shows them: "FILE", "[n]", or empty
        std::string help;
        Action action;
    };

    void add(Word word) { words_.push_back(std::move(word)); }
    const std::vector<Word>& words() const { return words_; }
    // Returns the help, one line for each word.
    std::string list() const;

    // Returns whether an input begins with a word.
    static bool isWord(std::string_view input);
    // Runs the action of a word. Throws UserError with near names when there is no such word, and what the action
    // throws. REQUIRES: isWord(input).
    void run(std::string_view input) const;

private:
    std::vector<Word> words_;
};

}  // namespace pelorus
