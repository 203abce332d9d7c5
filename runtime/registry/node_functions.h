// The names of the functions that nodes ask each other (Facet::Node). The registry itself never lists them; this is
// for tests, which must meet each.
#pragma once

#include <string>
#include <vector>

namespace pelorus {

std::vector<std::string> nodeFunctionNames();

}  // namespace pelorus
