#include "apps/console/console_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/check.h"
#include "common/error.h"
#include "common/nearest_name.h"
#include "common/string/trim.h"

namespace pelorus {

namespace {}  // namespace

std::string ConsoleWords::list() const {
    size_t widest = 0;
    const auto shown = [](const Word& word) {
        return "\\" + word.name + (word.arguments.empty() ? "" : " " + word.arguments);
    };
    for (const Word& word : words_) widest = std::max(widest, shown(word).size());
    std::string text;
    for (const Word& word : words_) text += fmt::format("{:{}}  {}\n", shown(word), widest, word.help);
    return text;
}

bool ConsoleWords::isWord(std::string_view input) {
    return trim(input).starts_with('\\');
}

void ConsoleWords::run(std::string_view input) const {
    CHECK(isWord(input)) << "a word of the console begins with a backslash";
    const std::string_view text = trim(input).substr(1);
    const std::string_view name = text.substr(0, text.find_first_of(kBlanks));
    for (const Word& word : words_) {
        if (word.name == name) return word.action(std::string(trim(text.substr(name.size()))));
    }
    std::vector<std::string_view> names;
    for (const Word& word : words_) names.push_back(word.name);
    std::string hint;
    for (const std::string_view near : nearestNames(name, names))
        hint += (hint.empty() ? "\\" : ", \\") + std::string(near);
    throw UserError(fmt::format("The console has no word \\{}.", name),
                    hint.empty() ? "\\? lists its words." : "Did you mean " + hint + "? \\? lists all.");
}

}  // namespace pelorus
