// HttpConnection answers HTTP requests on one connection: health, metrics, the JSON interface, the line protocol,
// language models, the page for browsers, and the upgrade to WebSocket.
//
// The thread of the connection owns it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "net/http_request.h"
#include "server/session/request_slot.h"
#include "server/session/server_parts.h"

namespace pelorus {

class Connection;
class ConnectionDeadlines;

class LineSession;

// The HTTP protocol of one client. Requests that may run code are refused for web pages of foreign origins
// (origin_rule.h).
class HttpConnection {
public:
    // All arguments outlive the object. REQUIRES: `parts.jsonSessions` is set. `onlyAdministrators`: the server is
    // full; the connection answers one request.
    HttpConnection(Connection& connection, ServerParts& parts, RequestSlot& slot, ConnectionDeadlines& deadlines,
                   bool onlyAdministrators);
    ~HttpConnection();

    // The reason why `serve` returned. Upgraded connections are WebSockets, for an editor with the subprotocol
    // "pelorus", for a debugger with "debug", for a subscriber with "streaming".
    enum class End : uint8_t { Closed, WebSocket, Editor, Debugger, Subscriber };
    // Answers requests until the client leaves, an error or the client's wish ends the connection, or it is upgraded.
    // Throws what reading and writing throw.
    End serve();
    // Returns the condition on rows in the address that a subscriber connected to; empty when there is none.
    const std::string& rowFilter() const { return rowFilter_; }

private:
    std::optional<End> serveOne();
    HttpResponse answer(HttpRequest& request);
    HttpResponse answerLines(HttpRequest& request, const std::string& path);
    HttpResponse answerReference(const HttpRequest& request, const std::string& path, bool reads);
    HttpResponse answerModel(HttpRequest& request);
    HttpResponse answerJson(const HttpRequest& request);
    HttpResponse metrics(const HttpRequest& request);
    std::optional<HttpResponse> upgrade(const HttpRequest& request);
    int64_t bodyLimit(const HttpRequest& request);
    bool mayRead(const HttpRequest& request) const;
    void allowOrigin(const HttpRequest& request, HttpResponse& response) const;
    void write(const HttpRequest* request, HttpResponse response, bool keepAlive);

    Connection& connection_;
    ServerParts& parts_;
    RequestSlot& slot_;
    ConnectionDeadlines& deadlines_;
    const bool onlyAdministrators_;
    const std::unique_ptr<LineSession> lines_;
    End upgraded_ = End::WebSocket;
    std::string rowFilter_;
};

}  // namespace pelorus
