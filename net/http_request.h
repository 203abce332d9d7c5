// Implements the server's side of HTTP/1.1: reads requests from a connection, and formats the answers.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/error.h"

namespace pelorus {

class Connection;

// A request as it was sent.
struct HttpRequest {
    std::string method;                                        // "GET", "POST", …
    std::string target;                                        // path and query as they were sent
    std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
    std::string body;
    bool keepAlive = false;

    // Returns the path without its query, percent signs decoded; empty when it has invalid characters.
    std::string path() const;
    // Returns the value of a header, named in lower case; empty when it is missing.
    std::string_view header(std::string_view name) const;
    bool hasHeader(std::string_view name) const;
    // Returns whether a header that is a comma-separated list contains the word, in any case.
    bool headerHas(std::string_view name, std::string_view word) const;
};

// The error of a request that is answered with this status and ends the connection.
class HttpError : public UserError {
public:
    HttpError(int status, std::string what) : UserError(std::move(what)), status_(status) {}
    int status() const { return status_; }

private:
    int status_;
};

constexpr size_t kMaxHttpHeaderBytes = 16 * 1024;

// Reads the next request; returns nullopt at the end of the stream. When the headers are complete it calls `onHeaders`
// (another deadline begins) and `bodyLimit`, which returns the maximum size of the body. A client that expects it gets
// "100 Continue". Throws HttpError for requests that are malformed (400), too long (413, 431) or unknown (501, 505).
std::optional<HttpRequest> readHttpRequest(Connection& connection,
                                           const std::function<int64_t(const HttpRequest&)>& bodyLimit,
                                           const std::function<void()>& onHeaders);

// An answer, with status 200 unless it says otherwise.
struct HttpResponse {
    int status = 200;
    std::string contentType = "text/plain; charset=utf-8";
    std::string body;
    std::vector<std::pair<std::string, std::string>> headers;  // without Content-Type, Content-Length, Connection
    bool hasBody = true;                                       // false for HEAD: the length is sent without the bytes
};

// Returns the reason phrase of a status, such as "Not Found".
std::string_view httpReason(int status);
// Formats the status line and the headers.
std::string formatHttpHead(const HttpResponse& response, bool keepAlive);

// Decodes %xx and, with `plusIsSpace`, + to bytes. Returns false when a percent sign is followed by anything else.
bool percentDecode(std::string_view string, bool plusIsSpace, std::string& decoded);

}  // namespace pelorus
