#include "storage/segment/block_cache.h"

#include <catch2/catch.hpp>

#include "runtime/value/vector.h"

using namespace pelorus;

static BlockCache::Key key(int32_t block) {
    return {1, block, 0};
}
static Value elements(int32_t block) {
    return Value::of(Vector::of<int32_t>(Type::Int, {block}));
}

TEST_CASE("A block is kept from its second reading on") {
    BlockCache cache(1 << 20);
    REQUIRE(cache.find(key(7)).isVoid());
    cache.offer(key(7), elements(7));
    REQUIRE(cache.find(key(7)).isVoid());
    cache.offer(key(7), elements(7));
    REQUIRE(cache.find(key(7)).at(0).integer() == 7);
    cache.clear();
    cache.offer(key(7), elements(7));
    REQUIRE(cache.usedBytes() == 0);
}

TEST_CASE("Blocks that are read once drive out none that are kept") {
    BlockCache cache(1 << 16);
    for (int reading = 0; reading < 2; ++reading) {
        for (int32_t block = 0; block < 16; ++block) cache.offer(key(block), elements(block));
    }
    const int64_t kept = cache.usedBytes();
    for (int32_t block = 1000; block < 100'000; ++block) cache.offer(key(block), elements(block));
    REQUIRE(cache.usedBytes() == kept);
    for (int32_t block = 0; block < 16; ++block) REQUIRE(cache.find(key(block)).at(0).integer() == block);
}

TEST_CASE("Blocks beyond the limit drive out those not used for longest") {
    BlockCache cache(1 << 16);
    for (int32_t block = 0; block < 10'000; ++block) {
        cache.offer(key(block), elements(block));
        cache.offer(key(block), elements(block));
    }
    REQUIRE(cache.usedBytes() <= 1 << 16);
    REQUIRE(cache.find(key(0)).isVoid());
    REQUIRE(cache.find(key(9'999)).at(0).integer() == 9'999);
}
