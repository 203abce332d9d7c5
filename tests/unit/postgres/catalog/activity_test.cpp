#include "postgres/catalog/activity.h"

#include <catch2/catch.hpp>

#include "runtime/function/principal.h"

using namespace pelorus;
using namespace pelorus::postgres;

namespace {

class TwoSessions final : public ActivitySource {
public:
    std::vector<Activity> sessions(const Context&) const override {
        return {{.processId = 7, .user = "ann", .applicationName = "psql", .connected = 5, .lastActive = 6},
                {.processId = 8, .user = "bob", .began = 9, .isRunning = true, .query = "select 1", .lock = "tuple"}};
    }
};

}  // namespace

TEST_CASE("sessions are rows of pg_stat_activity, idle or active") {
    Services services;
    services.add<ActivitySource>(std::make_shared<TwoSessions>());
    Request request(Principal::owner());
    Context context(services, request);
    CatalogRows rows;
    collectActivity(context, rows);
    REQUIRE(rows.size() == 2);
    const SystemTable* table = findSystemTable("pg_catalog", "pg_stat_activity");
    REQUIRE(table != nullptr);
    const auto cell = [&](size_t row, std::string_view name) {
        size_t place = 0;
        while (table->columns.at(place).name != name) ++place;
        return rows[row].at(place);
    };
    CHECK(rows[0].size() == table->columns.size());
    CHECK(cell(0, "application_name").string() == "psql");
    CHECK(cell(0, "state").string() == "idle");
    CHECK(cell(0, "query_start").integer() == 6);
    CHECK(cell(0, "xact_start").isVoid());
    CHECK(cell(1, "state").string() == "active");
    CHECK(cell(1, "query_start").integer() == 9);
    CHECK(cell(1, "query").string() == "select 1");
    CHECK(cell(0, "wait_event_type").isVoid());
    CHECK(cell(1, "wait_event_type").string() == "Lock");
    CHECK(cell(1, "wait_event").string() == "tuple");
}
