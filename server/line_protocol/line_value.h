// LineValue is the value of one field of a line as it was parsed, before the column's type decides what is stored.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/error.h"
#include "common/type_table.h"

namespace pelorus {

enum class LineKind : uint8_t { Long, Double, Bool, String, Time, Array };

// A parsed value. It refers to the bytes of the line, and lives no longer than they do.
struct LineValue {
    LineKind kind = LineKind::Long;
    int64_t bits = 0;         // a LONG or BOOL, the bits of a DOUBLE, or nanoseconds since 1970
    std::string_view string;  // characters of a STRING, or the bytes of an array's elements
    bool isEscaped = false;   // `string` still holds escapes
    std::string_view shape;   // lengths of an array of several dimensions, 32 bits each; else empty
};

// The error of a line that cannot be stored as it is.
class LineError : public UserError {
public:
    explicit LineError(std::string what) : UserError(std::move(what)) {}
};

// Returns the type of a new column for values of this kind.
Type columnTypeOf(LineKind kind);
// Returns the name of a kind for messages, "LONG" for example.
std::string_view nameOf(LineKind kind);

// Returns the cell of a value in a column whose type differs from the kind's: an integer, or the bits of a DOUBLE for
// FLOAT and DOUBLE. Returns nullopt when the value does not fit exactly; strings and arrays never do.
std::optional<int64_t> convertExactly(const LineValue& value, Type to);

}  // namespace pelorus
