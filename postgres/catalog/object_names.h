// The names of tables, types, schemas and roles by their numbers, as the running request sees them: what values of
// regclass and its kin are shown as.
#pragma once

#include <string_view>

#include "postgres/types/oids.h"
#include "runtime/function/context.h"
#include "runtime/registry/registry.h"
#include "runtime/value/value.h"

namespace pelorus::postgres {

// Returns whether values of the type are numbers that are shown as names: regclass, regtype, regnamespace, regrole.
bool isShownAsName(Oid type);

// Returns the names of numbers, one or a column, as strings: NULL for NULL, "-" for 0, the digits of a number that is
// none of an object. `searchPath` has the schemas, with commas between them, whose tables are shown without theirs.
Value namesOfNumbers(const Value& numbers, Oid type, std::string_view searchPath, Context& context);

// Registers the built-ins that look at the catalog: names, and definitions of keys.
void registerCatalogFunctions(FunctionRegistry& registry);

}  // namespace pelorus::postgres
