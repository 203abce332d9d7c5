#include "server/line_protocol/line_http.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/io/gunzip.h"
#include "common/log.h"
#include "runtime/function/principal.h"
#include "runtime/serialize/value_codec.h"
#include "server/line_protocol/line_writer.h"
#include "server/line_protocol/url_query.h"

namespace pelorus {
namespace {

constexpr const char* kInfluxVersion = "v2.7.4";

// Unique within the process: the log has the same id.
std::string newErrorId() {
    static std::atomic<uint64_t> count{0};
    const auto seconds =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
    return fmt::format("{:08x}-{:x}", seconds, ++count);
}

int64_t unitOf(const std::string& precision) {
    if (precision.empty() || precision == "ns" || precision == "n") return 1;
    if (precision == "us" || precision == "u") return 1000;
    if (precision == "ms") return 1'000'000;
    if (precision == "s") return 1'000'000'000;
    throw LineError("the precision must be ns, us, ms or s, but it is " + precision.substr(0, 40));
}

HttpResponse answerEmpty() {
    HttpResponse response;
    response.status = 204;
    response.headers.emplace_back("X-Influxdb-Version", kInfluxVersion);
    return response;
}

std::string describe(const LineFailure& failure, const std::string& why) {
    if (failure.line == 0) return "failed to store lines: " + why;
    std::string string =
        fmt::format("failed to parse line protocol: errors encountered on line(s):\nerror in line {}: ", failure.line);
    if (!failure.table.empty()) string += fmt::format("table: {}; ", failure.table);
    return string + why;
}

std::string withHint(const Error& error) {
    return error.hint().empty() ? error.what() : std::string(error.what()) + ' ' + error.hint();
}

}  // namespace

HttpResponse lineProblem(int status, std::string_view code, std::string_view message, int64_t line) {
    nlohmann::ordered_json body{{"code", code}, {"message", message}};
    if (line > 0) body["line"] = line;
    body["errorId"] = newErrorId();
    HttpResponse response;
    response.status = status;
    response.contentType = "application/json";
    response.body = body.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    if (status == 401) response.headers.emplace_back("WWW-Authenticate", "Basic realm=\"Pelorus\"");
    logWarning("lines", "lines refused", {{"status", status}, {"why", message.substr(0, 400)}});
    return response;
}

HttpResponse linePing() {
    return answerEmpty();
}

HttpResponse lineSettings() {
    HttpResponse response;
    response.contentType = "application/json";
    response.body = R"({"config":{"line.proto.support.versions":[1,2],"cairo.max.file.name.length":127},)"
                    R"("preferences.version":0,"preferences":{}})";
    return response;
}

HttpResponse writeOverHttp(const LineService& service, Request& request, TagSets& tags, const HttpRequest& http) {
    LineFailure failure;
    try {
        const int64_t unit = unitOf(UrlQuery(http.target).value("precision"));
        std::string inflated;
        std::string_view lines = http.body;
        const std::string_view encoding = http.header("content-encoding");
        if (encoding == "gzip") {
            const GunzipResult result = gunzip(http.body, maxRequestBytes(), inflated);
            if (result == GunzipResult::TooLong)
                return lineProblem(
                    413, "request too large",
                    fmt::format("The lines are longer than the {} bytes that a request may have.", maxRequestBytes()));
            if (result == GunzipResult::Damaged) throw LineError("the body is no gzip, or it is damaged");
            lines = inflated;
        } else if (!encoding.empty() && encoding != "identity") {
            throw LineError("the Content-Encoding must be gzip or none");
        }
        writeLines(service.services, request, service.options, tags, lines, unit, failure);
        return answerEmpty();
    } catch (const UserError& error) {
        return lineProblem(400, "invalid", describe(failure, withHint(error)), failure.line);
    } catch (const SystemError& error) {
        return lineProblem(503, "unavailable", withHint(error));
    }
}

}  // namespace pelorus
