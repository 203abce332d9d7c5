// Defaults and checks of tables: from a statement into the catalog, and back.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "postgres/session_facts.h"
#include "postgres/typing/assignment.h"
#include "runtime/function/context.h"
#include "storage/catalog/catalog.h"

namespace pelorus::postgres {

// Returns the default of a column as the catalog keeps it: it names sequences with their schema. Throws SqlError: 0A000
// for one that reads columns or rows, 42804 and the like for one that is no value of the column.
std::string savedDefault(nlohmann::json expression, const AssignmentTarget& target, const SessionFacts& session,
                         Context& context);

// Returns a check as the catalog keeps it, by the stored names of columns. Throws SqlError where it is no condition of
// the table's columns.
RowTableCheck savedCheck(nlohmann::json expression, std::string name, const TableEntry& table, Context& context);

// Returns a name of PostgreSQL's form, `table_column_label`, cut to its 63 bytes and with a number behind it where
// `isTaken` says so. `column` may be empty.
std::string madeName(const std::string& table, const std::string& column, std::string_view label,
                     const std::function<bool(const std::string& name)>& isTaken);
// Returns whether a constraint of the table has the name.
bool hasConstraint(const TableEntry& table, const std::string& name);

}  // namespace pelorus::postgres
