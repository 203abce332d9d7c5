#include "net/frame.h"

#include <catch2/catch.hpp>

#include "common/error.h"

using namespace pelorus;

TEST_CASE("the request lines of the published clients are understood") {
    SECTION("Python") {
        const RequestLine line = parseRequestLine("API2 1166953221 10 / 32_1_4_64__0");
        CHECK(line.acceptsPrints);
        CHECK(line.sessionId == 1166953221);
        CHECK(line.bodyBytes == 10);
        CHECK(line.has(request_flag::kApiClient));
        CHECK(line.parallelism == 64);
        CHECK(line.fetchRows == 0);
    }
    SECTION("Java reading in blocks") {
        const RequestLine line = parseRequestLine("API 5 3 / 0_1_4_4__10000");
        CHECK_FALSE(line.acceptsPrints);
        CHECK(line.fetchRows == 10000);
        CHECK(line.parallelism == 4);
    }
    SECTION("Python with reconnecting") {
        const RequestLine line = parseRequestLine("API2 5 3 / 32_1_4_64__0__6f1c-22_-1");
        CHECK(line.clientId == "6f1c-22");
        CHECK(line.sequence == -1);
    }
    SECTION("without options") {
        CHECK(parseRequestLine("API 0 8").bodyBytes == 8);
    }
}

TEST_CASE("bytes that are no request line are refused") {
    for (const char* line : {"", "GET / HTTP/1.1", "API", "API 0", "API x 8", "API 0 -1", "API 0 8 x", "API 0 8 / a_b",
                             "API 0 99999999999999999999", "API2 0 8 / -1"}) {
        CAPTURE(line);
        CHECK_THROWS_AS(parseRequestLine(line), UserError);
    }
}

TEST_CASE("a request line reads back as it was written") {
    RequestLine line;
    line.acceptsPrints = true;
    line.sessionId = 77;
    line.bodyBytes = 12;
    line.flags = request_flag::kNode | request_flag::kAsynchronous;
    line.fetchRows = 9000;
    std::string string = formatRequestLine(line);
    REQUIRE(string.back() == '\n');
    string.pop_back();
    const RequestLine read = parseRequestLine(string);
    CHECK(read.sessionId == 77);
    CHECK(read.bodyBytes == 12);
    CHECK(read.flags == line.flags);
    CHECK(read.fetchRows == 9000);
}

TEST_CASE("request bodies name their kind on the first line") {
    SECTION("a script keeps its bytes") {
        const RequestBody body = parseRequestBody("script\n中文x\n\ny");
        CHECK(body.kind == RequestKind::Script);
        CHECK(body.string == "中文x\n\ny");
    }
    SECTION("a function call may end with a line end") {
        for (const char* string : {"function\ntableInsert{t}\n1\n1", "function\ntableInsert{t}\n1\n1\n"}) {
            const RequestBody body = parseRequestBody(string);
            CHECK(body.kind == RequestKind::Function);
            CHECK(body.string == "tableInsert{t}");
            CHECK(body.valueCount == 1);
        }
    }
    SECTION("variables") {
        const RequestBody body = parseRequestBody("variable\nx,y\n2\n1");
        CHECK(body.names == std::vector<std::string>{"x", "y"});
    }
    SECTION("a connect request with and without login") {
        CHECK_FALSE(parseRequestBody("connect\n").hasLogin);
        const RequestBody body = parseRequestBody("connect\nlogin\nadmin\n123456");
        CHECK(body.hasLogin);
        CHECK(body.user == "admin");
        CHECK(body.password == "123456");
        CHECK(parseRequestBody("connect\nlogin\nadmin\n123456\nfalse").password == "123456");
    }
    SECTION("big-endian values, too few names and unknown kinds are refused") {
        CHECK_THROWS_AS(parseRequestBody("variable\nx\n1\n0"), UserError);
        CHECK_THROWS_AS(parseRequestBody("variable\nx\n2\n1"), UserError);
        CHECK_THROWS_AS(parseRequestBody("function\nf\n-1\n1"), UserError);
        CHECK_THROWS_AS(parseRequestBody("shutdown\n"), UserError);
        CHECK_THROWS_AS(parseRequestBody(""), UserError);
    }
}

TEST_CASE("an error is one line and never reads as success") {
    CHECK(formatError(7, "first\nsecond") == "7 0 1\nfirst second\n");
    CHECK(formatError(7, "OK") == "7 0 1\nError: OK\n");
    CHECK(formatAnswer(7, true) == "7 1 1\nOK\n");
    CHECK(formatPrint("hello") == std::string("MSG\nhello\0", 10));
}

TEST_CASE("an answer's line is read, and anything else names what came") {
    CHECK(parseResponseLine("1166953221 1 1").objectCount == 1);
    CHECK(parseResponseLine("MSG").isPrint);
    for (const char* line : {"", "HTTP/1.1 200 OK", "1 1", "1 2 1", "1 1 0", "x 1 1"}) {
        CAPTURE(line);
        CHECK_THROWS_AS(parseResponseLine(line), SystemError);
    }
}
