// Arguments and rights of the built-ins about tools and prompts of language models.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runtime/function/context.h"
#include "runtime/function/principal.h"
#include "runtime/value/value.h"
#include "server/mcp/mcp_catalog.h"

namespace pelorus {

// Throw UserError, <NoPrivilege>, unless the caller may make drafts (MCP_DEVELOP), or publish them (MCP_MANAGE).
void requireDeveloper(const Principal& caller);
void requirePublisher(const Principal& caller);
// Throws UserError for another's entry. A tool runs with the rights of its owner: nobody else puts code or words into
// it.
void requireOwner(const Principal& caller, const McpEntry& entry);

// Returns the catalog of tools and prompts. Throws UserError in a process that keeps none.
McpCatalog modelCatalog(Context& context);

// Returns whether an optional argument was given.
bool isGiven(const Value& value);
// Returns a text of at most so many bytes; empty where none is given. `at` is its position for the error.
std::string textArgument(const Value& value, int at, const char* parameter, size_t maxBytes);
// Returns one text or several.
std::vector<std::string> textsArgument(const Value& value, int at, const char* parameter);
// Returns the name of a tool or prompt. Throws UserError for one that it cannot have, or that every node has.
std::string entryName(const Value& value, McpEntry::Kind kind);
std::string descriptionArgument(const Value& value, int at);
// Returns the title of extraInfo; empty where it has none.
std::string titleArgument(const Value& value, int at);
// Replaces a text by the one that was given: "" leaves what is there, blanks alone take it away.
void changeText(std::string& text, std::string given);

// Returns the draft of the caller, or the published version that the caller may use. Throws UserError for another's as
// for none.
McpEntry usableEntry(Context& context, McpEntry::Kind kind, const Value& name, const Value& published);

}  // namespace pelorus
