#include "net/http_request.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "common/string/ascii_case.h"
#include "common/string/trim.h"
#include "net/connection.h"
#include "net/host_name.h"

namespace pelorus {
namespace {

namespace http = boost::beast::http;

int digitOf(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

[[noreturn]] void refuse(const boost::system::error_code& error) {
    if (error == http::error::header_limit) throw HttpError(431, "The headers are longer than 16 KiB.");
    if (error == http::error::body_limit) throw HttpError(413, "The body is longer than this client may send.");
    if (error == http::error::bad_version) throw HttpError(505, "Only HTTP/1.0 and HTTP/1.1 are spoken here.");
    throw HttpError(400, "The request is no HTTP: " + error.message() + ".");
}

// Feeds arriving bytes to the parser until `done`; false at the end of the stream before the first byte.
bool parseUntil(Connection& connection, http::request_parser<http::string_body>& parser,
                const std::function<bool()>& done) {
    size_t seen = 0;
    while (!done()) {
        const std::string_view bytes = connection.peek(seen + 1);
        if (bytes.size() <= seen) {
            if (!parser.got_some() && bytes.empty()) return false;
            throw SystemError(connection.peerAddress() + " closed the connection.", "", true);
        }
        boost::system::error_code error;
        const size_t used = parser.put(boost::asio::buffer(bytes), error);
        connection.skip(used);
        if (error && error != http::error::need_more) refuse(error);
        // The unused bytes are a token that is split over two reads, a line of headers or the head of a chunk: the rest
        // of it is awaited.
        seen = bytes.size() - used;
        if (error && seen > kMaxHttpHeaderBytes) refuse(http::error::header_limit);
        if (!error && used > 0) seen = 0;
    }
    return true;
}

// Throws unless the length of the body is plain: where two readers of a request could find different ends, what follows
// would be a request of one and a body of the other.
void requirePlainLength(const HttpRequest& request) {
    int codings = 0, lengths = 0;
    for (const auto& [name, value] : request.headers) {
        lengths += name == "content-length";
        if (name != "transfer-encoding") continue;
        ++codings;
        if (asciiLower(trim(value, " \t")) != "chunked")
            throw HttpError(501, "The only Transfer-Encoding that is read here is chunked.");
    }
    if (codings + lengths > 1) throw HttpError(400, "The request says the length of its body twice.");
}

}  // namespace

std::string HttpRequest::path() const {
    const std::string_view whole = std::string_view(target).substr(0, target.find_first_of("?#"));
    std::string decoded;
    if (!whole.starts_with('/') || !percentDecode(whole, false, decoded)) return "";
    return decoded.find('\0') == std::string::npos ? decoded : "";
}

std::string_view HttpRequest::header(std::string_view name) const {
    for (const auto& [known, value] : headers) {
        if (known == name) return value;
    }
    return {};
}

bool HttpRequest::hasHeader(std::string_view name) const {
    return std::any_of(headers.begin(), headers.end(), [&](const auto& header) { return header.first == name; });
}

bool HttpRequest::headerHas(std::string_view name, std::string_view word) const {
    for (const auto& [known, value] : headers) {
        if (known != name) continue;
        std::string_view rest = value;
        while (!rest.empty()) {
            const size_t comma = rest.find(',');
            if (asciiLower(trim(rest.substr(0, comma), " \t")) == asciiLower(word)) return true;
            rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
        }
    }
    return false;
}

std::optional<HttpRequest> readHttpRequest(Connection& connection,
                                           const std::function<int64_t(const HttpRequest&)>& bodyLimit,
                                           const std::function<void()>& onHeaders) {
    http::request_parser<http::string_body> parser;
    parser.eager(false);
    parser.header_limit(kMaxHttpHeaderBytes);
    parser.body_limit(boost::none);
    if (!parseUntil(connection, parser, [&] { return parser.is_header_done(); })) return std::nullopt;
    HttpRequest request;
    const auto& head = parser.get();
    request.method = std::string(head.method_string());
    request.target = std::string(head.target());
    request.keepAlive = head.keep_alive();
    for (const auto& field : head)
        request.headers.emplace_back(asciiLower(field.name_string()), std::string(field.value()));
    onHeaders();
    requirePlainLength(request);
    if (parser.is_done()) return request;
    const int64_t limit = bodyLimit(request);
    if (const auto length = parser.content_length(); length && *length > static_cast<uint64_t>(limit))
        throw HttpError(413, "The body has " + std::to_string(*length) + " bytes; this client may send " +
                                 std::to_string(limit) + ".");
    parser.body_limit(static_cast<uint64_t>(limit));
    if (asciiLower(request.header("expect")) == "100-continue") connection.write("HTTP/1.1 100 Continue\r\n\r\n");
    parser.eager(true);
    parseUntil(connection, parser, [&] { return parser.is_done(); });
    request.body = std::move(parser.get().body());
    return request;
}

std::string_view httpReason(int status) {
    return http::obsolete_reason(static_cast<http::status>(status));
}

std::string formatHttpHead(const HttpResponse& response, bool keepAlive) {
    std::string head =
        "HTTP/1.1 " + std::to_string(response.status) + ' ' + std::string(httpReason(response.status)) + "\r\n";
    const auto add = [&head](std::string_view name, std::string_view value) {
        head.append(name).append(": ").append(value).append("\r\n");
    };
    if (response.status != 101) {
        if (response.status != 204 && response.status != 304)
            add("Content-Length", std::to_string(response.body.size()));
        if (!response.body.empty()) add("Content-Type", response.contentType);
        add("Connection", keepAlive ? "keep-alive" : "close");
        add("X-Content-Type-Options", "nosniff");
    }
    for (const auto& [name, value] : response.headers) add(name, value);
    return head + "\r\n";
}

bool percentDecode(std::string_view string, bool plusIsSpace, std::string& decoded) {
    decoded.clear();
    for (size_t i = 0; i < string.size(); ++i) {
        if (string[i] == '+' && plusIsSpace) {
            decoded += ' ';
        } else if (string[i] != '%') {
            decoded += string[i];
        } else {
            const int high = i + 2 < string.size() ? digitOf(string[i + 1]) : -1;
            const int low = i + 2 < string.size() ? digitOf(string[i + 2]) : -1;
            if (high < 0 || low < 0) return false;
            decoded += static_cast<char>(high * 16 + low);
            i += 2;
        }
    }
    return true;
}

}  // namespace pelorus
