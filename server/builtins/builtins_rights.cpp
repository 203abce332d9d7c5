// grant, deny and revoke, and tables of who may do what.
#include <fmt/format.h>

#include <array>

#include "common/error.h"
#include "common/io/audit.h"
#include "common/log.h"
#include "database/service/database_handle.h"
#include "database/service/secured_objects.h"
#include "database/service/status_table.h"
#include "interpreter/session/shared_objects.h"
#include "runtime/registry/function_theme.h"
#include "runtime/registry/registry.h"
#include "server/access/access_control.h"
#include "server/builtins/right_objects.h"
#include "server/builtins/server_builtins.h"
#include "server/builtins/server_services.h"

namespace pelorus {
namespace {

using Kind = AccessObject::Kind;
constexpr double kBytesPerGigabyte = 1 << 30;

AccessControl& access(Context& context) {
    return requireService<AccessControl>(context, "Users");
}

const char* nameOf(RightVerb verb) {
    return verb == RightVerb::Grant ? "grant" : verb == RightVerb::Deny ? "deny" : "revoke";
}

[[noreturn]] void refuseToGrant(const RightKind& kind) {
    throw UserError(fmt::format("<NoPrivilege>Not granted to give or take {} here.", kind.name),
                    "Administrators may, and the owner of a database or a function view for that.");
}

void requireMayGrant(const Principal& who, const RightKind& kind, const std::vector<NamedObject>& objects) {
    if (who.administers()) return;
    for (const NamedObject& named : objects) {
        if (!kind.byOwners || named.owner.empty() || named.owner != who.user()) refuseToGrant(kind);
    }
}

// Returns the objects that the user names. Who is no administrator hears the same of one that is another's and of one
// that is not there.
std::vector<NamedObject> grantableObjects(Context& context, const RightKind& kind, const Value& objects) {
    try {
        return namedObjects(context, kind, objects);
    } catch (const UserError&) {
        if (context.principal().administers()) throw;
        refuseToGrant(kind);
    }
}

// Requires that only `admin` grants the right to write modules, and to single users only. The code of modules runs with
// the rights of its callers, `admin` among them, and others change the members of groups.
void requireMayGiveCode(const Principal& who, const AccessControl& control, const RightKind& kind,
                        const std::string& holder) {
    if ((kind.rights & setOf(Right::WriteModules)) == 0) return;
    if (!who.powers().everything)
        throw UserError(fmt::format("<NoPrivilege>Only admin gives or takes {}.", kind.name),
                        "Whoever has it writes code that other users run.");
    if (control.state()->hasGroup(holder))
        throw UserError(0, fmt::format("{} is given to users, not to groups.", kind.name), "Name the users.");
}

// Prints, before the answer, which narrower denials a grant removed: they may still be wanted.
void tellLifted(const Context& context, const std::string& holder, const RightKind& kind,
                const std::vector<AccessObject>& lifted,
                const std::function<std::string(const AccessObject&)>& describe) {
    if (lifted.empty()) return;
    std::vector<std::string> names;
    for (const AccessObject& object : lifted) names.push_back(describe(object));
    logWarning("access", "grant took denials away",
               {{"holder", holder}, {"right", kind.name}, {"objects", fmt::format("{}", fmt::join(names, ","))}});
    if (context.request->print) {
        context.request->print(
            fmt::format("Warning: {} of {} was denied for {} before; the wider grant replaces that. Deny it again to "
                        "keep it.",
                        kind.name, holder, fmt::join(names, ", ")));
    }
}

Value changeRight(Context& context, Arguments arguments, RightVerb verb) {
    const std::string holder = nameArgument(arguments[0], 0, "userId");
    if (!arguments[1].isString()) throw UserError(1, "accessType must be the name of a right, as in TABLE_READ.");
    const RightKind& kind = rightKind(arguments[1].string());
    AccessControl& control = access(context);
    if (kind.scope == RightScope::Limit) {
        context.principal().requireAdministrator("limit what a user's queries return");
        if (verb == RightVerb::Deny)
            throw UserError(1, "A limit cannot be denied.", "grant sets it, revoke removes it.");
        const Value& v = arguments[2];
        const bool isAmount = v.isScalar() && v.isNumber() && !v.isNull() && v.asDouble() > 0 && v.asDouble() < 1 << 20;
        if (verb == RightVerb::Grant && !isAmount)
            throw UserError(2, "The limit must be a number of gigabytes above 0.");
        const std::string detail =
            fmt::format("userOrGroupId={} accessType={} limit={}", holder, kind.name, isAmount ? v.asDouble() : 0.0);
        AuditedChange change({.operation = nameOf(verb), .detail = detail});
        const int64_t most = verb == RightVerb::Grant ? static_cast<int64_t>(v.asDouble() * kBytesPerGigabyte) : 0;
        control.changeLimits(holder, [most](UserEntry& entry) { entry.maxResultBytes = most; });
        change.done();
        return Value();
    }
    const std::vector<NamedObject> named = grantableObjects(context, kind, arguments[2]);
    requireMayGrant(context.principal(), kind, named);
    requireMayGiveCode(context.principal(), control, kind, holder);
    const auto describe = objectNames(context);
    std::vector<AccessObject> objects;
    std::vector<std::string> names;
    for (const NamedObject& n : named) {
        if (verb == RightVerb::Deny && n.object.kind == Kind::Prefix)
            throw UserError(2, "DB_OWNER can be denied for everything only.", "Leave the objects out.");
        objects.push_back(n.object);
        names.push_back(describe(n.object));
    }
    const std::string detail =
        fmt::format("userOrGroupId={} accessType={} objs=[{}]", holder, kind.name, fmt::join(names, ","));
    AuditedChange change({.operation = nameOf(verb), .detail = detail});
    const std::vector<AccessObject> lifted = control.changeRights(holder, verb, kind.rights, objects, describe);
    change.done();
    tellLifted(context, holder, kind, lifted, describe);
    // A right that is set for a shared table means that users without one have none.
    auto* shared = context.service<SharedObjects>();
    for (const AccessObject& object : objects) {
        if (shared && object.kind == Kind::SharedTable) shared->controlAccess(object.name);
    }
    return Value();
}

Value grantKernel(Context& context, Arguments arguments) {
    return changeRight(context, arguments, RightVerb::Grant);
}
Value denyKernel(Context& context, Arguments arguments) {
    return changeRight(context, arguments, RightVerb::Deny);
}
Value revokeKernel(Context& context, Arguments arguments) {
    return changeRight(context, arguments, RightVerb::Revoke);
}

// A column of the tables of rights: the state of a right for everything.
struct StateColumn {
    const char* name;
    Right right;
};
constexpr std::array kStates{
    StateColumn{"ACCESS_READ", Right::Read},
    StateColumn{"ACCESS_INSERT", Right::Insert},
    StateColumn{"ACCESS_UPDATE", Right::Update},
    StateColumn{"ACCESS_DELETE", Right::Delete},
    StateColumn{"VIEW_EXEC", Right::ExecuteView},
    StateColumn{"SCRIPT_EXEC", Right::ExecuteScript},
    StateColumn{"TEST_EXEC", Right::ExecuteTest},
    StateColumn{"DBOBJ_CREATE", Right::CreateObject},
    StateColumn{"DBOBJ_DELETE", Right::DeleteObject},
    StateColumn{"DB_MANAGE", Right::Manage},
    StateColumn{"DB_OWNER", Right::CreateDatabase},
    StateColumn{"VIEW_OWNER", Right::CreateView},
    StateColumn{"CATALOG_MANAGE", Right::ManageCatalog},
    StateColumn{"CREATE_SHARED_VARS", Right::CreateShared},
    StateColumn{"FILE_READ", Right::ReadFiles},
    StateColumn{"FILE_WRITE", Right::WriteFiles},
    StateColumn{"MODULE_WRITE", Right::WriteModules},
    StateColumn{"MCP_MANAGE", Right::PublishTools},
    StateColumn{"MCP_DEVELOP", Right::DevelopTools},
    StateColumn{"MCP_EXEC", Right::ExecuteTool},
};

// Columns of the names of the objects that a right is allowed or denied for.
struct ObjectColumns {
    const char* name;
    Right right;
    Kind kind;
    Kind other;  // another kind of object in the same column
};
constexpr std::array kObjects{
    ObjectColumns{"TABLE_READ", Right::Read, Kind::Table, Kind::SharedTable},
    ObjectColumns{"TABLE_INSERT", Right::Insert, Kind::Table, Kind::SharedTable},
    ObjectColumns{"TABLE_UPDATE", Right::Update, Kind::Table, Kind::SharedTable},
    ObjectColumns{"TABLE_DELETE", Right::Delete, Kind::Table, Kind::SharedTable},
    ObjectColumns{"DB_READ", Right::Read, Kind::Database, Kind::Database},
    ObjectColumns{"DB_INSERT", Right::Insert, Kind::Database, Kind::Database},
    ObjectColumns{"DB_UPDATE", Right::Update, Kind::Database, Kind::Database},
    ObjectColumns{"DB_DELETE", Right::Delete, Kind::Database, Kind::Database},
    ObjectColumns{"VIEW_EXEC", Right::ExecuteView, Kind::View, Kind::ViewSpace},
    ObjectColumns{"DBOBJ_CREATE", Right::CreateObject, Kind::Database, Kind::Catalog},
    ObjectColumns{"DBOBJ_DELETE", Right::DeleteObject, Kind::Database, Kind::Catalog},
    ObjectColumns{"DB_OWNER", Right::CreateDatabase, Kind::Prefix, Kind::Prefix},
    ObjectColumns{"DB_MANAGE", Right::Manage, Kind::Database, Kind::Catalog},
    ObjectColumns{"CATALOG_MANAGE", Right::ManageCatalog, Kind::Catalog, Kind::Catalog},
    ObjectColumns{"CATALOG_READ", Right::Read, Kind::Catalog, Kind::Catalog},
    ObjectColumns{"CATALOG_INSERT", Right::Insert, Kind::Catalog, Kind::Catalog},
    ObjectColumns{"CATALOG_UPDATE", Right::Update, Kind::Catalog, Kind::Catalog},
    ObjectColumns{"CATALOG_DELETE", Right::Delete, Kind::Catalog, Kind::Catalog},
    ObjectColumns{"MCP_EXEC", Right::ExecuteTool, Kind::Tool, Kind::ToolSpace},
};

const char* stateOf(const RightSetting& setting, Right right) {
    return (setting.denied & setOf(right)) != 0 ? "deny" : (setting.allowed & setOf(right)) != 0 ? "allow" : "none";
}

void addRights(std::vector<Value>& row, const RightSettings& settings, bool hasAll,
               const std::function<std::string(const AccessObject&)>& describe) {
    const auto found = settings.find(AccessObject{});
    const RightSetting everything = found == settings.end() ? RightSetting{} : found->second;
    for (const StateColumn& column : kStates)
        row.push_back(Value::ofString(hasAll ? "allow" : stateOf(everything, column.right)));
    for (const ObjectColumns& columns : kObjects) {
        std::string allowed, denied;
        for (const auto& [object, setting] : settings) {
            if (object.kind != columns.kind && object.kind != columns.other) continue;
            std::string* list = (setting.denied & setOf(columns.right)) != 0    ? &denied
                                : (setting.allowed & setOf(columns.right)) != 0 ? &allowed
                                                                                : nullptr;
            if (list) *list += (list->empty() ? "" : ",") + describe(object);
        }
        row.push_back(Value::ofString(allowed));
        row.push_back(Value::ofString(denied));
    }
}

void addRightColumns(TableSchema& schema) {
    for (const StateColumn& column : kStates) schema.push_back({column.name, Type::String});
    for (const ObjectColumns& columns : kObjects) {
        schema.push_back({std::string(columns.name) + "_allowed", Type::String});
        schema.push_back({std::string(columns.name) + "_denied", Type::String});
    }
}

Value userAccess(Context& context, Arguments arguments) {
    const Principal& who = context.request->principal();
    std::vector<std::string> users = namesArgument(arguments[0], 0, "userIds");
    const bool isFinal = arguments[1].isNumber() && !arguments[1].isNull() && arguments[1].integer() != 0;
    if (users.empty()) users.push_back(who.user());
    for (const std::string& user : users) {
        if (user != who.user()) who.requireAdministrator("see the rights of other users");
    }
    const auto state = access(context).state();
    const auto describe = objectNames(context);
    TableSchema schema = {{"userId", Type::String},       {"groups", Type::String},
                          {"isAdmin", Type::Bool},        {"MAX_JOB_PRIORITY", Type::Int},
                          {"MAX_PARALLELISM", Type::Int}, {"QUERY_RESULT_MEM_LIMIT", Type::Double}};
    addRightColumns(schema);
    std::vector<std::vector<Value>> rows;
    for (const std::string& user : users) {
        const UserEntry* entry = state->user(user);
        if (!entry && user != "guest")
            throw UserError(0, "The user " + user + " does not exist.", "getUserList() lists the users.");
        const UserEntry shown = entry ? *entry : UserEntry();
        std::vector<Value> row{Value::ofString(user),
                               Value::ofString(fmt::format("{}", fmt::join(shown.groups, ","))),
                               Value::ofBool(shown.isAdmin),
                               Value::ofInt(shown.maxJobPriority),
                               Value::ofInt(shown.maxJobParallelism),
                               shown.maxResultBytes > 0
                                   ? Value::ofDouble(static_cast<double>(shown.maxResultBytes) / kBytesPerGigabyte)
                                   : Value::nullOf(Type::Double)};
        addRights(row, isFinal ? state->effectiveSettings(user) : state->settings(holderOfUser(user)),
                  user == kAdministrator, describe);
        rows.push_back(std::move(row));
    }
    return statusTable(schema, rows);
}

Value groupAccess(Context& context, Arguments arguments) {
    const auto state = access(context).state();
    const auto describe = objectNames(context);
    TableSchema schema = {{"groupName", Type::String}, {"users", Type::String}};
    addRightColumns(schema);
    std::vector<std::vector<Value>> rows;
    for (const std::string& group : namesArgument(arguments[0], 0, "groupIds")) {
        if (!state->hasGroup(group))
            throw UserError(0, "The group " + group + " does not exist.", "getGroupList() lists the groups.");
        std::vector<std::string> members;
        for (const auto& [name, entry] : state->users()) {
            if (entry.groups.count(group) > 0) members.push_back(name);
        }
        std::vector<Value> row{Value::ofString(group), Value::ofString(fmt::format("{}", fmt::join(members, ",")))};
        addRights(row, state->settings(holderOfGroup(group)), false, describe);
        rows.push_back(std::move(row));
    }
    return statusTable(schema, rows);
}

// Rows of the users and groups that have a setting for the object, or for one that covers it.
Value holdersOf(const AccessState& state, const AccessObject& object, std::span<const StateColumn> columns) {
    TableSchema schema = {{"name", Type::String}, {"type", Type::String}};
    for (const StateColumn& column : columns) schema.push_back({column.name, Type::String});
    std::vector<std::vector<Value>> rows;
    const auto catalogOf = [&](const std::string& database) { return state.catalogOf(database); };
    const auto add = [&](const std::string& name, const char* type, const RightSettings& settings) {
        RightSetting all;
        for (const auto& [other, setting] : settings) {
            if (other != object && !covers(other, object, catalogOf)) continue;
            all.allowed |= setting.allowed;
            all.denied |= setting.denied;
        }
        std::vector<Value> row{Value::ofString(name), Value::ofString(type)};
        bool isAny = false;
        for (const StateColumn& column : columns) {
            const std::string_view shown = name == kAdministrator ? "allow" : stateOf(all, column.right);
            isAny |= shown != "none";
            row.push_back(Value::ofString(shown == "allow" ? "ALLOW" : shown == "deny" ? "DENY" : "NONE"));
        }
        if (isAny) rows.push_back(std::move(row));
    };
    for (const std::string& group : state.groups()) add(group, "group", state.settings(holderOfGroup(group)));
    for (const auto& [user, entry] : state.users()) add(user, "user", state.settings(holderOfUser(user)));
    return statusTable(schema, rows);
}

DatabaseEntry managedDatabase(Context& context, const Value& argument) {
    const std::string path = databasePath(context, argument, 0);
    DatabaseEntry entry = visibleDatabase(context, path);
    if (!context.principal().administers())
        context.principal().require(Right::Manage, SecuredObject::ofDatabase(entry.path, entry.owner));
    return entry;
}

Value databaseAccess(Context& context, Arguments arguments) {
    const DatabaseEntry entry = managedDatabase(context, arguments[0]);
    static constexpr std::array kColumns{StateColumn{"DB_READ", Right::Read},
                                         StateColumn{"DB_INSERT", Right::Insert},
                                         StateColumn{"DB_UPDATE", Right::Update},
                                         StateColumn{"DB_DELETE", Right::Delete},
                                         StateColumn{"DBOBJ_CREATE", Right::CreateObject},
                                         StateColumn{"DBOBJ_DELETE", Right::DeleteObject},
                                         StateColumn{"DB_MANAGE", Right::Manage}};
    return holdersOf(*access(context).state(), {Kind::Database, entry.path}, kColumns);
}

Value tableAccess(Context& context, Arguments arguments) {
    const DatabaseEntry entry = managedDatabase(context, arguments[0]);
    const TableEntry table = visibleTable(context, entry.path, nameArgument(arguments[1], 1, "table"));
    static constexpr std::array kColumns{
        StateColumn{"TABLE_READ", Right::Read}, StateColumn{"TABLE_INSERT", Right::Insert},
        StateColumn{"TABLE_UPDATE", Right::Update}, StateColumn{"TABLE_DELETE", Right::Delete}};
    return holdersOf(*access(context).state(), {Kind::Table, entry.path, table.id}, kColumns);
}

}  // namespace

void registerRightBuiltins(FunctionRegistry& registry) {
    const FunctionTheme theme("users and security");
    {
        const FunctionFamily family(registry, Facet::Public, Effect::Writes);
        static constexpr const char* kParameters =
            "userId: a STRING: a user or a group\n"
            "accessType: a STRING, the kind of right, as in TABLE_READ, DB_WRITE, VIEW_EXEC\n"
            "objs: a STRING or several: dfs://database/table, dfs://database, catalog.schema, catalog, a shared table, "
            "a "
            "function view, or * for everything, which is meant without it";
        registry.add("grant(userId, accessType, [objs])", grantKernel,
                     {.summary = "Allows a user or a group something. The setting for a wide object replaces those for "
                                 "what it covers, and tells which denials that takes away; a denial of the user or of "
                                 "one of the user's groups wins.",
                      .parameters = kParameters,
                      .errors = "A denial for a wider object is in the way; the object does not exist; the caller is "
                                "neither an administrator nor the owner of the object.",
                      .example = "grant(\"ann\", DB_READ, \"dfs://TAQ\")\n"
                                 "grant(\"desk\", TABLE_INSERT, \"dfs://TAQ/trades\")"});
        registry.add("deny(userId, accessType, [objs])", denyKernel,
                     {.summary = "Forbids a user or a group something, whatever else allows it.",
                      .parameters = kParameters,
                      .errors = "The object does not exist; the caller may not, as with grant.",
                      .example = "deny(\"bob\", TABLE_READ, \"dfs://TAQ/quotes\")"});
        registry.add(
            "revoke(userId, accessType, [objs])", revokeKernel,
            {.summary = "Takes back what grant or deny set for this object. Below a setting for a wider object it "
                        "changes nothing.",
             .parameters = kParameters,
             .errors = "The object does not exist; the caller may not, as with grant.",
             .example = "revoke(\"ann\", DB_READ, \"dfs://TAQ\")"});
    }
    const FunctionFamily family(registry, Facet::Public, Effect::Stable);
    registry.add(
        "getUserAccess([userIds], [finalAccess=false])", userAccess,
        {.summary = "A table of users with what they were granted: allow, deny or none for everything, and the "
                    "objects of narrower settings.",
         .parameters = "userIds: a STRING or several; the user of the session without it\n"
                       "finalAccess: whether the rights of the users' groups are added",
         .errors = "The caller asks for others and is no administrator; a user does not exist.",
         .example = "getUserAccess(`ann`bob, true)"});
    registry.add("getGroupAccess(groupIds)", groupAccess,
                 {.summary = "A table of groups with their members and what they were granted, as getUserAccess.",
                  .errors = "A group does not exist.",
                  .example = "getGroupAccess(\"desk\")"},
                 {.effect = Effect::Stable, .facet = Facet::Admin});
    registry.add("getDBAccess(dbUrl)", databaseAccess,
                 {.summary = "A table of the users and groups that have rights to a database: ALLOW, DENY or NONE.",
                  .errors = "The caller neither owns nor manages the database, and is no administrator.",
                  .example = "getDBAccess(\"dfs://TAQ\")"});
    registry.add("getTableAccess(dbUrl, table)", tableAccess,
                 {.summary = "A table of the users and groups that have rights to a stored table: ALLOW, DENY or NONE.",
                  .errors = "The caller neither owns nor manages the database, and is no administrator.",
                  .example = "getTableAccess(\"dfs://TAQ\", \"trades\")"});
}

}  // namespace pelorus
