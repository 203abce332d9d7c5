#include "database/service/import_target.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "tests/support/database_session.h"

namespace pelorus {

TEST_CASE("a table to import into is made once, and rows that no partition takes are counted") {
    testing::DatabaseSession session;
    session.run("db = database(\"dfs://i\", VALUE, 1..3)");
    const TableSchema columns{{"k", Type::Int, 0, ""}};
    ImportTarget target{"dfs://i", "t", {"k"}, {}, true, 7};
    CHECK_THROWS_WITH(openImportTarget(session.context, target, columns), Catch::Contains("there is no table t"));
    target.isTransformed = false;
    const Ref<PartitionedTable> table = openImportTarget(session.context, target, columns);
    ImportIntoTable storing(session.context, *table);
    auto rows = makeRef<MemoryTable>();
    rows->setColumn("k", Value::of(Vector::of<int32_t>(Type::Int, {1, 2, 7})));
    storing.append(*rows);
    storing.append(*rows);
    storing.tell("file");
    CHECK(session.printed.find("file: 2 of 6 rows were not stored") != std::string::npos);
    CHECK(openImportTarget(session.context, target, columns)->rowCount() == 4);
}

}  // namespace pelorus
