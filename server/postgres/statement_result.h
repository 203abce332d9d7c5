// What a statement of PostgreSQL's protocol came to.
#pragma once

#include <string>
#include <vector>

#include "runtime/table/table.h"

namespace pelorus::postgres {

// A remark that goes along with the answer.
struct Remark {
    std::string state;
    std::string message;
    bool isWarning = false;
};

struct StatementResult {
    Ref<MemoryTable> rows;  // null for a statement without rows
    std::string tag;        // of a statement without rows; SELECT and FETCH are followed by the number of rows
    std::vector<Remark> remarks;
};

}  // namespace pelorus::postgres
