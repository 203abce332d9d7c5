// A table whose rows are computed by a function when a query reads them.
#pragma once

#include "runtime/table/table.h"

namespace pelorus {

class Context;

class ComputedTable : public Table {
public:
    // Returns the rows as of now. Thread-safe.
    virtual Ref<MemoryTable> rows(Context& context) = 0;
};

}  // namespace pelorus
