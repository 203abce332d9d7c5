// Messages of the WebSocket subprotocol "debug": calls of a debugger's client, which arrive as dictionaries of the
// object format, and answers and events, which leave as JSON with values behind it.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runtime/serialize/value_codec.h"

namespace pelorus {

// An argument of a call. Clients send these forms and no others: what a call cannot need is not decoded, so that a
// client that has not logged in makes the server build nothing.
struct DebugArgument {
    enum class Kind : uint8_t { Nothing, Bool, Integer, String, Integers, Strings, List };
    Kind kind = Kind::Nothing;
    int64_t integer = 0;  // of Bool and Integer
    std::string string;
    std::vector<int32_t> integers;
    std::vector<std::string> strings;
    std::vector<DebugArgument> list;

    // Throws UserError when the argument is of another kind. An empty list of any kind is empty lists of all.
    int64_t requireInteger() const;
    const std::string& requireString() const;
    std::vector<int32_t> requireIntegers() const;
    std::vector<std::string> requireStrings() const;
    // Returns the argument as a list, whichever of the three kinds it has.
    std::vector<DebugArgument> elements() const;
};

struct DebugCall {
    int64_t id = 0;
    std::string function;
    DebugArgument data;
};

// Reads one call of at most `limitBytes`. Throws UserError for anything else, after which the stream cannot go on.
DebugCall readDebugCall(ByteSource& source, int64_t limitBytes);

// Returns a message: 4 bytes with the length of the JSON text, the text, and the objects behind it.
std::string debugMessage(const nlohmann::json& message, const std::string& objects = "");

}  // namespace pelorus
