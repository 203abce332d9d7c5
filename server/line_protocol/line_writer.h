// Writes lines into the tables of the line protocol's database, which it makes as they are needed.
//
// Each table's rows are one transaction, which is durable when the call returns. Everything is checked before anything
// is stored: names, types, rights. A database, table or column that others change meanwhile is looked at again.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "database/service/database_service.h"
#include "runtime/function/context.h"
#include "server/line_protocol/line_batch.h"

namespace pelorus {

struct LineOptions {
    std::string database = "dfs://ilp";  // ilpDatabase
    std::string user;                    // ilpUser: who writes without saying who; empty: nobody may
    int port = -1;                       // ilpPort, 0 for any; -1: there is none
};

// A table that others have changed since the lines were checked against it: they are to be read again.
class StaleTable : public SystemError {
public:
    explicit StaleTable(const std::string& table);
};

// The tables as a user may write them, each as it was when a batch met it.
class WrittenTables final : public LineCatalog {
public:
    WrittenTables(const Services& services, Request& request, const LineOptions& options);

    LineTable find(const std::string& table) override;
    void requireToAddColumns(const std::string& table) override;

    // Makes what the rows of the batch need, then stores them, but not those of tables in `stored`, to which it adds
    // each table when its rows are durable. Throws StaleTable, UserError when the database does not take the rows,
    // and SystemError when the disk refuses: nothing of the table is stored then.
    void store(const LineBatch& batch, std::set<std::string>& stored);

private:
    void storeTable(const LineBatch::TableRows& rows, const TableEntry& entry);
    void ensureDatabase(const LineBatch::TableRows& rows);
    void ensureDays(const LineBatch::TableRows& rows);
    TableEntry ensureTable(const LineBatch::TableRows& rows);
    Ref<PartitionedTable> open(const TableEntry& table);
    SecuredObject securedDatabase() const;
    std::string timeColumnOf(const TableEntry& table) const;

    Request& request_;
    Context context_;
    const LineOptions& options_;
    DatabaseService& databases_;
    std::optional<DatabaseEntry> database_;
    std::map<std::string, TableEntry> tables_;  // those that exist
};

struct LineFailure {
    int64_t line = 0;  // 0: no line of its own
    std::string table;
};
// Stores all lines, or none of a table; parses them again when others changed a table meanwhile. Returns the number of
// rows. Throws what LineBatch and WrittenTables throw, and sets `failure` for a bad line.
int64_t writeLines(const Services& services, Request& request, const LineOptions& options, TagSets& tags,
                   std::string_view bytes, int64_t unitNanos, LineFailure& failure);

}  // namespace pelorus
