// Rights to databases, tables and catalogs, as the built-in functions ask for them.
#pragma once

#include <string>
#include <vector>

#include "runtime/function/context.h"
#include "runtime/function/principal.h"
#include "storage/catalog/catalog.h"

namespace pelorus {

// The strings of the results are those of the entries. Databases of plain folders are secured by their folder alone:
// for them the object is of Kind::Nothing.
SecuredObject securedDatabase(const DatabaseEntry& database);
SecuredObject securedTable(const TableEntry& table);

// Throw UserError, <NoPrivilege>, when the user of the context may not, and when there is no such database.
void requireOnDatabase(Context& context, const std::string& path, Right right);
void requireOnTable(Context& context, const TableEntry& table, Right right);
// Administrators manage the names of all catalogs.
void requireOnCatalog(Context& context, const std::string& catalog);

// Whether lists of tables show this one: the user may do something with its rows, or administers the server.
bool maySee(Context& context, const TableEntry& table);
// Whether the user may do something with the database or with one of its tables.
bool maySee(Context& context, const DatabaseEntry& database);
// Return the entry that the user named. Throw UserError when there is none, and the same one, <NoPrivilege>, for one
// that the user may not see: what is hidden and what is not there are told apart by nobody.
DatabaseEntry visibleDatabase(Context& context, const std::string& path);
TableEntry visibleTable(Context& context, const std::string& path, const std::string& name);
// Returns the paths of the databases that lists show to the user.
std::vector<std::string> visibleDatabases(Context& context);

}  // namespace pelorus
