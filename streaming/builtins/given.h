// The arguments of streaming functions: each reader throws UserError naming the parameter.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/registry/registry.h"
#include "runtime/table/table.h"

namespace pelorus {

// Returns whether an optional argument was given.
bool isGiven(Arguments arguments, size_t i);
std::string textGiven(Arguments arguments, size_t i, std::string_view name, std::string_view otherwise = {});
// A name begins with a letter and goes on with letters, digits and underscores; it may be empty.
std::string identifierGiven(Arguments arguments, size_t i, std::string_view name);
// Returns one name or several; empty when nothing was given.
std::vector<std::string> namesGiven(Arguments arguments, size_t i, std::string_view name);
bool flagGiven(Arguments arguments, size_t i, std::string_view name, bool otherwise);
int64_t integerGiven(Arguments arguments, size_t i, std::string_view name, int64_t otherwise, int64_t least,
                     int64_t most = INT64_MAX);
double realGiven(Arguments arguments, size_t i, std::string_view name, double otherwise);
// Returns the table itself, in memory and made by streamTable.
MemoryTable& streamTableGiven(Arguments arguments, size_t i, std::string_view name);

// Returns the stream table that is shared under the name, to which the running code has the right. Throws UserError,
// "The shared table x doesn't exist" or S03007.
Ref<MemoryTable> sharedStreamTable(const Context& context, const std::string& name, Right right);

}  // namespace pelorus
