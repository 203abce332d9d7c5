// Server side of HTTP/1.1: requests from a connection, answers to it.
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

struct HttpRequest {
    std::string method;                                        // "GET", "POST", …
    std::string target;                                        // as sent: path and query
    std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
    std::string body;
    bool keepAlive = false;

    // Returns the path without its query, percent signs decoded. Empty when it holds invalid characters.
    std::string path() const;
    // Returns the value of a header, named in lower case; empty when it is missing.
    std::string_view header(std::string_view name) const;
    bool hasHeader(std::string_view name) const;
    // Whether the comma-separated header holds the word, in any case.
    bool headerHas(std::string_view name, std::string_view word) const;
};

// An error that is answered with this status and ends the connection.
class HttpError : public UserError {
public:
    HttpError(int status, std::string what) : UserError(std::move(what)), status_(status) {}
    int status() const { return status_; }

private:
    int status_;
};

constexpr size_t kMaxHttpHeaderBytes = 16 * 1024;

// Reads the next request; nothing at the end of the stream. `bodyLimit` is called once the headers are there, and
// returns the max size of the body; `onHeaders` is called when they are complete (another deadline begins). A client
// that expects it gets "100 Continue". Throws HttpError for requests that are malformed (400), too long (413, 431) or
// unknown (501, 505).
std::optional<HttpRequest> readHttpRequest(Connection& connection,
                                           const std::function<int64_t(const HttpRequest&)>& bodyLimit,
                                           const std::function<void()>& onHeaders);

struct HttpResponse {
    int status = 200;
    std::string contentType = "text/plain; charset=utf-8";
    std::string body;
    std::vector<std::pair<std::string, std::string>> headers;  // beyond Content-Type, Content-Length and Connection
    bool hasBody = true;                                       // false for HEAD: the length is sent, the bytes are not
};

std::string_view httpReason(int status);
// Formats everything up to the body.
std::string formatHttpHead(const HttpResponse& response, bool keepAlive);

// Decodes %xx and, if asked for, + to bytes. False when a percent sign is followed by anything else.
bool percentDecode(std::string_view string, bool plusIsSpace, std::string& decoded);

}  // namespace pelorus
