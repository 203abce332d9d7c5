// Arrays as PostgreSQL writes them: {1,NULL,"a b"}.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pelorus::postgres {

using ArrayElements = std::vector<std::optional<std::string>>;

// Parses an array of one dimension. Throws SqlError 22P02, and 0A000 for more dimensions.
ArrayElements parseArray(std::string_view text);
// Parses numbers with blanks between them: int2vector, oidvector.
ArrayElements parseVector(std::string_view text);
// Appends one element, quoted where it must be.
void appendArrayElement(std::string& out, std::string_view element);
std::string arrayText(const ArrayElements& elements);

}  // namespace pelorus::postgres
