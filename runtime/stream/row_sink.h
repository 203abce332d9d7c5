// RowSink takes the rows that are appended to a table which does not store them itself, such as a stream engine.
#pragma once

#include <cstdint>
#include <string>

namespace pelorus {

class Context;
class MemoryTable;

// The interface of such a table. Thread-safe.
class RowSink {
public:
    virtual ~RowSink() = default;
    // Takes rows whose columns correspond by position and returns how many there were. Throws UserError, and has taken
    // none, when a column does not fit; checks no right.
    virtual int64_t take(Context& context, const MemoryTable& rows) = 0;
    // Returns how rows are computed, as text; empty when there is nothing to say. Throws UserError for a user who must
    // not see it.
    virtual std::string explain(Context& context) = 0;
};

}  // namespace pelorus
