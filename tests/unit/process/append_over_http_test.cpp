#include "server/line_query/append_over_http.h"

#include <catch2/catch.hpp>

#include "database/service/database_service.h"
#include "interpreter/engine/engine.h"
#include "interpreter/session/shared_objects.h"
#include "runtime/function/principal.h"
#include "runtime/value/print.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/process/whole_process.h"

namespace pelorus {

namespace {

// A process of its own services, with a database in its own folder.
class Appending {
public:
    Appending() : context_(services_, request_) {
        testing::wholeProcess();  // registers all functions
        addSharedObjects(services_);
        services_.add<DatabaseService>(
            std::make_shared<LocalDatabaseService>(LocalDatabaseService::Options{.folder = folder_ / "data"}));
        run(R"(db = database("dfs://db", VALUE, 1..3)
createPartitionedTable(db, table(1:0, `k`x, [INT, DOUBLE]), `t, `k)
share(table(1:0, `a`b, [INT, STRING]), `postedUnits))");
    }

    // Returns the result of a script, as it is displayed.
    std::string run(std::string_view script) {
        Session session(services_);
        return display(evaluate(script, session, context_));
    }

    HttpResponse post(const std::string& query, const std::string& body, const std::string& type = "text/csv",
                      const std::string& encoding = "") {
        HttpRequest http;
        http.method = "POST";
        http.target = "/append" + query;
        http.body = body;
        http.headers = {{"content-type", type}};
        if (!encoding.empty()) http.headers.emplace_back("content-encoding", encoding);
        const LineService service{services_, {.database = "dfs://db"}};
        return appendOverHttp(service, request_, http);
    }

private:
    TemporaryFolder folder_;
    Services services_;
    Request request_{Principal::owner()};
    Context context_;
};

}  // namespace

TEST_CASE("rows go to a stored table, to one of the line protocol's database, and to a shared one") {
    Appending f;
    CHECK(f.post("?database=dfs://db&table=t", "x,k\n0.5,1\n1.5,2\n").body == "{\"rows\":2}");
    CHECK(f.post("?table=t", "k\n3\n").body == "{\"rows\":1}");
    CHECK(f.run("exec k from loadTable(\"dfs://db\", `t)") == "[1,2,3]");
    CHECK(f.run("exec sum(x) from loadTable(\"dfs://db\", `t)") == "2");
    CHECK(f.post("?table=postedUnits", "b\nx\n").status == 200);
    CHECK(f.run("exec b from postedUnits") == "[\"x\"]");
}

TEST_CASE("a bad batch stores nothing and says why") {
    Appending f;
    const auto refuses = [&](const HttpResponse& answer, int status, const char* why) {
        CHECK(answer.status == status);
        CHECK_THAT(answer.body, Catch::Contains(why));
    };
    refuses(f.post("?table=t", "k\n1\n9\n"), 400, "1 of 2 rows have no partition in t, the first is row 1: k=9");
    refuses(f.post("?table=t", "k\n1\nx\n"), 400, "Line 3");
    refuses(f.post("?table=nothing", "k\n1\n"), 400, "There is no table nothing");
    refuses(f.post("", "k\n1\n"), 400, "table is missing");
    refuses(f.post("?table=t", "k\n1\n", "application/json"), 415, "Content-Type");
    refuses(f.post("?table=t", "k\n1\n", "text/csv", "br"), 400, "gzip");
    refuses(f.post("?table=t", "k\n1\n", "text/csv", "gzip"), 400, "damaged");
    CHECK(f.run("exec count(*) from loadTable(\"dfs://db\", `t)") == "0");
}

}  // namespace pelorus
