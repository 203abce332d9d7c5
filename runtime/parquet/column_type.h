// Types of the columns of Parquet files in the language, and how its types are stored in them.
#pragma once

#include <string>
#include <string_view>

#include "common/type_table.h"
#include "runtime/parquet/parquet_library.h"

namespace pelorus::parquet_file {

// The key of a file's metadata under which a file written here keeps the types of its columns, as "DATE,SYMBOL,…": what
// Parquet has no type for, such as MONTH, comes back as it was.
constexpr const char* kTypesKey = "pelorus.types";

// The key of files in which NaN is a missing value, as ours are: their statistics tell of all values that are NULL
// here.
constexpr const char* kNoNanKey = "pelorus.nan";

// Returns the type of a column as its file describes it; an array type for a list. Sets `obstacle` when no column of a
// table can hold it.
TypeSpec typeOf(const Column& column, std::string& obstacle);

// Returns whether a column that is read as `read` may be given as `wanted`, which the file's metadata names.
bool canRestore(TypeSpec read, TypeSpec wanted);

// Returns how a column of this type is stored. Throws UserError, naming the column, for a type that no file can hold.
Column storedAs(std::string_view name, TypeSpec type);

}  // namespace pelorus::parquet_file
