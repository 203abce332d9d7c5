// SourcePosition is a position in a script. Lines and columns count from 1; 0 means unknown.
#pragma once

#include <cstdint>

namespace pelorus {

struct SourcePosition {
    int32_t line = 0;
    int32_t column = 0;

    bool known() const { return line > 0; }
};

}  // namespace pelorus
