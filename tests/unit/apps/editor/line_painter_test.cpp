#include "apps/editor/line_painter.h"

#include <catch2/catch.hpp>

using namespace pelorus;

namespace {

LineLayout layoutOf(const std::vector<std::string>& rows, size_t cursorRow, size_t cursorColumn) {
    LineLayout layout;
    for (const std::string& row : rows) layout.rows.push_back({row, row.size()});
    layout.cursorRow = cursorRow;
    layout.cursorColumn = cursorColumn;
    return layout;
}

struct Terminal {
    std::string take() { return std::exchange(written, ""); }
    std::string written;
    LinePainter painter{[this](std::string_view text) { written += text; }};
};

}  // namespace

TEST_CASE("only rows that changed are painted again") {
    Terminal terminal;
    terminal.painter.paint(layoutOf({"> one", ". two"}, 1, 5), 24, 80);
    CHECK(terminal.take() == "\r> one\x1b[K\r\n\r. two\x1b[K\r\x1b[5C");
    terminal.painter.paint(layoutOf({"> one", ". twoo"}, 1, 6), 24, 80);
    CHECK(terminal.take() == "\r. twoo\x1b[K\r\x1b[6C");
    terminal.painter.paint(layoutOf({"> one", ". twoo"}, 0, 2), 24, 80);
    CHECK(terminal.take() == "\x1b[1A\r\x1b[2C");
}

TEST_CASE("rows that are gone are removed, and a full row is not cleared behind its end") {
    Terminal terminal;
    terminal.painter.paint(layoutOf({"> one", ". two"}, 1, 5), 24, 80);
    terminal.take();
    terminal.painter.paint(layoutOf({"> one"}, 0, 5), 24, 80);
    CHECK(terminal.take() == "\r\x1b[J\x1b[1A\r\x1b[5C");
    terminal.painter.forget();
    terminal.painter.paint(layoutOf({"12345"}, 0, 0), 24, 5);
    CHECK(terminal.take() == "\r12345\r");
}

TEST_CASE("of more rows than the screen has those around the cursor are painted, and all when it is finished") {
    Terminal terminal;
    const std::vector<std::string> rows = {"r0", "r1", "r2", "r3", "r4"};
    terminal.painter.paint(layoutOf(rows, 4, 0), 2, 80);
    std::string shown = terminal.take();
    CHECK(shown.find("r2") == std::string::npos);
    CHECK(shown.find("r3") != std::string::npos);
    CHECK(shown.find("r4") != std::string::npos);
    terminal.painter.paint(layoutOf(rows, 1, 0), 2, 80);
    shown = terminal.take();
    CHECK(shown.find("r1") != std::string::npos);
    CHECK(shown.find("r2") != std::string::npos);
    CHECK(shown.find("r0") == std::string::npos);
    terminal.painter.finish(layoutOf(rows, 1, 0), 2, 80);
    shown = terminal.take();
    CHECK(shown.find("r0") != std::string::npos);
    CHECK(shown.ends_with("\r\n"));
}

TEST_CASE("rows that a narrower terminal has wrapped again are erased all") {
    Terminal terminal;
    terminal.painter.paint(layoutOf({"1234567890", "12345"}, 1, 5), 24, 80);
    terminal.take();
    // The first row takes three rows of four columns, the cursor is in the second one of its own.
    terminal.painter.erase(4);
    CHECK(terminal.take() == "\x1b[4A\r\x1b[J");
    terminal.painter.erase(4);
    CHECK(terminal.take() == "\r\x1b[J");
}
