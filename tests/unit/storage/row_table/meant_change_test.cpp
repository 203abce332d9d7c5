// '' beside NULL in row tables: a handle of the language shows both as NULL, and puts NULL over neither of them.
#include "storage/row_table/meant_change.h"

#include <catch2/catch.hpp>

#include "runtime/append/empty_text.h"
#include "tests/support/row_table_fixture.h"

using namespace pelorus;

namespace {

const std::string kEmpty(kEmptyText);

Value texts(const std::vector<std::string>& values) {
    return Value::of(Vector::ofStrings(values));
}

}  // namespace

TEST_CASE_METHOD(RowTableFixture, "a handle shows '' as NULL unless it is told to show both") {
    const Ref<RowTable> language = table(), dialect = table();
    dialect->showEmptyTexts();
    dialect->append(*accounts({1, 2}, {kEmpty, ""}, {1, 2}));
    CHECK(accountRows(*language)[1].first.empty());
    CHECK(accountRows(*language)[2].first.empty());
    CHECK(accountRows(*dialect)[1].first == kEmpty);
    CHECK(accountRows(*dialect)[2].first.empty());
    open();
    const Ref<RowTable> again = table();
    again->showEmptyTexts();
    CHECK(accountRows(*again)[1].first == kEmpty);
    CHECK(again->check().empty());
}

TEST_CASE_METHOD(RowTableFixture, "a change that sees '' as NULL leaves it, and replaces it by a text") {
    const Ref<RowTable> language = table(), dialect = table();
    dialect->showEmptyTexts();
    dialect->append(*accounts({1, 2, 3}, {kEmpty, "", "c"}, {1, 2, 3}));
    const RowAccess::RowUpdate nulls{{0, 1, 2}, false, {{1, texts({"", "", ""})}, {2, doubleVector({5, 6, 7})}}};
    CHECK(language->changeRows(language->rowsToChange({}), nulls));
    CHECK(accountRows(*dialect)[1] == std::pair<std::string, double>(kEmpty, 5));
    CHECK(accountRows(*dialect)[2].first.empty());
    CHECK(accountRows(*dialect)[3].first.empty());
    CHECK(language->changeRows(language->rowsToChange({}), {{0}, false, {{1, texts({"x", "", ""})}}}));
    CHECK(accountRows(*dialect)[1].first == "x");
    CHECK(dialect->changeRows(dialect->rowsToChange({}), {{0}, false, {{1, texts({"", "", ""})}}}));
    CHECK(accountRows(*dialect)[1].first.empty());
}
