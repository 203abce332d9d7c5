// Tables: named, typed columns of equal length. Memory tables hold vectors; partitioned tables are read and appended to
// through the interface below, wherever their partitions are stored.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/thread/mutex.h"
#include "runtime/value/value.h"
#include "runtime/value/vector.h"

namespace pelorus {

struct ColumnSchema {
    std::string name;
    Type type = Type::Void;
    uint8_t scale = 0;
    std::string comment;
};
using TableSchema = std::vector<ColumnSchema>;

class HandleMaker;
class MemoryTable;
class PartitionedTable;
class Principal;
enum class Right : uint8_t;
struct SecuredObject;
class PartitionFunction;
class PartitionScheme;
class RowSink;
class StreamLog;
class TableKeys;

class Table : public Object {
public:
    virtual const TableSchema& columns() const = 0;
    virtual int64_t rowCount() const = 0;
    virtual MemoryTable* asMemory() { return nullptr; }
    virtual PartitionedTable* asPartitioned() { return nullptr; }
    // Returns the sink that takes the rows of appends; null for a table that stores them itself.
    virtual RowSink* asSink() { return nullptr; }

    int columnCount() const { return static_cast<int>(columns().size()); }
    // Returns the position of a column, or -1.
    int findColumn(std::string_view name) const;
    // The name under which a script or the catalog knows the table; may be empty.
    std::string name;
};

// Returns the elements of a vector, tuple or array vector at `positions`; a position outside selects NULL.
Value gatherElements(const Value& column, const int32_t* positions, int64_t count);
Value gatherElements(const Value& column, const int64_t* positions, int64_t count);

// Appends elements of the column's own type: those of a vector, tuple or array vector.
void appendElements(Value& column, const Value& elements);

// Returns a column of `rows` copies of a value, converted to the type as an append would; VOID makes NULLs.
Value filledColumn(Type type, uint8_t scale, int64_t rows, const Value& element = Value());

// The counts of an upsert: rows added, and rows in which a cell was replaced.
struct UpsertReport {
    int64_t inserted = 0;
    int64_t updated = 0;
};

// A table of vectors. Changed in place only by its sole owner, or under `lock` when it is shared between sessions. No
// user code runs under that lock: queries read a snapshot, changes are computed from one.
class MemoryTable final : public Table {
public:
    MemoryTable();
    ~MemoryTable() override;
    // REQUIRES: columns are vectors or tuples of equal length.
    MemoryTable(std::vector<std::string> names, std::vector<Value> columns);
    // Makes a table with the given columns and no rows.
    static Ref<MemoryTable> empty(const TableSchema& schema, int64_t capacity = 0);

    MemoryTable* asMemory() override { return this; }
    const TableSchema& columns() const override { return schema_; }
    int64_t rowCount() const override {
        const OptionalLock guard(lock.get());
        return columns_.empty() ? 0 : columns_[0].size();
    }

    const Value& column(int i) const { return columns_[static_cast<size_t>(i)]; }
    const Value* column(std::string_view name) const;
    // Returns the values of a column, VOID where there is none; of a table that sessions share a snapshot.
    Value columnToRead(std::string_view name) const;
    std::vector<Value>& mutableColumns();

    // The key of a keyed table, or null. Such a table holds no two rows with one key.
    TableKeys* keys() const { return keys_.get(); }
    // Makes the table keyed. Throws UserError when a key column does not exist, or two rows have one key.
    void setKeys(std::unique_ptr<TableKeys> keys);

    // Adds or replaces a column; the value is a vector of rowCount() elements (any length for the first column). Throws
    // UserError for a key column.
    void setColumn(std::string_view name, Value column);
    void dropColumn(int i);
    void renameColumn(int i, std::string name);
    // Appends rows by column position, converting types where the language allows. In a keyed table a row with a known
    // key replaces the one that has it. Throws UserError and leaves the table unchanged when a column does not fit.
    void append(const MemoryTable& rows);
    // Appends the rows with a new key; the others replace, cell by cell, the first row that has their key. `keys` are
    // those of the table, or made for this call. With `ignoreNull` a NULL replaces nothing. Throws as append does.
    UpsertReport upsert(const MemoryTable& rows, TableKeys& keys, bool ignoreNull);
    Ref<MemoryTable> slice(int64_t begin, int64_t count) const;
    Ref<MemoryTable> gather(const int32_t* positions, int64_t count) const;
    // Returns a copy that shares columns until they are written; it is not keyed.
    Ref<MemoryTable> copy() const;
    // Returns the rows as they are now, of a table that sessions share: a copy under the table's name, made under its
    // lock. Later writes are not seen in it, and reading it blocks no session. O(columns).
    Ref<MemoryTable> snapshot() const;
    // Returns how often rows or columns were removed, moved or changed; adding rows does not count.
    uint64_t changeCount() const { return changes_; }
    Ref<MemoryTable> copyWithKeys() const;
    // Restores the columns of an earlier copy.
    void restore(const MemoryTable& earlier);
    // Removes the oldest rows of a stream table; the numbers of the others stay. REQUIRES: the caller holds `lock`, and
    // count <= rowCount().
    void purge(int64_t count);
    Value row(int64_t i) const;  // an ordered dictionary

    // The log of a stream table, whose rows are added and never changed; null for other tables.
    std::shared_ptr<StreamLog> stream;
    // Made by mvccTable or createIPCInMemoryTable: its columns stay as they are, and a query reads the version that it
    // began with.
    bool isMultiVersion = false;
    // Writes the rows to disk, for a persistent table; called by keep().
    std::function<void(const MemoryTable&)> keeper;
    // Must be called after every change, under the lock. Throws SystemError when the disk refuses: the change stays in
    // memory.
    void keep() const {
        if (keeper) keeper(*this);
    }

    // Set when sessions share the table, and for every stream table: held while rows change, or a snapshot is taken. It
    // guards the columns and the keys, which a table without it leaves to its sole owner; so they carry no GUARDED_BY.
    std::shared_ptr<RecursiveMutex> lock;
    // Names under which the table was shared with its access controlled, and its owners: the rights to them are rights
    // to the table also after the owner released the name. Read and written by the process's TableAccess, under its
    // mutex.
    std::vector<std::pair<std::string, std::string>> releasedNames;
    // Held, before `lock`, while an update or delete is applied; after repeated conflicts also while it is computed. It
    // orders changes, and guards no member.
    RecursiveMutex turn;

private:
    std::vector<Value> convertedColumns(const MemoryTable& rows) const;
    void appendColumns(const std::vector<Value>& converted);

    TableSchema schema_;
    std::vector<Value> columns_;
    std::unique_ptr<TableKeys> keys_;
    uint64_t changes_ = 0;
};

// The counts of a call that stores rows.
struct AppendReport {
    int64_t written = 0;
    int64_t outsideScheme = 0;  // dropped: no partition takes them
    std::string firstOutside;   // the first such row, as "row 12: date=2020.01.01"
};

// A run of rows of one partition that is read as a unit: some 64 Ki rows with per-column bounds.
struct BlockBounds {
    bool known = false;
    Value min, max;  // bounds of the values that are not NULL; meaningless when all are NULL
    int64_t nullCount = 0;
    // False: the bounds may be wider than the values, and `nullCount` is the most that the block may have.
    bool isExact = true;
};

// One partition as of a snapshot. Thread-safe: several threads may read several blocks at once.
class PartitionReader {
public:
    virtual ~PartitionReader() = default;
    virtual int64_t rowCount() const = 0;
    virtual int blockCount() const = 0;
    virtual int64_t blockRows(int block) const = 0;
    virtual BlockBounds bounds(int block, int column) const = 0;
    // Returns the values of one column of one block, decoded: a vector or array vector, shared and so never changed in
    // place.
    virtual Value read(int block, int column) const = 0;
    // A hint that these columns of blocks [firstBlock, endBlock) are read soon, so that storage may fetch them
    // meanwhile.
    virtual void willRead(int /*firstBlock*/, int /*endBlock*/, const std::vector<int>& /*columns*/) const {}
};

// One partition of a partitioned table: which keys it holds and which node keeps it.
struct PartitionEntry {
    std::string path;        // path such as "/TAQ/20070801/A_D"
    std::vector<int> index;  // position in the scheme, one per level
    std::string node;        // alias of the node that keeps it; empty for this process
};

// A snapshot of a table: all its partitions as of one snapshot number. It keeps their data alive: drop it soon.
class TableSnapshot {
public:
    virtual ~TableSnapshot() = default;
    virtual uint64_t number() const = 0;
    virtual const std::vector<PartitionEntry>& partitions() const = 0;
    // Returns whether their indexes ascend.
    virtual bool isInSchemeOrder() const { return false; }
    // Opens a partition that this process keeps. Throws UserError for one that another node keeps.
    virtual std::unique_ptr<PartitionReader> open(size_t partition) const = 0;
};

class PartitionedTable : public Table {
public:
    PartitionedTable* asPartitioned() override { return this; }

    virtual const std::string& databasePath() const = 0;  // "dfs://TAQ"; empty for partitioned memory tables
    virtual const PartitionScheme& scheme() const = 0;
    virtual const std::vector<std::string>& partitionColumns() const = 0;
    // Returns the partition function of a level; nullptr where the column itself places rows.
    virtual const PartitionFunction* partitionFunction(size_t level) const {
        (void)level;
        return nullptr;
    }

    // Returns how a column's strings are split into words, for example "textindex(parser=english)"; empty when there is
    // no text index.
    virtual std::string textIndexOf(int) const { return {}; }

    // The objects that rights to the rows and to the table as such are asked for; of Kind::Nothing for a table in
    // memory, which its session alone has.
    virtual SecuredObject secured() const;
    virtual SecuredObject securedDatabase() const;
    // Sets the maker of this handle, once, before any other code has it. Without a maker only the rights of the user of
    // the handle are checked.
    void setMaker(std::shared_ptr<const HandleMaker> maker) { maker_ = std::move(maker); }
    const HandleMaker* maker() const { return maker_.get(); }
    // Throws UserError, <NoPrivilege>, when the user may not do this with the rows (HandleMaker).
    void require(const Principal& who, Right right) const;
    // Throws UserError when the user may not change columns or comments: a user may who creates and drops tables of the
    // database, and reads this one.
    void requireToAlter(const Principal& who, Right right) const;

    // Returns a snapshot for a principal who reads the rows; `number` 0 takes the newest. Throws as `require` does.
    std::shared_ptr<TableSnapshot> snapshot(const Principal& who, uint64_t number = 0) const;
    // Returns a snapshot without checking a right, for code that shows no rows or has checked it.
    virtual std::shared_ptr<TableSnapshot> takeSnapshot(uint64_t number = 0) const = 0;

    // Stores the rows as one transaction over all partitions they belong to: when it returns they are durable and
    // visible, when it throws none is. Columns correspond by position and have been converted to the table's types.
    // Checks no right: call `require` before.
    virtual AppendReport append(const MemoryTable& rows) = 0;

    // Replaces the rows of partitions, given by their position in a snapshot's list, as one transaction: the basis of
    // update and delete. The rows remain in their partition. Returns false, and changes nothing, when one of them has
    // changed since the snapshot: take a newer one and try again. Checks no right, as append.
    virtual bool replace(const TableSnapshot& seen, const std::vector<std::pair<size_t, Ref<MemoryTable>>>& partitions);

private:
    std::shared_ptr<const HandleMaker> maker_;  // null: there is no maker
};

inline Table& Value::table() const {
    if (!(isTable())) refuse("a table");
    return *as<Table>();
}

// Returns the table in memory that a value holds, itself, for changing it or reading it under its lock. Null for other
// values.
inline MemoryTable* asMemoryTable(const Value& value) {
    return value.isTable() ? value.table().asMemory() : nullptr;
}
// Returns the table for reading: of a table that sessions share a snapshot, so that writers remove nothing that is
// being read.
Ref<MemoryTable> tableToRead(Table& table);
inline Ref<MemoryTable> tableToRead(const Value& value) {
    return value.isTable() ? tableToRead(value.table()) : Ref<MemoryTable>();
}

}  // namespace pelorus
