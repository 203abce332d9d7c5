#include "postgres/parse/pg_query_library.h"

#include <pthread.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

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

TEST_CASE("threads that have parsed leave the process its keys of thread-specific data") {
    const auto freeKeys = [] {
        std::vector<pthread_key_t> keys;
        for (pthread_key_t key = 0; pthread_key_create(&key, nullptr) == 0;) keys.push_back(key);
        for (const pthread_key_t key : keys) pthread_key_delete(key);
        return keys.size();
    };
    CHECK(parseTree("select 1").at("stmts").size() == 1);
    const size_t before = freeKeys();
    for (int i = 0; i < 1'100; ++i) std::thread([] { parseTree("select 1"); }).join();
    CHECK(freeKeys() == before);
}
