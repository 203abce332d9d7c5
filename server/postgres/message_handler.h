// MessageHandler answers the messages of a client of PostgreSQL's protocol that has logged in: the simple protocol and
// the extended one.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "server/postgres/answer_writer.h"
#include "server/postgres/postgres_session.h"
#include "server/postgres/request_scope.h"
#include "server/postgres/statement_executor.h"
#include "server/postgres/wire/wire_messages.h"

namespace pelorus::postgres {

class CopyReader;
struct Frame;

// The handler of one connection. After an error it passes over messages up to the next Sync. The thread of the
// connection owns it; the others outlive it.
class MessageHandler {
public:
    // What a handler asks of the client's connection.
    struct ClientSide {
        // Returns the letter of the next message, if it has arrived; else 0.
        std::function<char()> nextLetter;
        // A copy begins: later cancels are meant for it.
        std::function<void()> beginCopy;
        // Waits for a message of a copy. Throws ClientLeft, and SqlError 57014 when the copy
        // was cancelled.
        std::function<const Frame&()> receive;
    };
    MessageHandler(PostgresSession& session, RequestScope& scope, AnswerWriter& answer, ClientSide client)
        : session_(session), scope_(scope), answer_(answer), client_(std::move(client)), executor_(session, scope) {}

    // Tells a client that has logged in the settings, and that it may go on.
    void greet() { sync(); }
    // Answers one message. Returns false when the client ends the session. Throws ClientLeft,
    // and SqlError 08P01 for a message that no client sends: the connection ends then.
    bool handle(char letter, std::string_view body);

private:
    void query(std::string_view body);
    void runText(const std::string& text);
    void runWhole(StatementExecutor::Bound bound, bool isAlone);
    void runCall(Portal& portal);
    void parse(MessageReader reader);
    void bind(MessageReader reader);
    void describe(MessageReader reader);
    void execute(MessageReader reader);
    void close(MessageReader reader);
    void sync();
    // Runs the portal if it did not run, sends up to so many rows (0: all), and says how it ended.
    void runPortal(Portal& portal, int64_t most, bool isAlone);
    void runCopy(const PreparedStatement& prepared, bool isAlone);
    void runCopyIn(const PreparedStatement& prepared, bool isAlone);
    void receiveCopy(CopyReader& reader);
    std::vector<Value> readParameters(MessageReader& reader, const PreparedStatement& prepared);
    void fail(const std::exception& error);
    void sendRemarks(const StatementResult& result);
    void sendReports();

    PostgresSession& session_;
    RequestScope& scope_;
    AnswerWriter& answer_;
    const ClientSide client_;
    StatementExecutor executor_;
    bool skipsToSync_ = false;
    std::string text_;  // that of the statement at work, which places of errors are counted in
};

}  // namespace pelorus::postgres
