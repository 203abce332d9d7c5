#include "postgres/parse/pg_query_library.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <thread>

#include "postgres/sql_error.h"

using namespace pelorus::postgres;

TEST_CASE("a text becomes a tree of statements") {
    CHECK(parseTree("select 1; select 2").at("stmts").size() == 2);
    CHECK(parseTree("").value("stmts", nlohmann::json::array()).empty());
    CHECK_THROWS_AS(parseTree("selekt"), SqlError);
}

TEST_CASE("threads parse at the same time, deep texts beside short ones") {
    std::string deep = "select 1";
    for (int i = 0; i < 5'000; ++i) deep += "+1";
    std::vector<std::thread> threads;
    std::atomic<int> parsed = 0;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&, i] {
            for (int k = 0; k < 20; ++k)
                parsed += static_cast<int>(parseTree(i % 2 == 0 ? deep : "select a from t").at("stmts").size());
        });
    for (auto& thread : threads) thread.join();
    CHECK(parsed == 80);
}
