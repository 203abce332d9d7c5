// The tables that a language model's user may see: what they are called, and what they look like.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/function/context.h"
#include "runtime/table/table.h"
#include "server/mcp/mcp_message.h"
#include "server/mcp/mcp_tools.h"

namespace pelorus {

struct TableEntry;

// Calls `take` with every table on disk that the user may see.
void forEachMcpTable(Context& context, const std::function<void(const TableEntry& entry)>& take);
// Returns the shared tables in memory that the user may read, by name.
std::vector<std::pair<std::string, Ref<Table>>> mcpSharedTables(Context& context);
// Returns the description of a table on disk, or, where `database` is empty, of a shared one; null when there is none
// that the user may see. The database may lack its dfs://.
McpJson mcpTableDescription(Context& context, const std::string& database, const std::string& table);

// Returns the tables that the user may see, for resources/list, each under the address pelorus://database/table.
McpJson mcpResourceList(const McpWork& work);
// Returns the description of the table at an address. Throws McpError when there is none that the user may see.
McpJson readMcpResource(const std::string& address, const McpWork& work);

}  // namespace pelorus
