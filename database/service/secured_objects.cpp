#include "database/service/secured_objects.h"

#include <algorithm>
#include <array>

#include "common/error.h"
#include "database/service/database_handle.h"

namespace pelorus {
namespace {

constexpr std::array kOfRows{Right::Read, Right::Insert, Right::Update, Right::Delete};

bool isSecured(const std::string& path) {
    return path.starts_with("dfs://");
}

}  // namespace

SecuredObject securedDatabase(const DatabaseEntry& database) {
    if (!isSecured(database.path)) return {};
    return SecuredObject::ofDatabase(database.path, database.owner);
}

SecuredObject securedTable(const TableEntry& table) {
    if (!isSecured(table.database)) return {};
    return {.kind = SecuredObject::Kind::Table,
            .database = table.database,
            .name = table.name,
            .table = table.id,
            .owner = table.owner};
}

void requireOnDatabase(Context& context, const std::string& path, Right right) {
    if (!isSecured(path)) return;
    Catalog& catalog = databasesOf(context, path).catalog();
    // A user without the right gets the same error for a database that exists and for one that does not.
    const std::optional<DatabaseEntry> entry = catalog.findDatabase(path);
    context.principal().require(right, entry ? securedDatabase(*entry) : SecuredObject::ofDatabase(path, ""));
    if (!entry) catalog.database(path);  // throws
}

void requireOnTable(Context& context, const TableEntry& table, Right right) {
    if (isSecured(table.database)) context.principal().require(right, securedTable(table));
}

void requireOnCatalog(Context& context, const std::string& catalog) {
    if (context.principal().administers()) return;
    context.principal().require(Right::ManageCatalog, {.kind = SecuredObject::Kind::Catalog, .name = catalog});
}

bool maySee(Context& context, const TableEntry& table) {
    const Principal& who = context.principal();
    if (who.administers() || !isSecured(table.database)) return true;
    const SecuredObject object = securedTable(table);
    return std::any_of(kOfRows.begin(), kOfRows.end(), [&](Right right) { return who.may(right, object); });
}

namespace {

bool seesAll(const Principal& who) {
    return who.administers() || who.powers().ownsAllData;
}

bool hasRightTo(const Principal& who, const DatabaseEntry& database) {
    static constexpr std::array kOfDatabases{Right::Read,   Right::Insert,       Right::Update,      Right::Delete,
                                             Right::Manage, Right::CreateObject, Right::DeleteObject};
    return std::any_of(kOfDatabases.begin(), kOfDatabases.end(),
                       [&](Right right) { return who.may(right, securedDatabase(database)); });
}

}  // namespace

std::vector<std::string> visibleDatabases(Context& context) {
    const Principal& who = context.principal();
    Catalog& catalog = databasesOf(context).catalog();
    std::vector<std::string> paths = catalog.databasePaths();
    if (seesAll(who)) return paths;
    std::erase_if(paths, [&](const std::string& path) {
        const std::optional<DatabaseEntry> entry = catalog.findDatabase(path);
        return !entry || !hasRightTo(who, *entry);
    });
    return paths;
}

bool maySee(Context& context, const DatabaseEntry& database) {
    const Principal& who = context.principal();
    if (seesAll(who) || !isSecured(database.path) || hasRightTo(who, database)) return true;
    Catalog& catalog = databasesOf(context, database.path).catalog();
    const std::vector<std::string> names = catalog.tableNames(database.path);
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
        const std::optional<TableEntry> table = catalog.findTable(database.path, name);
        return table && maySee(context, *table);
    });
}

DatabaseEntry visibleDatabase(Context& context, const std::string& path) {
    Catalog& catalog = databasesOf(context, path).catalog();
    const Principal& who = context.principal();
    const std::optional<DatabaseEntry> entry = catalog.findDatabase(path);
    if (entry && maySee(context, *entry)) return *entry;
    const bool isTold = seesAll(who) || !isSecured(path) ||
                        (!entry && who.may(Right::CreateDatabase, SecuredObject::ofDatabase(path, "")));
    if (isTold) return catalog.database(path);
    throw UserError("<NoPrivilege>Not granted to see a database " + path + ".",
                    "Ask an administrator whether there is one; getClusterDFSDatabases() lists yours.");
}

TableEntry visibleTable(Context& context, const std::string& path, const std::string& name) {
    Catalog& catalog = databasesOf(context, path).catalog();
    const std::optional<TableEntry> entry = catalog.findTable(path, name);
    if (entry && maySee(context, *entry)) return *entry;
    if (seesAll(context.principal()) || !isSecured(path)) return catalog.table(path, name);
    const std::optional<DatabaseEntry> database = catalog.findDatabase(path);
    // In a database that the user sees, it is no secret that a table does not exist.
    if (!entry && database && maySee(context, *database)) {
        throw UserError("There is no table " + name + " in " + path + ".",
                        "getTables(database(\"" + path + "\")) lists those that you may use.");
    }
    context.principal().require(
        Right::Read, entry ? securedTable(*entry)
                           : SecuredObject{.kind = SecuredObject::Kind::Table, .database = path, .name = name});
    return catalog.table(path, name);
}

}  // namespace pelorus
