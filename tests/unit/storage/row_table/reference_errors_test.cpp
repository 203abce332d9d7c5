#include "storage/row_table/reference_errors.h"

#include <catch2/catch.hpp>

#include "runtime/append/constraint_error.h"
#include "storage/row_table/row_table.h"
#include "tests/support/row_table_fixture.h"

using namespace pelorus;

TEST_CASE_METHOD(RowTableFixture, "errors of foreign keys name both tables, the key and its values") {
    OpenForeignKey key;
    key.key.name = "own";
    key.key.columns = key.key.parentColumns = {"id"};
    key.child = key.parent = table();
    key.childTypes = key.parentTypes = {{Type::Long, 0}};
    RowCells cells;
    const int64_t seven = 7;
    cells.add(RowCell(reinterpret_cast<const char*>(&seven), sizeof seven));
    try {
        refuseMissingParent(key, cells);
    } catch (const ConstraintError& error) {
        CHECK(error.kind() == ConstraintError::Kind::MissingParent);
        CHECK(error.detail() == "Key (id)=(7) is not present in table \"accounts\".");
    }
    try {
        refuseReferredRow(key, cells);
    } catch (const ConstraintError& error) {
        CHECK(error.constraint() == "own");
        CHECK(error.detail() == "Key (id)=(7) is still referenced from table \"accounts\".");
    }
    CHECK_THROWS_WITH(refuseUnfit(key), Catch::Contains("<OutOfRange>"));
    CHECK(defaultOf(key.child->entry(), "name").vector().isNullAt(0));
}
