// Names of a session, for completion and colouring.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/registry/parameters.h"

namespace pelorus {

// The variable of the last value that the console showed, which is `_` to the user and is offered to nobody. Bytes
// above 0x7F are letters, so it is a name of the language that nobody types by accident.
inline constexpr std::string_view kLastValueName = "last·value";

enum class NameKind : uint8_t { Unknown, Variable, Table, Dictionary, Instance, Database, Function };
struct NameInfo {
    std::string name;
    NameKind kind = NameKind::Variable;
};

// Answers while somebody types: each call is over in some milliseconds, changes nothing a script can see, and throws
// nothing that std::exception does not cover. Built-in functions are the registry's, not the session's. A source that
// knows nothing returns the answers below.
class SessionNames {
public:
    virtual ~SessionNames() = default;

    // Called for each name at each key: a hash lookup at most. Unknown also for built-in functions.
    virtual NameKind kindOf(std::string_view /*name*/) const { return NameKind::Unknown; }
    // Variables, functions of scripts and shared objects.
    virtual std::vector<NameInfo> names() const { return {}; }
    // "f(x, [y])" of a function that a script defined; empty when there is none.
    virtual std::string signatureOf(std::string_view /*function*/) const { return {}; }
    // Members that may follow `name.`: columns of a table, keys of a dictionary, attributes and methods of an instance.
    virtual std::vector<std::string> membersOf(std::string_view /*name*/) const { return {}; }
    // Whether the variable's value is among what a parameter takes.
    virtual bool isTaken(std::string_view /*name*/, const Takes& /*takes*/) const { return true; }
    // "dfs://…" of a variable that holds a database, or empty.
    virtual std::string databaseOf(std::string_view /*name*/) const { return {}; }
    // Whether names of files of this machine may be proposed.
    virtual bool readsFiles() const { return true; }
    // Paths that begin with dfs://.
    virtual std::vector<std::string> databases() const { return {}; }
    virtual std::vector<std::string> tablesOf(const std::string& /*database*/) const { return {}; }
    virtual std::vector<std::string> columnsOf(const std::string& /*database*/, const std::string& /*table*/) const {
        return {};
    }
};

}  // namespace pelorus
