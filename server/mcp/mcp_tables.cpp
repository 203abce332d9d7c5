#include "server/mcp/mcp_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "database/service/database_handle.h"
#include "database/service/database_service.h"
#include "database/service/secured_objects.h"
#include "interpreter/session/shared_objects.h"
#include "runtime/function/principal.h"

namespace pelorus {

namespace {

constexpr std::string_view kScheme = "pelorus://", kDatabasePrefix = "dfs://";

// "text" as a literal of the language.
std::string quoted(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        result += c;
    }
    return result + '"';
}

McpJson columnsOf(const TableSchema& schema, const TableEntry* entry) {
    McpJson columns = McpJson::array();
    for (const ColumnSchema& column : schema) {
        McpJson one{{"name", std::string(column.name)}, {"type", typeName(column.type)}};
        if (!column.comment.empty()) one["comment"] = std::string(column.comment);
        if (entry) {
            const auto& keys = entry->partitionColumns;
            if (std::find(keys.begin(), keys.end(), column.name) != keys.end()) one["partitions"] = true;
        }
        columns.push_back(std::move(one));
    }
    return columns;
}

// Returns the entry of a table that the user may see; the database may lack its dfs://.
std::optional<TableEntry> tableOnDisk(Context& context, const std::string& database, const std::string& table) {
    const Catalog& catalog = databasesOf(context).catalog();
    std::optional<TableEntry> entry = catalog.findTable(database, table);
    if (!entry) entry = catalog.findTable(fmt::format("{}{}", kDatabasePrefix, database), table);
    return entry && maySee(context, *entry) ? entry : std::nullopt;
}

std::string escaped(std::string_view text) {
    std::string result;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        const bool isPlain = std::isalnum(byte) || c == '-' || c == '_' || c == '.' || c == '~';
        result += isPlain ? std::string(1, c) : fmt::format("%{:02X}", byte);
    }
    return result;
}

std::string addressOf(const TableEntry& entry) {
    std::string_view database = entry.database;
    if (database.starts_with(kDatabasePrefix)) database.remove_prefix(kDatabasePrefix.size());
    return fmt::format("{}{}/{}", kScheme, escaped(database), escaped(entry.name));
}

}  // namespace

void forEachMcpTable(Context& context, const std::function<void(const TableEntry& entry)>& take) {
    Catalog& catalog = databasesOf(context).catalog();
    for (const std::string& database : catalog.databasePaths()) {
        for (const std::string& name : catalog.tableNames(database)) {
            const auto entry = catalog.findTable(database, name);
            if (entry && maySee(context, *entry)) take(*entry);
        }
    }
}

std::vector<std::pair<std::string, Ref<Table>>> mcpSharedTables(Context& context) {
    std::vector<std::pair<std::string, Ref<Table>>> tables;
    auto* shared = context.service<SharedObjects>();
    if (!shared) return tables;
    std::vector<std::string> names = shared->names();
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) {
        Value value;
        if (!shared->find(name, value) || !value.isTable()) continue;
        const Ref<Table> table(&value.table());
        if (shared->allows(*table, Right::Read, context.principal())) tables.emplace_back(name, table);
    }
    return tables;
}

McpJson mcpTableDescription(Context& context, const std::string& database, const std::string& table) {
    if (database.empty()) {
        for (const auto& [name, shared] : mcpSharedTables(context)) {
            if (name != table) continue;
            return {{"table", name},
                    {"rows", shared->rowCount()},
                    {"columns", columnsOf(shared->columns(), nullptr)},
                    {"read", fmt::format("select * from {}", name)}};
        }
        return {};
    }
    const std::optional<TableEntry> entry = tableOnDisk(context, database, table);
    if (!entry) return {};
    McpJson described{{"database", entry->database}, {"table", entry->name}};
    if (!entry->comment.empty()) described["comment"] = entry->comment;
    described["columns"] = columnsOf(entry->schema, &*entry);
    if (!entry->partitionColumns.empty()) described["partitionColumns"] = entry->partitionColumns;
    if (!entry->sortColumns.empty()) described["sortColumns"] = entry->sortColumns;
    described["read"] = fmt::format("select * from loadTable({}, {})", quoted(entry->database), quoted(entry->name));
    if (!entry->partitionColumns.empty())
        described["advice"] = "Conditions on the partition columns read less: put them into where.";
    return described;
}

McpJson mcpResourceList(const McpWork& work) {
    Context context(work.services, work.request);
    McpJson resources = McpJson::array();
    forEachMcpTable(context, [&](const TableEntry& entry) {
        resources.push_back({{"uri", addressOf(entry)},
                             {"name", fmt::format("{}/{}", entry.database, entry.name)},
                             {"description", "Columns and partitions of the table."},
                             {"mimeType", "application/json"}});
    });
    return {{"resources", std::move(resources)}};
}

McpJson readMcpResource(const std::string& address, const McpWork& work) {
    Context context(work.services, work.request);
    McpJson described;
    forEachMcpTable(context, [&](const TableEntry& entry) {
        if (addressOf(entry) == address) described = mcpTableDescription(context, entry.database, entry.name);
    });
    if (described.is_null()) throw McpError(McpError::kResource, "There is no table at " + address + ".");
    return {
        {"contents", McpJson::array({{{"uri", address},
                                      {"mimeType", "application/json"},
                                      {"text", described.dump(-1, ' ', false, McpJson::error_handler_t::replace)}}})}};
}

}  // namespace pelorus
