// Results with names: dictionaries of vectors and numbers, as models, tests and minimizers give them.
#pragma once

#include <string_view>
#include <vector>

#include "runtime/value/dictionary.h"

namespace pelorus {

// Makes an empty dictionary from names to values of any kind that keeps the order of its members.
Ref<Dictionary> orderedResult();
// Adds a member to a result or a model.
void addMember(Dictionary& result, std::string_view name, Value value);
// Makes a vector of DOUBLE.
Value realsOf(const std::vector<double>& numbers);

}  // namespace pelorus
