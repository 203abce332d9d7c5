// Defaults, checks and sequences as the catalog shows them.
#pragma once

#include <string>

#include "postgres/catalog/collectors.h"
#include "storage/catalog/catalog.h"

namespace pelorus::postgres {

// Returns an expression over the stored names of columns by the names that they have now.
std::string shownExpression(const std::string& stored, const TableEntry& table);

// Returns the number of the default of a column.
int64_t defaultNumber(std::string_view schema, std::string_view table, std::string_view column);

void collectDefaults(Context& context, CatalogRows& rows);              // pg_attrdef
void collectSequences(Context& context, CatalogRows& rows);             // pg_sequence
void collectSequenceStates(Context& context, CatalogRows& rows);        // pg_sequences
void collectInformationSequences(Context& context, CatalogRows& rows);  // information_schema.sequences
void collectDependencies(Context& context, CatalogRows& rows);          // pg_depend: sequences of columns

}  // namespace pelorus::postgres
