#include "server/postgres/wire/frame_reader.h"

#include <algorithm>

#include "common/error.h"
#include "net/connection.h"
#include "postgres/sql_error.h"
#include "server/postgres/wire/startup.h"
#include "server/postgres/wire/wire_messages.h"

namespace pelorus::postgres {
namespace {

constexpr int32_t kLengthBytes = 4;
constexpr size_t kFirstPiece = 1 << 20;
constexpr size_t kKeptBytes = 64 << 10;

}  // namespace

bool readFrame(Connection& connection, int64_t mostBytes, Frame& frame) {
    if (connection.peek(1).empty()) return false;
    char head[1 + kLengthBytes];
    connection.read(head, sizeof head);
    frame.letter = head[0];
    const int32_t length = MessageReader({head + 1, kLengthBytes}).int32();
    if (length < kLengthBytes) refuseMessage("invalid message length");
    if (length - kLengthBytes > mostBytes) {
        throw SqlError(sql_state::kProgramLimit, "a message of " + std::to_string(length) +
                                                     " bytes is too long: at most " + std::to_string(mostBytes) +
                                                     " are taken");
    }
    const auto size = static_cast<size_t>(length - kLengthBytes);
    if (frame.body.capacity() > kKeptBytes) std::string().swap(frame.body);
    frame.body.clear();
    while (frame.body.size() < size) {
        const size_t have = frame.body.size();
        const size_t piece = std::min(size - have, std::max(have, kFirstPiece));
        frame.body.resize(have + piece);
        connection.read(frame.body.data() + have, piece);
    }
    return true;
}

std::string receiveResponse(Connection& connection) {
    Frame frame;
    if (!readFrame(connection, kMaxStartupBytes, frame)) throw SystemError("The client left before it logged in.");
    if (frame.letter != 'p') refuseMessage("expected password response");
    return std::move(frame.body);
}

std::string receivePassword(Connection& connection) {
    const std::string body = receiveResponse(connection);
    MessageReader reader(body);
    std::string password(reader.string());
    reader.requireEnd();
    return password;
}

}  // namespace pelorus::postgres
