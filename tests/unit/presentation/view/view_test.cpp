#include "presentation/view/view.h"

#include <catch2/catch.hpp>

#include "presentation/view/text_width.h"
#include "presentation/view/view_cell.h"
#include "presentation/view/view_grid.h"
#include "runtime/table/table.h"
#include "runtime/value/dictionary.h"

using namespace pelorus;

namespace {

Value longTable(int64_t rows) {
    auto table = makeRef<MemoryTable>();
    table->setColumn("i", Value::of(Vector::filled(Type::Int, rows, Value::ofInt(7))));
    return Value::of(Ref<Table>(table));
}

Value wideTable(int columns) {
    auto table = makeRef<MemoryTable>();
    for (int i = 0; i < columns; ++i)
        table->setColumn("column" + std::to_string(i), Value::of(Vector::of<int32_t>(Type::Int, {i})));
    return Value::of(Ref<Table>(table));
}

Value stringTable(const std::vector<std::string>& strings) {
    auto table = makeRef<MemoryTable>();
    table->setColumn("text", Value::of(Vector::ofStrings(strings)));
    table->setColumn("x", Value::of(Vector::filled(Type::Double, std::ssize(strings), Value::ofDouble(123456789.123))));
    return Value::of(Ref<Table>(table));
}

size_t widestLine(const std::string& string) {
    size_t widest = 0;
    for (size_t begin = 0; begin < string.size();) {
        const size_t end = string.find('\n', begin);
        widest = std::max(widest, textWidth(std::string_view(string).substr(begin, end - begin)));
        begin = end + 1;
    }
    return widest;
}

}  // namespace

TEST_CASE("a view shows a double with as many digits as it has, not with an exponent") {
    CHECK(viewDouble(0) == "0");
    CHECK(viewDouble(2.0 / 3) == "0.666667");
    CHECK(viewDouble(123456789.123) == "123456789.123");
    CHECK(viewDouble(0.0000032) == "3.2E-6");
    CHECK(viewDouble(0.00012345678) == "0.000123457");
    CHECK(viewDouble(1e14 + 0.5) == "100000000000000");
    CHECK(viewDouble(1e15) == "1E15");
    CHECK(viewDouble(-1.5e300) == "-1.5E300");
    CHECK(viewDouble(5e-324) == "4.94066E-324");
    CHECK(viewDouble(0.1 + 0.2) == "0.3");
}

TEST_CASE("a table's view names types, aligns numbers to the right, shows NULL and counts rows") {
    auto table = makeRef<MemoryTable>();
    table->setColumn("name", Value::of(Vector::ofStrings({"a", ""})));
    table->setColumn("x", Value::of(Vector::of<double>(Type::Double, {1.5, null<double>})));
    CHECK(viewString(Value::of(Ref<Table>(table)), {}) ==
          "name         x\n"
          "STRING  DOUBLE\n"
          "──────  ──────\n"
          "a          1.5\n"
          "NULL      NULL\n"
          "2 rows × 2 columns\n");
}

TEST_CASE("of a long table the view shows head and tail, and says how many rows there are") {
    const std::string string = viewString(longTable(1'000'000), {.rows = 4});
    CHECK(string == "  i\nINT\n───\n  7\n  7\n  ⋮\n  7\n  7\n1,000,000 rows × 1 column, 4 rows shown\n");
    CHECK(viewString(longTable(1), {.rows = 4}) == "  i\nINT\n───\n  7\n1 row × 1 column\n");
    CHECK(viewString(longTable(0), {.rows = 4}) == "  i\nINT\n───\n0 rows × 1 column\n");
}

TEST_CASE("columns that do not fit the terminal are left out and named, the last one is kept") {
    for (const int width : {20, 60, 80, 200}) {
        const std::string string = viewString(wideTable(200), {.width = width});
        INFO(string);
        CHECK(widestLine(string) <= static_cast<size_t>(width));
        CHECK(string.find("column0") != std::string::npos);
        CHECK(string.find("columns not") != std::string::npos);
        if (width >= 60) CHECK(string.find("column199") != std::string::npos);
    }
    CHECK(viewString(wideTable(200), {.width = 0}).find("not shown") == std::string::npos);
}

TEST_CASE("strings give way to the width, numbers do not") {
    const std::string string = viewString(stringTable({std::string(300, 'x'), "short"}), {.width = 40});
    CHECK(widestLine(string) <= 40);
    CHECK(string.find("123456789.123") != std::string::npos);
    CHECK(string.find("xxx…") != std::string::npos);
}

TEST_CASE("wide characters, emoji and text from right to left keep the columns aligned") {
    const std::string string = viewString(stringTable({"日本語", "😀", "שלום", "é", "abc"}), {});
    INFO(string);
    for (size_t begin = 0, line = 0; line < 8; ++line) {
        const size_t end = string.find('\n', begin);
        CHECK(textWidth(string.substr(begin, end - begin)) == 8 + 13);
        begin = end + 1;
    }
}

TEST_CASE("data cannot steer the terminal") {
    CHECK(printableString("a\033[31mb\r\n\t\x80\x7f") == "a\\x1b[31mb\\r\\n\\t\\x80\\x7f");
    CHECK(printableString("a\nb\tc\033", true) == "a\nb\tc\\x1b");
    CHECK(printableString("\xe2\x80\xae!") == "\\u202e!");
    CHECK(viewString(Value::ofString("\033]0;title\a"), {}) == "\\x1b]0;title\\x07\n");
    CHECK(viewString(stringTable({"two\nlines"}), {}).find("two\\nlines") != std::string::npos);
}

TEST_CASE("vectors wrap at the width and show head and tail") {
    std::vector<int32_t> numbers(1000);
    for (int i = 0; i < 1000; ++i) numbers[static_cast<size_t>(i)] = i;
    const Value vector = Value::of(Vector::of(Type::Int, numbers));
    const std::string string = viewString(vector, {.width = 35, .rows = 10});
    CHECK(widestLine(string) <= 35);
    CHECK(string.find("…") != std::string::npos);
    CHECK(string.find("999]\n1,000 elements") != std::string::npos);
    CHECK(viewString(Value::of(Vector::of<int32_t>(Type::Int, {1, null<int32_t>})), {}) == "[1,NULL]\n");
    CHECK(viewString(Value::of(Vector::make(Type::Int, 0)), {}) == "[]\n");
}

TEST_CASE("a dictionary shows an entry per line, tables in it below their key") {
    auto dictionary = makeRef<Dictionary>(Type::String, Type::Any, true);
    dictionary->set(Value::ofString("a"), Value::ofInt(1));
    dictionary->set(Value::ofString("long"), longTable(1));
    CHECK(viewString(Value::of(dictionary), {}) ==
          "a    -> 1\nlong ->\n    i\n  INT\n  ───\n    7\n  1 row × 1 column\n");
}

TEST_CASE("vertical mode gives each cell a line") {
    CHECK(viewString(longTable(2), {.mode = ViewMode::Vertical}) ==
          "─── row 1 ───\ni  7\n─── row 2 ───\ni  7\n2 rows × 1 column\n");
}

TEST_CASE("CSV, JSON and Markdown have all rows and no colors") {
    auto table = makeRef<MemoryTable>();
    table->setColumn("s", Value::of(Vector::ofStrings({"a,\"b\"", "c|d"})));
    table->setColumn("x", Value::of(Vector::of<double>(Type::Double, {1.5, null<double>})));
    const Value value = Value::of(Ref<Table>(table));
    CHECK(viewString(value, {.mode = ViewMode::Csv, .colors = true}) == "s,x\n\"a,\"\"b\"\"\",1.5\nc|d,\n");
    CHECK(viewString(value, {.mode = ViewMode::Json, .colors = true}) ==
          "[{\"s\": \"a,\\\"b\\\"\",\"x\": 1.5},\n {\"s\": \"c|d\",\"x\": null}]\n");
    CHECK(viewString(value, {.mode = ViewMode::Markdown, .colors = true}) ==
          "| s | x |\n| --- | ---: |\n| a,\"b\" | 1.5 |\n| c\\|d |  |\n");
    const std::string csv = viewString(longTable(10'000), {.mode = ViewMode::Csv, .rows = 4});
    CHECK(std::count(csv.begin(), csv.end(), '\n') == 10'001);
    CHECK(viewString(Value::ofInt(3), {.mode = ViewMode::Csv}) == "value\n3\n");
    CHECK(viewString(Value::ofInt(3), {.mode = ViewMode::Json}) == "3\n");
}

TEST_CASE("a reader who leaves ends the view") {
    int pieces = 0;
    writeView(longTable(1'000'000), {.rows = 0}, [&](std::string_view) { return ++pieces < 3; });
    CHECK(pieces == 3);
}

TEST_CASE("colors are around names, types and NULLs only when they are wanted") {
    const Value value = longTable(2);
    CHECK(viewString(value, {}).find('\033') == std::string::npos);
    CHECK(viewString(value, {.colors = true}).find("\033[1mi\033[0m") != std::string::npos);
}
