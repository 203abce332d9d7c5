// Answers the HTTP requests of clients that send lines: POST /write, and the requests by which they learn what the
// server supports.
#pragma once

#include <string>

#include "net/http_request.h"
#include "server/line_protocol/line_service.h"

namespace pelorus {

class Request;
class TagSets;

// Stores the lines of a request with the rights of its principal, in one transaction. Returns status 204, or 400, 413
// or 503 with the reason when nothing was stored. Reads the parameter `precision` and undoes gzip.
HttpResponse writeOverHttp(const LineService& service, Request& request, TagSets& tags, const HttpRequest& http);
// Answers GET /settings with the supported versions of the protocol.
HttpResponse lineSettings();
// Answers GET /ping with status 204.
HttpResponse linePing();
// Formats an error as clients of the protocol read it, and logs it. `line` is the number of the bad line; 0: none.
HttpResponse lineProblem(int status, std::string_view code, std::string_view message, int64_t line = 0);

}  // namespace pelorus
