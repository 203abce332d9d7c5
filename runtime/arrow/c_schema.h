// Types of Arrow's C data interface, from and to the fields of a schema.
#pragma once

#include <string>

#include "runtime/arrow/arrow_schema.h"
#include "runtime/arrow/c_interface.h"

namespace pelorus::arrow {

// Returns the format string of a type, such as "i" or "tsn:UTC"; that of a dictionary's indexes for a field with one.
std::string formatOf(const ArrowField& field);

// Makes a structure whose release frees it: one array of structures whose children are the fields.
void exportSchema(const ArrowSchema& schema, CSchema& out);

// Reads such a structure, which stays its owner's. Dictionaries get ids by their order. A format that is not known
// becomes a type that no table can hold. Throws SystemError for a structure that contradicts the interface: one that is
// released, is no array of structures, has no format, or is nested more than kMaxDepth times.
ArrowSchema importSchema(const CSchema& schema);

}  // namespace pelorus::arrow
