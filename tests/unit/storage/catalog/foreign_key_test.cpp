#include "storage/catalog/foreign_key.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "common/io/bytes.h"
#include "storage/catalog/catalog.h"
#include "storage/version/metadata_embedded.h"

using namespace pelorus;

namespace {

TableEntry rowTable(const std::string& name, const std::string& database = "dfs://shop") {
    TableEntry table;
    table.database = database;
    table.name = name;
    table.schema = {{"id", Type::Long}, {"parent", Type::Long}};
    table.compressMethods = {"lz4", "lz4"};
    table.rowTable.emplace();
    table.rowTable->columns = {"id", "parent"};
    table.rowTable->indexes = {{name + "_pkey", {"id"}, true, true, true}};
    return table;
}

ForeignKey keyTo(const std::string& parent, const std::string& database = "dfs://shop") {
    ForeignKey key;
    key.name = "own";
    key.columns = {"parent"};
    key.parentDatabase = database;
    key.parentTable = parent;
    key.parentColumns = {"id"};
    key.onUpdate = ForeignKey::Action::Cascade;
    key.onDelete = ForeignKey::Action::SetNull;
    key.setColumns = {"parent"};
    key.isDeferrable = key.isDeferred = true;
    return key;
}

struct Fixture {
    Fixture() {
        for (const char* path : {"dfs://shop", "dfs://other"}) {
            DatabaseEntry database;
            database.path = path;
            catalog.createDatabase(database);
        }
        catalog.createTable(rowTable("parent"));
        TableEntry child = rowTable("child");
        child.rowTable->foreignKeys = {keyTo("parent")};
        catalog.createTable(child);
    }
    std::vector<ReferringTable> referring() { return catalog.table("dfs://shop", "parent").rowTable->referredBy; }
    std::unique_ptr<MetaStore> store = memoryMetaStore();
    Catalog catalog{*store};
};

}  // namespace

TEST_CASE("a foreign key comes back whole, and its parent knows of it while it is there") {
    Fixture fixture;
    TableEntry child = fixture.catalog.table("dfs://shop", "child");
    CHECK(child.rowTable->foreignKeys == std::vector<ForeignKey>{keyTo("parent")});
    CHECK(fixture.referring() == std::vector<ReferringTable>{{"dfs://shop", "child"}});
    CHECK(foreignKeysTo(child, fixture.catalog.table("dfs://shop", "parent")).size() == 1);
    CHECK_THROWS_WITH(fixture.catalog.dropTable("dfs://shop", "parent"), Catch::Contains("<StillReferenced>"));
    child.rowTable->foreignKeys.clear();
    fixture.catalog.updateTable(child);
    CHECK(fixture.referring().empty());
    fixture.catalog.dropTable("dfs://shop", "parent");
}

TEST_CASE("a key to no row table is refused, and one of a dropped table forgotten") {
    Fixture fixture;
    TableEntry lost = rowTable("lost");
    lost.rowTable->foreignKeys = {keyTo("nowhere")};
    CHECK_THROWS_AS(fixture.catalog.createTable(lost), UserError);
    CHECK_FALSE(fixture.catalog.findTable("dfs://shop", "lost"));
    fixture.catalog.dropTable("dfs://shop", "child");
    CHECK(fixture.referring().empty());
}

TEST_CASE("names follow when a parent, a child or a table of its own key is renamed") {
    Fixture fixture;
    TableEntry child = fixture.catalog.table("dfs://shop", "child");
    child.rowTable->foreignKeys.push_back(keyTo("child"));
    child.rowTable->foreignKeys.back().name = "self";
    fixture.catalog.updateTable(child);
    CHECK(fixture.catalog.table("dfs://shop", "child").rowTable->referredBy.empty());
    fixture.catalog.renameTable("dfs://shop", "child", "kid");
    CHECK(fixture.referring() == std::vector<ReferringTable>{{"dfs://shop", "kid"}});
    fixture.catalog.renameTable("dfs://shop", "parent", "elder");
    const std::vector<ForeignKey> keys = fixture.catalog.table("dfs://shop", "kid").rowTable->foreignKeys;
    CHECK(keys.at(0).parentTable == "elder");
    CHECK(keys.at(1).parentTable == "kid");
}

TEST_CASE("a database goes with its keys to others, and stays while others refer to it") {
    Fixture fixture;
    TableEntry outside = rowTable("outside", "dfs://other");
    outside.rowTable->foreignKeys = {keyTo("parent")};
    fixture.catalog.createTable(outside);
    CHECK_THROWS_WITH(fixture.catalog.dropDatabase("dfs://shop"), Catch::Contains("<StillReferenced>"));
    fixture.catalog.dropDatabase("dfs://other");
    CHECK(fixture.referring() == std::vector<ReferringTable>{{"dfs://shop", "child"}});
    CHECK(fixture.catalog.dropDatabase("dfs://shop").size() == 2);
}

TEST_CASE("damaged bytes of foreign keys are an error") {
    RowTableFacts facts;
    facts.foreignKeys = {keyTo("parent")};
    facts.referredBy = {{"dfs://shop", "child"}};
    std::string bytes;
    encodeForeignKeys(facts, bytes);
    RowTableFacts back;
    ByteReader reader(bytes);
    decodeForeignKeys(reader, back);
    CHECK(back.foreignKeys == facts.foreignKeys);
    CHECK(back.referredBy == facts.referredBy);
    for (size_t size = 0; size < bytes.size(); ++size) {
        ByteReader cut(std::string_view(bytes).substr(0, size));
        RowTableFacts none;
        CHECK_THROWS_AS(decodeForeignKeys(cut, none), SystemError);
    }
}
