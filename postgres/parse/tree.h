// Access to the nodes of libpg_query's trees: each is an object with one member, which names the kind.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "postgres/types/oids.h"

namespace pelorus::postgres {

// Returns the kind of a node, as "ColumnRef"; empty for an empty one.
std::string_view kindOf(const nlohmann::json& node);
// Returns what is under its kind.
const nlohmann::json& bodyOf(const nlohmann::json& node);
// Return a member, or the value that the library leaves out: "", 0 and false.
std::string textOf(const nlohmann::json& body, const char* member);
int64_t numberOf(const nlohmann::json& body, const char* member);
bool flagOf(const nlohmann::json& body, const char* member);
// Returns the byte of the statement's string at which the node is; -1 when unknown.
int placeOf(const nlohmann::json& body);
// Returns a constant or name as a word: 'c', 5, true, or a name with dots. Throws SqlError for anything else.
std::string wordOf(const nlohmann::json& node);
// Returns the words of a list of names: pg_catalog, int4.
std::vector<std::string> namesOf(const nlohmann::json& list);

// Returns the type that a TypeName writes. Throws SqlError 42704 for an unknown one.
struct WrittenType {
    Oid type = 0;
    int32_t modifier = -1;
};
WrittenType writtenType(const nlohmann::json& typeName);

}  // namespace pelorus::postgres
