// What the values of a VALUE or LIST scheme may be.
#pragma once

#include "runtime/value/value.h"

namespace pelorus {

// A chunk's path is made of them: throws UserError for a text with a blank, tab or line break. PAR-13.
void refuseBlanks(const Value& values);

// A value is of one partition: throws UserError for one that stands in a LIST scheme twice. PAR-04.
void refuseRepeated(const Value& lists);

}  // namespace pelorus
