#include "interpreter/parser/keywords.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "interpreter/parser/named_constants.h"

namespace pelorus {

bool isLanguageWord(std::string_view word) {
    std::string lower(word);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const auto holds = [&](const auto& words) { return std::find(words.begin(), words.end(), lower) != words.end(); };
    Value ignored;
    return holds(kStatementWords) || holds(kClauseWords) || holds(kConditionWords) || holds(kDefinitionWords) ||
           holds(kQueryWords) || std::find(kValueWords.begin(), kValueWords.end(), word) != kValueWords.end() ||
           namedConstant(word, ignored);
}

}  // namespace pelorus
