#include "server/access/right_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "common/error.h"
#include "common/nearest_name.h"

namespace pelorus {
namespace {

constexpr RightSet kRead = setOf(Right::Read);
constexpr RightSet kInsert = setOf(Right::Insert);
constexpr RightSet kUpdate = setOf(Right::Update);
constexpr RightSet kDelete = setOf(Right::Delete);
constexpr RightSet kWrite = kInsert | kUpdate | kDelete;
constexpr RightSet kCreate = setOf(Right::CreateObject);
constexpr RightSet kDrop = setOf(Right::DeleteObject);

constexpr std::string_view kNoMasks = "columns are not masked by this version";
constexpr std::string_view kNoTaskGroups = "this version limits the result of a query, not its parts";
constexpr std::string_view kNoComputeGroups = "this version has no compute groups";
constexpr std::string_view kNoPartitionLimit = "this version does not limit the partitions of a query";
constexpr std::string_view kNoGraphs = "this version has no stream graphs";
constexpr std::string_view kNoDrafts = "the draft of a tool is for its owner and for administrators";

using enum RightScope;

constexpr std::array<RightKind, 59> kKinds{{
    {"TABLE_READ", kRead, Table, true},
    {"TABLE_WRITE", kWrite, Table, true},
    {"TABLE_INSERT", kInsert, Table, true},
    {"TABLE_UPDATE", kUpdate, Table, true},
    {"TABLE_DELETE", kDelete, Table, true},
    {"DB_READ", kRead, Database, true},
    {"DB_WRITE", kWrite, Database, true},
    {"DB_INSERT", kInsert, Database, true},
    {"DB_UPDATE", kUpdate, Database, true},
    {"DB_DELETE", kDelete, Database, true},
    {"DBOBJ_CREATE", kCreate, Database, true},
    {"DBOBJ_DELETE", kDrop, Database, true},
    {"DB_MANAGE", setOf(Right::Manage), Database},
    {"DB_OWNER", setOf(Right::CreateDatabase), Prefix},
    {"SCHEMA_READ", kRead, Schema},
    {"SCHEMA_WRITE", kWrite, Schema},
    {"SCHEMA_INSERT", kInsert, Schema},
    {"SCHEMA_UPDATE", kUpdate, Schema},
    {"SCHEMA_DELETE", kDelete, Schema},
    {"SCHEMA_MANAGE", setOf(Right::Manage), Schema},
    {"SCHEMAOBJ_CREATE", kCreate, Schema},
    {"SCHEMAOBJ_DELETE", kDrop, Schema},
    {"CATALOG_READ", kRead, Catalog},
    {"CATALOG_WRITE", kWrite, Catalog},
    {"CATALOG_INSERT", kInsert, Catalog},
    {"CATALOG_UPDATE", kUpdate, Catalog},
    {"CATALOG_DELETE", kDelete, Catalog},
    {"CATALOG_MANAGE", setOf(Right::ManageCatalog), Catalog},
    {"VIEW_EXEC", setOf(Right::ExecuteView), View, true},
    {"VIEW_OWNER", setOf(Right::CreateView)},
    {"SCRIPT_EXEC", setOf(Right::ExecuteScript)},
    {"TEST_EXEC", setOf(Right::ExecuteTest)},
    {"CREATE_SHARED_VAR", setOf(Right::CreateShared)},
    {"CREATE_SHARED_VARS", setOf(Right::CreateShared)},
    {"FILE_READ", setOf(Right::ReadFiles), Folder},
    {"FILE_WRITE", setOf(Right::ReadFiles) | setOf(Right::WriteFiles), Folder},
    {"MODULE_WRITE", setOf(Right::WriteModules)},
    {"QUERY_RESULT_MEM_LIMIT", 0, Limit},
    {"TASK_GROUP_MEM_LIMIT", 0, Limit, false, kNoTaskGroups},
    {"MAX_PARTITION_NUM_PER_QUERY", 0, Limit, false, kNoPartitionLimit},
    {"COMPUTE_GROUP_EXEC", 0, Everything, false, kNoComputeGroups},
    {"TABLE_SENSITIVE_VIEW", 0, Table, false, kNoMasks},
    {"DB_SENSITIVE_VIEW", 0, Database, false, kNoMasks},
    {"MCP_MANAGE", setOf(Right::PublishTools)},
    {"MCP_DEVELOP", setOf(Right::DevelopTools)},
    {"MCP_EXEC", setOf(Right::ExecuteTool), Tool, true},
    {"MCP_DRAFT", 0, Everything, false, kNoDrafts},
    {"ORCA_MANAGE", 0, Everything, false, kNoGraphs},
    {"ORCA_GRAPH_CREATE", 0, Everything, false, kNoGraphs},
    {"ORCA_GRAPH_DROP", 0, Everything, false, kNoGraphs},
    {"ORCA_GRAPH_CONTROL", 0, Everything, false, kNoGraphs},
    {"ORCA_TABLE_CREATE", 0, Everything, false, kNoGraphs},
    {"ORCA_TABLE_DROP", 0, Everything, false, kNoGraphs},
    {"ORCA_TABLE_READ", 0, Everything, false, kNoGraphs},
    {"ORCA_TABLE_WRITE", 0, Everything, false, kNoGraphs},
    {"ORCA_ENGINE_MANAGE", 0, Everything, false, kNoGraphs},
    {"ORCA_TABLE_MANAGE", 0, Everything, false, kNoGraphs},
    {"ORCA_GRAPH_MANAGE", 0, Everything, false, kNoGraphs},
    {"ORCA_ENGINE_CREATE", 0, Everything, false, kNoGraphs},
}};

}  // namespace

std::span<const RightKind> rightKinds() {
    return kKinds;
}

const RightKind& rightKind(std::string_view name) {
    const auto found = std::find_if(kKinds.begin(), kKinds.end(), [&](const RightKind& k) { return k.name == name; });
    if (found == kKinds.end()) {
        std::vector<std::string_view> names;
        for (const RightKind& kind : kKinds) {
            if (kind.notSupported.empty()) names.push_back(kind.name);
        }
        const std::vector<std::string_view> near = nearestNames(name, names);
        throw UserError(1, fmt::format("There is no right {}.", name),
                        near.empty() ? "TABLE_READ, DB_WRITE and VIEW_EXEC are some of them."
                                     : fmt::format("Did you mean {}?", fmt::join(near, ", ")));
    }
    if (!found->notSupported.empty())
        throw UserError(1, fmt::format("{} cannot be granted: {}.", name, found->notSupported));
    return *found;
}

}  // namespace pelorus
