// What table() makes of its arguments, for the functions that make other kinds of tables of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/registry/registry.h"

namespace pelorus {

// The names of the arguments: written `as`, or given by rename!, or those of variables. The compiler passes what stands
// in the code as a last argument: it is taken off. Empty when there are none.
// `written`, if asked for, tells which names stand in the code as `as name`.
std::vector<std::string> takeColumnNames(Arguments& arguments, std::vector<bool>* written = nullptr);

// Throws the UserError of a second column with one name.
[[noreturn]] void refuseRepeatedColumn(std::string_view name);

// A new table of columns, a matrix, a dictionary or another table, or empty from a schema. `names` may be fewer than
// the arguments. Throws UserError when the columns differ in length.
// An argument whose name is `written` is a column, whatever it looks like.
Value makeTable(Arguments arguments, const std::vector<std::string>& names, const std::vector<bool>& written = {});

}  // namespace pelorus
