#include "sql/execution/partition_advice.h"

#include <catch2/catch.hpp>

using namespace pelorus;

// 100 MB to 1 GB per partition, and at most memory / (8 * workers).
TEST_CASE("partitions that are too large or many too small ones are told, others not") {
    constexpr int64_t kMegabyte = 1 << 20, kMemory = int64_t{64} << 30;
    REQUIRE(partitionAdvice({200 * kMegabyte, 300 * kMegabyte}, kMemory, 4).empty());
    REQUIRE(partitionAdvice({kMegabyte, kMegabyte}, kMemory, 4).empty());
    REQUIRE_THAT(partitionAdvice(std::vector<int64_t>(1000, kMegabyte), kMemory, 4),
                 Catch::Contains("1000 partitions hold 1 MB"));
    REQUIRE_THAT(partitionAdvice({2000 * kMegabyte}, kMemory, 4),
                 Catch::Contains("2000 MB") && Catch::Contains("1024 MB"));
    REQUIRE_THAT(partitionAdvice({500 * kMegabyte}, int64_t{8} << 30, 4), Catch::Contains("at most 256 MB"));
}
