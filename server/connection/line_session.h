// The line protocol on one HTTP connection: who writes, and the session that its requests run in.
//
// Owned by the thread of the connection.
#pragma once

#include <memory>
#include <string>

#include "net/http_request.h"
#include "server/connection/client_connection.h"
#include "server/line_protocol/tag_sets.h"
#include "server/session/request_slot.h"

namespace pelorus {

class LineSession {
public:
    // REQUIRES: both outlive the object.
    LineSession(Connection& connection, ServerParts& parts) : connection_(connection), parts_(parts) {}
    ~LineSession();
    LineSession(const LineSession&) = delete;
    LineSession& operator=(const LineSession&) = delete;

    // Finds out whose request this is: by Basic, or a token that is a ticket or "user:password"; without either, on
    // this machine, ilpUser. Returns why it is nobody's, empty for success.
    std::string authenticate(const HttpRequest& request);
    // Answers a request to write or a query of the authenticated user.
    HttpResponse answer(const HttpRequest& request, RequestSlot& slot, bool isQuery, bool onlyAdministrators);

private:
    std::string userOf(const HttpRequest& request) const;
    std::string userByPassword(std::string_view pair) const;
    void open();

    Connection& connection_;
    ServerParts& parts_;
    TagSets tags_;
    std::string user_;
    int64_t sessionId_ = 0;
};

}  // namespace pelorus
