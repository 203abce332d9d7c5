// The construction of table(), for the functions that make other kinds of tables.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/registry/registry.h"

namespace pelorus {

// Returns the names of the arguments: written `as`, or set by rename!, or those of variables. The compiler passes the
// names in the code as a last argument, which is removed. Empty when there are none. `written`, if asked for, reports
// which names are written in the code as `as name`.
std::vector<std::string> takeColumnNames(Arguments& arguments, std::vector<bool>* written = nullptr);

// Throws the UserError of a second column with one name.
[[noreturn]] void refuseRepeatedColumn(std::string_view name);

// Makes a table of columns, a matrix, a dictionary or another table, or an empty one from a schema. `names` may be
// fewer than the arguments. An argument whose name is `written` is a column, whatever its form. Throws UserError when
// the columns differ in length.
Value makeTable(Arguments arguments, const std::vector<std::string>& names, const std::vector<bool>& written = {});

}  // namespace pelorus
