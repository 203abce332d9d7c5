// ChangeExecutor carries out the statements of a session that change something, and its transactions' inserts.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "server/postgres/postgres_session.h"
#include "server/postgres/statement_result.h"

namespace pelorus::postgres {

// Inserts of a transaction are kept until it ends, and stored together then; so are those that a client sends before it
// waits for an answer. All other changes are transactions of their own: they are refused in a block, and what was kept
// outside of one is stored before they run. The thread of the connection owns it; the session outlives it.
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
    // Stores what was kept. Throws as the inserts would have.
    void commit(Context& context);

private:
    void refuseInBlock(const Statement& statement) const;

    PostgresSession& session_;
};

}  // namespace pelorus::postgres
