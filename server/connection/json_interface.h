// Parses the requests and formats the answers of the JSON interface (docs/formats/wire.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/value/value.h"

namespace pelorus {

// A request: a function, its arguments, and the session it runs in.
struct JsonRequest {
    int64_t sessionId = 0;  // 0: a new session is wanted
    std::string function;
    std::vector<Value> arguments;

    bool runsScript() const { return function == "executeCode"; }
    // Returns the script argument of executeCode. Throws UserError when there is none.
    std::string script() const;
};

// Maximum number of rows of a table, elements of a vector or entries of a dictionary, and of all elements in one
// answer.
constexpr int64_t kMaxJsonRecords = 100'000;
constexpr int64_t kMaxJsonElements = 10'000'000;

// Parses the body of a request. Throws UserError saying which part is missing, of the wrong kind, or no value of its
// type.
JsonRequest parseJsonRequest(std::string_view body);

// Formats the answer to a request that succeeded. Throws UserError when the value has more records or elements than an
// answer may have.
std::string formatJsonAnswer(int64_t sessionId, const std::string& userId, const Value& value);
// Formats the answer to a request that failed.
std::string formatJsonError(int64_t sessionId, const std::string& userId, std::string_view message);

}  // namespace pelorus
