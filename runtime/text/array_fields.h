// Parser of fields that hold the elements of a row of an array vector.
#pragma once

#include "runtime/text/delimited_text.h"
#include "runtime/value/array_vector.h"

namespace pelorus::text {

// Returns the elements that each field of a column holds; an empty field is a row of one NULL. `number`: the column's,
// for the report. Lines of bad elements are those of the rows, counted from `firstLine`.
Ref<ArrayVector> arraysFrom(const Vector& fields, size_t number, const TextColumn& column, const TextOptions& options,
                            int64_t firstLine, TextReport& report);

}  // namespace pelorus::text
