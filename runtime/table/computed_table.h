// A table whose rows a function gives when a query asks for them.
#pragma once

#include "runtime/table/table.h"

namespace pelorus {

class Context;

class ComputedTable : public Table {
public:
    // The rows as of now. Thread-safe.
    virtual Ref<MemoryTable> rows(Context& context) = 0;
};

}  // namespace pelorus
