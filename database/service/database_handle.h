// Value that database(…) returns: a partitioned database by name, or a separate partition scheme (a level of a COMPO
// scheme, or a database in memory).
#pragma once

#include <string>

#include "database/service/database_service.h"
#include "runtime/function/context.h"
#include "runtime/function/portable.h"
#include "runtime/partition/partition_scheme.h"

namespace pelorus {

class DatabaseHandle final : public Portable, public Described {
public:
    explicit DatabaseHandle(DatabaseEntry entry) : entry_(std::move(entry)) {}

    // The entry at the time when the handle was made; a scheme may have grown since.
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

// Returns the process's databases. Throws UserError when it keeps none.
DatabaseService& databasesOf(Context& context);
// Returns the databases to which a path belongs: the process's, or the one of a plain folder that has a partitioned
// database.
DatabaseService& databasesOf(Context& context, const std::string& path);

// Returns the handle in an argument, or nullptr.
const DatabaseHandle* databaseHandle(const Value& value);
// Returns the path in an argument: a handle of a database with a path, or a string. A plain folder is one that the user
// reaches (userFiles), whoever made the handle. Throws UserError naming the argument.
std::string givenDatabasePath(const Context& context, const Value& value, int argument);
// Accepts also the name of a schema for its database: "schema" in the session's catalog, "catalog.schema".
std::string databasePath(Context& context, const Value& value, int argument);
// Returns a name in an argument. Throws UserError when it is none.
std::string nameArgument(const Value& value, int argument, std::string_view parameter);
// Returns one name or several; none for VOID.
std::vector<std::string> namesArgument(const Value& value, int argument, std::string_view parameter);

// Returns the prefix of the paths of a database's partitions: "/TAQ" of "dfs://TAQ", a folder's path unchanged.
std::string partitionPrefix(const std::string& database);
// Returns the partitions that an argument names: a vector is a list of them, a tuple of keys, one per level, is one.
std::vector<Value> partitionsArgument(const Value& value);
// Whether `wanted` denotes the partition: a path such as "/20070801/A_D", a value, or a tuple of values of the levels,
// of which VOID matches any.
bool isPartition(const PartitionScheme& scheme, const PartitionEntry& partition, const std::string& database,
                 const Value& wanted);

// Opens the partitioned table by name; its rows are accessed through `append` and `snapshot`.
Value openTable(Context& context, const std::string& path, const std::string& name);

}  // namespace pelorus
