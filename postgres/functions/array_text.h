// Arrays as PostgreSQL writes them: {1,2,NULL,"a b"}. The dialect keeps arrays as these texts.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pelorus::postgres {

// The text of an item; nothing for NULL.
using ArrayItem = std::optional<std::string>;

std::string arrayText(const std::vector<ArrayItem>& items);
// Returns the items of an array of one dimension. Throws SqlError 22P02 for a text that is none, 0A000 for more
// dimensions.
std::vector<ArrayItem> arrayItems(std::string_view text);

}  // namespace pelorus::postgres
