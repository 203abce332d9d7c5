#include "presentation/import/line_ends.h"

#include <catch2/catch.hpp>
#include <string>

using namespace pelorus::text;

static std::string turned(std::string string, bool isComplete = true, int64_t skipLines = 0) {
    endLinesWithFeeds(string.data(), string.size(), ',', skipLines, isComplete);
    return string;
}

TEST_CASE("a carriage return that ends a line by itself becomes a line feed") {
    REQUIRE(turned("a,b\r1,2\r") == "a,b\n1,2\n");
    REQUIRE(turned("a\r\nb\rc\nd\r\n") == "a\r\nb\nc\nd\r\n");
    REQUIRE(turned("a\r\r\nb") == "a\n\r\nb");
    REQUIRE(turned("") == "");
    REQUIRE(turned("plain\n") == "plain\n");
}

TEST_CASE("carriage returns in quoted fields stay, and quotes open a field at its beginning only") {
    REQUIRE(turned("\"a\rb\",c\rd\r") == "\"a\rb\",c\nd\n");
    REQUIRE(turned("x,\"a\"\"\rb\"\rd\r") == "x,\"a\"\"\rb\"\nd\n");
    REQUIRE(turned("5\",a\rb\",c\r") == "5\",a\nb\",c\n");
    REQUIRE(turned("\"never closed\ra\r") == "\"never closed\ra\r");
}

TEST_CASE("quotes in skipped lines open nothing") {
    REQUIRE(turned("\"title\ra\rb\r", true, 1) == "\"title\na\nb\n");
}

TEST_CASE("a last carriage return waits for what follows, unless the text is complete") {
    REQUIRE(turned("a\rb\r", false) == "a\nb\r");
    REQUIRE(turned("a\rb\r", true) == "a\nb\n");
}

TEST_CASE(
    "turning pieces of a long text, each with what is left of the last one, turns the same as turning all of it") {
    std::string string;
    for (int i = 0; i < 5000; ++i)
        string += std::to_string(i) + (i % 3 == 0 ? ",\"q\r\nr\"\r" : i % 3 == 1 ? ",x\r\n" : ",y\r");
    const std::string whole = turned(string);
    for (const size_t piece : {7u, 64u, 4097u}) {
        std::string all, rest;
        for (size_t at = 0; at < string.size(); at += piece) {
            rest += string.substr(at, piece);
            const bool isEnd = at + piece >= string.size();
            rest = turned(rest, isEnd);
            // A quoted field may not be whole yet: lines are only cut where no quote is open.
            size_t cut = 0;
            bool isQuoted = false;
            for (size_t i = 0; i < rest.size(); ++i) {
                isQuoted ^= rest[i] == '"';
                if (!isQuoted && rest[i] == '\n') cut = i + 1;
            }
            all += rest.substr(0, cut);
            rest.erase(0, cut);
        }
        REQUIRE(all + rest == whole);
    }
}
