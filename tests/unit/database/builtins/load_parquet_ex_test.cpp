#include <catch2/catch.hpp>

#include "common/error.h"
#include "runtime/parquet/parquet_writer.h"
#include "tests/support/database_session.h"
#include "tests/support/mixed_table.h"

namespace pelorus {

namespace {

std::string writeFile(const testing::DatabaseSession& session) {
    const std::string path = session.folder / "t.parquet";
    auto rows = makeRef<MemoryTable>();
    rows->setColumn("k", Value::of(Vector::of<int32_t>(Type::Int, {1, 2, 3, 4, 9})));
    rows->setColumn("x", Value::of(Vector::of<double>(Type::Double, {0.5, 1.5, 2.5, 3.5, 4.5})));
    ParquetWriter::Options options;
    options.rowGroupRows = 2;
    ParquetWriter writer(UserFiles::machine(), path, rows->columns(), options);
    writer.append(rows);
    writer.finish();
    return path;
}

}  // namespace

TEST_CASE("Parquet files fill a table, which is made with their columns; rows outside of its scheme are told") {
    testing::DatabaseSession session;
    std::string path;
    try {
        path = writeFile(session);
    } catch (const UserError& absent) {
        WARN(absent.what());  // built without Arrow C++
        return;
    }
    session.run("db = database(\"dfs://p\", VALUE, 1..4); f = \"" + path + "\"");
    CHECK(session.run("t = loadParquetEx(db, `t, `k, f); t.rows()") == "4");
    CHECK(session.printed.find("1 of 5 rows were not stored") != std::string::npos);
    CHECK(session.run("loadParquetEx(db, `t, `k, f, , , 1, 1, def(mutable t) { t[`x] = 0.0; return t }).rows()") ==
          "6");
    CHECK(session.run("size(loadParquetEx(\"\", `m, `k, f))") == "5");
    CHECK_THROWS_AS(session.run("loadParquetEx(db, `other, `k, f, , , , , def(t) { return t })"), UserError);
    CHECK_THROWS_AS(session.run("loadParquetEx(db, `t, `k, f, , , , , def(t) { return 1 })"), UserError);
    CHECK(session.run("loadTable(db, `t).rows()") == "6");
}

}  // namespace pelorus
