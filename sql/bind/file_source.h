// A text file as the source of a query: select … from "trades.csv".
#pragma once

#include "runtime/code/expression.h"
#include "runtime/function/context.h"

namespace pelorus {

// Whether a part of `from` is a string literal.
bool isFileSource(const Node& node);

// Reads the file that the string names through ploadText, so that its rules apply here. While only binding, the table
// has the file's columns and no rows. Throws UserError with advice when the string does not end like a text file's
// name.
// REQUIRES: isFileSource(node).
Value readFileSource(const Node& node, Context& context);

// Returns the name of the file without its folders and extensions, for table.column; empty when no script could write
// that.
std::string nameOfFileSource(const Node& node);

}  // namespace pelorus
