// The catalog: databases and tables by name, kept in a MetaStore. The same code runs over the node's embedded store and
// over a cluster's.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/meta_store.h"
#include "runtime/partition/partition_function.h"
#include "runtime/partition/partition_scheme.h"
#include "runtime/table/table.h"

namespace pelorus {

// Prefixes of the catalog's keys in the store. In files: never change.
namespace catalog_keys {
inline constexpr const char* kTables = "table/";        // table/<path>\n<name>: a TableEntry
inline constexpr const char* kTombstones = "dropped/";  // dropped/<table id>: rows of a dropped table may exist
}  // namespace catalog_keys

// A database, as the catalog stores it. A plain value.
struct DatabaseEntry {
    std::string path;  // "dfs://TAQ"
    PartitionScheme scheme;
    std::string engine = "OLAP";
    std::string atomic = "TRANS";
    std::string chunkGranularity = "TABLE";
    std::string owner;
    uint64_t revision = 0;
};

// An index of a row table. A plain value.
struct RowTableIndex {
    std::string name;
    std::vector<std::string> columns;  // stored names
    bool isUnique = false;
    bool isPrimary = false;
    bool isConstraint = false;  // made by a constraint of the table; a primary key always is one
};

// A condition that no row may make false. A plain value.
struct RowTableCheck {
    std::string name;
    std::string expression;            // in PostgreSQL's language, over the columns' stored names
    std::vector<std::string> columns;  // that it reads: stored names
};

// A foreign key: each row of its table, the child, has NULL in one of the columns, or the key of a row of the parent.
// A plain value; columns go by their stored names.
struct ForeignKey {
    // What becomes of the rows of the child when the key of a row of the parent goes. In files: append, never renumber.
    enum class Action : uint8_t { NoAction, Restrict, Cascade, SetNull, SetDefault };

    std::string name;
    std::vector<std::string> columns;  // of the child
    std::string parentDatabase, parentTable;
    std::vector<std::string> parentColumns;  // as many; those of one of its unique indexes, in any order
    Action onUpdate = Action::NoAction;
    Action onDelete = Action::NoAction;
    std::vector<std::string> setColumns;  // those that onDelete sets; none: all
    bool isDeferrable = false;
    bool isDeferred = false;  // checked at the end of the transaction
    bool operator==(const ForeignKey&) const = default;
};

// A table that has foreign keys to another one, by name. A plain value.
struct ReferringTable {
    std::string database, name;
    auto operator<=>(const ReferringTable&) const = default;
};

// The default of a column, for statements of PostgreSQL's language. A plain value.
struct ColumnDefault {
    std::string expression;                                     // in that language
    enum class Identity : uint8_t { None, Always, ByDefault };  // In files: append, never renumber.
    Identity identity = Identity::None;

    bool operator==(const ColumnDefault&) const = default;
};

// The storage, indexes and constraints of a row table. A plain value; columns go by their stored names, which stay when
// a column is renamed.
struct RowTableFacts {
    std::vector<std::string> columns;   // all that the table ever had: positions here are those in pages and in the log
    std::vector<std::string> required;  // columns without NULL
    std::vector<RowTableIndex> indexes;
    std::vector<RowTableCheck> checks;
    std::vector<ForeignKey> foreignKeys;
    std::vector<ReferringTable> referredBy;  // other tables with foreign keys to this one; the catalog keeps it
};

// A table, as the catalog stores it. A plain value.
struct TableEntry {
    uint64_t id = 0;
    std::string database;
    std::string name;
    TableSchema schema;
    std::vector<std::string> partitionColumns;  // empty for a dimension table
    PartitionFunctions partitionFunctions;
    std::vector<std::string> sortColumns;
    std::string keepDuplicates = "ALL";
    bool softDelete = false;
    std::vector<std::string> compressMethods;  // one per column
    std::string owner;
    std::string comment;
    std::string encryptMode;  // such as "aes_256_ctr"; empty when rows are not encrypted
    // Names of the columns in chunks: they stay when a column is renamed. Empty: those of the schema.
    std::vector<std::string> storedNames;
    // All names in chunks of dropped or renamed columns; a new column is stored under a different one.
    std::vector<std::string> retiredNames;
    std::map<std::string, std::string> textIndexes;  // stored name of a column to "textindex(...)"
    // Stored name of a column to the type that another language than ours declared it with, in that language's form.
    std::map<std::string, std::string> declaredTypes;
    std::map<std::string, ColumnDefault> defaults;  // by the stored name of the column
    std::optional<RowTableFacts> rowTable;          // of a row table; a column table has none
    // Number of last columns that are new and have no rows yet: appends without them are still accepted.
    uint32_t newColumns = 0;
    uint64_t revision = 0;

    // Returns the text index of a column, by its position in the schema; empty when it has none.
    std::string textIndexOf(size_t column) const;
    // Returns the declared type of a column, by its position in the schema; empty when it has none.
    std::string declaredTypeOf(size_t column) const;
    // Returns the default of a column, by its position in the schema; an empty expression when it has none.
    ColumnDefault defaultOf(size_t column) const;
    // Returns the name of a column, by its position in the schema, in chunks.
    const std::string& storedNameOf(size_t column) const {
        return column < storedNames.size() ? storedNames[column] : schema[column].name;
    }
    // Returns the schema under the names that chunks use.
    TableSchema storedSchema() const;
};

// Returns an entry in its form in the store, which backups use, too.
MetaEntry metaEntryOf(const DatabaseEntry& database);
MetaEntry metaEntryOf(const TableEntry& table);
// Parse an entry of the store. Throw SystemError for one of a newer version, or damaged bytes.
DatabaseEntry databaseEntryOf(const MetaEntry& entry);
TableEntry tableEntryOf(const MetaEntry& entry);

// Returns the condition that the table's entry is still this one.
MetaCondition isUnchanged(const TableEntry& table);

// Throws UserError when the partition columns of a table do not fit the levels of its database.
void checkPartitionColumns(const TableEntry& table, const DatabaseEntry& database);

// The catalog over a store, which outlives it. A copy of its content is not kept: each call reads the store. Every
// change is one transaction of the store; of two concurrent creations of one name, one throws UserError. All calls
// throw SystemError (retryable) when the store does not answer. Thread-safe.
class Catalog {
public:
    // `notesOf` returns the prefix of the keys that others keep for a database, such as the places of its partitions:
    // they are removed with it, and any that remain are removed when one of its name is created.
    using NotesOf = std::function<std::string(const std::string& path)>;
    explicit Catalog(MetaStore& store, NotesOf notesOf = nullptr) : store_(store), notesOf_(std::move(notesOf)) {}

    // Creates a database. Throws UserError when it exists.
    void createDatabase(const DatabaseEntry& database);
    // Returns the database with this path; nothing when there is none.
    std::optional<DatabaseEntry> findDatabase(const std::string& path) const;
    // Returns the database with this path. Throws UserError, naming the path, when there is none.
    DatabaseEntry database(const std::string& path) const;
    // Returns the paths of all databases, in order.
    std::vector<std::string> databasePaths() const;
    // Stores a database with a grown scheme. Throws SystemError (retryable) when another change came first.
    void updateDatabase(const DatabaseEntry& database);
    // Removes the database and its tables' entries, and leaves a tombstone for each table; returns these tables, whose
    // rows the caller removes. A database of many tables is dropped in several transactions: a crash in between leaves
    // the rest of it.
    std::vector<TableEntry> dropDatabase(const std::string& path);

    // Creates a table and returns its entry, with the id that it gets. Throws UserError when it exists, or its columns
    // do not fit the scheme. `also`, called with the id, returns a write for the same transaction.
    using AlsoWrite = std::function<MetaWrite(uint64_t id)>;
    TableEntry createTable(TableEntry table, const AlsoWrite& also = nullptr);
    std::optional<TableEntry> findTable(const std::string& database, const std::string& name) const;
    TableEntry table(const std::string& database, const std::string& name) const;
    std::vector<std::string> tableNames(const std::string& database) const;
    std::vector<TableEntry> allTables() const;
    // Throws UserError (<StillReferenced>) when other tables refer to the table.
    TableEntry dropTable(const std::string& database, const std::string& name);
    // Returns tables that were dropped and may still have rows somewhere: rows are removed because of such a tombstone,
    // never because a table is not in the catalog.
    std::vector<uint64_t> tombstones() const;
    void removeTombstone(uint64_t table);
    // Stores an entry with changed columns, constraints or comments, and notes at other tables that it refers to them,
    // or does so no more. Throws UserError when there is no such table, and SystemError (retryable) when another change
    // came first.
    void updateTable(const TableEntry& table);
    void renameTable(const std::string& database, const std::string& name, const std::string& newName);

    MetaStore& store() const { return store_; }

private:
    void removeNotes(const std::string& path);
    void removeOutsideKeys(const std::string& path);
    std::optional<TableEntry> tableAt(const std::string& key, std::vector<MetaCondition>& conditions) const;
    void noteReferences(const TableEntry* before, const TableEntry* after, std::vector<MetaCondition>& conditions,
                        std::vector<MetaWrite>& writes) const;

    MetaStore& store_;
    const NotesOf notesOf_;
};

}  // namespace pelorus
