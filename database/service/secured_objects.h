// Checks the rights to databases, tables and catalogs for the built-in functions.
#pragma once

#include <string>
#include <vector>

#include "runtime/function/context.h"
#include "runtime/function/principal.h"
#include "storage/catalog/catalog.h"

namespace pelorus {

// Return the object that rights are checked for; its strings refer to the entry, which must live as long. Databases of
// plain folders are secured by their folder alone: for them the object is of Kind::Nothing.
SecuredObject securedDatabase(const DatabaseEntry& database);
SecuredObject securedTable(const TableEntry& table);

// Throw UserError, <NoPrivilege>, when the user of the context lacks the right; requireOnDatabase throws UserError also
// when there is no such database.
void requireOnDatabase(Context& context, const std::string& path, Right right);
void requireOnTable(Context& context, const TableEntry& table, Right right);
// Throws UserError, <NoPrivilege>, unless the user may manage the names of the catalog; administrators may manage those
// of all.
void requireOnCatalog(Context& context, const std::string& catalog);

// Returns whether lists of tables show this one: the user has some right to its rows, or administers the server.
bool maySee(Context& context, const TableEntry& table);
// Returns whether the user has some right to the database or to one of its tables, or administers the server.
bool maySee(Context& context, const DatabaseEntry& database);
// Return the entry of this name. They throw UserError when there is none, and the same error, <NoPrivilege>, for one
// that the user may not see: nobody can distinguish a hidden entry from a missing one.
DatabaseEntry visibleDatabase(Context& context, const std::string& path);
TableEntry visibleTable(Context& context, const std::string& path, const std::string& name);
// Returns the paths of the databases that lists show to the user.
std::vector<std::string> visibleDatabases(Context& context);

}  // namespace pelorus
