// Lines are messages; blank ones are none, and long ones are refused.
#include "server/mcp/mcp_lines.h"

#include <catch2/catch.hpp>
#include <sstream>

#include "runtime/function/principal.h"

using namespace pelorus;

namespace {

std::string served(const std::string& input) {
    std::istringstream in(input);
    std::ostringstream out;
    serveMcpLines(in, out, [](const std::string& line) -> std::optional<std::string> {
        if (line == "notice") return std::nullopt;
        return "<" + line + ">";
    });
    return out.str();
}

}  // namespace

TEST_CASE("each line is answered by a line, notices and blank lines are not") {
    CHECK(served("a\n\n \r\nnotice\nb") == "<a>\n<b>\n");
}

TEST_CASE("a line beyond the limit is refused, and the next one is answered") {
    const std::string out = served(std::string((size_t{4} << 20) + 1, 'x') + "\nb\n");
    CHECK(out.find("longer than 4 MiB") != std::string::npos);
    CHECK(out.find("<b>") != std::string::npos);
    CHECK(out.size() < 1000);
}

TEST_CASE("a deadline that is not reached cancels nothing") {
    Request request{Principal::owner()};
    { const McpDeadline deadline(request); }
    CHECK_FALSE(request.cancelled.load());
}
