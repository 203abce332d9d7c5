#include "server/line_query/uploaded_rows.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "runtime/function/principal.h"
#include "tests/support/mixed_table.h"
#include "tests/unit/runtime/arrow/arrow_bytes.h"
#include "tests/unit/runtime/parquet/parquet_fixture.h"

namespace pelorus {

namespace {

const TableSchema kTrades = {
    {.name = "sym", .type = Type::Symbol}, {.name = "qty", .type = Type::Int}, {.name = "price", .type = Type::Double}};

class Uploading {
public:
    Uploading() : request_(Principal::owner()), context_(services_, request_) {}
    Ref<MemoryTable> rows(TableBody form, std::string body, const TableSchema& columns = kTrades) {
        return uploadedRows(context_, form, std::move(body), columns);
    }
    std::string refusal(TableBody form, std::string body) {
        try {
            rows(form, std::move(body));
        } catch (const UserError& refused) {
            return refused.what();
        }
        return "";
    }

private:
    Services services_;
    Request request_;
    Context context_;
};

}  // namespace

TEST_CASE("columns of a body are found by name, and absent ones are NULL") {
    Uploading uploading;
    const Ref<MemoryTable> rows = uploading.rows(TableBody::Csv, "price,sym\n1.5,a\n,b\n");
    REQUIRE(rows->rowCount() == 2);
    CHECK(rows->column(0).at(1).string() == "b");
    CHECK(rows->column(1).at(0).isNull());
    CHECK(rows->column(2).at(0).real() == 1.5);
    CHECK(rows->column(2).at(1).isNull());
    CHECK(uploading.rows(TableBody::Csv, "sym\n")->rowCount() == 0);
}

TEST_CASE("tables come back from the bodies of answers") {
    const Ref<MemoryTable> table = testing::mixedTable(300);
    const Value result = Value::of(Ref<Table>(table));
    for (const TableBody form : {TableBody::ArrowStream, TableBody::Parquet}) {
        if (form == TableBody::Parquet && !testing::hasParquet()) continue;
        Uploading uploading;
        const std::string body = tableBody(form, result, 0, 300);
        CHECK(testing::firstDifference(*table, *uploading.rows(form, body, table->columns())) == "");
        CHECK_THROWS_AS(uploading.rows(form, body.substr(0, body.size() / 2), table->columns()), UserError);
        CHECK_THROWS_AS(uploading.rows(form, "", table->columns()), UserError);
    }
}

TEST_CASE("many lines are read alike in pieces, and keep the numbers of their lines") {
    std::string body = "sym,qty,price\n";
    for (int i = 0; i < 300000; ++i) body += "s" + std::to_string(i % 10) + "," + std::to_string(i) + ",0.5\n";
    Uploading uploading;
    const Ref<MemoryTable> rows = uploading.rows(TableBody::Csv, body);
    REQUIRE(rows->rowCount() == 300000);
    CHECK(rows->column(1).at(299999).integer() == 299999);
    CHECK(rows->column(0).at(123456).string() == "s6");
    CHECK(uploading.refusal(TableBody::Csv, body + "a,b,1\n").starts_with("Line 300002: \"b\" is no value"));
}

TEST_CASE("text that would have to be guessed at is refused, with its line") {
    Uploading uploading;
    const auto refusal = [&](const char* body) { return uploading.refusal(TableBody::Csv, body); };
    CHECK(refusal("") == "The body is empty: its first line must name the columns.");
    CHECK(refusal("sym,size\na,1\n") == "The table has no column size.");
    CHECK(refusal("sym,sym\na,b\n") == "The body has two columns sym.");
    CHECK(refusal("sym,qty\na,1\nb\n") == "Line 3 has fewer fields than the header; 1 lines are so.");
    CHECK(refusal("sym,qty\na,1,2\n") == "Line 2 has more fields than the header; 1 lines are so.");
    CHECK(refusal("sym,qty\na,99999999999\n").starts_with("Line 2: \"99999999999\" is no value of the column qty"));
    CHECK(refusal("sym,qty\n\"a,1\n").find("quoted field") != std::string::npos);
}

TEST_CASE("a stream of Arrow with columns that the table lacks, or bytes behind its end, is refused") {
    auto table = makeRef<MemoryTable>();
    table->setColumn("qty", Value::of(Vector::of<int32_t>(Type::Int, {1, 2})));
    Uploading uploading;
    CHECK(uploading.rows(TableBody::ArrowStream, testing::arrowBytes(*table))->rowCount() == 2);
    CHECK(uploading.refusal(TableBody::ArrowStream, testing::arrowBytes(*table) + "x").find("bytes follow") !=
          std::string::npos);
    table->setColumn("other", Value::of(Vector::of<int32_t>(Type::Int, {1, 2})));
    CHECK(uploading.refusal(TableBody::ArrowStream, testing::arrowBytes(*table)) == "The table has no column other.");
}

}  // namespace pelorus
