#include "devtools/lsp/text_document.h"

#include <catch2/catch.hpp>
#include <random>

using namespace pelorus;

TEST_CASE("positions count in the units of their encoding") {
    // One, two, three and four bytes.
    const TextDocument document("a\u00e9\u20ac\U0001F600b\nsecond");
    const auto at = [&](int64_t character, PositionEncoding encoding) {
        return document.offsetAt({0, character}, encoding);
    };
    REQUIRE(at(3, PositionEncoding::Utf8) == 3);
    REQUIRE(at(3, PositionEncoding::Utf32) == 6);
    REQUIRE(at(3, PositionEncoding::Utf16) == 6);
    REQUIRE(at(5, PositionEncoding::Utf16) == 10);
    REQUIRE(at(4, PositionEncoding::Utf32) == 10);
    REQUIRE(document.positionAt(10, PositionEncoding::Utf16).character == 5);
    REQUIRE(document.positionAt(13, PositionEncoding::Utf16).line == 1);
}

TEST_CASE("positions outside of the text are those nearest in it") {
    const TextDocument document("ab\r\ncd");
    const PositionEncoding encoding = PositionEncoding::Utf16;
    REQUIRE(document.offsetAt({0, 100}, encoding) == 2);
    REQUIRE(document.offsetAt({5, 0}, encoding) == 6);
    REQUIRE(document.offsetAt({-1, 5}, encoding) == 0);
    REQUIRE(document.offsetAt({0, -5}, encoding) == 0);
    REQUIRE(TextDocument("").positionAt(7, encoding).character == 0);
}

TEST_CASE("random edits keep text and positions in step") {
    std::mt19937 random(7);
    const auto upTo = [&](size_t limit) { return std::uniform_int_distribution<size_t>(0, limit)(random); };
    TextDocument document("first\nsecond\n");
    std::string expected = document.text();
    TextChange whole;
    const std::string before = expected;
    for (int i = 0; i < 500; ++i) {
        const size_t begin = upTo(expected.size()), end = begin + upTo(std::min<size_t>(5, expected.size() - begin));
        const std::string piece = i % 3 == 0 ? "\n" : i % 3 == 1 ? "word " : "";
        const TextChange change =
            document.replace(document.positionAt(begin, PositionEncoding::Utf8),
                             document.positionAt(end, PositionEncoding::Utf8), piece, PositionEncoding::Utf8);
        expected.replace(begin, end - begin, piece);
        whole = i == 0 ? change : whole.then(change);
        REQUIRE(document.text() == expected);
        REQUIRE(document.positionAt(expected.size(), PositionEncoding::Utf8).line ==
                std::count(expected.begin(), expected.end(), '\n'));
        // The two documents are equal outside of the change.
        REQUIRE(before.substr(0, whole.begin) == expected.substr(0, whole.begin));
        REQUIRE(before.substr(whole.oldEnd) == expected.substr(whole.newEnd));
        REQUIRE(whole.before(expected.size()) == before.size());
    }
}
