#include "server/connection/origin_rule.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>

namespace pelorus {
namespace {

std::string lowered(std::string_view text) {
    std::string lower(text);
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return lower;
}

// The name of "name:port" or "[::1]:port", in lower case and without brackets.
std::string hostOf(std::string_view authority) {
    if (authority.starts_with('[')) return lowered(authority.substr(1, authority.find(']') - 1));
    return lowered(authority.substr(0, authority.rfind(':')));
}

// Of a name that was resolved to this machine by somebody else nothing is known; an address is what it is.
bool isAddress(const std::string& host) {
    if (host.find(':') != std::string::npos) return host.find_first_not_of("0123456789abcdef:.") == std::string::npos;
    return !host.empty() && host.find_first_not_of("0123456789.") == std::string::npos &&
           std::count(host.begin(), host.end(), '.') == 3;
}

const std::string& machineName() {
    static const std::string name = [] {
        char text[256] = {};
        return ::gethostname(text, sizeof text - 1) == 0 ? lowered(text) : std::string();
    }();
    return name;
}

bool contains(const std::vector<std::string>& list, const std::string& word) {
    return std::any_of(list.begin(), list.end(), [&](const std::string& one) { return lowered(one) == word; });
}

}  // namespace

std::string allowedOrigin(const HttpRequest& request, const ClientPolicy& policy) {
    const std::string origin = lowered(request.header("origin"));
    return !origin.empty() && contains(policy.allowedOrigins, origin) ? std::string(request.header("origin")) : "";
}

std::string whyForeign(const HttpRequest& request, const ClientPolicy& policy, const std::string& nodeName) {
    const auto hosts = std::count_if(request.headers.begin(), request.headers.end(),
                                     [](const auto& header) { return header.first == "host"; });
    if (hosts > 1) return "The request names several hosts.";
    const std::string authority = lowered(request.header("host"));
    const std::string host = hostOf(authority);
    const bool isOurs = host.empty() || isAddress(host) || host == "localhost" || host.ends_with(".localhost") ||
                        host == lowered(nodeName) || host == machineName() || contains(policy.allowedHosts, host);
    if (!isOurs) return "This server does not answer to the name " + host + ". The setting allowedHosts adds names.";
    if (!allowedOrigin(request, policy).empty()) return "";
    if (request.hasHeader("origin")) {
        const std::string origin = lowered(request.header("origin"));
        const size_t scheme = origin.find("://");
        if (scheme == std::string::npos || origin.substr(scheme + 3) != authority)
            return "Pages of " + (origin.empty() ? "an unnamed origin" : origin.substr(0, 200)) +
                   " may not use this server. The setting allowedOrigins adds origins.";
    }
    if (lowered(request.header("sec-fetch-site")) == "cross-site")
        return "Pages of other sites may not use this server. The setting allowedOrigins adds origins.";
    return "";
}

}  // namespace pelorus
