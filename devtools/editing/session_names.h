// SessionNames is the interface to the names of a session, for completion and colouring.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/registry/parameters.h"

namespace pelorus {

// Name of the variable with the last value that the console showed, which users write as `_`; it is never proposed.
// Bytes above 0x7F are letters, so it is a name of the language that nobody types by accident.
inline constexpr std::string_view kLastValueName = "last·value";

enum class NameKind : uint8_t { Unknown, Variable, Table, Dictionary, Instance, Database, Function };
struct NameInfo {
    std::string name;
    NameKind kind = NameKind::Variable;
};

// A source of names that is read while a person types: each call returns within some milliseconds, changes nothing that
// a script can see, and throws only std::exception. It does not cover built-in functions, which the registry knows. The
// defaults below are those of a source without names. One thread at a time.
class SessionNames {
public:
    virtual ~SessionNames() = default;

    // Returns the kind of a name; Unknown also for built-in functions. Called for each name at each key: it costs at
    // most a hash lookup.
    virtual NameKind kindOf(std::string_view /*name*/) const { return NameKind::Unknown; }
    // Returns the variables, functions of scripts and shared objects.
    virtual std::vector<NameInfo> names() const { return {}; }
    // Returns the signature of a function that a script defined, such as "f(x, [y])"; empty when there is none.
    virtual std::string signatureOf(std::string_view /*function*/) const { return {}; }
    // Returns the members that may follow `name.`: columns of a table, keys of a dictionary, attributes and methods of
    // an instance.
    virtual std::vector<std::string> membersOf(std::string_view /*name*/) const { return {}; }
    // Returns whether a parameter that takes `takes` accepts the variable's value.
    virtual bool isTaken(std::string_view /*name*/, const Takes& /*takes*/) const { return true; }
    // Returns the path "dfs://…" of a variable that holds a database, or an empty string.
    virtual std::string databaseOf(std::string_view /*name*/) const { return {}; }
    // Returns whether names of files of this machine may be proposed.
    virtual bool readsFiles() const { return true; }
    // Return the databases (paths that begin with dfs://), their tables, and the columns of these.
    virtual std::vector<std::string> databases() const { return {}; }
    virtual std::vector<std::string> tablesOf(const std::string& /*database*/) const { return {}; }
    virtual std::vector<std::string> columnsOf(const std::string& /*database*/, const std::string& /*table*/) const {
        return {};
    }
};

}  // namespace pelorus
