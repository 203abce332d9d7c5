// How higher-order functions split arguments and assemble results.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "runtime/kernel/index/assemble.h"
#include "runtime/registry/registry.h"

namespace pelorus {

// Returns the function in arguments[i]. Throws UserError for anything else.
const Function& functionArgument(Arguments arguments, size_t i = 0);
Value callWith(const Function& f, Context& context, std::vector<Value> arguments);
// Calls the built-in function of this name.
Value callNamed(Context& context, std::string_view name, std::vector<Value> arguments);

// Returns how many parts a value falls into: elements of a vector, pair or tuple, columns of a matrix, rows of a table,
// values of a dictionary; -1 for a scalar, which repeats.
int64_t partCount(const Value& v);
// Returns the number of steps over several arguments, -1 when all repeat; all others must agree.
int64_t commonCount(std::span<const Value> arguments);
// Returns part i of each argument.
std::vector<Value> stepArguments(std::span<const Value> arguments, int64_t i);

// [assembleRule|consistent]: arguments[i] is 0 … 3, "D", "C", "U" or "K", or a BOOL (true is C), which arguments[i + 1]
// also may be and then wins.
AssembleRule ruleArgument(Arguments arguments, size_t i);

// Assembles the results over the parts of `source` into one value. Over a dictionary they keep its keys; a matrix keeps
// the labels of `source` when it is a matrix too.
Value assembleResults(std::vector<Value> results, AssembleRule rule, const Value& source);
// Labels the columns of a matrix by the elements of a vector, or by the names of a tuple of functions; returns other
// values unchanged.
Value withColumnLabels(Value matrix, const Value& labels);

// Returns the columns of a value that is walked by row: those of a matrix or table, or the elements of a tuple.
std::vector<Value> columnsOf(const Value& v);
// Returns columns in the form of `like`: a matrix with its row labels, a table with its names, or a tuple.
Value columnsLike(std::vector<Value> columns, const Value& like);

}  // namespace pelorus
