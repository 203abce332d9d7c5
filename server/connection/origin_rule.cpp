#include "server/connection/origin_rule.h"

#include <unistd.h>

#include <algorithm>

#include "common/string/ascii_case.h"
#include "net/host_name.h"

namespace pelorus {
namespace {

// Returns the name of "name:port" or "[::1]:port", in lower case and without brackets.
std::string hostOf(std::string_view authority) {
    if (authority.starts_with('[')) return asciiLower(authority.substr(1, authority.find(']') - 1));
    return asciiLower(authority.substr(0, authority.rfind(':')));
}

const std::string& machineName() {
    static const std::string name = [] {
        char string[256] = {};
        return ::gethostname(string, sizeof string - 1) == 0 ? asciiLower(string) : std::string();
    }();
    return name;
}

bool contains(const std::vector<std::string>& list, const std::string& word) {
    return std::any_of(list.begin(), list.end(), [&](const std::string& one) { return asciiLower(one) == word; });
}

}  // namespace

std::string allowedOrigin(const HttpRequest& request, const ClientPolicy& policy) {
    const std::string origin = asciiLower(request.header("origin"));
    return !origin.empty() && contains(policy.allowedOrigins, origin) ? std::string(request.header("origin")) : "";
}

std::string whyForeign(const HttpRequest& request, const ClientPolicy& policy, const std::string& nodeName) {
    const auto hosts = std::count_if(request.headers.begin(), request.headers.end(),
                                     [](const auto& header) { return header.first == "host"; });
    if (hosts > 1) return "The request names several hosts.";
    const auto origins = std::count_if(request.headers.begin(), request.headers.end(),
                                       [](const auto& header) { return header.first == "origin"; });
    if (origins > 1) return "The request names several origins.";
    const std::string authority = asciiLower(request.header("host"));
    const std::string host = hostOf(authority);
    const bool isOurs = host.empty() || isIpAddress(host) || host == "localhost" || host.ends_with(".localhost") ||
                        host == asciiLower(nodeName) || host == machineName() || contains(policy.allowedHosts, host);
    if (!isOurs) return "This server does not answer to the name " + host + ". The setting allowedHosts adds names.";
    if (!allowedOrigin(request, policy).empty()) return "";
    if (request.hasHeader("origin")) {
        const std::string origin = asciiLower(request.header("origin"));
        const size_t scheme = origin.find("://");
        const bool isWeb = origin.starts_with("http://") || origin.starts_with("https://");
        if (!isWeb || origin.substr(scheme + 3) != authority)
            return "Pages of " + (origin.empty() ? "an unnamed origin" : origin.substr(0, 200)) +
                   " may not use this server. The setting allowedOrigins adds origins.";
    }
    if (asciiLower(request.header("sec-fetch-site")) == "cross-site")
        return "Pages of other sites may not use this server. The setting allowedOrigins adds origins.";
    return "";
}

}  // namespace pelorus
