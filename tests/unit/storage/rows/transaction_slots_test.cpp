#include "storage/rows/transaction_slots.h"

#include <catch2/catch.hpp>

#include <thread>
#include <vector>

using namespace pelorus;

TEST_CASE("all rows with a tag are committed by placing its transaction") {
    TransactionSlots slots;
    const RowStamp tag = slots.begin();
    CHECK(TransactionSlots::isTag(tag));
    CHECK(slots.numberOf(tag) == TransactionSlots::kActive);
    slots.place(tag, 7);
    CHECK(slots.numberOf(tag) == 7);
    CHECK(slots.numberOf(12) == 12);
    slots.end(tag);
}

TEST_CASE("a slot that is used again has another tag") {
    TransactionSlots slots;
    const RowStamp first = slots.begin();
    slots.markAborted(first);
    CHECK(slots.numberOf(first) == TransactionSlots::kAborted);
    slots.end(first);
    const RowStamp second = slots.begin();
    CHECK(second != first);
    CHECK(slots.numberOf(second) == TransactionSlots::kActive);
    slots.end(second);
}

TEST_CASE("more transactions than slots wait for each other") {
    TransactionSlots slots;
    std::vector<RowStamp> tags;
    for (size_t i = 0; i < TransactionSlots::kSlots; ++i) tags.push_back(slots.begin());
    RowStamp last = 0;
    std::thread waiter([&] { last = slots.begin(); });
    slots.end(tags.back());
    tags.pop_back();
    waiter.join();
    CHECK(slots.numberOf(last) == TransactionSlots::kActive);
}
