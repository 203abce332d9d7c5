// What the values of a VALUE scheme may be.
#pragma once

#include "runtime/value.h"

namespace pelorus {

// A chunk's path is made of them: throws UserError for a text with a blank, tab or line break. PAR-13.
void refuseBlanks(const Value& values);

}  // namespace pelorus
