// Numbers (oids) of tables, schemas and roles, which clients join the system catalog by.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "postgres/session_facts.h"
#include "postgres/types/oids.h"
#include "runtime/function/context.h"

namespace pelorus::postgres {

// Objects have numbers made of their names, so that they are the same on every node and after a restart. Two names may
// meet in one number only by a hash of 30 bits.
// Of the only database.
constexpr int64_t kDatabaseNumber = 5;

int64_t schemaNumber(std::string_view schema);
int64_t tableNumber(std::string_view schema, std::string_view table);
int64_t roleNumber(std::string_view user);

constexpr int64_t kCatalogSchema = 11;    // pg_catalog
constexpr int64_t kPublicSchema = 2'200;  // public
constexpr int64_t kFirstOwnNumber = 16'384;

// Returns what 'name'::regclass and the like mean. Throws SqlError 42P01 and the like for no such object.
int64_t numberOfName(Oid type, const std::string& name, const SessionFacts& session, Context& context);

}  // namespace pelorus::postgres
