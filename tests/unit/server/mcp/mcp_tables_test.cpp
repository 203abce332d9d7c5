// What a model sees of tables: those of its user, under addresses that read back.
#include "server/mcp/mcp_tables.h"

#include <catch2/catch.hpp>

#include "tests/support/users_fixture.h"

using namespace pelorus;

namespace {

struct TablesFixture : UsersFixture {
    TablesFixture() {
        run("admin", R"(
db = database("dfs://a b/c", VALUE, 1 2)
t = db.createPartitionedTable(table(1:0, `k`v, [INT, DOUBLE]), `t, `k)
share table(1 2 as x) as open_table
share table(1 as x) as closed_table
addAccessControl(`closed_table))");
    }
    // Calls `look` in the name of a user.
    void as(const std::shared_ptr<const Principal>& user, const std::function<void(Context&)>& look) {
        Request request(user);
        Context context(services(), request);
        look(context);
    }
};

}  // namespace

TEST_CASE("a model sees the tables of its user, and of hidden ones as little as of none") {
    TablesFixture users;
    users.as(Principal::owner(), [](Context& context) {
        const McpJson found = mcpTableDescription(context, "dfs://a b/c", "t");
        CHECK(found["partitionColumns"] == McpJson::array({"k"}));
        CHECK(mcpTableDescription(context, "a b/c", "t") == found);
        CHECK(mcpTableDescription(context, "dfs://a b/c", "u").is_null());
        CHECK(mcpSharedTables(context).size() == 2);
        CHECK(mcpTableDescription(context, "", "open_table")["rows"] == 2);
    });
    const auto bob = std::make_shared<const Principal>("bob", Principal::Powers{.callsPublic = true});
    users.as(bob, [](Context& context) {
        CHECK(mcpTableDescription(context, "dfs://a b/c", "t").is_null());
        CHECK(mcpTableDescription(context, "", "closed_table").is_null());
        CHECK(mcpSharedTables(context).size() == 1);
        forEachMcpTable(context, [](const TableEntry&) { FAIL("a table that bob may not see"); });
    });
}
