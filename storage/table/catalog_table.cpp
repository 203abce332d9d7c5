#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "common/error.h"
#include "runtime/append/rows_outside_scheme.h"
#include "runtime/append/script_transaction.h"
#include "runtime/append/table_transaction.h"
#include "runtime/function/principal.h"
#include "runtime/table/column_advice.h"
#include "runtime/value/cast.h"
#include "runtime/value/symbol_base.h"
#include "storage/catalog/sort_rule.h"
#include "storage/commit/chunk_claims.h"
#include "storage/commit/write_batch.h"
#include "storage/table/entry_columns.h"
#include "storage/table/local_table.h"
#include "storage/table/row_facts.h"

namespace pelorus {

CatalogTable::CatalogTable(Catalog& catalog, DatabaseEntry database, TableEntry entry, OutsideRules rules)
    : catalog_(catalog), database_(std::move(database)), rules_(rules) {
    name = entry.name;
    entries_.push_back(std::move(entry));
    entry_ = &entries_.back();
    schemes_.push_back(entries_.back().partitionColumns.empty() ? PartitionScheme() : database_.scheme);
    schemeRevision_ = database_.revision;
    scheme_ = &schemes_.back();
}

std::string CatalogTable::partitionPath(const std::string& chunkPath) const {
    const size_t scheme = database_.path.find("://");
    if (scheme == std::string::npos && database_.path.starts_with('/')) return database_.path + chunkPath;  // a folder
    return "/" + (scheme == std::string::npos ? database_.path : database_.path.substr(scheme + 3)) + chunkPath;
}

// Reads partitions that were added since the handle was opened. Returns whether there is a newer scheme.
bool CatalogTable::takeNewerScheme() {
    if (entry().partitionColumns.empty()) return false;
    DatabaseEntry now = catalog_.database(database_.path);
    const MutexLock guard(schemeMutex_);
    if (now.revision <= schemeRevision_) return false;
    schemes_.push_back(std::move(now.scheme));
    schemeRevision_ = now.revision;
    scheme_.store(&schemes_.back(), std::memory_order_release);
    return true;
}

bool CatalogTable::isCurrent() const {
    const MetaCondition condition = isUnchanged(entry());
    const std::optional<MetaEntry> now = catalog_.store().get(condition.key);
    return now && now->revision == condition.revision;
}

void CatalogTable::takeNewerEntry() const {
    if (isCurrent()) return;
    TableEntry now = checkExists();
    if (now.revision == entry().revision) return;
    const MutexLock guard(entryMutex_);
    if (now.revision <= entry().revision) return;  // another thread has read a newer one meanwhile
    entries_.push_back(std::move(now));
    entry_.store(&entries_.back(), std::memory_order_release);
}

std::shared_ptr<void> CatalogTable::heldEntry(bool newest) const {
    const MutexLock guard(holdersMutex_);
    if (newest && holders_.use_count() == 1) {
        takeNewerEntry();
    } else if (!isCurrent()) {
        checkExists();
    }
    return holders_;
}

std::shared_ptr<TableSnapshot> CatalogTable::holding(std::shared_ptr<void> entry,
                                                     std::shared_ptr<TableSnapshot> snapshot) {
    TableSnapshot* shown = snapshot.get();
    return {shown, [entry = std::move(entry), snapshot = std::move(snapshot)](TableSnapshot*) {}};
}

TableEntry CatalogTable::checkExists() const {
    std::optional<TableEntry> now = catalog_.findTable(entry().database, entry().name);
    if (now && now->id == entry().id) return std::move(*now);
    throw UserError("The table " + entry().name + " of " + entry().database + " has been dropped.",
                    "Open the table again with loadTable.");
}

std::shared_ptr<TableSnapshot> CatalogTable::takeSnapshotIn(Transaction& transaction) const {
    return takeSnapshot(transaction.number());
}

// Max lengths of stored strings. A longer STRING or BLOB is cut, a longer SYMBOL is an error.
static constexpr size_t kLongestString = 65535, kLongestBlob = (size_t{64} << 20) - 1, kLongestSymbol = 255;

// Returns where a text of more bytes than fit is cut: not within a character of UTF-8.
static size_t endOfCut(std::string_view text, size_t longest) {
    constexpr size_t kMostFollowing = 3;
    const auto isFollowing = [&](size_t at) { return (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80; };
    size_t end = longest;
    while (end > longest - kMostFollowing && isFollowing(end)) --end;
    return isFollowing(end) ? longest : end;  // no UTF-8
}

Value CatalogTable::withinLimits(Value column, const std::string& name) {
    const Type type = column.type();
    if (!isLiteral(type)) return column;
    const Vector& elements = column.vector();
    if (type == Type::Symbol) {
        const int32_t* codes = elements.data<int32_t>();
        for (int64_t i = 0; i < elements.size(); ++i) {
            if (i > 0 && codes[i] == codes[i - 1]) continue;
            if (symbols::string(codes[i]).size() <= kLongestSymbol) continue;
            throw UserError(fmt::format("A SYMBOL of the column {} has {} bytes, and at most {} can be stored.", name,
                                        symbols::string(codes[i]).size(), kLongestSymbol),
                            "Make it a STRING column.");
        }
        return column;
    }
    const size_t longest = type == Type::Blob ? kLongestBlob : kLongestString;
    Ref<Vector> cut;
    for (int64_t i = 0; i < elements.size(); ++i) {
        const std::string_view string = elements.string(i);
        if (string.size() <= longest) continue;
        if (!cut) cut = elements.copy();
        cut->setString(i, std::string(string.substr(0, type == Type::Blob ? longest : endOfCut(string, longest))));
    }
    return cut ? Value::of(std::move(cut)) : column;
}

Ref<MemoryTable> CatalogTable::withColumnsOf(const TableEntry& table, const MemoryTable& given, uint32_t newColumns) {
    const TableSchema stored = table.storedSchema();
    const auto count = static_cast<int>(stored.size());
    if (given.columnCount() < count && given.columnCount() + static_cast<int>(newColumns) < count) {
        throw UserError(
            "The data to append contains fewer columns than the schema.",
            fmt::format("The table has {} columns, the rows {}. Columns go by position; schema(table) shows "
                        "them.",
                        count, given.columnCount()));
    }
    if (given.columnCount() > count) {
        throw UserError(fmt::format("The number of columns of the table to insert must be {}, but it is {}.", count,
                                    given.columnCount()),
                        "Columns go by position; schema(table) shows them.");
    }
    std::vector<std::string> names;
    std::vector<Value> columns;
    for (int c = 0; c < count; ++c) {
        const ColumnSchema& column = stored[static_cast<size_t>(c)];
        names.push_back(column.name);
        const std::string& own = table.schema[static_cast<size_t>(c)].name;
        columns.push_back(c < given.columnCount()
                              ? withinLimits(castForStorage(given.column(c), column.type, own, column.scale), own)
                              : filledColumn(column.type, column.scale, given.rowCount()));
    }
    return makeRef<MemoryTable>(std::move(names), std::move(columns));
}

PartitionedRows CatalogTable::placed(const MemoryTable& rows) {
    const bool listNewValues = rules_.newValues != OutsidePolicy::Skip;
    PartitionedRows cut = cutByPartition(rows, entry(), scheme(), listNewValues);
    if (cut.report.outsideScheme > 0 && takeNewerScheme()) cut = cutByPartition(rows, entry(), scheme(), listNewValues);
    if (!cut.newValues.empty()) {
        if (rules_.newValues == OutsidePolicy::Fail) {
            throw UserError("A row has no partition: " + cut.report.firstOutside + " (S01016).",
                            "Add its value with addValuePartitions, or set newValuePartitionPolicy to add.");
        }
        addValues(cut.newValues);
        cut = cutByPartition(rows, entry(), scheme(), false);
    }
    if (cut.report.outsideScheme > 0 && !rules_.allowMissing) {
        throw UserError(fmt::format("{} row(s) have no partition, the first is {} (S01016). Nothing was written.",
                                    cut.report.outsideScheme, cut.report.firstOutside),
                        "Extend the partition scheme, or set allowMissingPartitions to true to drop such rows.");
    }
    return cut;
}

// Databases of plain folders belong to whoever may open the folder.
SecuredObject CatalogTable::secured() const {
    if (!database_.path.starts_with("dfs://")) return {};
    const TableEntry& table = entry();
    return {.kind = SecuredObject::Kind::Table,
            .database = database_.path,
            .name = table.name,
            .table = table.id,
            .owner = table.owner};
}

SecuredObject CatalogTable::securedDatabase() const {
    if (!database_.path.starts_with("dfs://")) return {};
    return SecuredObject::ofDatabase(database_.path, database_.owner);
}

// Rows that have been checked, cut by partition and ordered.
struct CatalogTable::Prepared {
    TableEntry entry;
    std::vector<ChunkRows> chunks;
    AppendReport report;
    std::unique_ptr<ChunkClaim> claim;
    bool completes = false;  // the rows have new columns of the entry for the first time
};

CatalogTable::Prepared CatalogTable::prepare(const MemoryTable& given) {
    TableEntry now = checkExists();
    const bool complete = given.columnCount() == static_cast<int>(now.schema.size());
    PartitionedRows cut = placed(*withOwnColumns(given, now.newColumns));
    if (const SortRule rule = sortRuleOf(entry()); rule.isOrdered()) {
        for (ChunkRows& chunk : cut.chunks) chunk.rows = ordered(std::move(chunk.rows), rule);
    }
    Prepared prepared{
        .chunks = std::move(cut.chunks), .report = std::move(cut.report), .completes = complete && now.newColumns > 0};
    if (rules_.failOnConflict && database_.atomic == "TRANS") {
        std::vector<std::string> paths;
        for (const ChunkRows& chunk : prepared.chunks) paths.push_back(chunk.path);
        prepared.claim = std::make_unique<ChunkClaim>(entry().id, std::move(paths),
                                                      [this](const std::string& path) { return partitionPath(path); });
    }
    prepared.entry = std::move(now);
    return prepared;
}

void CatalogTable::finish(Prepared prepared) {
    if (prepared.completes) appendedAllColumns(std::move(prepared.entry));
}

// Keeps rows of a table of columns until the transaction block of the thread ends. They are checked here as they will
// be when they are stored.
AppendReport CatalogTable::keep(const MemoryTable& given) {
    const Prepared prepared = prepare(given);
    const Ref<MemoryTable> rows = MemoryTable::empty(entry().storedSchema());
    for (const ChunkRows& chunk : prepared.chunks) rows->append(*chunk.rows);
    ScriptTransaction::current()->keep(Ref<PartitionedTable>(this), *rows);
    return prepared.report;
}

AppendReport CatalogTable::append(const MemoryTable& given) {
    if (ScriptTransaction::current() != nullptr && !entry().rowTable) return keep(given);
    for (;;) {
        const MetaMoment moment;
        Prepared prepared = prepare(given);
        std::vector<TableChunks> parts;
        parts.push_back({this, prepared.entry, std::move(prepared.chunks)});
        if (!appendChunks(std::move(parts), nullptr)) continue;
        const AppendReport report = prepared.report;
        finish(std::move(prepared));
        return report;
    }
}

std::shared_ptr<TableSnapshot> CatalogTable::withRows(std::shared_ptr<TableSnapshot>, const MemoryTable&) const {
    throw UserError(fmt::format("<NotSupported>The transaction has appended to the table {}, and its rows are seen "
                                "after its end.",
                                name),
                    "Read the table before the block appends to it, or behind the block.");
}

std::vector<ChunkRows> CatalogTable::storedForm(const MemoryTable& rows) const {
    PartitionedRows cut = cutByPartition(*withOwnColumns(rows, entry().newColumns), entry(), scheme(), false);
    if (const SortRule rule = sortRuleOf(entry()); rule.isOrdered()) {
        for (ChunkRows& chunk : cut.chunks) chunk.rows = ordered(std::move(chunk.rows), rule);
    }
    return std::move(cut.chunks);
}

bool CatalogTable::isSameTable(const StoredTable& other) const {
    const auto* const table = dynamic_cast<const CatalogTable*>(&other);
    return table != nullptr && &table->catalog_ == &catalog_ && table->entry().id == entry().id;
}

void CatalogTable::appendTogether(const std::vector<RowsOfTable>& parts, Transaction* with) {
    if (parts.empty()) return;
    std::vector<CatalogTable*> tables;
    for (const RowsOfTable& part : parts) tables.push_back(&dynamic_cast<CatalogTable&>(*part.table));
    for (;;) {
        const MetaMoment moment;
        std::vector<Prepared> prepared;
        std::vector<TableChunks> chunks;
        for (size_t i = 0; i < parts.size(); ++i) {
            CatalogTable* const table = tables[i];
            prepared.push_back(table->prepare(*parts[i].rows));
            const AppendReport& report = prepared.back().report;
            if (report.outsideScheme > 0)
                throw RowsOutsideScheme(report.outsideScheme, table->name, report.firstOutside);
            if (prepared.back().entry.rowTable && (parts.size() > 1 || with != nullptr)) {
                throw UserError(fmt::format("<NotSupported>Rows of the row table {} are not yet written in one "
                                            "transaction with those of other tables. Nothing was written.",
                                            table->name),
                                "Write to one table after the other.");
            }
            chunks.push_back({table, prepared.back().entry, std::move(prepared.back().chunks)});
        }
        if (!tables[0]->appendChunks(std::move(chunks), with)) continue;
        for (size_t i = 0; i < parts.size(); ++i) tables[i]->finish(std::move(prepared[i]));
        return;
    }
}

// Notes that rows have the new columns: from now on rows without them are refused. A second caller has nothing to do.
void CatalogTable::appendedAllColumns(TableEntry now) {
    now.newColumns = 0;
    try {
        catalog_.updateTable(now);
    } catch (const SystemError& error) {
        if (!error.retryable()) throw;
    }
}

void CatalogTable::changeEntry(const std::function<void(TableEntry&)>& change) {
    for (;;) {
        TableEntry now = checkExists();
        giveStoredNames(now);
        change(now);
        placeRowColumns(now);
        try {
            catalog_.updateTable(now);
        } catch (const SystemError& error) {
            if (!error.retryable()) throw;
            continue;  // another client changed it first: try again
        }
        return takeNewerEntry();
    }
}

void CatalogTable::addColumns(const TableSchema& columns) {
    changeEntry([&](TableEntry& table) { addColumnsTo(table, columns); });
}

void CatalogTable::dropColumn(const std::string& name) {
    changeEntry([&](TableEntry& table) { dropColumnFrom(table, name); });
}

void CatalogTable::renameColumn(const std::string& name, const std::string& newName) {
    changeEntry([&](TableEntry& table) { renameColumnIn(table, name, newName); });
}

// Returns whether a column may change its type: within a category, between integers and floating-point numbers, and to
// STRING.
static bool canRetype(Type from, Type to) {
    const auto isNumber = [](Type type) {
        return categoryOf(type) == Category::Integral || categoryOf(type) == Category::Floating;
    };
    if (from == Type::Symbol || to == Type::Symbol || isArrayType(from) || isArrayType(to)) return from == to;
    if (to == Type::String) return isNumber(from) || isTemporal(from) || categoryOf(from) == Category::Literal;
    if (isTemporal(from) && isTemporal(to)) return canCast(from, to);
    return (isNumber(from) && isNumber(to)) || from == to;
}

void CatalogTable::retypeColumn(const std::string& name, Type type) {
    changeEntry([&](TableEntry& table) {
        ColumnSchema& column = table.schema[positionOf(table, name)];
        refusePartitionColumn(table, name, "replaced");
        if (std::find(table.sortColumns.begin(), table.sortColumns.end(), name) != table.sortColumns.end()) {
            throw UserError(fmt::format("The column {} can't be replaced: rows are ordered by it.", name));
        }
        if (!canRetype(column.type, type)) {
            throw UserError(
                fmt::format("The column {} of type {} can't become {}.", name, typeName(column.type), typeName(type)),
                "Types of one kind replace each other, integers and floating-point numbers too; STRING "
                "replaces all but SYMBOL's like.");
        }
        column.type = type;
    });
}

void CatalogTable::reorderColumns(const std::vector<std::string>& names) {
    changeEntry([&](TableEntry& table) {
        std::vector<size_t> order;
        for (const std::string& name : names) {
            const size_t at = positionOf(table, name);
            if (std::find(order.begin(), order.end(), at) != order.end())
                throw UserError(fmt::format("The column {} is named twice.", name));
            order.push_back(at);
        }
        for (size_t c = 0; c < table.schema.size(); ++c) {
            if (std::find(order.begin(), order.end(), c) == order.end()) order.push_back(c);
        }
        const TableEntry before = table;
        for (size_t c = 0; c < order.size(); ++c) {
            table.schema[c] = before.schema[order[c]];
            table.storedNames[c] = before.storedNames[order[c]];
            if (order[c] < before.compressMethods.size() && c < table.compressMethods.size())
                table.compressMethods[c] = before.compressMethods[order[c]];
        }
        table.newColumns = 0;  // new columns need no longer be the last ones
    });
}

void CatalogTable::addValues(const std::vector<std::pair<size_t, Value>>& values) {
    for (;;) {
        DatabaseEntry grown = catalog_.database(database_.path);
        for (const auto& [level, value] : values) grown.scheme.mutableLevels()[level].extend(value);
        try {
            catalog_.updateDatabase(grown);
        } catch (const SystemError& error) {
            if (!error.retryable()) throw;
            continue;  // another append added values at the same time
        }
        takeNewerScheme();
        return;
    }
}

}  // namespace pelorus
