#include "runtime/arrow/arrow_reader.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <random>

#include "common/error.h"
#include "common/io/user_files.h"
#include "runtime/arrow/packed_buffer.h"
#include "tests/support/mixed_table.h"
#include "tests/unit/runtime/arrow/arrow_bytes.h"

namespace pelorus {

using namespace testing;

namespace {

// Reads bytes that may be damaged: rows, or an error of ours.
void readDamaged(const std::string& bytes) {
    try {
        tableOf(bytes, int64_t{64} << 20);
    } catch (const UserError&) {
    } catch (const SystemError&) {
    }
}

}  // namespace

TEST_CASE("a stream with flipped bits gives rows or an error") {
    arrow::ArrowWriter::Options packed;
    packed.codec = arrow::kZstd;
    const std::string plain = arrowBytes(*mixedTable(40)), small = arrowBytes(*mixedTable(40), packed);
    const int rounds = std::getenv("PELORUS_FULL") != nullptr ? 100000 : 1500;
    std::mt19937 random(11);
    for (int round = 0; round < rounds; ++round) {
        std::string bytes = round % 2 == 0 ? plain : small;
        for (size_t flips = 1 + random() % 4; flips > 0; --flips) {
            char& byte = bytes[random() % bytes.size()];
            byte = static_cast<char>(round % 3 == 0 ? random() : byte ^ 1 << random() % 8);
        }
        readDamaged(bytes);
    }
}

TEST_CASE("inputs of the fuzzer, and what other programs write, give rows or an error") {
    UserFiles& files = UserFiles::machine();
    const std::vector<std::string> names = files.list(PELORUS_ARROW_CORPUS);
    REQUIRE(names.size() >= 4);
    for (const std::string& name : names)
        readDamaged(readWholeFile(files, std::string(PELORUS_ARROW_CORPUS) + "/" + name));
    CHECK(tableOf(readWholeFile(files, std::string(PELORUS_ARROW_CORPUS) + "/texts"))->rowCount() == 2);
}

TEST_CASE("a stream that is cut anywhere gives rows or an error") {
    const std::string bytes = arrowBytes(*mixedTable(3));
    for (size_t size = 0; size < bytes.size(); size += 3) readDamaged(bytes.substr(0, size));
}

TEST_CASE("a length that lies takes no memory") {
    std::string bytes = arrowBytes(*mixedTable(3));
    const int64_t huge = int64_t{1} << 60;
    // The first message has no body; its length is the one field of 8 bytes in it.
    for (size_t place = 8; place + 8 < 600; place += 4) {
        std::string lying = bytes;
        std::memcpy(lying.data() + place, &huge, sizeof huge);
        readDamaged(lying);
    }
}

TEST_CASE("columns are chosen, and others passed over") {
    StringInput input(arrowBytes(*mixedTable(10)));
    arrow::ArrowReader reader(input);
    const Ref<MemoryTable> rows = reader.readAll({3, 0});
    REQUIRE(rows->columnCount() == 2);
    CHECK(rows->columns()[0].type == Type::Int);
    CHECK(identical(rows->column(1), mixedTable(10)->column(0)));
}

}  // namespace pelorus
