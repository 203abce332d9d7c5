// AnswerWriter collects the messages of an answer and sends them together.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "common/error.h"
#include "server/postgres/wire/field_encoder.h"
#include "server/postgres/wire/wire_messages.h"

namespace pelorus {
class Connection;
class Context;
}  // namespace pelorus

namespace pelorus::postgres {

// Returns the cells of a column as its encoder takes them: names in the place of numbers, where text shows those.
Value shownCells(const OutputColumn& column, bool isBinary, const Value& cells, const FieldStyle& style,
                 Context& context);

struct Portal;

// The error of a connection whose client has left: nobody is to be told.
class ClientLeft final : public SystemError {
public:
    using SystemError::SystemError;
};

// The answers of one connection, sent when they are long or the client waits for them. The thread of the connection
// owns it.
class AnswerWriter {
public:
    explicit AnswerWriter(Connection& connection) : connection_(connection) {}

    MessageWriter& messages() { return messages_; }
    // Sends what was collected. Throws ClientLeft.
    void flush();
    // Sends it if it is long.
    void flushIfLong();

    // Writes a message without a body, a CommandComplete, and a ReadyForQuery with the letter of the transaction.
    void writeBare(char letter);
    void writeComplete(std::string_view tag);
    void writeReady(char status);
    // Writes the types of parameters, and the columns of a result in the formats of the portal (none: text).
    void writeParameters(const std::vector<Oid>& types);
    void writeColumns(const std::vector<OutputColumn>& columns, const Portal* portal);
    // Writes the message that begins a copy, H or G: so many columns, all of one format.
    void writeCopyBegin(char letter, bool isBinary, size_t columns);
    // Writes rows [begin, begin + count) of the portal, and sends full buffers. Throws UserError when the request is
    // cancelled.
    void writeRows(const Portal& portal, int64_t begin, int64_t count, const FieldStyle& style, Context& context);

private:
    Connection& connection_;
    MessageWriter messages_;
};

}  // namespace pelorus::postgres
