// RemoteNames provides the names of a session on a node, for completion and highlighting.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "devtools/editing/session_names.h"
#include "runtime/value/value.h"

namespace pelorus {

// Cache of the node's answers until `forget`: keys are typed faster than a distant node answers. The thread that talks
// to the node uses it.
class RemoteNames final : public SessionNames {
public:
    // `ask` runs a script in the session on the node; it throws Error when that fails, and the names are then unknown.
    explicit RemoteNames(std::function<Value(const std::string& script)> ask) : ask_(std::move(ask)) {}

    // Empties the cache. Called after each statement.
    void forget();

    NameKind kindOf(std::string_view name) const override;
    std::vector<NameInfo> names() const override;
    std::string signatureOf(std::string_view function) const override;
    std::vector<std::string> membersOf(std::string_view name) const override;
    bool isTaken(std::string_view name, const Takes& takes) const override;
    std::string databaseOf(std::string_view name) const override;
    std::vector<std::string> databases() const override;
    std::vector<std::string> tablesOf(const std::string& database) const override;
    std::vector<std::string> columnsOf(const std::string& database, const std::string& table) const override;

private:
    struct Entry {
        NameKind kind = NameKind::Variable;
        Value example;          // value of the variable's type and form
        std::string signature;  // signature of a function
    };
    const std::map<std::string, Entry, std::less<>>& entries() const;
    void readVariables() const;
    void readFunctions() const;
    // Returns the strings that a script yields, and none when it fails. Cached until `forget`.
    const std::vector<std::string>& stringsOf(const std::string& script) const;

    const std::function<Value(const std::string&)> ask_;
    mutable bool isRead_ = false;
    mutable std::map<std::string, Entry, std::less<>> entries_;
    mutable std::map<std::string, std::vector<std::string>> answers_;  // answers by script
};

}  // namespace pelorus
