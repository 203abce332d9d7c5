// The table that `create table` describes.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "postgres/types/declared_type.h"

namespace pelorus {
struct TableEntry;
}

namespace pelorus::postgres {

struct NewColumn {
    std::string name;
    DeclaredType declared;
    int place = -1;
};

// An index that a constraint makes.
struct NewIndex {
    std::string name;
    std::vector<std::string> columns;
    bool isPrimary = false;
};

struct NewTable {
    std::string schema, name;
    std::vector<NewColumn> columns;
    bool isRowTable = false;  // using rows
    std::vector<NewIndex> indexes;
};

// Reads a CreateStmt. Throws SqlError 0A000 for what no table has, 42701 for a column that is there twice.
NewTable newTableOf(const nlohmann::json& body);

// Returns the entry of the table in the catalog, but for its database and owner.
TableEntry entryOf(const NewTable& table);

}  // namespace pelorus::postgres
