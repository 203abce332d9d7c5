#include "storage/catalog/catalog.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "common/error.h"
#include "common/io/bytes.h"
#include "common/nearest_name.h"
#include "runtime/serialize/value_codec.h"
#include "storage/catalog/foreign_key.h"
#include "storage/catalog/sequences.h"
#include "storage/catalog/views.h"
#include "storage/codec/row_codec.h"

namespace pelorus {

// Keys. In files: never change.
//   database/<path>            a DatabaseEntry
//   table/<path>\n<name>       a TableEntry; '\n' cannot be in a name, so no path is a prefix of another's tables
//   counter/table              the last table id given

static std::string databaseKey(const std::string& path) {
    return "database/" + path;
}
static std::string tablePrefix(const std::string& path) {
    return catalog_keys::kTables + path + "\n";
}
static std::string tableKey(const std::string& path, const std::string& name) {
    return tablePrefix(path) + name;
}
static constexpr const char* kTableCounter = "counter/table";
static std::string tombstoneKey(uint64_t table) {
    return catalog_keys::kTombstones + std::to_string(table);
}
// Format version of databases; 2 adds the dropped values of each level.
static constexpr uint8_t kDatabaseVersion = 2;
// 2 adds storedNames, retiredNames and newColumns, 3 softDelete, 4 textIndexes, 5 partitionFunctions, 6 encryptMode,
// 7 declaredTypes.
static constexpr uint8_t kTableVersion = 7;
static constexpr uint8_t kRowTableVersion = 8;  // of row tables: those of columns stay as versions before know them
// Of tables with defaults, checks or unique constraints; of columns or of rows.
static constexpr uint8_t kDefaultsVersion = 9;
static constexpr uint8_t kReferencesVersion = 10;  // of row tables with foreign keys, or that others refer to

static std::string encodeStrings(const std::vector<std::string>& strings) {
    std::string bytes;
    ByteWriter writer(bytes);
    writer.varint(strings.size());
    for (const std::string& string : strings) writer.string(string);
    return bytes;
}

static std::vector<std::string> decodeStrings(ByteReader& reader) {
    std::vector<std::string> strings(reader.count());
    for (std::string& string : strings) string = reader.string();
    return strings;
}

static std::string encodeDatabase(const DatabaseEntry& database) {
    std::string bytes;
    ByteWriter writer(bytes);
    writer.fixed(kDatabaseVersion);
    writer.varint(database.scheme.levels().size());
    for (const PartitionLevel& level : database.scheme.levels()) {
        writer.fixed(level.kind());
        std::string scheme;
        encodeValue(level.scheme(), Peer::Node, scheme);
        writer.string(scheme);
        writer.varint(level.dropped().size());
        for (const int position : level.dropped()) writer.varint(static_cast<uint64_t>(position));
    }
    for (const std::string* string :
         {&database.engine, &database.atomic, &database.chunkGranularity, &database.owner}) {
        writer.string(*string);
    }
    return bytes;
}

static DatabaseEntry decodeDatabase(const MetaEntry& entry) {
    DatabaseEntry database;
    database.path = entry.key.substr(databaseKey("").size());
    database.revision = entry.revision;
    ByteReader reader(entry.value);
    const auto version = reader.fixed<uint8_t>();
    if (version == 0 || version > kDatabaseVersion) {
        throw SystemError("The database " + database.path + " was made by a newer version of Pelorus.");
    }
    std::vector<PartitionLevel> levels;
    for (uint64_t count = reader.count(); count > 0; --count) {
        const auto kind = reader.fixed<PartitionKind>();
        StringSource source(reader.string());
        levels.emplace_back(kind, decodeValue(source, Peer::Node));
        if (version < 2) continue;
        for (uint64_t dropped = reader.count(); dropped > 0; --dropped)
            levels.back().drop(static_cast<int>(reader.varint()));
    }
    database.scheme = PartitionScheme(std::move(levels));
    for (std::string* string : {&database.engine, &database.atomic, &database.chunkGranularity, &database.owner}) {
        *string = reader.string();
    }
    return database;
}

static void encodeRowTable(const RowTableFacts& facts, std::string& bytes) {
    bytes += encodeStrings(facts.columns);
    bytes += encodeStrings(facts.required);
    ByteWriter writer(bytes);
    writer.varint(facts.indexes.size());
    for (const RowTableIndex& index : facts.indexes) {
        writer.string(index.name);
        bytes += encodeStrings(index.columns);
        writer.fixed<uint8_t>(index.isUnique);
        writer.fixed<uint8_t>(index.isPrimary);
    }
}

static RowTableFacts decodeRowTable(ByteReader& reader) {
    RowTableFacts facts;
    facts.columns = decodeStrings(reader);
    facts.required = decodeStrings(reader);
    facts.indexes.resize(reader.count(3));
    for (RowTableIndex& index : facts.indexes) {
        index.name = reader.string();
        index.columns = decodeStrings(reader);
        index.isUnique = reader.fixed<uint8_t>() != 0;
        index.isPrimary = reader.fixed<uint8_t>() != 0;
    }
    return facts;
}

// Returns whether a table has what the version before kDefaultsVersion does not know.
static bool hasDefaults(const TableEntry& table) {
    if (!table.defaults.empty()) return true;
    if (!table.rowTable) return false;
    const std::vector<RowTableIndex>& indexes = table.rowTable->indexes;
    return !table.rowTable->checks.empty() || std::any_of(indexes.begin(), indexes.end(), [](const auto& index) {
        return index.isConstraint && !index.isPrimary;
    });
}

static bool hasReferences(const TableEntry& table) {
    return table.rowTable && !(table.rowTable->foreignKeys.empty() && table.rowTable->referredBy.empty());
}

static void encodeDefaults(const TableEntry& table, std::string& bytes) {
    ByteWriter writer(bytes);
    writer.varint(table.defaults.size());
    for (const auto& [column, value] : table.defaults) {
        writer.string(column);
        writer.string(value.expression);
        writer.fixed(value.identity);
    }
    if (!table.rowTable) return;
    for (const RowTableIndex& index : table.rowTable->indexes) writer.fixed<uint8_t>(index.isConstraint);
    writer.varint(table.rowTable->checks.size());
    for (const RowTableCheck& check : table.rowTable->checks) {
        writer.string(check.name);
        writer.string(check.expression);
        bytes += encodeStrings(check.columns);
    }
}

static void decodeDefaults(ByteReader& reader, TableEntry& table) {
    for (uint64_t count = reader.count(3); count > 0; --count) {
        const std::string column(reader.string());
        ColumnDefault& value = table.defaults[column];
        value.expression = reader.string();
        value.identity = reader.fixed<ColumnDefault::Identity>();
    }
    if (!table.rowTable) return;
    for (RowTableIndex& index : table.rowTable->indexes) index.isConstraint = reader.fixed<uint8_t>() != 0;
    table.rowTable->checks.resize(reader.count(3));
    for (RowTableCheck& check : table.rowTable->checks) {
        check.name = reader.string();
        check.expression = reader.string();
        check.columns = decodeStrings(reader);
    }
}

static std::string encodeTable(const TableEntry& table) {
    std::string bytes;
    ByteWriter writer(bytes);
    const bool isOfReferences = hasReferences(table);
    const bool isOfDefaults = isOfReferences || hasDefaults(table);
    writer.fixed(isOfReferences   ? kReferencesVersion
                 : isOfDefaults   ? kDefaultsVersion
                 : table.rowTable ? kRowTableVersion
                                  : kTableVersion);
    writer.varint(table.id);
    encodeSchema(table.schema, bytes);
    bytes += encodeStrings(table.partitionColumns);
    bytes += encodeStrings(table.sortColumns);
    bytes += encodeStrings(table.compressMethods);
    for (const std::string* string : {&table.keepDuplicates, &table.owner, &table.comment}) writer.string(*string);
    bytes += encodeStrings(table.storedNames);
    bytes += encodeStrings(table.retiredNames);
    writer.varint(table.newColumns);
    writer.fixed<uint8_t>(table.softDelete);
    writer.varint(table.textIndexes.size());
    for (const auto& [column, index] : table.textIndexes) {
        writer.string(column);
        writer.string(index);
    }
    writer.varint(table.partitionFunctions.size());
    for (const auto& function : table.partitionFunctions) writer.string(function ? function->saved() : "");
    writer.string(table.encryptMode);
    writer.varint(table.declaredTypes.size());
    for (const auto& [column, type] : table.declaredTypes) {
        writer.string(column);
        writer.string(type);
    }
    if (isOfDefaults) ByteWriter(bytes).fixed<uint8_t>(table.rowTable.has_value());
    if (table.rowTable) encodeRowTable(*table.rowTable, bytes);
    if (isOfDefaults) encodeDefaults(table, bytes);
    if (isOfReferences) encodeForeignKeys(*table.rowTable, bytes);
    return bytes;
}

static TableEntry decodeTable(const MetaEntry& entry) {
    TableEntry table;
    const size_t begin = std::string_view(catalog_keys::kTables).size();
    const size_t border = entry.key.find('\n');
    table.database = entry.key.substr(begin, border - begin);
    table.name = entry.key.substr(border + 1);
    table.revision = entry.revision;
    ByteReader reader(entry.value);
    const auto version = reader.fixed<uint8_t>();
    if (version == 0 || version > kReferencesVersion) {
        throw SystemError("The table " + table.name + " was made by a newer version of Pelorus.");
    }
    table.id = reader.varint();
    table.schema = decodeSchema(reader);
    table.partitionColumns = decodeStrings(reader);
    table.sortColumns = decodeStrings(reader);
    table.compressMethods = decodeStrings(reader);
    for (std::string* string : {&table.keepDuplicates, &table.owner, &table.comment}) *string = reader.string();
    if (version == 1) return table;
    table.storedNames = decodeStrings(reader);
    table.retiredNames = decodeStrings(reader);
    table.newColumns = static_cast<uint32_t>(reader.varint());
    if (version >= 3) table.softDelete = reader.fixed<uint8_t>() != 0;
    if (version < 4) return table;
    for (uint64_t count = reader.count(); count > 0; --count) {
        const std::string column(reader.string());
        table.textIndexes[column] = reader.string();
    }
    if (version < 5) return table;
    table.partitionFunctions.resize(reader.count());
    for (auto& function : table.partitionFunctions) {
        const std::string saved(reader.string());
        if (!saved.empty()) function = std::make_shared<PartitionFunction>(saved);
    }
    if (version >= 6) table.encryptMode = reader.string();
    if (version < 7) return table;
    for (uint64_t count = reader.count(); count > 0; --count) {
        const std::string column(reader.string());
        table.declaredTypes[column] = reader.string();
    }
    const bool isRowTable =
        version == kRowTableVersion || (version >= kDefaultsVersion && reader.fixed<uint8_t>() != 0);
    if (isRowTable) table.rowTable = decodeRowTable(reader);
    if (version >= kDefaultsVersion) decodeDefaults(reader, table);
    if (!table.rowTable) return table;
    if (version >= kReferencesVersion) decodeForeignKeys(reader, *table.rowTable);
    for (RowTableIndex& index : table.rowTable->indexes) index.isConstraint |= index.isPrimary;
    return table;
}

MetaEntry metaEntryOf(const DatabaseEntry& database) {
    return {databaseKey(database.path), encodeDatabase(database), database.revision};
}
MetaEntry metaEntryOf(const TableEntry& table) {
    return {tableKey(table.database, table.name), encodeTable(table), table.revision};
}
MetaCondition isUnchanged(const TableEntry& table) {
    return {tableKey(table.database, table.name), table.revision};
}
DatabaseEntry databaseEntryOf(const MetaEntry& entry) {
    return decodeDatabase(entry);
}
TableEntry tableEntryOf(const MetaEntry& entry) {
    return decodeTable(entry);
}

// Returns "Did you mean b? It has: a, b, …", from the existing names.
static std::string namesNote(std::string_view wanted, const std::vector<std::string>& names, std::string_view lead) {
    constexpr size_t kMaxListed = 10;
    std::string hint = didYouMean(nearestNames(wanted, {names.begin(), names.end()}));
    hint += (hint.empty() ? "" : " ") + std::string(lead);
    for (size_t i = 0; i < std::min(names.size(), kMaxListed); ++i) hint += (i > 0 ? ", " : "") + names[i];
    return hint + (names.size() > kMaxListed ? ", ..." : ".");
}

static UserError noSuchTable(const std::string& database, const std::string& name, const Catalog& catalog) {
    const std::vector<std::string> names = catalog.tableNames(database);
    return UserError("There is no table " + name + " in " + database + ".",
                     names.empty() ? "The database has no tables." : namesNote(name, names, "It has: "));
}

// Removes the keys that others keep for a database, in several transactions. While there is no such database, nobody
// makes new ones.
void Catalog::removeNotes(const std::string& path) {
    constexpr size_t kKeysPerTransaction = 100;
    if (!notesOf_) return;
    for (;;) {
        const std::vector<MetaEntry> notes = store_.range(notesOf_(path), 0, kKeysPerTransaction).entries;
        std::vector<MetaWrite> removals;
        for (const MetaEntry& note : notes) removals.push_back({note.key, std::nullopt, 0});
        if (removals.empty() || !store_.transact({{databaseKey(path), 0}}, removals).done) return;
    }
}

void Catalog::createDatabase(const DatabaseEntry& database) {
    removeNotes(database.path);
    const std::string key = databaseKey(database.path);
    if (store_.transact({{key, 0}}, {{key, encodeDatabase(database), 0}}).done) return;
    throw UserError("The database " + database.path + " exists already.",
                    "Open it with database(\"" + database.path + "\").");
}

std::optional<DatabaseEntry> Catalog::findDatabase(const std::string& path) const {
    const std::optional<MetaEntry> entry = store_.get(databaseKey(path));
    if (!entry) return std::nullopt;
    return decodeDatabase(*entry);
}

DatabaseEntry Catalog::database(const std::string& path) const {
    std::optional<DatabaseEntry> database = findDatabase(path);
    if (database) return std::move(*database);
    const std::vector<std::string> paths = databasePaths();
    throw UserError("There is no database " + path + ".",
                    (paths.empty() ? "" : namesNote(path, paths, "There are: ") + " ") +
                        std::string("Create it with database(\"") + path + "\", partitionType, partitionScheme).");
}

std::vector<std::string> Catalog::databasePaths() const {
    std::vector<std::string> paths;
    for (const MetaEntry& entry : store_.range(databaseKey("")).entries) {
        paths.push_back(entry.key.substr(databaseKey("").size()));
    }
    return paths;
}

void Catalog::updateDatabase(const DatabaseEntry& database) {
    const std::string key = databaseKey(database.path);
    if (store_.transact({{key, database.revision}}, {{key, encodeDatabase(database), 0}}).done) return;
    throw SystemError("The database " + database.path + " was changed by another session at the same time.",
                      "Try again.", true);
}

std::vector<TableEntry> Catalog::dropDatabase(const std::string& path) {
    // Stays within the transaction limits of any store, with two writes a table.
    constexpr size_t kTablesPerTransaction = 40;
    std::vector<TableEntry> dropped;
    removeOutsideKeys(path);
    for (;;) {
        const DatabaseEntry entry = database(path);
        const std::vector<MetaEntry> tables = store_.range(tablePrefix(path)).entries;
        const bool isLast = tables.size() <= kTablesPerTransaction;
        // A concurrent creation of a table changes the database's entry, too, so that one of the two transactions
        // fails.
        std::vector<MetaCondition> conditions{{databaseKey(path), entry.revision}};
        std::vector<MetaWrite> writes;
        if (isLast) writes.push_back({databaseKey(path), std::nullopt, 0});
        std::vector<TableEntry> these;
        for (size_t i = 0; i < std::min(tables.size(), kTablesPerTransaction); ++i) {
            these.push_back(decodeTable(tables[i]));
            conditions.push_back({tables[i].key, tables[i].revision});
            writes.push_back({tables[i].key, std::nullopt, 0});
            writes.push_back({tombstoneKey(these.back().id), "", 0});
        }
        if (!store_.transact(conditions, writes).done) continue;
        dropped.insert(dropped.end(), these.begin(), these.end());
        if (!isLast) continue;
        for (const MetaWrite& removal : removalsOfSequences(store_, path, 0)) store_.transact({}, {removal});
        for (const MetaWrite& removal : removalsOfViews(store_, path)) store_.transact({}, {removal});
        removeNotes(path);
        return dropped;
    }
}

static bool mayPartition(Type type, PartitionKind kind) {
    switch (type) {
        case Type::Char:
        case Type::Short:
        case Type::Int:
        case Type::Long:
        case Type::Symbol:
        case Type::String:
            return true;
        case Type::Uuid:
        case Type::IpAddr:
        case Type::Int128:
            return kind == PartitionKind::Hash;
        default:
            return isTemporal(type);
    }
}

static void checkTable(const TableEntry& table, const DatabaseEntry& database) {
    if (table.schema.empty()) throw UserError("The table " + table.name + " has no columns.");
    for (size_t i = 0; i < table.schema.size(); ++i) {
        const ColumnSchema& column = table.schema[i];
        if (!isStorable(column.type)) {
            throw UserError("The column " + column.name + " has type " + std::string(typeName(column.type)) +
                            ", which a table on disk cannot hold.");
        }
        for (size_t j = 0; j < i; ++j) {
            if (table.schema[j].name == column.name) throw UserError("Two columns have the name " + column.name + ".");
        }
    }
    if (!table.partitionColumns.empty()) checkPartitionColumns(table, database);
}

void checkPartitionColumns(const TableEntry& table, const DatabaseEntry& database) {
    const auto& levels = database.scheme.levels();
    if (table.partitionColumns.size() != levels.size()) {
        throw UserError("The database " + (database.path.empty() ? "in memory" : database.path) + " has " +
                            std::to_string(levels.size()) + " partition level(s), but " +
                            std::to_string(table.partitionColumns.size()) + " partition column(s) are given.",
                        "Name one column per level.");
    }
    for (size_t level = 0; level < levels.size(); ++level) {
        const std::string& name = table.partitionColumns[level];
        auto column =
            std::find_if(table.schema.begin(), table.schema.end(), [&](const auto& c) { return c.name == name; });
        if (column == table.schema.end())
            throw UserError("The partition column " + name + " is not a column of the table.");
        if (const PartitionFunction* function = functionOf(table.partitionFunctions, level)) {
            // NULLs have keys too; the function's results for them must fit the level.
            const Value keys = function->keys(filledColumn(column->type, column->scale, 2));
            std::array<int32_t, 2> partitions;
            levels[level].place(keys.vector(), partitions.data());
            continue;
        }
        if (!mayPartition(column->type, levels[level].kind())) {
            throw UserError("The data type " + std::string(typeName(column->type)) +
                                " can't be used for a partition column (" + name + ").",
                            "Partition by an integer, temporal, STRING or SYMBOL column.");
        }
        // Placing no rows checks that the column's type fits the level's.
        levels[level].place(*Vector::make(column->type, 0), nullptr);
    }
}

// Throws UserError unless the sort columns meet the requirements of the engine; for PKEY they are the primary key.
static void checkOrder(const TableEntry& table, const std::string& engine) {
    const bool hasKey = engine == "PKEY";
    const char* const what = hasKey ? "primaryKey" : "sortColumns";
    if (table.softDelete && (engine != "TSDB" || table.keepDuplicates != "LAST"))
        throw UserError("softDelete is for tables of a TSDB database with keepDuplicates=LAST.");
    if (table.sortColumns.empty()) {
        if (engine != "OLAP") throw UserError(std::string("A table of a ") + engine + " database needs " + what + ".");
        if (table.keepDuplicates != "ALL") throw UserError("keepDuplicates needs sortColumns.");
        return;
    }
    if (!hasKey && table.sortColumns.size() > 4) throw UserError("A table has at most four sort columns.");
    for (size_t i = 0; i < table.sortColumns.size(); ++i) {
        const std::string& name = table.sortColumns[i];
        const auto column = std::find_if(table.schema.begin(), table.schema.end(),
                                         [&](const ColumnSchema& c) { return c.name == name; });
        if (column == table.schema.end())
            throw UserError(std::string(what) + " names " + name + ", which is not a column of the table.");
        const bool isInteger = isIntegral(column->type);
        const bool isString = column->type == Type::String || column->type == Type::Symbol;
        const bool isLast = i + 1 == table.sortColumns.size();
        if (isInteger || isTemporal(column->type) || (isString && (hasKey || !isLast || i == 0))) continue;
        throw UserError("The column " + name + " of " + what + " has type " + std::string(typeName(column->type)) + ".",
                        "Sort columns are integers, temporals, STRING or SYMBOL, the last one an integer or temporal.");
    }
    for (const std::string& column : table.partitionColumns) {
        if (!hasKey || std::find(table.sortColumns.begin(), table.sortColumns.end(), column) != table.sortColumns.end())
            continue;
        throw UserError("primaryKey must contain the partition column " + column + ".");
    }
}

// Reads an entry for a transaction that must find it unchanged.
std::optional<TableEntry> Catalog::tableAt(const std::string& key, std::vector<MetaCondition>& conditions) const {
    const std::optional<MetaEntry> entry = store_.get(key);
    if (!entry) return std::nullopt;
    conditions.push_back({key, entry->revision});
    return decodeTable(*entry);
}

// Adds what a transaction that makes, changes or removes a table writes to the tables that it refers to. None of the
// tables was given before: makes it. None after: removes it.
void Catalog::noteReferences(const TableEntry* before, const TableEntry* after, std::vector<MetaCondition>& conditions,
                             std::vector<MetaWrite>& writes) const {
    const auto old = before != nullptr ? parentsOf(*before) : std::vector<ReferringTable>();
    const auto now = after != nullptr ? parentsOf(*after) : std::vector<ReferringTable>();
    const TableEntry& child = after != nullptr ? *after : *before;
    std::vector<ReferringTable> changed;
    std::set_symmetric_difference(old.begin(), old.end(), now.begin(), now.end(), std::back_inserter(changed));
    for (const ReferringTable& name : changed) {
        const bool isNew = std::binary_search(now.begin(), now.end(), name);
        std::optional<TableEntry> parent = tableAt(tableKey(name.database, name.name), conditions);
        if (!parent || !parent->rowTable) {
            if (!isNew) continue;
            if (!parent) throw noSuchTable(name.database, name.name, *this);
            throw UserError("The table " + name.name + " is no row table: no foreign key refers to it.");
        }
        std::vector<ReferringTable>& referredBy = parent->rowTable->referredBy;
        const ReferringTable self{child.database, child.name};
        std::erase(referredBy, self);
        if (isNew) referredBy.push_back(self);
        writes.push_back({tableKey(name.database, name.name), encodeTable(*parent), 0});
    }
}

static void refuseReferred(const TableEntry& table) {
    if (!table.rowTable || table.rowTable->referredBy.empty()) return;
    throw UserError("<StillReferenced>The table " + table.name + " cannot be dropped: foreign keys of the table " +
                        table.rowTable->referredBy[0].name + " refer to it.",
                    "Drop these keys, or that table, first.");
}

// Removes the foreign keys of a database's tables to those of others. Throws UserError (<StillReferenced>) when tables
// of others refer to one of its own.
void Catalog::removeOutsideKeys(const std::string& path) {
    std::vector<TableEntry> referring;
    for (const MetaEntry& each : store_.range(tablePrefix(path)).entries) {
        TableEntry table = decodeTable(each);
        if (!table.rowTable) continue;
        std::erase_if(table.rowTable->referredBy, [&](const ReferringTable& other) { return other.database == path; });
        refuseReferred(table);
        const auto isOutside = [&](const ForeignKey& key) { return key.parentDatabase != path; };
        const std::vector<ForeignKey>& keys = table.rowTable->foreignKeys;
        if (std::any_of(keys.begin(), keys.end(), isOutside)) referring.push_back(decodeTable(each));
    }
    for (TableEntry& table : referring) {
        std::erase_if(table.rowTable->foreignKeys, [&](const ForeignKey& key) { return key.parentDatabase != path; });
        updateTable(table);
    }
}

TableEntry Catalog::createTable(TableEntry table, const AlsoWrite& also) {
    if (!table.encryptMode.empty() && !also) throw InternalError("an encrypted table is made without a key");
    if (table.rowTable) table.rowTable->referredBy.clear();
    for (;;) {
        const DatabaseEntry entry = database(table.database);
        checkTable(table, entry);
        checkOrder(table, entry.engine);
        const std::string key = tableKey(table.database, table.name);
        if (store_.get(key)) {
            throw UserError("The table " + table.name + " exists already in " + table.database + ".",
                            "Open it with loadTable, or drop it with dropTable first.");
        }
        const std::optional<MetaEntry> counter = store_.get(kTableCounter);
        table.id = counter ? std::stoull(counter->value) + 1 : 1;
        std::vector<MetaCondition> conditions{
            {databaseKey(table.database), entry.revision}, {key, 0}, {kTableCounter, counter ? counter->revision : 0}};
        // The database's entry is rewritten, so that a concurrent drop of it notices the new table.
        std::vector<MetaWrite> writes{{databaseKey(table.database), encodeDatabase(entry), 0},
                                      {key, encodeTable(table), 0},
                                      {kTableCounter, std::to_string(table.id), 0}};
        if (also) writes.push_back(also(table.id));
        noteReferences(nullptr, &table, conditions, writes);
        const MetaOutcome outcome = store_.transact(conditions, writes);
        if (!outcome.done) continue;  // another client created or dropped something: try again
        table.revision = outcome.revision;
        return table;
    }
}

std::optional<TableEntry> Catalog::findTable(const std::string& database, const std::string& name) const {
    const std::optional<MetaEntry> entry = store_.get(tableKey(database, name));
    if (!entry) return std::nullopt;
    return decodeTable(*entry);
}

TableEntry Catalog::table(const std::string& database, const std::string& name) const {
    std::optional<TableEntry> table = findTable(database, name);
    if (table) return std::move(*table);
    this->database(database);  // throws when the database itself is missing
    throw noSuchTable(database, name, *this);
}

std::vector<std::string> Catalog::tableNames(const std::string& database) const {
    std::vector<std::string> names;
    const std::string prefix = tablePrefix(database);
    for (const MetaEntry& entry : store_.range(prefix).entries) names.push_back(entry.key.substr(prefix.size()));
    return names;
}

std::vector<TableEntry> Catalog::allTables() const {
    std::vector<TableEntry> tables;
    for (const MetaEntry& entry : store_.range(catalog_keys::kTables).entries) tables.push_back(decodeTable(entry));
    return tables;
}

TableEntry Catalog::dropTable(const std::string& database, const std::string& name) {
    for (;;) {
        TableEntry entry = table(database, name);
        const std::string key = tableKey(database, name);
        std::vector<MetaWrite> writes = removalsOfSequences(store_, database, entry.id);
        writes.push_back({key, std::nullopt, 0});
        writes.push_back({tombstoneKey(entry.id), "", 0});
        refuseReferred(entry);
        std::vector<MetaCondition> conditions{{key, entry.revision}};
        noteReferences(&entry, nullptr, conditions, writes);
        if (store_.transact(conditions, writes).done) return entry;
    }
}

std::vector<uint64_t> Catalog::tombstones() const {
    std::vector<uint64_t> tables;
    for (const MetaEntry& entry : store_.range(catalog_keys::kTombstones).entries)
        tables.push_back(std::stoull(entry.key.substr(std::string_view(catalog_keys::kTombstones).size())));
    return tables;
}

void Catalog::removeTombstone(uint64_t table) {
    store_.transact({}, {{tombstoneKey(table), std::nullopt, 0}});
}

void Catalog::updateTable(const TableEntry& table) {
    checkTable(table, database(table.database));
    const std::string key = tableKey(table.database, table.name);
    const std::optional<MetaEntry> before = store_.get(key);
    if (before && before->revision == table.revision) {
        std::vector<MetaCondition> conditions{{key, table.revision}};
        std::vector<MetaWrite> writes{{key, encodeTable(table), 0}};
        const TableEntry old = decodeTable(*before);
        noteReferences(&old, &table, conditions, writes);
        if (store_.transact(conditions, writes).done) return;
    }
    throw SystemError("The table " + table.name + " was changed by another session at the same time.", "Try again.",
                      true);
}

// Returns what a map by stored names says of a column.
static std::string noteOf(const std::map<std::string, std::string>& notes, const TableEntry& table, size_t column) {
    if (notes.empty()) return {};
    const auto found = notes.find(table.storedNameOf(column));
    return found == notes.end() ? std::string() : found->second;
}

std::string TableEntry::textIndexOf(size_t column) const {
    return noteOf(textIndexes, *this, column);
}

std::string TableEntry::declaredTypeOf(size_t column) const {
    return noteOf(declaredTypes, *this, column);
}

ColumnDefault TableEntry::defaultOf(size_t column) const {
    const auto found = defaults.find(storedNameOf(column));
    return found == defaults.end() ? ColumnDefault() : found->second;
}

TableSchema TableEntry::storedSchema() const {
    TableSchema stored = schema;
    for (size_t c = 0; c < storedNames.size() && c < stored.size(); ++c) stored[c].name = storedNames[c];
    return stored;
}

void Catalog::renameTable(const std::string& database, const std::string& name, const std::string& newName) {
    for (;;) {
        TableEntry entry = table(database, name);
        const std::string oldKey = tableKey(database, name);
        const std::string newKey = tableKey(database, newName);
        if (store_.get(newKey)) throw UserError("The table " + newName + " exists already in " + database + ".");
        std::vector<MetaCondition> conditions{{oldKey, entry.revision}, {newKey, 0}};
        std::vector<MetaWrite> writes{{oldKey, std::nullopt, 0}};
        // Tables that it refers to, and those that refer to it, know its name.
        const auto rename = [&](TableEntry& other) {
            for (ForeignKey& key : other.rowTable->foreignKeys)
                if (key.parentDatabase == database && key.parentTable == name) key.parentTable = newName;
            for (ReferringTable& referring : other.rowTable->referredBy)
                if (referring.database == database && referring.name == name) referring.name = newName;
        };
        std::vector<ReferringTable> relatives = parentsOf(entry);
        if (entry.rowTable) {
            relatives.insert(relatives.end(), entry.rowTable->referredBy.begin(), entry.rowTable->referredBy.end());
            std::sort(relatives.begin(), relatives.end());
            relatives.erase(std::unique(relatives.begin(), relatives.end()), relatives.end());
            rename(entry);
        }
        writes.push_back({newKey, encodeTable(entry), 0});
        for (const ReferringTable& relative : relatives) {
            std::optional<TableEntry> other = tableAt(tableKey(relative.database, relative.name), conditions);
            if (!other || !other->rowTable) continue;
            rename(*other);
            writes.push_back({tableKey(relative.database, relative.name), encodeTable(*other), 0});
        }
        if (store_.transact(conditions, writes).done) return;
    }
}

}  // namespace pelorus
