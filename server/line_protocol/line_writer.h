// Writes lines into the tables of the line protocol's database, and creates database, tables and columns as they are
// needed.
//
// The rows of one call are one transaction over all tables, which is durable when the call returns. Names, types and
// rights are checked before rows are stored. When others change a database, table or column meanwhile, the lines are
// parsed again.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "runtime/function/context.h"
#include "server/line_protocol/line_batch.h"
#include "server/line_protocol/line_service.h"

namespace pelorus {

class DatabaseService;
struct DatabaseEntry;
struct SecuredObject;
struct TableEntry;

// Thrown when others have changed a table since lines were checked against it: the lines must be parsed again.
class StaleTable : public SystemError {
public:
    explicit StaleTable(const std::string& table);
};

// The tables that a user may write to, each as it was when a batch first named it. One object for each batch; not
// thread-safe. Services, request and options outlive it.
class WrittenTables final : public LineCatalog {
public:
    WrittenTables(const Services& services, Request& request, const LineOptions& options);
    ~WrittenTables() override;

    LineTable find(const std::string& table) override;
    void requireToAddColumns(const std::string& table) override;

    // Creates what the rows of the batch need, then stores them as one transaction over all tables. Throws StaleTable,
    // UserError when the database does not take the rows, and SystemError when the disk refuses. No rows are stored
    // then, but tables, columns and partitions may have been created.
    void store(const LineBatch& batch);

private:
    struct Part;
    void requireUnchanged(const std::vector<Part>& parts);
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
    std::unique_ptr<DatabaseEntry> database_;                          // null: the database does not exist yet
    std::map<std::string, std::shared_ptr<const TableEntry>> tables_;  // existing tables by name
};

// The place of a bad line in a request.
struct LineFailure {
    int64_t line = 0;  // number of the line; 0: the failure is not that of a line
    std::string table;
};
// Stores the rows of all lines or of none; parses the lines again, up to five times, when others changed a table
// meanwhile. Times without a suffix are in units of `unitNanos` nanoseconds. Returns the number of rows. Throws what
// LineBatch and WrittenTables throw, and sets `failure` for a bad line.
int64_t writeLines(const Services& services, Request& request, const LineOptions& options, TagSets& tags,
                   std::string_view bytes, int64_t unitNanos, LineFailure& failure);

}  // namespace pelorus
