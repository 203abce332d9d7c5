// Checks of the values of a VALUE or LIST scheme.
#pragma once

#include "runtime/value/value.h"

namespace pelorus {

// Throws UserError for a string with a blank, tab or line break, since the values are parts of chunk paths.
void refuseBlanks(const Value& values);

// Throws UserError for a value that is in a LIST scheme twice, since a value belongs to one partition.
void refuseRepeated(const Value& lists);

}  // namespace pelorus
