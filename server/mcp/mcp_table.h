// The result of a query as a language model reads it.
#pragma once

#include "runtime/value/value.h"
#include "server/mcp/mcp_message.h"

namespace pelorus {

// Returns columns with names and types, at most so many rows, and what was left out. Cells are numbers, texts, true,
// false or null; long texts are cut, and so are rows beyond 256 KiB. Text in them is marked as data. Throws UserError
// for a table on disk, whose rows nobody selected.
McpJson mcpTable(const Value& result, int64_t maxRows);

// Returns the result of a tool that a user made, as mcpTable does; a text is cut at 128 KiB only.
McpJson mcpToolResult(const Value& result);

}  // namespace pelorus
