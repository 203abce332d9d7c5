#include "net/frame.h"

#include <algorithm>
#include <charconv>

#include "common/check.h"
#include "common/error.h"

namespace pelorus {
namespace {

[[noreturn]] void malformed(std::string_view line) {
    throw UserError("This is no request line: '" + std::string(line.substr(0, 80)) + "'.");
}

// Returns the part before the separator, and removes both from `rest`.
std::string_view cut(std::string_view& rest, char separator) {
    const size_t end = rest.find(separator);
    const std::string_view part = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    return part;
}

template <class T>
bool number(std::string_view string, T& result) {
    const auto [end, error] = std::from_chars(string.data(), string.data() + string.size(), result);
    return error == std::errc() && end == string.data() + string.size();
}

// An option left empty keeps its default.
template <class T>
void option(std::string_view& rest, T& result, std::string_view line) {
    const std::string_view part = cut(rest, '_');
    if (!part.empty() && !number(part, result)) malformed(line);
}

void parseOptions(std::string_view options, RequestLine& request, std::string_view line) {
    int64_t flags = 0, cancellable = 1, offset = 0;
    option(options, flags, line);
    option(options, cancellable, line);
    option(options, request.priority, line);
    option(options, request.parallelism, line);
    cut(options, '_');  // root job id
    option(options, request.fetchRows, line);
    option(options, offset, line);
    request.clientId = cut(options, '_');
    option(options, request.sequence, line);
    if (flags < 0 || flags > UINT32_MAX || request.fetchRows < 0) malformed(line);
    request.flags = static_cast<uint32_t>(flags);
    request.cancellable = cancellable != 0;
    request.priority = std::clamp(request.priority, 0, 8);  // clients of the protocol may ask for 9
    request.parallelism = std::clamp(request.parallelism, 1, 64);
}

int32_t valueCount(std::string_view& rest) {
    int32_t count = 0;
    if (!number(cut(rest, '\n'), count) || count < 0) throw UserError("A request does not say how many values follow.");
    const std::string_view endian = cut(rest, '\n');
    if (endian != "1")
        throw UserError("Values must be sent in little-endian order (1), but the request says '" +
                        std::string(endian.substr(0, 8)) + "'.");
    return count;
}

std::string oneLine(std::string_view message) {
    std::string line(message);
    std::replace_if(
        line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r' || c == '\0'; }, ' ');
    // "OK" on this line would mean success.
    return line.empty() || line == "OK" ? "Error: " + line : line;
}

}  // namespace

RequestLine parseRequestLine(std::string_view line) {
    RequestLine request;
    std::string_view rest = line;
    const std::string_view magic = cut(rest, ' ');
    if (magic != "API" && magic != "API2") malformed(line);
    request.acceptsPrints = magic == "API2";
    // The Go client leaves the id of a new session empty.
    const std::string_view session = cut(rest, ' ');
    if (!session.empty() && !number(session, request.sessionId)) malformed(line);
    if (!number(cut(rest, ' '), request.bodyBytes) || request.bodyBytes < 0) malformed(line);
    if (rest.empty()) return request;
    if (cut(rest, ' ') != "/") malformed(line);
    parseOptions(rest, request, line);
    return request;
}

std::string formatRequestLine(const RequestLine& request) {
    CHECK(request.bodyBytes >= 0) << "the body of a request has a length";
    std::string line = request.acceptsPrints ? "API2 " : "API ";
    line += std::to_string(request.sessionId) + ' ' + std::to_string(request.bodyBytes) + " / " +
            std::to_string(request.flags) + (request.cancellable ? "_1_" : "_0_") + std::to_string(request.priority) +
            '_' + std::to_string(request.parallelism) + "__" + std::to_string(request.fetchRows) + '\n';
    return line;
}

RequestBody parseRequestBody(std::string_view body) {
    RequestBody request;
    std::string_view rest = body;
    const std::string_view kind = cut(rest, '\n');
    if (kind == "script") {
        request.kind = RequestKind::Script;
        request.string = rest;
    } else if (kind == "function") {
        request.kind = RequestKind::Function;
        request.string = cut(rest, '\n');
        request.valueCount = valueCount(rest);
    } else if (kind == "variable") {
        request.kind = RequestKind::Variable;
        std::string_view names = cut(rest, '\n');
        while (!names.empty()) request.names.emplace_back(cut(names, ','));
        request.valueCount = valueCount(rest);
        if (request.names.size() != static_cast<size_t>(request.valueCount)) {
            throw UserError("A request names " + std::to_string(request.names.size()) + " variables for " +
                            std::to_string(request.valueCount) + " values.");
        }
    } else if (kind == "connect") {
        if (cut(rest, '\n') == "login") {
            request.hasLogin = true;
            request.user = cut(rest, '\n');
            request.password = cut(rest, '\n');
        }
    } else {
        throw UserError("A request of kind '" + std::string(kind.substr(0, 40)) + "' is unknown.");
    }
    return request;
}

std::string formatScriptBody(std::string_view script) {
    return "script\n" + std::string(script);
}

std::string formatFunctionBody(std::string_view expression, size_t arguments) {
    return "function\n" + std::string(expression) + '\n' + std::to_string(arguments) + "\n1";
}

std::string formatVariableBody(const std::vector<std::string>& names) {
    std::string body = "variable\n";
    for (size_t i = 0; i < names.size(); ++i) body += (i ? "," : "") + names[i];
    return body + '\n' + std::to_string(names.size()) + "\n1";
}

std::string formatAnswer(int64_t sessionId, bool hasObject) {
    return std::to_string(sessionId) + (hasObject ? " 1 1\nOK\n" : " 0 1\nOK\n");
}

std::string formatError(int64_t sessionId, std::string_view message) {
    return std::to_string(sessionId) + " 0 1\n" + oneLine(message) + '\n';
}

std::string formatPrint(std::string_view string) {
    std::string block = "MSG\n" + std::string(string);
    std::replace(block.begin(), block.end(), '\0', ' ');
    block.push_back('\0');
    return block;
}

ResponseLine parseResponseLine(std::string_view line) {
    ResponseLine response;
    if (line == "MSG") {
        response.isPrint = true;
        return response;
    }
    std::string_view rest = line;
    const bool known = number(cut(rest, ' '), response.sessionId) && number(cut(rest, ' '), response.objectCount);
    if (!known || rest != "1" || response.objectCount < 0 || response.objectCount > 1) {
        throw SystemError("The peer does not speak the native protocol: '" + std::string(line.substr(0, 80)) + "'.");
    }
    return response;
}

}  // namespace pelorus
