// InputHistory keeps earlier inputs of the console, in a file from run to run.
#pragma once

#include <string>
#include <string_view>

namespace pelorus {

// The history of the process, which is readline's list. The file has "#TIME" lines, each followed by the lines of an
// input, as readline writes them; a file without times has one input per line. Consoles that run at the same time
// append to it one after the other.
class InputHistory {
public:
    // Reads the file. If `file` is empty, nothing is stored. A file that cannot be read or written is no error.
    explicit InputHistory(std::string file);
    // Adds an input and appends it to the file, with its passwords hidden. An input that begins with a blank, or
    // repeats the last one, is not added.
    void add(std::string_view input);
    // Returns the last input; empty when there is none.
    static std::string last();

private:
    std::string file_;
};

}  // namespace pelorus
