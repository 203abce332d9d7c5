// Parses and formats the frames of the native protocol: request line, request body, response line. No other source
// knows their format, which docs/formats/wire.md explains.
//
//   request    <magic> <session id> <length>[ / <options>]\n<body of length bytes><arguments>
//   response   {MSG\n<message>\0} <session id> <object count> <endian>\n OK|<error message>\n <object>
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pelorus {

// Bits of the request's first option. On the network: append, never renumber.
namespace request_flag {
constexpr uint32_t kUrgent = 1;
constexpr uint32_t kAsynchronous = 4;  // send no answer
constexpr uint32_t kClearMemory = 16;  // forget the session's variables afterwards
constexpr uint32_t kApiClient = 32;
constexpr uint32_t kCompressed = 64;
constexpr uint32_t kReverseStreaming = 131072;
constexpr uint32_t kForeignDialect = 3u << 19;  // two bits: 1 Oracle, 2 MySQL
constexpr uint32_t kDecimalAsDouble = 1u << 23;
constexpr uint32_t kNode = 1u << 28;     // ours: another node asks, and may receive Portable objects
constexpr uint32_t kConsole = 1u << 29;  // ours: a console asks, and understands ConsoleMessages
}  // namespace request_flag

// The first line of a request.
struct RequestLine {
    bool acceptsPrints = false;  // magic API2
    int64_t sessionId = 0;
    int64_t bodyBytes = 0;
    uint32_t flags = 0;
    bool cancellable = true;
    int priority = 4;
    int parallelism = 64;
    int64_t fetchRows = 0;  // rows of each block of a table; 0: the result is sent as one object
    std::string clientId;
    int64_t sequence = 0;

    bool has(uint32_t flag) const { return (flags & flag) != 0; }
};

constexpr size_t kMaxRequestLineBytes = 1024;

// Parses a line, given without its '\n'. Throws UserError when it is no request line.
RequestLine parseRequestLine(std::string_view line);
std::string formatRequestLine(const RequestLine& request);

enum class RequestKind : uint8_t { Connect, Script, Function, Variable };

// The body of a request; the values of its arguments follow it in the stream.
struct RequestBody {
    RequestKind kind = RequestKind::Connect;
    std::string string;              // script, or function expression
    std::vector<std::string> names;  // names of the variables
    int32_t valueCount = 0;          // values that follow the body
    bool hasLogin = false;           // a connect request has a user and password
    std::string user, password;
};

// Parses a body. Throws UserError for a malformed one.
RequestBody parseRequestBody(std::string_view body);
std::string formatScriptBody(std::string_view script);
std::string formatFunctionBody(std::string_view expression, size_t arguments);
std::string formatVariableBody(const std::vector<std::string>& names);

// Formats the first two lines of an answer.
std::string formatAnswer(int64_t sessionId, bool hasObject);
// Formats an error; the message is put on one line, as the format demands.
std::string formatError(int64_t sessionId, std::string_view message);
std::string formatPrint(std::string_view string);

// The first line of a response, or of a print block before it.
struct ResponseLine {
    bool isPrint = false;  // a print block's message follows, up to a zero byte
    int64_t sessionId = 0;
    int objectCount = 0;
};
// Parses a line. Throws SystemError when the peer speaks another protocol.
ResponseLine parseResponseLine(std::string_view line);

}  // namespace pelorus
