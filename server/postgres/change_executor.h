// ChangeExecutor carries out the statements of a session that change something, and its transactions' inserts.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "server/postgres/postgres_session.h"
#include "server/postgres/statement_result.h"

namespace pelorus::postgres {

struct QueryTable;

// Changes of row tables are made within the transaction of the session: of its block, or of what a client sends before
// it waits for an answer. Inserts into tables of columns are kept until it ends, and stored together then. All other
// changes are transactions of their own: they are refused in a block, and what is open outside of one is stored before
// they run. The thread of the connection owns it; the session outlives it.
class ChangeExecutor {
public:
    explicit ChangeExecutor(PostgresSession& session) : session_(session) {}

    // Binds a statement that changes something. Throws SqlError.
    void prepare(PreparedStatement& prepared, std::span<const Oid> givenTypes, Context& context) const;
    // Runs it. `isAlone` says that its answer is waited for. Throws SqlError, or any error of the engine.
    StatementResult run(const PreparedStatement& prepared, std::span<const Value> parameters, bool isAlone,
                        Context& context);
    // Inserts rows, in the order of the table's columns and in their types, as an insert does.
    void insert(const std::shared_ptr<const TargetTable>& target, const Ref<MemoryTable>& rows, bool isAlone,
                Context& context);

    // Throws SqlError 25006 when the transaction may only read.
    void requireWritable(std::string_view tag) const;
    // Prepares for a statement that is no insert and reads these tables: outside of a block stores what was kept.
    // Throws SqlError 0A000 for a table of whose rows some are kept in the block.
    void beforeOther(const std::vector<TableName>& tables, Context& context);
    // Begins the transaction, if there is none, for a query that locks rows. Throws SqlError 25006 when it may only
    // read.
    void lockRows(Context& context);
    // Carries out `lock table`. Throws SqlError: 25P01 outside of a block, 42P01 for an unknown table.
    void lockTables(const Statement& statement, Context& context);
    // Carries out `set constraints`, and returns what the client is told. Throws SqlError: 42704 for a name that no
    // constraint has, 42809 for one that is always checked at once.
    StatementResult setConstraints(const Statement& statement, Context& context);
    // Returns whether there is something to commit.
    bool isOpen() const;
    // Stores what was kept, and commits the transaction over row tables. Throws as the changes would have.
    void commit(Context& context);

private:
    void refuseInBlock(const Statement& statement) const;
    StatementResult runQueryTable(const QueryTable& table, const PreparedStatement& prepared,
                                  std::span<const Value> parameters, Context& context);
    StatementResult runDefinition(const Statement& statement, Context& context);
    bool isOwn(bool isAlone) const;

    PostgresSession& session_;
};

}  // namespace pelorus::postgres
