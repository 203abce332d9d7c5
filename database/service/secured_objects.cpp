#include "database/service/secured_objects.h"

#include <algorithm>
#include <array>

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
    const DatabaseEntry entry = databasesOf(context, path).catalog().database(path);
    context.principal().require(right, securedDatabase(entry));
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

std::vector<std::string> visibleDatabases(Context& context) {
    const Principal& who = context.principal();
    Catalog& catalog = databasesOf(context).catalog();
    std::vector<std::string> paths = catalog.databasePaths();
    if (who.administers() || who.powers().ownsAllData) return paths;
    static constexpr std::array kOfDatabases{Right::Read,   Right::Insert,       Right::Update,      Right::Delete,
                                             Right::Manage, Right::CreateObject, Right::DeleteObject};
    std::erase_if(paths, [&](const std::string& path) {
        const std::optional<DatabaseEntry> entry = catalog.findDatabase(path);
        return !entry || std::none_of(kOfDatabases.begin(), kOfDatabases.end(),
                                      [&](Right right) { return who.may(right, securedDatabase(*entry)); });
    });
    return paths;
}

}  // namespace pelorus
