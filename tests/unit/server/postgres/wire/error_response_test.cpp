#include "server/postgres/wire/error_response.h"

#include <catch2/catch.hpp>

#include "postgres/sql_error.h"

using namespace pelorus;
using namespace pelorus::postgres;

namespace {

std::string shown(const MessageWriter& out, size_t from = 5) {
    std::string fields;
    MessageWriter copy = out;
    for (const char c : copy.buffer().substr(from)) fields += c == '\0' ? '|' : c;
    return fields;
}

}  // namespace

TEST_CASE("an error says severity, state, message, hint, and its place in characters") {
    MessageWriter out;
    writeError(out, SqlError("42703", "column \"x\" does not exist", 10, "Perhaps y."), Severity::Error,
               "select 'ü', x");
    CHECK(out.buffer()[0] == 'E');
    CHECK(shown(out) == "SERROR|VERROR|C42703|Mcolumn \"x\" does not exist|HPerhaps y.|P10||");
    MessageWriter own;
    writeError(own, UserError("It failed.", "Do not."), Severity::Fatal, {}, "08006");
    CHECK(shown(own) == "SFATAL|VFATAL|C08006|MIt failed.|HDo not.||");
}

TEST_CASE("the tag of an error, which its state repeats, is not sent; other angle brackets are") {
    const auto sent = [](const std::string& message) {
        MessageWriter out;
        writeError(out, UserError(message), Severity::Error, {}, "40001");
        return shown(out);
    };
    CHECK(sent("<ConcurrentChange>Another one was first.") == "SERROR|VERROR|C40001|MAnother one was first.||");
    CHECK(sent("<Deadlock>") == "SERROR|VERROR|C40001|Mthe request failed||");
    for (const std::string other : {"<1 + x> failed.", "<Not closed.", "<A b>c.", "<", "a <Tag>b"})
        CHECK(sent(other) == "SERROR|VERROR|C40001|M" + other + "||");
}

TEST_CASE("a remark is no error, and a zero byte ends no field early") {
    MessageWriter out;
    writeReport(out, {.severity = Severity::Notice, .state = "00000", .message = std::string_view("a\0b", 3)});
    CHECK(out.buffer()[0] == 'N');
    CHECK(shown(out) == "SNOTICE|VNOTICE|C00000|Ma||");
}

TEST_CASE("bytes that are no UTF-8 are shown as question marks") {
    MessageWriter out;
    writeReport(out, {.severity = Severity::Notice,
                      .state = "00000",
                      .message = "ü\xff \xe2\x82\xac \xed\xa0\x80 \xc0\x80 \xe2\x82"});
    CHECK(shown(out) == "SNOTICE|VNOTICE|C00000|Mü? € ??? ?? ??||");
}

TEST_CASE("places count characters, wherever a text is cut") {
    CHECK(characterAt("abc", 0) == 1);
    CHECK(characterAt("äb", 2) == 2);
    CHECK(characterAt("äb", 99) == 3);
}
