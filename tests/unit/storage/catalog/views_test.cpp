// Views are kept by name, and change as a whole.
#include "storage/catalog/views.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "storage/catalog/catalog.h"
#include "tests/support/row_table_fixture.h"

using namespace pelorus;

TEST_CASE_METHOD(RowTableFixture, "a view is there after a restart, and changes only as it was seen") {
    const auto views = [this] {
        return Views([storage = storage]() -> MetaStore& { return storage->catalog().store(); });
    };
    ViewEntry view{"dfs://bank",         "v", "select 1 as one", {"public", "bank"}, {{"one", "one", 23, -1}},
                   {{"dfs://bank", "t"}}};
    views().put(view);
    CHECK_THROWS_WITH(views().put(view), Catch::Contains("<DuplicateName>"));
    open();
    const auto found = views().find("dfs://bank", "v");
    REQUIRE(found);
    CHECK(found->query == view.query);
    CHECK(found->searchPath == view.searchPath);
    CHECK(found->columns == view.columns);
    CHECK(found->reads == view.reads);
    ViewEntry other = *found;
    other.query = "select 2 as one";
    views().put(other);
    CHECK_THROWS_WITH(views().put(other), Catch::Contains("<DuplicateName>"));  // it was seen before the change
    CHECK(views().all("dfs://bank").size() == 1);
    CHECK(views().all("dfs://ban").empty());
    CHECK(views().all().size() == 1);
    CHECK(removalsOfViews(storage->catalog().store(), "dfs://bank").size() == 1);
    views().drop("dfs://bank", "v");
    views().drop("dfs://bank", "v");
    CHECK_FALSE(views().find("dfs://bank", "v"));
}
