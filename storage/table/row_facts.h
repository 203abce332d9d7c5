// The facts of a row table in the catalog: its columns' places in pages, and its indexes.
#pragma once

#include <string>

#include "storage/catalog/catalog.h"

namespace pelorus {

// Gives the columns of a row table that have no place in its pages one each. A SYMBOL becomes a STRING. Does nothing
// for a column table. Throws UserError for a column of a type that no row has.
void placeRowColumns(TableEntry& table);

// Removes what a table says of a column that is dropped: its default, and the checks and foreign keys that read
// it.
void forgetColumn(TableEntry& table, const std::string& storedName);

// Throws UserError (<DuplicateName>) when the row table has an index of the name. REQUIRES: it is a row table.
void refuseKnownIndex(const TableEntry& table, const std::string& name);

}  // namespace pelorus
