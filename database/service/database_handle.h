// DatabaseHandle is the value that database(…) returns: a partitioned database by name, or a partition scheme by itself
// (a level of a COMPO scheme, or a database in memory). The functions below find databases by such handles and by
// paths.
#pragma once

#include <string>

#include "database/service/database_service.h"
#include "runtime/function/context.h"
#include "runtime/function/portable.h"
#include "runtime/partition/partition_scheme.h"

namespace pelorus {

// A handle. Immutable; it opens nothing and grants no rights.
class DatabaseHandle final : public Portable, public Described {
public:
    explicit DatabaseHandle(DatabaseEntry entry) : entry_(std::move(entry)) {}

    // Returns the entry as it was when the handle was made; the scheme may have grown since.
    const DatabaseEntry& entry() const { return entry_; }
    const std::string& path() const { return entry_.path; }
    bool inMemory() const { return entry_.path.empty(); }

    std::string describe() const override { return "DB[" + entry_.path + "]"; }
    std::string_view portableKind() const override { return "database"; }
    Value save() const override;

    static Value make(DatabaseEntry entry);
    static Ref<Portable> load(const Value& saved);

private:
    const DatabaseEntry entry_;
};

// Returns the process's databases. Throws UserError when the process has none.
DatabaseService& databasesOf(Context& context);
// Returns the databases to which a path belongs: the process's, or that of a plain folder with a partitioned database.
DatabaseService& databasesOf(Context& context, const std::string& path);

// Returns the handle in an argument, or nullptr.
const DatabaseHandle* databaseHandle(const Value& value);
// Returns the path in an argument: a handle of a database with a path, or a string. A plain folder must be one that the
// user may open (userFiles), whoever made the handle. Throws UserError naming the argument.
std::string givenDatabasePath(const Context& context, const Value& value, int argument);
// Returns the path in an argument, as givenDatabasePath does; also accepts the name of a schema for its database:
// "schema" in the session's catalog, or "catalog.schema".
std::string databasePath(Context& context, const Value& value, int argument);
// Returns the name in an argument. Throws UserError when it is no name.
std::string nameArgument(const Value& value, int argument, std::string_view parameter);
// Returns the names in an argument, one or several; none for VOID.
std::vector<std::string> namesArgument(const Value& value, int argument, std::string_view parameter);

// Returns the prefix of the paths of a database's partitions: "/TAQ" of "dfs://TAQ", a folder's path unchanged.
std::string partitionPrefix(const std::string& database);
// Returns the partitions that an argument names: a vector lists several, a tuple of keys, one per level, is one.
std::vector<Value> partitionsArgument(const Value& value);
// Returns whether `wanted` denotes the partition: a path such as "/20070801/A_D", a value, or a tuple of values of the
// levels, where VOID matches any.
bool isPartition(const PartitionScheme& scheme, const PartitionEntry& partition, const std::string& database,
                 const Value& wanted);

// Opens a partitioned table by name. Throws UserError when there is none that the user may see.
Value openTable(Context& context, const std::string& path, const std::string& name);

}  // namespace pelorus
