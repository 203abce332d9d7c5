#include "storage/catalog/catalog_names.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "storage/version/metadata_embedded.h"

using namespace pelorus;

namespace {

struct Names {
    std::unique_ptr<MetaStore> store = memoryMetaStore();
    CatalogNames names{*store};
};

using Schemas = std::vector<std::pair<std::string, std::string>>;

}  // namespace

TEST_CASE("a catalog holds schemas, and each names one database") {
    Names fixture;
    fixture.names.create("market");
    fixture.names.addSchema("market", "ticks", "dfs://ticks");
    fixture.names.addSchema("market", "bars", "dfs://bars");
    CHECK(fixture.names.all() == std::vector<std::string>{"market"});
    CHECK(fixture.names.schemas("market") == Schemas{{"bars", "dfs://bars"}, {"ticks", "dfs://ticks"}});
    CHECK(fixture.names.database("market", "ticks") == "dfs://ticks");
    CHECK(!fixture.names.database("market", "none"));
    fixture.names.renameSchema("market", "ticks", "quotes");
    CHECK(fixture.names.database("market", "quotes") == "dfs://ticks");
    fixture.names.forget("dfs://ticks");
    CHECK(fixture.names.schemas("market") == Schemas{{"bars", "dfs://bars"}});
    fixture.names.dropSchema("market", "bars");
    CHECK(fixture.names.schemas("market").empty());
}

TEST_CASE("a catalog is renamed and dropped with its schemas, and others with its beginning stay") {
    Names fixture;
    for (const char* name : {"a", "ab"}) {
        fixture.names.create(name);
        fixture.names.addSchema(name, "s", std::string("dfs://") + name);
    }
    fixture.names.rename("a", "c");
    CHECK(fixture.names.all() == std::vector<std::string>{"ab", "c"});
    CHECK(fixture.names.database("c", "s") == "dfs://a");
    CHECK(!fixture.names.database("a", "s"));
    fixture.names.drop("c");
    CHECK(!fixture.names.exists("c"));
    CHECK(!fixture.names.database("c", "s"));
    CHECK(fixture.names.database("ab", "s") == "dfs://ab");
}

TEST_CASE("names that are taken, missing or none are refused, and nothing changes") {
    Names fixture;
    fixture.names.create("market");
    fixture.names.addSchema("market", "ticks", "dfs://ticks");
    const uint64_t revision = fixture.store->range("").revision;
    CHECK_THROWS_WITH(fixture.names.create("market"), "The catalog market exists already.");
    CHECK_THROWS_WITH(fixture.names.rename("market", "market"), "The catalog market exists already.");
    CHECK_THROWS_WITH(fixture.names.drop("none"), "The catalog none doesn't exist.");
    CHECK_THROWS_AS(fixture.names.schemas("none"), UserError);
    CHECK_THROWS_WITH(fixture.names.addSchema("market", "ticks", "dfs://other"),
                      "The schema ticks of market exists already.");
    CHECK_THROWS_WITH(fixture.names.addSchema("market", "other", "dfs://ticks"),
                      "The database dfs://ticks is in a catalog already.");
    CHECK_THROWS_WITH(fixture.names.dropSchema("market", "none"), "There is no schema none in the catalog market.");
    CHECK_THROWS_AS(fixture.names.renameSchema("market", "ticks", "ticks"), UserError);
    for (const char* name : {"", "1a", "_a", "a-b", "a\nb", "\u00e9"}) {
        INFO(name);
        CHECK_THROWS_WITH(fixture.names.create(name),
                          "The name of a catalog must be letters, digits and _, and begin with a letter.");
        CHECK_THROWS_AS(fixture.names.addSchema("market", name, "dfs://x"), UserError);
        CHECK_THROWS_AS(fixture.names.renameSchema("market", "ticks", name), UserError);
    }
    CHECK(fixture.store->range("").revision == revision);
}
