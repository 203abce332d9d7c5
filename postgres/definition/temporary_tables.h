// Temporary tables: those of a session are in a schema of its own, which is first on its search path and goes with it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "runtime/function/context.h"

namespace pelorus::postgres {

// Returns whether the schema is one of a session's temporary tables.
bool isTemporarySchema(std::string_view schema);

// Returns the schema in which a statement makes what it names: pg_temp for something temporary; empty where none is
// written. Throws SqlError 42P16 for something temporary in another schema.
std::string writtenSchema(const nlohmann::json& relation);

// Makes the schema of a session of this number, empty, and returns its name. Drops the schemas of sessions that are no
// more: of a process that was killed, and those that could not be dropped at their session's end. Throws SqlError 0A000
// in a cluster, and without a data folder; UserError without the right to make a database.
std::string makeTemporarySchema(int32_t session, Context& context);

// Drops a schema that was made so, with its tables, whatever the rights of its user are by now. What fails is left to
// makeTemporarySchema.
void dropTemporarySchema(const std::string& schema, const Services& services);

}  // namespace pelorus::postgres
