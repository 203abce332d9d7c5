// One field of a line: its kind and its value, before the column decides what is stored.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/error.h"
#include "common/type_table.h"

namespace pelorus {

enum class LineKind : uint8_t { Long, Double, Bool, String, Time, Array };

struct LineValue {
    LineKind kind = LineKind::Long;
    int64_t bits = 0;         // LONG, BOOL, the bits of a DOUBLE, or nanoseconds since 1970
    std::string_view string;  // of a STRING, unescaped; of an array the bytes of its elements
    bool isEscaped = false;   // `string` still holds escapes
    std::string_view shape;   // of an array of several dimensions: their lengths, 32 bits each; else empty
};

// A line that cannot be stored as it is.
class LineError : public UserError {
public:
    explicit LineError(std::string what) : UserError(std::move(what)) {}
};

// Returns the type of a new column for values of this kind.
Type columnTypeOf(LineKind kind);
std::string_view nameOf(LineKind kind);

// Returns the cell of a value in a column of a type that differs from the kind's own: the element as an integer, or as
// the bits of a DOUBLE for FLOAT and DOUBLE. Nothing when the value does not fit exactly. Strings and arrays never do.
std::optional<int64_t> convertExactly(const LineValue& value, Type to);

}  // namespace pelorus
