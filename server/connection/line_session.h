// LineSession serves requests of the line protocol on one HTTP connection: it authenticates the writer and keeps the
// session that the requests run in.
//
// The thread of the connection owns it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "net/http_request.h"
#include "server/line_protocol/tag_sets.h"
#include "server/session/request_slot.h"
#include "server/session/server_parts.h"

namespace pelorus {

class Connection;

// Where language models post their messages.
inline constexpr std::string_view kModelPath = "/mcp";

// The user, the session and the tag cache of one connection. The session opens at the first answer and closes with the
// object.
class LineSession {
public:
    // Does not open the session yet. REQUIRES: both arguments outlive the object.
    LineSession(Connection& connection, ServerParts& parts) : connection_(connection), parts_(parts) {}
    ~LineSession();
    LineSession(const LineSession&) = delete;
    LineSession& operator=(const LineSession&) = delete;

    // Determines the user of a request: by Basic authorization, or by a token that is a ticket or "user:password";
    // without either, the user in ilpUser for clients on this machine, else a guest where guests may run scripts.
    // Returns an empty string, or why the request has no user.
    std::string authenticate(const HttpRequest& request);
    enum class Kind : uint8_t { Lines, Rows, Query, Model };
    // Answers a request to write lines or rows, a query, or a language model's message, of the authenticated user.
    // Takes the body of rows. Throws nothing that a request causes: errors are answers of status 400 or 503. REQUIRES:
    // `authenticate` has succeeded for this request.
    HttpResponse answer(HttpRequest& request, RequestSlot& slot, Kind kind, bool onlyAdministrators);

private:
    HttpResponse answerModel(const HttpRequest& request, RequestSlot& slot);
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
