// Whole numbers of options that libpg_query leaves out of its trees: those below zero.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace pelorus::postgres {

// Puts the numbers of options such as `increment -2` into the tree, as the string has them at the options' places.
void readSignedOptions(nlohmann::json& tree, std::string_view text);

}  // namespace pelorus::postgres
