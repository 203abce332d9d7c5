// Earlier inputs of the console, kept in a file over runs.
#pragma once

#include <string>
#include <string_view>

namespace pelorus {

// The inputs are readline's history list, of which the process has one. The file holds "#TIME" lines with the lines of
// an input behind each, as readline writes them; a file without times has an input per line. Consoles that run at the
// same time append to it one after the other.
class InputHistory {
public:
    // `file` may be empty: nothing is kept then. What cannot be read or written is no error: it is only convenience.
    explicit InputHistory(std::string file);
    // Keeps an input at once, with its passwords hidden. One that begins with a blank, or repeats the last one, is not
    // kept.
    void add(std::string_view input);
    // The last input, or empty.
    static std::string last();

private:
    std::string file_;
};

}  // namespace pelorus
