// What the catalog tells of foreign keys: whom a table refers to, and the bytes in which they are kept.
#pragma once

#include <string>
#include <vector>

#include "storage/catalog/catalog.h"

namespace pelorus {

class ByteReader;

// Returns the other tables that a table refers to, each once, in order.
std::vector<ReferringTable> parentsOf(const TableEntry& table);
// Returns the foreign keys of a table to another one, or to itself.
std::vector<ForeignKey> foreignKeysTo(const TableEntry& child, const TableEntry& parent);

// Appends the foreign keys of a table, and who refers to it; and reads them.
void encodeForeignKeys(const RowTableFacts& facts, std::string& bytes);
void decodeForeignKeys(ByteReader& reader, RowTableFacts& facts);

}  // namespace pelorus
