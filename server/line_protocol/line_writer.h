// Writes lines into the tables of the line protocol's database, which it makes as they are needed.
//
// Each table's rows are one transaction, which is durable when the call returns. Everything is checked before anything
// is stored: names, types, rights. A database, table or column that others change meanwhile is looked at again.
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

// A table that others have changed since the lines were checked against it: they are to be read again.
class StaleTable : public SystemError {
public:
    explicit StaleTable(const std::string& table);
};

// The tables as a user may write them, each as it was when a batch met it.
class WrittenTables final : public LineCatalog {
public:
    WrittenTables(const Services& services, Request& request, const LineOptions& options);
    ~WrittenTables() override;

    LineTable find(const std::string& table) override;
    void requireToAddColumns(const std::string& table) override;

    // Makes what the rows of the batch need, then stores them as one transaction over all tables. Throws StaleTable,
    // UserError when the database does not take the rows, and SystemError when the disk refuses: nothing is stored
    // then.
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
    std::unique_ptr<DatabaseEntry> database_;                          // null: there is none yet
    std::map<std::string, std::shared_ptr<const TableEntry>> tables_;  // those that exist
};

struct LineFailure {
    int64_t line = 0;  // 0: no line of its own
    std::string table;
};
// Stores all lines or none; parses them again when others changed a table meanwhile. Returns the number of
// rows. Throws what LineBatch and WrittenTables throw, and sets `failure` for a bad line.
int64_t writeLines(const Services& services, Request& request, const LineOptions& options, TagSets& tags,
                   std::string_view bytes, int64_t unitNanos, LineFailure& failure);

}  // namespace pelorus
