#include "runtime/parquet/memory_file.h"

#include <catch2/catch.hpp>

namespace pelorus {

TEST_CASE("a file in memory reads as one on disk, to its end and not beyond") {
    MemoryFile file("body", "abcdef");
    char bytes[8] = {};
    CHECK(file.readAt(4, bytes, sizeof bytes) == 2);
    CHECK(std::string(bytes) == "ef");
    CHECK(file.readAt(6, bytes, 1) == 0);
    CHECK(file.readAt(-1, bytes, 1) == 0);
    file.append("gh");
    file.overwrite(1, "XY");
    CHECK(file.size() == 8);
    file.truncate(7);
    CHECK(file.takeBytes() == "aXYdefg");
}

}  // namespace pelorus
