// What a statement may ask of its session.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace pelorus {
class Context;
struct AdvisoryLock;
}  // namespace pelorus

namespace pelorus::postgres {

// As which a session knows its own schema of temporary tables.
constexpr std::string_view kTemporaryName = "pg_temp";

// What a function on advisory locks does.
enum class AdvisoryVerb : uint8_t { LockSession, LockTransaction, Unlock, UnlockAll };

// The name of a table, with its schema.
struct TableName {
    std::string schema, name;
};

// The facts become constants of the query: nodes need not know the session.
struct SessionFacts {
    std::string user;
    std::string database = "pelorus";
    std::string address;    // of the client, empty for a local one
    int32_t processId = 0;  // of BackendKeyData
    std::vector<std::string> searchPath = {"public"};
    // Returns the value of a setting; throws SqlError 42704 for an unknown one. May be empty: there are no settings.
    std::function<std::string(std::string_view name)> setting;
    // Changes a setting, for the open transaction alone with `isLocal`, and returns its value. Throws SqlError for
    // names and values that it does not take. May be empty: there are no settings.
    std::function<std::string(std::string_view name, std::string_view value, bool isLocal)> set;
    // The schema of the session's temporary tables, which the search path begins with; empty where there is none yet.
    std::string temporarySchema;
    // Makes that schema, if there is none, and returns its name. May be empty: there are no temporary tables.
    std::function<std::string(Context& context)> makeTemporary;
    // Does so for the session, and returns whether it has, or had, the lock. May be empty: there are no locks.
    std::function<bool(AdvisoryVerb verb, const AdvisoryLock& lock, Context& context)> advisory;
};

// Returns the schemas of the search path with commas between them.
inline std::string joinedSearchPath(const SessionFacts& session) {
    std::string path;
    for (const std::string& schema : session.searchPath) path += (path.empty() ? "" : ",") + schema;
    return path;
}

}  // namespace pelorus::postgres
