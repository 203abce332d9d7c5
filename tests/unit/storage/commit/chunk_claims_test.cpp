#include "storage/commit/chunk_claims.h"

#include <catch2/catch.hpp>
#include <optional>

#include "common/error.h"

using namespace pelorus;

namespace {

std::string shown(const std::string& path) {
    return "/db" + path;
}

}  // namespace

TEST_CASE("a chunk that an append has is refused to another one, and free again afterwards") {
    std::optional<ChunkClaim> first;
    first.emplace(7, std::vector<std::string>{"/1", "/2"}, shown);
    CHECK_THROWS_WITH((ChunkClaim(7, {"/3", "/2"}, shown)), Catch::Contains("<ChunkInTransaction>") &&
                                                                Catch::Contains("'/db/2'") &&
                                                                Catch::Contains("RefId: S00002"));
    // A refused append has claimed nothing.
    CHECK_NOTHROW(ChunkClaim(7, {"/3"}, shown));
    CHECK_NOTHROW(ChunkClaim(8, {"/1", "/2"}, shown));
    first.reset();
    CHECK_NOTHROW(ChunkClaim(7, {"/1", "/2"}, shown));
}
