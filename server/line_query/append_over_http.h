// Answers POST /append: rows in a form of other programs, stored in a table.
#pragma once

#include "net/http_request.h"
#include "server/line_protocol/line_service.h"

namespace pelorus {

class Request;

// Appends the rows of a request's body, in the form that its Content-Type names (table_body.h), to a table: the one
// that the parameter `table` names in the database of the parameter `database`; without that one, in the line
// protocol's database or else among the tables that sessions share. Asks for the right to insert into it. Undoes gzip,
// and takes the body. Returns status 200 with the number of rows, once they are stored; 400, 413 or 503 with the reason
// when nothing was.
HttpResponse appendOverHttp(const LineService& service, Request& request, HttpRequest& http);

}  // namespace pelorus
