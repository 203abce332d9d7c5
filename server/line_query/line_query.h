// GET /exec: queries over HTTP, as clients of the line protocol send them.
#pragma once

#include <string>

#include "net/http_request.h"
#include "server/line_protocol/line_service.h"

namespace pelorus {

class Request;
class ScriptSession;

// Runs the query in the request's target: SHOW TABLES, SHOW COLUMNS FROM t, or a select in our SQL, which sees the
// tables of the line protocol's database by their names. Answers 200 with columns and rows, 400 with an error.
HttpResponse queryOverHttp(const LineService& service, Request& request, ScriptSession& session,
                           const HttpRequest& http);

}  // namespace pelorus
