// Functions over the system catalog, as tools call them: of numbers (oids) of tables, types and roles.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "postgres/translate/translation.h"
#include "postgres/typing/typed.h"

namespace pelorus::postgres {

// Returns the call; nothing when this is no such function. Throws SqlError for arguments that do not fit.
std::optional<Typed> catalogCall(const std::string& name, const std::vector<Typed>& arguments, int place,
                                 Translation& translation);

}  // namespace pelorus::postgres
