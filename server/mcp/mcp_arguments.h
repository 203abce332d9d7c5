// The arguments of tools that users made: their types, as JSON describes them and as functions take them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/value/value.h"
#include "server/mcp/mcp_entry.h"
#include "server/mcp/mcp_message.h"

namespace pelorus {

// Throws UserError unless the type of a tool's argument is known: STRING, DOUBLE, LONG, BOOL, TEMPORAL, a temporal type
// such as DATE, or string, number, integer, boolean; NAME[] and array<name> for lists; empty for any value.
void requireMcpType(std::string_view type);

// Returns the JSON schema of a tool's arguments.
McpJson mcpSchema(const McpEntry& tool);

// Returns the arguments of a call in the order of the tool's function; omitted ones at their places. Throws UserError
// that names the argument for one that is unknown, missing or of another type.
std::vector<Value> mcpArguments(const McpEntry& tool, const McpJson& given);

// Returns a value of a script as JSON gives it, for mcpArguments: numbers, texts, true, false; times as the language
// writes them; vectors as lists. Throws UserError for other values.
McpJson mcpJsonOf(const Value& value);

}  // namespace pelorus
