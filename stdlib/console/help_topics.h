// The help topics for words and signs of the language that are no functions: statements, clauses of queries, literals,
// template operators.
#pragma once

#include <span>
#include <string_view>

namespace pelorus {

struct HelpTopic {
    std::string_view names;   // "do|while": each of them finds it
    std::string_view syntax;  // several forms with "; " between them
    std::string_view string;
    std::string_view also;     // related topics, functions and types, with commas between them
    std::string_view example;  // a script; empty where it would do something outside of the session
    std::string_view shows;    // the output of the example
};

std::span<const HelpTopic> helpTopics();
// Returns the topic of that name; nullptr when there is none.
const HelpTopic* helpTopic(std::string_view name);

}  // namespace pelorus
