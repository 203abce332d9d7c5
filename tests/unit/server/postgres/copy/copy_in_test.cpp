#include "server/postgres/copy/copy_in.h"

#include <catch2/catch.hpp>

#include "postgres/sql_error.h"

using namespace pelorus;
using namespace pelorus::postgres;

namespace {

std::shared_ptr<const TargetTable> target() {
    auto table = std::make_shared<TargetTable>();
    table->name = "t";
    table->columns = {{{"id", Type::Int, 0, ""}, {{oid::kInt4}, true}},
                      {{"s", Type::Symbol, 0, ""}, {{oid::kVarchar, 3 + 4}}},
                      {{"at", Type::NanoTimestamp, 0, ""}, {{oid::kTimestamp}}},
                      {{"x", Type::Double, 0, ""}, {{oid::kFloat8}}}};
    return table;
}

std::string stateOf(const std::string& bytes, const std::vector<std::string>& columns = {}, CopyForm form = {}) {
    try {
        CopyReader reader(target(), columns, form, {});
        reader.feed(bytes);
        return std::to_string(reader.finish()->rowCount());
    } catch (const SqlError& error) {
        return error.state();
    }
}

}  // namespace

TEST_CASE("rows of text become columns of the table") {
    CopyReader reader(target(), {"s", "id"}, {}, {});
    reader.feed("abc\t1\n\\N\t 2 \n\t3");
    const Ref<MemoryTable> rows = reader.finish();
    REQUIRE(rows->rowCount() == 3);
    CHECK(rows->column(0).at(1).integer() == 2);
    CHECK(rows->column(1).type() == Type::Symbol);
    CHECK(rows->column(1).at(0).string() == "abc");
    CHECK(rows->column(1).at(1).isNull());
    CHECK(rows->column(2).at(0).isNull());
    CopyReader whole(target(), {}, {}, {});
    whole.feed("1\ta\t2026-01-02 03:04:05.5\t-1e3\n");
    const Ref<MemoryTable> row = whole.finish();
    CHECK(row->column(2).at(0).integer() == 1767323045'500'000'000);
    CHECK(row->column(3).at(0).real() == -1000);
}

TEST_CASE("a row that is no row of the table is an error with its place") {
    CHECK(stateOf("1\ta\n", {"id", "s"}) == "1");
    CHECK(stateOf("1\n", {"id", "s"}) == "22P04");
    CHECK(stateOf("1\ta\tb\n", {"id", "s"}) == "22P04");
    CHECK(stateOf("one\ta\n", {"id", "s"}) == "22P02");
    CHECK(stateOf("3000000000\ta\n", {"id", "s"}) == "22003");
    CHECK(stateOf("1\tabcd\n", {"id", "s"}) == "22001");
    CHECK(stateOf("1\t\xff\n", {"id", "s"}) == "22021");
    CHECK(stateOf("\\N\ta\n", {"id", "s"}) == "23502");
    CHECK(stateOf("a\n", {"s"}) == "23502");
    CHECK(stateOf("", {"none"}) == "42703");
    CHECK(stateOf("", {"id", "id"}) == "42701");
    CHECK(stateOf("1\t-1.7976931348623157e308\n", {"id", "x"}) == "22003");
    CHECK(stateOf("1\tinf\n", {"id", "x"}) == stateOf("1\tInfinity\n", {"id", "x"}));
    try {
        CopyReader reader(target(), {"id", "s"}, {}, {});
        reader.feed("1\ta\nx\tb\n");
        FAIL();
    } catch (const SqlError& error) {
        CHECK(error.detail() == "COPY t, line 2, column id: \"x\"");
    }
}

TEST_CASE("options say what NULL is, and what the header must be") {
    CopyForm form;
    form.kind = CopyForm::Kind::Csv;
    form.delimiter = ',';
    form.null = "";
    form.hasHeader = form.matchesHeader = true;
    CHECK(stateOf("id,s\n1,\"\"\n", {"id", "s"}, form) == "1");
    CHECK(stateOf("id,z\n1,\"\"\n", {"id", "s"}, form) == "22P04");
    form.nullInQuotes = {"id"};
    CHECK(stateOf("id,s\n\"\",x\n", {"id", "s"}, form) == "23502");
    form.neverNull = {"other"};
    CHECK(stateOf("id,s\n", {"id", "s"}, form) == "42P10");
}
