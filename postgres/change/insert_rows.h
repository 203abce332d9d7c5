// The rows that an insert makes: those of its values or its select, with defaults where it gives none.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "postgres/change/prepared_change.h"
#include "postgres/translate/translation.h"

namespace pelorus::postgres {

struct LiteralRows;

// Binds the rows of an InsertStmt: the target is set; steps and `makeRows` are made. `rows` follow the row of its list;
// null: none do. Throws SqlError.
void bindRows(const nlohmann::json& body, const LiteralRows* rows, Translation& translation,
              PreparedChange::Parts& parts);

}  // namespace pelorus::postgres
