// Encoders of the cells of a result for PostgreSQL's clients, as text or binary.
//
// An encoder belongs to one column of one result. It takes whatever type the engine computed the column in, and brings
// it into the form of the declared type; the choice is made once, so that a cell costs one virtual call.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "postgres/types/oids.h"
#include "runtime/value/value.h"

namespace pelorus {
class TimeZone;
}

namespace pelorus::postgres {

// What settings of a session say about the form of values.
struct FieldStyle {
    std::shared_ptr<const TimeZone> zone;  // of timestamps with time zone; null: UTC
    int extraFloatDigits = 1;
    bool escapesBytes = false;  // bytea_output = escape
    std::string searchPath;     // the schemas whose tables are shown without theirs
};

// The encoder of one column. The thread that sends the result owns it.
class FieldEncoder {
public:
    virtual ~FieldEncoder() = default;
    // Appends the length of cell `row` and its bytes, or -1 for NULL. Throws SqlError for a value that the declared
    // type cannot hold.
    virtual void append(std::string& out, int64_t row) = 0;
};

// Makes the encoder of a column. `cells` is a vector, tuple or array vector, or a scalar that stands for each row; the
// encoder keeps it.
std::unique_ptr<FieldEncoder> makeFieldEncoder(const OutputColumn& column, bool isBinary, const Value& cells,
                                               const FieldStyle& style);

// Returns the text of a value as the type; false for NULL.
bool fieldText(const OutputColumn& column, const Value& value, const FieldStyle& style, std::string& text);

}  // namespace pelorus::postgres
