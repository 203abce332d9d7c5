// What the statements that define something share: their session, and the remarks that they leave.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "postgres/definition/definition.h"
#include "postgres/session_facts.h"
#include "runtime/function/context.h"
#include "runtime/value/value.h"

namespace pelorus {
class DatabaseService;
}

namespace pelorus::postgres {

struct TargetTable;

// The scope of one statement. Used by one thread.
class DefinitionScope {
public:
    DefinitionScope(const SessionFacts& session, Context& context) : session(session), context(context) {}

    const SessionFacts& session;
    Context& context;
    std::vector<DefinitionNotice> notices;

    void note(std::string state, std::string message) { notices.push_back({std::move(state), std::move(message)}); }
    // Returns the databases. Throws SqlError 0A000 where the process has none.
    DatabaseService& databases() const;
    // Returns the schema in which something is made: the given one, or the first one of the search path that is there.
    std::string schemaFor(const std::string& given) const;
    // Returns the database of a schema, and makes that of `public` where there is none. Throws without the right to
    // create in it.
    std::string databaseToCreateIn(const std::string& schema) const;
    // Returns whether the schema has a table, a view, an index or a sequence of the name.
    bool exists(const std::string& schema, const std::string& name) const;
};

[[noreturn]] void refuseDefinition(const std::string& what, std::string hint = "");
// Calls a built-in of the language.
Value callBuiltin(Context& context, const char* name, std::vector<Value> arguments);
// Makes a database for tables that are not partitioned.
void createPlainDatabase(const std::string& path, Context& context);

}  // namespace pelorus::postgres
