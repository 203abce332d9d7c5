// Answers GET /exec: queries over HTTP, in the dialect of the line protocol's clients.
#pragma once

#include <string>

#include "net/http_request.h"
#include "server/line_protocol/line_service.h"

namespace pelorus {

class Request;
class ScriptSession;

// Runs the query in the request's target: SHOW TABLES, SHOW COLUMNS FROM t, or a select, which sees the tables of the
// line protocol's database by their names and must not change anything. Returns status 200 with columns and rows in
// JSON, of a select in the form that the Accept header names (table_body.h), or 400 with an error.
HttpResponse queryOverHttp(const LineService& service, Request& request, ScriptSession& session,
                           const HttpRequest& http);

}  // namespace pelorus
