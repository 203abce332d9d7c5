// The JSON interface: requests and answers as objects of JSON (docs/formats/wire.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/value/value.h"

namespace pelorus {

struct JsonRequest {
    int64_t sessionId = 0;  // 0: a new session is wanted
    std::string function;
    std::vector<Value> arguments;

    bool runsScript() const { return function == "executeCode"; }
    // Returns the script argument of executeCode. Throws UserError when there is none.
    std::string script() const;
};

// Rows of a table, elements of a vector, entries of a dictionary; and the elements of all of them in one answer.
constexpr int64_t kMaxJsonRecords = 100'000;
constexpr int64_t kMaxJsonElements = 10'000'000;

// Throws UserError saying which part is missing, of the wrong kind, or no value of its type.
JsonRequest parseJsonRequest(std::string_view body);

// The answer to a request that succeeded. Throws UserError when the value has more records or elements than an answer
// may have.
std::string formatJsonAnswer(int64_t sessionId, const std::string& userId, const Value& value);
std::string formatJsonError(int64_t sessionId, const std::string& userId, std::string_view message);

}  // namespace pelorus
