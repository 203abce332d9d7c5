// Reads and writes elements by position, key, mask and range.
#pragma once

#include <span>

#include "common/error.h"
#include "runtime/value/value.h"

namespace pelorus {

// Reads x[i], x[i, j]; an omitted index (isOmitted) takes everything at its level. Positions outside select NULL.
Value indexRead(const Value& object, std::span<const Value> indices);

// An error of a target of an assignment by index that does not exist, or can't be written. The statement's runner
// replaces the index by the target's name.
class InvalidIndices : public UserError {
public:
    explicit InvalidIndices(const std::string& what, std::string hint = "")
        : UserError("Assignment statement failed probably due to invalid indices [" + what + "]", std::move(hint)) {}
};

// Assigns x[i] = value in place: the caller owns `object` alone (see Value::makeUnique) or it is shared on purpose.
// Throws UserError for positions outside; nothing has changed then.
void indexWrite(Value& object, std::span<const Value> indices, const Value& value);

// Reads x.name: column, key. Returns false when the object has no such member.
bool memberRead(const Value& object, std::string_view name, Value& result);

// Returns rows of anything that has rows: `positions` is a vector of integers.
Value takeRows(const Value& object, const Vector& positions);

}  // namespace pelorus
