// What the catalog knows of a row table besides its columns.
#pragma once

#include <string>
#include <vector>

namespace pelorus {

// An index of a row table. A plain value.
struct RowTableIndex {
    std::string name;
    std::vector<std::string> columns;  // stored names
    bool isUnique = false;
    bool isPrimary = false;
};

// The storage, indexes and constraints of a row table. A plain value; columns go by their stored names, which stay when
// a column is renamed.
struct RowTableFacts {
    std::vector<std::string> columns;   // all that the table ever had: positions here are those in pages and in the log
    std::vector<std::string> required;  // columns without NULL
    std::vector<RowTableIndex> indexes;
};

}  // namespace pelorus
