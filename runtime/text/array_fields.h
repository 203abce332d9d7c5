// Fields that hold the items of a row of an array vector. IMP-01.
#pragma once

#include "runtime/text/delimited_text.h"
#include "runtime/value/array_vector.h"

namespace pelorus::text {

// The items that stand in each field; an empty field is a row of one NULL. Lines of bad items are those of the rows,
// counted from `firstLine`.
Ref<ArrayVector> arraysFrom(const Vector& fields, const TextColumn& column, const TextOptions& options,
                            int64_t firstLine, TextReport& report);

}  // namespace pelorus::text
