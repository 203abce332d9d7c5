// Changes of the columns of a table's entry in the catalog.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "storage/catalog/catalog.h"

namespace pelorus {

// Gives the columns of a table the names under which chunks store them, where they had none apart.
void giveStoredNames(TableEntry& table);
// Returns the position of a column. Throws UserError for an unknown one.
size_t positionOf(const TableEntry& table, const std::string& name);
// Throws UserError for a column by which rows are placed; `change` says what it cannot be.
void refusePartitionColumn(const TableEntry& table, const std::string& name, std::string_view change);

// The following change columns. Throw UserError for a name that is there, or is not, and for a column that must stay.
// REQUIRE: the columns have stored names.
void addColumnsTo(TableEntry& table, const TableSchema& columns);
void dropColumnFrom(TableEntry& table, const std::string& name);
void renameColumnIn(TableEntry& table, const std::string& name, const std::string& newName);

}  // namespace pelorus
