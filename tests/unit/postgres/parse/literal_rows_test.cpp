#include "postgres/parse/literal_rows.h"

#include <catch2/catch.hpp>
#include <string>

using pelorus::postgres::cutLiteralRows;
using pelorus::postgres::CutText;
using pelorus::postgres::RowLiteral;

namespace {

// The cells of the rows that are cut, with a sign of their kind; "-" when none are.
std::string cut(const std::string& text) {
    const CutText cut = cutLiteralRows(text);
    if (!cut.rows) return "-";
    CHECK(cut.text.size() == text.size());
    std::string shown;
    for (const RowLiteral& cell : cut.rows->cells) {
        if (!shown.empty()) shown += '|';
        shown += std::string("_tfd#'")[static_cast<size_t>(cell.kind)] + cell.value + (cell.isSmall ? "i" : "");
    }
    return shown;
}

}  // namespace

TEST_CASE("rows of literals behind the first one are cut out of an insert") {
    const std::string text = "insert into t (a, b) values (now(), 'x)'), (1, 'it''s'), (NULL, Default) returning a";
    CHECK(cut(text) == "#1i|'it's|_|d");
    const CutText rest = cutLiteralRows(text);
    CHECK(rest.rows->width == 2);
    CHECK(rest.rows->cells[1].place == static_cast<int>(text.find("'it")));
    CHECK(rest.text.find("returning a") == text.find("returning a"));
    CHECK(rest.text.find("it''s") == std::string::npos);
}

TEST_CASE("numbers are those of PostgreSQL's lexer") {
    CHECK(cut("insert into t values (1), (2147483647), (2147483648), (-2147483648), (007)") ==
          "#2147483647i|#2147483648|#-2147483648|#007i");
    CHECK(cut("INSERT INTO t VALUES (1), (1.50), (-1e5), (2.5E-3), (00000000001)") ==
          "#1.50|#-1e5|#2.5E-3|#00000000001");
    for (const char* number : {".5", "1.", "1e", "+1", "- 1", "1_000", "0x1f", "1a", "--1", "1.2.3", "-"})
        CHECK(cut("insert into t values (1), (" + std::string(number) + ")") == "-");
}

TEST_CASE("a text that is not plain is left to the parser as a whole") {
    for (const char* text : {"insert into t values (1)",
                             "insert into t values (1), (2), (3, 4)",
                             "insert into t values (1), (1 + 1)",
                             "insert into t values (1), (2); select 1",
                             "insert into t values (1), (2) /* (3) */",
                             "insert into t values (1), (2) -- x",
                             "insert into t values (E'\\''), (2)",
                             "insert into t values (1), ('a' 'b')",
                             "insert into t values (1), ('a'::text)",
                             "insert into t values (1), (",
                             "insert into t values (1), ('a",
                             "insert into t values (1), ()",
                             "insert into t values (1), (2) order by 1",
                             "insert into t values (1), (2),",
                             "insert into t values ($x$)$x$), (2)",
                             "insert into t values (1), (E'a')",
                             "select 1; insert into t values (1), (2)",
                             "insert into t select 1 union values (2), (3)",
                             "values (1), (2)",
                             "insert into t values (1), (current_date)",
                             "insert",
                             "",
                             "insert into t values",
                             "insert into t values ("})
        CHECK(cut(text) == "-");
}

TEST_CASE("names with quotes and lists of columns come before the values") {
    CHECK(cut("insert into \"values\".\"a\"\"(\" as x (\"values\") overriding system value values (1), (2);") == "#2i");
    CHECK(cut("insert into t values ('a''(', \"b\"), (true, false) on conflict do nothing") == "t|f");
}
