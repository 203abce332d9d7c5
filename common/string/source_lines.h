// Lines of source texts.
#pragma once

#include <cstdint>
#include <string_view>

namespace pelorus {

// Returns the line with this number, counted from 1, as a view without its line end; empty when there is none.
std::string_view lineOf(std::string_view source, int32_t number);

}  // namespace pelorus
