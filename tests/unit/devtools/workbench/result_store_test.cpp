#include "devtools/workbench/result_store.h"

#include <catch2/catch.hpp>

#include "devtools/lsp/feature.h"
#include "runtime/value/vector.h"

using namespace pelorus;

namespace {

Value ints(int64_t count) {
    return Value::of(Vector::of<int32_t>(Type::Int, std::vector<int32_t>(static_cast<size_t>(count), 5)));
}

}  // namespace

TEST_CASE("a result is kept under its own handle until it is released") {
    ResultStore store;
    const int64_t first = store.keep(ints(3)).handle, second = store.keep(ints(4)).handle;
    CHECK(first != second);
    CHECK(store.get(first).value.size() == 3);
    CHECK(store.get(second).grid->rowCount() == 4);
    store.release(first);
    store.release(first);
    try {
        store.get(first);
        FAIL("it is kept");
    } catch (const RequestError& error) {
        CHECK(error.code == kRequestFailed);
        CHECK(std::string(error.what()) == "This result is no longer kept; run the script again.");
    }
    CHECK(store.get(second).value.size() == 4);
    store.clear();
    CHECK_THROWS_AS(store.get(second), RequestError);
    // Handles are not given twice.
    CHECK(store.keep(ints(1)).handle > second);
}

TEST_CASE("of more results than are kept the oldest go, and who holds one keeps it") {
    ResultStore store;
    const StoredResult held = store.keep(ints(7));
    int64_t last = 0;
    for (size_t i = 0; i < ResultStore::kMaxResults; ++i) last = store.keep(ints(1)).handle;
    CHECK_THROWS_AS(store.get(held.handle), RequestError);
    CHECK(store.get(held.handle + 1).value.size() == 1);
    CHECK(store.get(last).value.size() == 1);
    CHECK(held.grid->page(0, 10).size() == 7);
}

TEST_CASE("a scalar is told in a text and not kept, rows have a handle, and few of them a text, too") {
    ResultStore store;
    const Json scalar = describeResult(Value::ofInt(42), store);
    CHECK(scalar["kind"] == "text");
    CHECK(scalar["text"].get<std::string>().find("42") != std::string::npos);
    CHECK(!scalar.contains("handle"));
    const Json few = describeResult(ints(20), store);
    CHECK(few["kind"] == "grid");
    CHECK(few["rows"] == 20);
    CHECK(few["columns"][0]["type"] == "INT");
    CHECK(few.contains("text"));
    CHECK(store.get(few["handle"]).value.size() == 20);
    CHECK(!describeResult(ints(21), store).contains("text"));
}
