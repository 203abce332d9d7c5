// Names of tables before a column in any letter case, as standard SQL has them: from trades T where t.price > 1.
#pragma once

#include "runtime/code/query.h"

namespace pelorus {

// Writes the name of a table before a column as the table is called, where the names differ in case only and no table
// is called exactly so. Returns null where nothing is to be changed. Inner queries are left unchanged.
Ref<Query> withQualifiersAsNamed(const Query& query);

}  // namespace pelorus
