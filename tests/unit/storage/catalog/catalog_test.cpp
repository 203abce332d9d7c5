#include "storage/catalog/catalog.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "storage/version/metadata_embedded.h"
#include "tests/support/storage_fixture.h"

using namespace pelorus;

namespace {

struct Fixture {
    Fixture() { catalog.createDatabase(tradeDatabase()); }
    std::unique_ptr<MetaStore> store = memoryMetaStore();
    Catalog catalog{*store};
};

}  // namespace

TEST_CASE("entries come back with all they have") {
    Fixture fixture;
    TableEntry table = tradeTable();
    table.sortColumns = {"sym", "id"};
    table.keepDuplicates = "LAST";
    table.compressMethods = {"lz4", "delta", "lz4", "zstd"};
    table.owner = "ann";
    table.comment = "all of \"them\"\n";
    table.storedNames = {"sym", "date", "id0", "price"};
    table.retiredNames = {"id"};
    table.textIndexes = {{"sym", "textindex(parser=english)"}};
    table.declaredTypes = {{"id0", "20 -1 1 0"}};
    table.newColumns = 1;
    const uint64_t id = fixture.catalog.createTable(table).id;
    const TableEntry back = fixture.catalog.table("dfs://trades", "trades");
    CHECK(back.id == id);
    CHECK(back.schema.size() == 4);
    CHECK(back.partitionColumns == table.partitionColumns);
    CHECK(back.sortColumns == table.sortColumns);
    CHECK(back.keepDuplicates == "LAST");
    CHECK(back.compressMethods == table.compressMethods);
    CHECK(back.comment == table.comment);
    CHECK(back.storedSchema()[2].name == "id0");
    CHECK(back.textIndexOf(0) == "textindex(parser=english)");
    CHECK(back.textIndexOf(1).empty());
    CHECK(back.declaredTypeOf(2) == "20 -1 1 0");
    CHECK(back.declaredTypeOf(0).empty());
    CHECK(back.newColumns == 1);
    CHECK(back.revision == isUnchanged(back).revision);
    CHECK(fixture.catalog.database("dfs://trades").scheme.levels().size() == 2);
}

TEST_CASE("names are given once, and ids never again") {
    Fixture fixture;
    CHECK_THROWS_AS(fixture.catalog.createDatabase(tradeDatabase()), UserError);
    const uint64_t first = fixture.catalog.createTable(tradeTable("t")).id;
    CHECK_THROWS_AS(fixture.catalog.createTable(tradeTable("t")), UserError);
    CHECK_THROWS_AS(fixture.catalog.createTable(tradeTable("u", "dfs://none")), UserError);
    fixture.catalog.dropTable("dfs://trades", "t");
    CHECK(fixture.catalog.createTable(tradeTable("t")).id > first);
    CHECK(fixture.catalog.tombstones() == std::vector<uint64_t>{first});
    fixture.catalog.removeTombstone(first);
    CHECK(fixture.catalog.tombstones().empty());
    CHECK_THROWS_AS(fixture.catalog.dropTable("dfs://trades", "none"), UserError);
    CHECK_THROWS_AS(fixture.catalog.database("dfs://none"), UserError);
    CHECK(!fixture.catalog.findDatabase("dfs://none"));
}

TEST_CASE("a database goes with its tables, each of which leaves a tombstone") {
    Fixture fixture;
    fixture.catalog.createDatabase(tradeDatabase("dfs://trades2"));
    fixture.catalog.createTable(tradeTable("other", "dfs://trades2"));
    for (int i = 0; i < 150; ++i) fixture.catalog.createTable(tradeTable("t" + std::to_string(i)));
    CHECK(fixture.catalog.tableNames("dfs://trades").size() == 150);
    CHECK(fixture.catalog.dropDatabase("dfs://trades").size() == 150);
    CHECK(fixture.catalog.tombstones().size() == 150);
    CHECK(!fixture.catalog.findDatabase("dfs://trades"));
    CHECK(fixture.catalog.tableNames("dfs://trades").empty());
    CHECK(fixture.catalog.tableNames("dfs://trades2") == std::vector<std::string>{"other"});
    CHECK_THROWS_AS(fixture.catalog.dropDatabase("dfs://trades"), UserError);
}

TEST_CASE("a change of a table that was read before another one is refused") {
    Fixture fixture;
    TableEntry table = fixture.catalog.createTable(tradeTable());
    table = fixture.catalog.table("dfs://trades", "trades");
    TableEntry late = table;
    table.comment = "first";
    fixture.catalog.updateTable(table);
    late.comment = "second";
    CHECK_THROWS_AS(fixture.catalog.updateTable(late), SystemError);
    CHECK(fixture.catalog.table("dfs://trades", "trades").comment == "first");
    fixture.catalog.renameTable("dfs://trades", "trades", "renamed");
    CHECK(fixture.catalog.table("dfs://trades", "renamed").id == table.id);
    CHECK(!fixture.catalog.findTable("dfs://trades", "trades"));
    CHECK_THROWS_AS(fixture.catalog.renameTable("dfs://trades", "none", "x"), UserError);
}

TEST_CASE("partition columns must fit the levels of the database") {
    const DatabaseEntry database = tradeDatabase();
    TableEntry table = tradeTable();
    CHECK_NOTHROW(checkPartitionColumns(table, database));
    table.partitionColumns = {"date"};
    CHECK_THROWS_AS(checkPartitionColumns(table, database), UserError);
    table.partitionColumns = {"date", "none"};
    CHECK_THROWS_AS(checkPartitionColumns(table, database), UserError);
    table.partitionColumns = {"sym", "date"};
    CHECK_THROWS_AS(checkPartitionColumns(table, database), UserError);
}

TEST_CASE("an entry of a newer version or of damaged bytes is no entry") {
    const MetaEntry entry = metaEntryOf(tradeTable());
    CHECK_NOTHROW(tableEntryOf(entry));
    CHECK_THROWS_AS(tableEntryOf({entry.key, "", 1}), SystemError);
    CHECK_THROWS_AS(tableEntryOf({entry.key, "\xff" + entry.value.substr(1), 1}), SystemError);
    CHECK_THROWS_AS(databaseEntryOf({metaEntryOf(tradeDatabase()).key, "\xff", 1}), SystemError);
}
