// StatementExecutor carries out one statement of a session of PostgreSQL's protocol: queries by the engine, statements
// about the session itself.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/postgres/change_executor.h"
#include "server/postgres/postgres_session.h"
#include "server/postgres/request_scope.h"
#include "server/postgres/statement_result.h"

namespace pelorus::postgres {

struct CachedStatement;
struct LiftedText;

// The executor of one session. The thread of the connection owns it; session and scope outlive it.
class StatementExecutor {
public:
    StatementExecutor(PostgresSession& session, RequestScope& scope)
        : session_(session), scope_(scope), changes_(session) {}

    // Binds a statement: says what parameters it takes and which columns it returns. Reads no row. `givenTypes` are
    // those that the client gave. Throws SqlError, 25P02 in a block that has failed.
    std::shared_ptr<const PreparedStatement> prepare(std::shared_ptr<const Statement> statement, std::string text,
                                                     std::span<const Oid> givenTypes);
    // A statement with its parameters.
    struct Bound {
        std::shared_ptr<const PreparedStatement> prepared;
        std::vector<Value> parameters;
    };
    // Binds a text of one query with literals as one that the sessions of the node share, which are its parameters.
    // Returns nothing for any other text, and for one that has an error: it is prepared as it stands.
    std::optional<Bound> prepareShared(const std::string& text);
    // Binds a text of at most one statement, of which a query is shared. Throws SqlError.
    std::shared_ptr<const PreparedStatement> prepareText(std::string text, std::span<const Oid> givenTypes);
    // Runs it. `isAlone` says that its answer is waited for. Throws SqlError, or any error of the engine.
    // Binds it anew when the columns of a table have changed: SqlError 0A000 when its own columns have become others.
    StatementResult run(const PreparedStatement& prepared, std::span<const Value> parameters, bool isAlone);
    // Binds what `copy … to stdout` reads. Throws SqlError.
    std::shared_ptr<const PreparedStatement> prepareCopy(const Statement& copy, const std::string& text);
    // Stores the inserts that were kept outside of a block. Throws as they would have.
    void commitImplicit();
    ChangeExecutor& changes() { return changes_; }
    // Returns the context of the running request.
    Context& context(std::string_view description);

private:
    StatementResult runBound(const PreparedStatement& prepared, std::span<const Value> parameters, bool isAlone);
    void describe(PreparedStatement& prepared, std::span<const Oid> givenTypes);
    StatementResult transact(const Statement& statement);
    void begin(const Statement& statement);
    void commitBlock();
    StatementResult setVariable(const Statement& statement);
    StatementResult show(const Statement& statement) const;
    StatementResult discard(const Statement& statement);
    StatementResult prepareByName(const PreparedStatement& prepared);
    StatementResult executeByName(const Statement& statement, const std::string& text, bool isAlone);
    StatementResult deallocate(const Statement& statement);
    StatementResult declare(const PreparedStatement& prepared, std::span<const Value> parameters);
    StatementResult fetch(const Statement& statement);
    StatementResult close(const Statement& statement);
    StatementResult explain(const PreparedStatement& prepared, std::span<const Value> parameters);
    StatementResult call(const PreparedStatement& prepared);
    std::shared_ptr<const CachedStatement> findShared(const std::string& key, const std::string& text);
    std::shared_ptr<const CachedStatement> prepareLifted(const std::string& key, const LiftedText& lifted,
                                                         const std::string& text);
    Value argument(const Statement& statement, const std::string& text, Oid type);

    PostgresSession& session_;
    RequestScope& scope_;
    ChangeExecutor changes_;
};

}  // namespace pelorus::postgres
