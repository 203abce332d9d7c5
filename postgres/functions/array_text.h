// Arrays as PostgreSQL writes them: {1,2,NULL,"a b"}. The dialect keeps arrays as these strings.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pelorus::postgres {

// The string of an element; nothing for NULL.
using ArrayItem = std::optional<std::string>;

std::string arrayText(const std::vector<ArrayItem>& items);
// Returns the elements of an array of one dimension. Throws SqlError 22P02 for a string that is none, 0A000 for more
// dimensions.
std::vector<ArrayItem> arrayItems(std::string_view text);

}  // namespace pelorus::postgres
