// Parameters that PostgreSQL's clients send, as values of the engine.
#pragma once

#include <string>
#include <string_view>

#include "postgres/types/oids.h"
#include "runtime/value/value.h"

namespace pelorus {
class TimeZone;
}

namespace pelorus::postgres {

struct ParameterStyle {
    const TimeZone* zone = nullptr;  // of timestamps without one; null: UTC
};

// Returns the value of a parameter in the kept type (oidFacts). Throws SqlError: 22P02, 22007 or 22P03 for bytes that
// are no such value, 22003 for one that the kept type cannot hold, 22021 for text that is no UTF-8 or has a zero byte,
// 0A000 for a type without such a form.
Value parseParameter(Oid type, std::string_view bytes, bool isBinary, const ParameterStyle& style);

// Returns the sixteen bytes of a UUID's text, in the order of its digits. Throws SqlError 22P02.
std::string uuidBytes(std::string_view text);

// Throws SqlError 22021 unless the bytes are UTF-8 without a zero.
void requireText(std::string_view bytes);

}  // namespace pelorus::postgres
