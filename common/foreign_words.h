// Words of other languages (SQL dialects, Python with numpy and pandas, R, kdb+, C) that newcomers write, and what this
// language has instead.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pelorus {

// The sentence for an error's hint about a name that nothing defines; empty for words that no language here has.
// Letter case is ignored unless the words differ by it.
std::string foreignWordAdvice(std::string_view word);

// All words of the table.
std::vector<std::string_view> foreignWords();

}  // namespace pelorus
