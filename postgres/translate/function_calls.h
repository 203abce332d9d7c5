// Functions of one row by name and types of arguments, as PostgreSQL resolves them.
#pragma once

#include <string>
#include <vector>

#include "postgres/typing/convert.h"
#include "postgres/typing/typed.h"

namespace pelorus::postgres {

// Returns the call. Throws SqlError 42883 when there is no such function for these types.
Typed resolveFunction(const std::string& name, std::vector<Typed> arguments, int place, const ConversionHost& host);

// Returns the values converted to the type that holds all, as of case, coalesce and values. Throws SqlError 42804.
Oid typeOfAll(const std::vector<Typed>& values, std::string_view construct, int place);
void convertAll(std::vector<Typed>& values, std::string_view construct, int place, const ConversionHost& host);

Typed coalesced(std::vector<Typed> values, int place, const ConversionHost& host);

[[noreturn]] void refuseFunction(const std::string& name, const std::vector<Typed>& arguments, int place);

}  // namespace pelorus::postgres
