// A file as the source of a query: select … from "trades.csv", "trades.parquet" or "trades/*.parquet".
#pragma once

#include "runtime/code/expression.h"
#include "runtime/function/context.h"

namespace pelorus {

// Whether a part of `from` is a string literal.
bool isFileSource(const Node& node);

// Reads the text file that the string names through ploadText, so that its rules apply here; of Parquet files returns
// a table that reads them in place. Throws UserError with advice when the string does not end like the name of either.
// REQUIRES: isFileSource(node).
Value readFileSource(const Node& node, Context& context);
// Returns a table with the columns of that file, and without the rows of a text file.
Value fileColumns(const Node& node, Context& context);

// Returns the name of the file without its folders and extensions, for table.column; empty when no script could write
// that.
std::string nameOfFileSource(const Node& node);

}  // namespace pelorus
