#include "apps/editor/line_layout.h"

#include <catch2/catch.hpp>

using namespace pelorus;

namespace {

LineLayout layoutOf(std::string_view text, size_t cursor, size_t columns) {
    EditedText edited;
    edited.text = text;
    edited.cursor = cursor;
    return layOutText(edited, columns, TerminalColours::None);
}

std::vector<std::string> rowsOf(const LineLayout& layout) {
    std::vector<std::string> rows;
    for (const LineLayout::Row& row : layout.rows) rows.push_back(row.text);
    return rows;
}

using Rows = std::vector<std::string>;

}  // namespace

TEST_CASE("lines begin with prompts and the cursor is where it will type") {
    const LineLayout layout = layoutOf("ab\ncd", 4, 20);
    REQUIRE(rowsOf(layout) == Rows{"> ab", ". cd"});
    REQUIRE(layout.cursorRow == 1);
    REQUIRE(layout.cursorColumn == 3);
}

TEST_CASE("long lines wrap, and a full row has the cursor below") {
    const LineLayout layout = layoutOf("abcdefgh", 8, 10);
    REQUIRE(rowsOf(layout) == Rows{"> abcdefgh", ""});
    REQUIRE(layout.cursorRow == 1);
    REQUIRE(layout.cursorColumn == 0);
}

TEST_CASE("wide characters are not cut at the edge") {
    const LineLayout layout = layoutOf("abc\u4e2d\u6587", 3, 6);
    REQUIRE(rowsOf(layout) == Rows{"> abc", "\u4e2d\u6587"});
    REQUIRE(layout.cursorRow == 1);
    REQUIRE(layout.cursorColumn == 0);
    REQUIRE(layout.rows[1].width == 4);
    REQUIRE(layoutOf("\u4e2d", 1, 20).cursorColumn == 2);  // a cursor inside of a character is at it
}

TEST_CASE("combining marks take no column, controls two, tabs up to the next eighth") {
    REQUIRE(layoutOf("e\u0301x", 4, 20).cursorColumn == 4);
    REQUIRE(rowsOf(layoutOf("\x01", 1, 20)) == Rows{"> ^A"});
    REQUIRE(layoutOf("\tx", 1, 20).cursorColumn == 8);
    REQUIRE(rowsOf(layoutOf("\xff", 0, 20)) == Rows{"> \uFFFD"});
}

TEST_CASE("each row begins and ends its colours itself") {
    const SessionNames nothing;
    const Highlighting highlighting = highlight("\"a\nb\"", 0, nothing);
    EditedText edited;
    edited.text = "\"a\nb\"";
    edited.highlighting = &highlighting;
    const LineLayout layout = layOutText(edited, 20, TerminalColours::Eight);
    REQUIRE(rowsOf(layout) == Rows{"> \x1b[32m\"a\x1b[0m", "\x1b[90m\" \x1b[0m\x1b[32mb\"\x1b[0m"});
    REQUIRE(layout.rows[0].width == 4);
}
