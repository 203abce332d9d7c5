// Reads whole messages of PostgreSQL's protocol from a connection.
#pragma once

#include <cstdint>
#include <string>

namespace pelorus {
class Connection;
}

namespace pelorus::postgres {

// One message; its body is the reader's own.
struct Frame {
    char letter = 0;
    std::string body;
};

// Reads one message into `frame`, whose memory is used again. Grows as the bytes arrive, so that a claimed length costs
// nothing. Returns false at the end of the stream. Throws SqlError 08P01 for a length that no message has, 54000 above
// `mostBytes`, SystemError when the client leaves in the middle.
bool readFrame(Connection& connection, int64_t mostBytes, Frame& frame);

// Reads the body of an answer to a request for a password or a proof. Throws SqlError 08P01 for another message.
std::string receiveResponse(Connection& connection);

// Reads the answer to a request for a password: a string. Throws SqlError 08P01 for another message.
std::string receivePassword(Connection& connection);

}  // namespace pelorus::postgres
