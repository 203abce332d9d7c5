#include "server/line_protocol/line_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "common/check.h"
#include "common/error.h"
#include "database/service/append_together.h"
#include "database/service/database_service.h"
#include "database/service/secured_objects.h"
#include "runtime/function/principal.h"
#include "runtime/function/rights_keeper.h"
#include "runtime/table/audited_data.h"
#include "runtime/table/stored_table.h"
#include "runtime/value/vector.h"

namespace pelorus {
namespace {

constexpr int64_t kNanosPerDay = int64_t{86'400} * 1'000'000'000;
// A batch whose times are in another unit than was said spreads over more days.
constexpr size_t kMaxNewDays = 1000;
// A table has at most four sort columns; the time is the last one.
constexpr size_t kSortTags = 3;
constexpr int kMaxAttempts = 5;
constexpr std::string_view kNewTimeColumn = "timestamp";

int32_t dayOf(int64_t nanos) {
    const int64_t day = nanos / kNanosPerDay;
    return static_cast<int32_t>(nanos % kNanosPerDay < 0 ? day - 1 : day);
}

std::vector<int32_t> daysOf(const LineBatch::TableRows& rows) {
    std::set<int32_t> days;
    int32_t last = INT32_MIN;
    for (const int64_t nanos : rows.times()) {
        const int32_t day = dayOf(nanos);
        if (day != last) days.insert(day);
        last = day;
    }
    return {days.begin(), days.end()};
}

void requireFewDays(size_t count) {
    if (count > kMaxNewDays)
        throw UserError(fmt::format("the rows bring {} new days; at most {} are taken at once. Their times may be in "
                                    "another unit than was said.",
                                    count, kMaxNewDays),
                        "Set the precision of the times, or send the rows in parts.");
}

bool isByDay(const DatabaseEntry& database) {
    const auto& levels = database.scheme.levels();
    return levels.size() == 1 && levels[0].kind() == PartitionKind::Value && levels[0].keyType() == Type::Date;
}

std::unique_ptr<DatabaseEntry> makeUnique(std::optional<DatabaseEntry> entry) {
    return entry ? std::make_unique<DatabaseEntry>(std::move(*entry)) : nullptr;
}

DatabaseService& databasesOf(const Services& services) {
    auto* databases = services.find<DatabaseService>();
    CHECK(databases != nullptr) << "a server has databases";
    return *databases;
}

}  // namespace

StaleTable::StaleTable(const std::string& table)
    : SystemError("The table " + table + " was changed by others while lines for it were read.", "Send them again.",
                  true) {}

WrittenTables::WrittenTables(const Services& services, Request& request, const LineOptions& options)
    : request_(request),
      context_(services, request),
      options_(options),
      databases_(databasesOf(services)),
      database_(makeUnique(databases_.catalog().findDatabase(options.database))) {
    if (database_ && !isByDay(*database_))
        throw UserError(
            fmt::format("The database {} has no partitions by VALUE of DATE, which the line protocol needs.",
                        options.database),
            "Set ilpDatabase to another name: the database is made by the first line.");
}

WrittenTables::~WrittenTables() = default;

SecuredObject WrittenTables::securedDatabase() const {
    return database_ ? pelorus::securedDatabase(*database_) : SecuredObject::ofDatabase(options_.database, "");
}

std::string WrittenTables::timeColumnOf(const TableEntry& table) const {
    const auto isTime = [&](const ColumnSchema& column) {
        return !table.partitionColumns.empty() && column.name == table.partitionColumns[0] &&
               table.partitionFunctions.empty() &&
               (column.type == Type::NanoTimestamp || column.type == Type::Timestamp);
    };
    const auto column = std::find_if(table.schema.begin(), table.schema.end(), isTime);
    if (column == table.schema.end())
        throw UserError(
            fmt::format("the table {} of {} is not partitioned by a column of type NANOTIMESTAMP or "
                        "TIMESTAMP",
                        table.name, table.database));
    return column->name;
}

LineTable WrittenTables::find(const std::string& table) {
    const Principal& who = request_.principal();
    LineTable known;
    std::optional<TableEntry> entry;
    if (database_) entry = databases_.catalog().findTable(options_.database, table);
    if (!entry) {
        if (!database_) who.require(Right::CreateDatabase, securedDatabase());
        if (database_) who.require(Right::CreateObject, securedDatabase());
        return known;
    }
    who.require(Right::Insert, securedTable(*entry));
    known.exists = true;
    known.schema = entry->schema;
    known.sortColumns = entry->sortColumns;
    known.timeColumn = timeColumnOf(*entry);
    tables_.insert_or_assign(table, std::make_shared<const TableEntry>(std::move(*entry)));
    return known;
}

void WrittenTables::requireToAddColumns(const std::string& table) {
    const TableEntry& entry = *tables_.at(table);
    open(entry)->requireToAlter(request_.principal(), Right::CreateObject);
}

Ref<PartitionedTable> WrittenTables::open(const TableEntry& table) {
    CHECK(database_ != nullptr) << "a table belongs to a database";
    return databases_.open(*database_, table);
}

// Rows of one table as they are stored.
struct WrittenTables::Part {
    const LineBatch::TableRows* rows;
    TableEntry entry;
    Ref<PartitionedTable> table = {};
    std::unique_ptr<AuditedData> change = {};
};

// All tables are made before rows are stored: a table may be left without rows, but no rows without the others.
void WrittenTables::store(const LineBatch& batch) {
    std::vector<Part> parts;
    for (const auto& rows : batch.tables()) {
        if (rows->rowCount() == 0) continue;
        ensureDatabase(*rows);
        ensureDays(*rows);
        parts.push_back({rows.get(), ensureTable(*rows)});
    }
    std::vector<RowsOfTable> together;
    for (Part& part : parts) {
        part.table = open(part.entry);
        part.change =
            std::make_unique<AuditedData>(context_, "APPEND", *part.table, "", AuditedChange::Durability::Unsynced);
        together.push_back({part.table, part.rows->build(part.entry.schema, part.entry.sortColumns)});
    }
    try {
        appendTogether(together);
    } catch (const UserError&) {
        requireUnchanged(parts);
        throw;
    }
    for (const Part& part : parts) {
        if (part.change->isAudited()) part.change->done(fmt::format("appendedRows={}", part.rows->rowCount()));
    }
}

void WrittenTables::requireUnchanged(const std::vector<Part>& parts) {
    for (const Part& part : parts) {
        const auto now = databases_.catalog().findTable(options_.database, part.rows->name());
        if (!now || now->id != part.entry.id || now->revision != part.entry.revision)
            throw StaleTable(part.rows->name());
    }
}

// Two writers may come to this at once: one of them makes the database.
void WrittenTables::ensureDatabase(const LineBatch::TableRows& rows) {
    if (database_) return;
    Catalog& catalog = databases_.catalog();
    if (!catalog.findDatabase(options_.database)) {
        const std::vector<int32_t> days = daysOf(rows);
        requireFewDays(days.size());
        DatabaseEntry entry;
        entry.path = options_.database;
        entry.scheme = PartitionScheme({PartitionLevel(PartitionKind::Value, Value::of(Vector::of(Type::Date, days)))});
        entry.engine = "TSDB";
        entry.owner = request_.principal().user();
        if (auto* rights = context_.service<RightsKeeper>()) rights->forgetDatabase(entry.path);
        AuditedData change(context_, "CREATE_DB", entry.path);
        try {
            catalog.createDatabase(entry);
            change.done();
        } catch (const UserError&) {
            if (!catalog.findDatabase(options_.database)) throw;
        }
    }
    throw StaleTable(rows.name());
}

void WrittenTables::ensureDays(const LineBatch::TableRows& rows) {
    const std::vector<int32_t> days = daysOf(rows);
    Catalog& catalog = databases_.catalog();
    for (;;) {
        PartitionLevel& level = database_->scheme.mutableLevels()[0];
        std::vector<int32_t> added;
        for (const int32_t day : days) {
            if (level.placeOne(Value::scalar(Type::Date, day)) < 0) added.push_back(day);
        }
        if (added.empty()) return;
        requireFewDays(added.size());
        level.extend(Value::of(Vector::of(Type::Date, added)));
        try {
            catalog.updateDatabase(*database_);
        } catch (const SystemError& error) {
            if (!error.retryable()) throw;  // else another writer added days: they are looked at again
        }
        *database_ = catalog.database(options_.database);
    }
}

TableEntry WrittenTables::ensureTable(const LineBatch::TableRows& rows) {
    Catalog& catalog = databases_.catalog();
    const TableSchema added = rows.newColumns();
    if (!rows.known().exists) {
        TableEntry table;
        table.database = options_.database;
        table.name = rows.name();
        const auto tags = rows.firstTags();
        for (const std::string& tag : tags) table.schema.push_back({.name = tag, .type = Type::Symbol});
        table.schema.push_back({.name = std::string(kNewTimeColumn), .type = Type::NanoTimestamp});
        for (const ColumnSchema& column : added) {
            if (std::find(tags.begin(), tags.end(), column.name) == tags.end()) table.schema.push_back(column);
        }
        table.partitionColumns = {std::string(kNewTimeColumn)};
        table.sortColumns.assign(tags.begin(), tags.begin() + static_cast<ptrdiff_t>(std::min(tags.size(), kSortTags)));
        table.sortColumns.emplace_back(kNewTimeColumn);
        table.compressMethods.assign(table.schema.size(), "lz4");
        table.owner = request_.principal().user();
        AuditedData change(context_, "CREATE_PARTITIONED_TABLE", table.database, table.name);
        try {
            TableEntry made = databases_.createTable(std::move(table));
            change.done();
            return made;
        } catch (const UserError&) {
            if (catalog.findTable(options_.database, rows.name())) throw StaleTable(rows.name());
            throw;
        }
    }
    if (!added.empty()) {
        const Ref<PartitionedTable> table = open(*tables_.at(rows.name()));
        std::string names;
        for (const ColumnSchema& column : added) names += (names.empty() ? "" : ",") + column.name;
        AuditedData change(context_, "ADD_COLUMN", *table, fmt::format("columnName=[{}]", names));
        try {
            dynamic_cast<StoredTable&>(*table).addColumns(added);
            change.done();
        } catch (const UserError&) {
            const auto now = catalog.findTable(options_.database, rows.name());
            if (now && now->schema.size() != rows.known().schema.size()) throw StaleTable(rows.name());
            throw;
        }
    }
    const auto now = catalog.findTable(options_.database, rows.name());
    if (!now || !rows.fits(now->schema)) throw StaleTable(rows.name());
    return *now;
}

int64_t writeLines(const Services& services, Request& request, const LineOptions& options, TagSets& tags,
                   std::string_view bytes, int64_t unitNanos, LineFailure& failure) {
    for (int attempt = 1;; ++attempt) {
        WrittenTables tables(services, request, options);
        LineBatch batch(tags, tables, unitNanos);
        try {
            batch.add(bytes, true);
        } catch (const UserError&) {
            failure = {batch.errorLine(), batch.errorTable()};
            throw;
        }
        try {
            tables.store(batch);
            return batch.rowCount();
        } catch (const StaleTable&) {
            if (attempt == kMaxAttempts) throw;
        }
    }
}

}  // namespace pelorus
