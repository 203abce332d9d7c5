#include "runtime/arrow/arrow_decoder.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "runtime/arrow/arrow_encoder.h"
#include "runtime/arrow/flat_view.h"

namespace pelorus::arrow {

namespace {

void append(std::string& bytes, int64_t number) {
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

// A batch of one column: its node, and the places of two buffers in 16 bytes of body.
std::string batchOf(int64_t rows, int64_t length, int64_t begin, int64_t size) {
    std::string node, places;
    append(node, length);
    append(node, 0);
    append(places, 0);
    append(places, 0);
    append(places, begin);
    append(places, size);
    FlatBuilder batch;
    batch.add(0, rows);
    batch.addStructs(1, node, 1);
    batch.addStructs(2, places, 2);
    return batch.finish();
}

Value taken(const std::string& message) {
    ArrowField field;
    field.type = ArrowType::Int;
    field.bitWidth = 64;
    const std::string body(16, '\1');
    BatchDecoder decoder(FlatView(message), body, [](int64_t) {});
    return decoder.take(field, {Type::Long, 0}, {});
}

}  // namespace

TEST_CASE("lengths that contradict each other are refused") {
    CHECK(taken(batchOf(2, 2, 0, 16)).size() == 2);
    CHECK_THROWS_AS(taken(batchOf(2, 3, 0, 16)), SystemError);
    CHECK_THROWS_AS(taken(batchOf(3, 3, 0, 16)), SystemError);
    CHECK_THROWS_AS(taken(batchOf(2, 2, 8, 16)), SystemError);
    CHECK_THROWS_AS(taken(batchOf(2, 2, -8, 16)), SystemError);
    CHECK_THROWS_AS(taken(batchOf(-1, -1, 0, 16)), SystemError);
    CHECK_THROWS_AS(taken(batchOf(int64_t{1} << 40, int64_t{1} << 40, 0, 16)), SystemError);
}

}  // namespace pelorus::arrow
