// Decides which HTTP requests from web pages are answered: any page that a browser shows can send requests to this
// machine, and must not control a node unless the node's owner allows its origin.
//
// Clients outside of a browser send no Origin and pass. The functions are pure.
#pragma once

#include <string>

#include "net/http_request.h"
#include "server/access/client_policy.h"

namespace pelorus {

// Returns an empty string for a request that may run code; otherwise the sentence that refuses it. `nodeName` is the
// name or address that the server was told to listen on. Refuses
//   a Host that is neither an address, localhost, the node's name nor allowed (DNS rebinding),
//   an Origin that is neither this server's nor allowed, and Sec-Fetch-Site: cross-site without an allowed Origin.
std::string whyForeign(const HttpRequest& request, const ClientPolicy& policy, const std::string& nodeName);

// Returns the Origin for Access-Control-Allow-Origin; empty when there is none or it is not allowed.
std::string allowedOrigin(const HttpRequest& request, const ClientPolicy& policy);

}  // namespace pelorus
