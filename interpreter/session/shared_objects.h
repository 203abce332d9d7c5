// SharedObjects is the registry of the variables that `share` made visible to all sessions of the process, with their
// owners, and whether access to them is controlled.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "common/thread/mutex.h"
#include "runtime/function/context.h"
#include "runtime/function/principal.h"
#include "runtime/table/table_access.h"
#include "runtime/value/value.h"

namespace pelorus {

// The registry, a service of the process, also under its base class TableAccess. Thread-safe; rights are checked
// without its mutex held.
class SharedObjects final : public TableAccess {
public:
    // Finds the object without checking rights, for code that only needs to know whether the name exists.
    bool find(std::string_view name, Value& value) const;
    // Finds the object for code of `principal`. Throws UserError for a table to which it has no right at all; each
    // later use of the table checks the right that it needs.
    bool find(std::string_view name, Value& value, const Principal& principal) const;
    std::vector<std::string> names() const;
    // Returns the user who shared the object; empty when there is none.
    std::string ownerOf(std::string_view name) const;

    // Shares an object, owned by `principal`, and replaces the one of that name. Throws UserError when that one belongs
    // to another user.
    void set(const std::string& name, Value value, const Principal& principal);
    // Removes an object; returns false when there is none. Throws as `set` does.
    bool erase(std::string_view name, const Principal& principal);

    // Requires rights for all uses of the table of that name from now on, also of one that is shared later, as long as
    // the process lives. Called by addAccessControl, and by the first grant on a shared table.
    void controlAccess(const std::string& name);
    bool isControlled(std::string_view name) const;
    // Returns the names of a table; empty when it is not shared.
    std::vector<std::string> namesOf(const Table& table) const;

    void require(const Table& table, Right right, const Principal& principal) const override;
    bool allows(const Table& table, Right right, const Principal& principal) const override;

private:
    struct Entry {
        Value value;
        std::string owner;
        bool isControlled = false;
    };
    // Returns names and owners of the controlled names of a table, also of those that were released.
    std::vector<std::pair<std::string, std::string>> controlledNames(const Table& table) const;
    void requireOwner(std::string_view name, const Principal& principal) const;
    void eraseLocked(const std::string& name) EXCLUSIVE_LOCKS_REQUIRED(mutex_);

    mutable Mutex mutex_;
    std::unordered_map<std::string, Entry> objects_ GUARDED_BY(mutex_);
    std::unordered_multimap<const Object*, std::string> namesOfTables_ GUARDED_BY(mutex_);
    std::unordered_set<std::string> controlledNames_ GUARDED_BY(mutex_);  // also of dropped tables
};

// Makes an object visible to all sessions, owned by the running code's user; a table in memory gets the lock that its
// readers and writers then hold. Throws UserError without the right to share, or to a controlled object of that name.
void shareObject(Value object, const std::string& name, const Context& context);

// Adds both services.
void addSharedObjects(Services& services);

}  // namespace pelorus
