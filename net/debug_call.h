// Reads and writes the messages of the WebSocket subprotocol "debug": calls of a debugger's client are dictionaries of
// the object format; answers and events are JSON, followed by values of the object format.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runtime/serialize/value_codec.h"

namespace pelorus {

// An argument of a call. Clients send these kinds and no others; anything else is not decoded, so that a client that
// has not logged in cannot make the server allocate.
struct DebugArgument {
    enum class Kind : uint8_t { Nothing, Bool, Integer, String, Integers, Strings, List };
    Kind kind = Kind::Nothing;
    int64_t integer = 0;  // value of Bool and Integer
    std::string string;
    std::vector<int32_t> integers;
    std::vector<std::string> strings;
    std::vector<DebugArgument> list;

    // These return the argument, and throw UserError when it is of another kind. An empty list of any kind is accepted
    // as an empty list of every kind.
    int64_t requireInteger() const;
    const std::string& requireString() const;
    std::vector<int32_t> requireIntegers() const;
    std::vector<std::string> requireStrings() const;
    // Returns the argument as a list, whichever of the three kinds it has.
    std::vector<DebugArgument> elements() const;
};

// A call of a function of the debugger, with an id that its answer repeats.
struct DebugCall {
    int64_t id = 0;
    std::string function;
    DebugArgument data;
};

// Reads one call of at most `limitBytes`. Throws UserError for anything else; the stream is of no further use then.
DebugCall readDebugCall(ByteSource& source, int64_t limitBytes);

// Returns a message: the length of the JSON in 4 bytes, the JSON, and the encoded objects.
std::string debugMessage(const nlohmann::json& message, const std::string& objects = "");

}  // namespace pelorus
