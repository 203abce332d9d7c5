// The cache of machine code is bounded, and code goes with its last user.
#include "interpreter/codegen/region_cache.h"

#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

using namespace pelorus;

namespace {

void nothing(const char* const*, const uint64_t*, char*, int64_t) {}

// Code that notes when it is freed.
CompiledBlockRef countedCode(std::atomic<int>& freed) {
    return {new CompiledBlock(nothing), [&freed](const CompiledBlock* block) {
                ++freed;
                delete block;
            }};
}

constexpr int64_t kRoom = int64_t{16} * 64 * 1024;  // 64 KiB a shard

}  // namespace

TEST_CASE("one caller compiles a region, once it is hot") {
    RegionCache cache(kRoom);
    bool mustCompile = false;
    CHECK(cache.find("a", 60, 100, mustCompile) == nullptr);
    CHECK_FALSE(mustCompile);
    CHECK(cache.find("a", 60, 100, mustCompile) == nullptr);
    CHECK(mustCompile);
    CHECK(cache.find("a", 60, 100, mustCompile) == nullptr);
    CHECK_FALSE(mustCompile);
    std::atomic<int> freed{0};
    cache.put("a", countedCode(freed), 1000);
    CHECK(cache.find("a", 1, 100, mustCompile) != nullptr);
    CHECK_FALSE(mustCompile);
    CHECK(cache.find("b", 1, 100, mustCompile) == nullptr);
}

TEST_CASE("the cache keeps to its room, and keeps what is used") {
    std::atomic<int> freed{0};
    RegionCache cache(kRoom);
    bool mustCompile = false;
    cache.put("used", countedCode(freed), 1000);
    const CompiledBlockRef running = [&] {
        cache.put("running", countedCode(freed), 1000);
        return cache.find("running", 0, 1, mustCompile);
    }();
    constexpr int kRegions = 20'000;
    for (int i = 0; i < kRegions; ++i) {
        cache.put("region " + std::to_string(i), countedCode(freed), 1000);
        REQUIRE(cache.find("used", 0, 1, mustCompile) != nullptr);
        REQUIRE(cache.bytes() <= kRoom);
    }
    CHECK(freed > kRegions / 2);
    CHECK(cache.find("running", 0, 1, mustCompile) == nullptr);  // it went
    (*running)(nullptr, nullptr, nullptr, 0);                    // and still runs
    // Regions without code count, too.
    for (int i = 0; i < kRegions; ++i) {
        REQUIRE(cache.find("cold " + std::to_string(i), 1, 100, mustCompile) == nullptr);
        REQUIRE(cache.bytes() <= kRoom);
    }
    // An entry larger than the capacity stays until the next one is added.
    cache.put("large", countedCode(freed), 10 * kRoom);
    CHECK(cache.find("large", 0, 1, mustCompile) != nullptr);
}

TEST_CASE("code is freed once, whoever looks it up meanwhile") {
    std::atomic<int> freed{0};
    std::atomic<int> put{0};
    {
        RegionCache cache(kRoom / 8);
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; ++t) {
            threads.emplace_back([&, t] {
                for (int i = 0; i < 3000; ++i) {
                    const std::string key = "region " + std::to_string((i * 7 + t) % 200);
                    bool mustCompile = false;
                    const CompiledBlockRef code = cache.find(key, 1, 1, mustCompile);
                    if (code) (*code)(nullptr, nullptr, nullptr, 0);
                    if (!code) {
                        cache.put(key, countedCode(freed), 1000);
                        ++put;
                    }
                }
            });
        }
        for (std::thread& thread : threads) thread.join();
    }
    CHECK(freed == put);
    CHECK(put > 200);
}
