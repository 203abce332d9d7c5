// Line protocol over HTTP: what a collector posts, and what it asks before.
#pragma once

#include <string>

#include "net/http_request.h"
#include "server/line_protocol/line_service.h"

namespace pelorus {

class Request;
class TagSets;

// Stores the lines of a request as its principal: 204, or a status that says why nothing was stored.
HttpResponse writeOverHttp(const LineService& service, Request& request, TagSets& tags, const HttpRequest& http);
// GET /settings: the versions of the protocol.
HttpResponse lineSettings();
// GET /ping: 204.
HttpResponse linePing();
// Formats an error as clients of the protocol read it; `line` 0 stands for none.
HttpResponse lineProblem(int status, std::string_view code, std::string_view message, int64_t line = 0);

}  // namespace pelorus
