// Implements WebSocket (RFC 6455) on top of a stream of bytes: the answer of the handshake, and the parsing and
// formatting of frames.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "common/error.h"

namespace pelorus::web_socket {

enum class Opcode : uint8_t { Continuation = 0, Text = 1, Binary = 2, Close = 8, Ping = 9, Pong = 10 };

// Codes that end a connection. On the network: the values of RFC 6455.
enum class CloseCode : uint16_t {
    Normal = 1000,
    GoingAway = 1001,
    ProtocolError = 1002,
    Unsupported = 1003,
    BadString = 1007,
    TooBig = 1009,
};

// The error of a frame that the protocol does not allow. The connection is closed with the code.
class FrameError : public UserError {
public:
    FrameError(CloseCode code, std::string what) : UserError(std::move(what)), code_(code) {}
    CloseCode code() const { return code_; }

private:
    CloseCode code_;
};

// Returns the value of Sec-WebSocket-Accept for the client's Sec-WebSocket-Key.
std::string acceptKey(std::string_view key);

// Returns the header of an unmasked frame that holds a whole message of this size.
std::string frameHeader(Opcode opcode, uint64_t sizeBytes);
// Returns a whole control frame.
std::string controlFrame(Opcode opcode, std::string_view payload);
std::string closeFrame(CloseCode code, std::string_view reason);

// Parser of a client's frames, which may arrive in pieces of any size, to the bytes of its binary messages. It throws
// FrameError for frames that RFC 6455 forbids a client. It keeps no payload of data frames; setLimit bounds the size of
// a message. Not thread-safe.
class FrameReader {
public:
    // Sets the maximum size of an accepted message.
    void setLimit(int64_t messageBytes) { limit_ = messageBytes; }
    // Parses all bytes. Appends the payload of data frames to `payload`; calls `onControl` with each complete control
    // frame, whose close code, if it has one, is valid. Throws FrameError; the connection is of no further use then.
    void take(std::string_view bytes, std::string& payload,
              const std::function<void(Opcode, std::string_view payload)>& onControl);
    // Returns whether a message has begun and its last frame has not ended.
    bool isWithinMessage() const { return inMessage_ || state_ != State::Head || !head_.empty(); }

private:
    enum class State : uint8_t { Head, Payload };

    void readHead();
    void endFrame(const std::function<void(Opcode, std::string_view)>& onControl);

    State state_ = State::Head;
    std::string head_;     // header of the frame, as far as it has arrived
    std::string control_;  // payload of a control frame, as far as it has arrived
    Opcode opcode_ = Opcode::Binary;
    bool isFinal_ = false;
    bool inMessage_ = false;  // between the first and the last frame of a message
    uint64_t left_ = 0;       // bytes of the frame's payload that are still to come
    uint64_t done_ = 0;       // bytes of the frame's payload that have come, for the mask
    uint64_t messageBytes_ = 0;
    uint8_t mask_[4] = {};
    int64_t limit_ = int64_t{1} << 16;
};

}  // namespace pelorus::web_socket
