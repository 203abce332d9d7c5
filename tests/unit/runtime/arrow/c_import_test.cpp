#include "runtime/arrow/c_import.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "runtime/value/array_vector.h"
#include "tests/unit/runtime/arrow/c_arrays.h"

namespace pelorus {

using namespace testing;

namespace {

const int32_t kNumbers[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
const uint8_t kBits[] = {0b10110101, 0b00000010};

HandMadeBatch numbers() {
    return {fieldOf({"i", Type::Int, 0, ""}), 4, {kBits, kNumbers}};
}

}  // namespace

TEST_CASE("offsets of a column and of its rows add up, within bytes of bits, too") {
    HandMadeBatch batch = numbers();
    batch.column.length = 6;
    batch.column.offset = 3;
    batch.batch.offset = 2;
    const Value got = batch.imported();
    // Bits 5 to 8 are 1 0 1 0.
    REQUIRE(got.size() == 4);
    CHECK(got.at(0).integer() == 5);
    CHECK(got.at(1).isNull());
    CHECK(got.at(2).integer() == 7);
    CHECK(got.at(3).isNull());
}

TEST_CASE("views are read where they lead to, and refused where that is outside") {
    struct View {
        int32_t length;
        char bytes[4];
        int32_t buffer, place;
    };
    const char far[] = "..thirteen bytes";
    const int64_t sizes[] = {16};
    View views[] = {{3, {'a', 'b', 'c', 0}, 0, 0}, {9, {'x', 'x', 'x', 'x'}, 0, 0}, {13, {'t', 'h', 'i', 'r'}, 0, 2}};
    const uint8_t there[] = {0b1101};
    arrow::ArrowField field = fieldOf({"s", Type::String, 0, ""});
    field.type = arrow::ArrowType::LargeUtf8;
    field.hasViews = true;
    HandMadeBatch batch(field, 3, {there, views, far, sizes});
    const Value got = batch.imported();
    CHECK(got.at(0).string() == "abc");
    CHECK(got.at(1).isNull());
    CHECK(got.at(2).string() == "thirteen byte");
    batch.column.offset = 1;
    batch.column.length = batch.batch.length = 2;
    CHECK(batch.imported().at(1).string() == "thirteen byte");
    views[2].place = 4;
    CHECK_THROWS_WITH(batch.imported(), Catch::Contains("outside"));
    views[2] = {13, {}, 1, 0};
    CHECK_THROWS_WITH(batch.imported(), Catch::Contains("absent"));
    views[2] = {-1, {}, 0, 0};
    CHECK_THROWS_AS(batch.imported(), SystemError);
}

TEST_CASE("strings and lists begin where their offsets say") {
    const int32_t ends[] = {0, 2, 2, 5};
    HandMadeBatch strings(fieldOf({"s", Type::String, 0, ""}), 2, {nullptr, ends, "abcde"});
    strings.column.offset = 1;
    CHECK(strings.imported().at(0).string() == "");
    CHECK(strings.imported().at(1).string() == "cde");
    arrow::CArray items = numbers().column;
    items.length = 9;
    items.offset = 1;
    items.nullCount = 0;
    const void* itemBuffers[] = {nullptr, kNumbers};
    items.buffers = itemBuffers;
    arrow::CArray* children[] = {&items};
    HandMadeBatch lists(fieldOf({"l", arrayTypeOf(Type::Int), 0, ""}), 2, {nullptr, ends});
    lists.column.offset = 1;
    lists.column.childCount = 1;
    lists.column.children = children;
    const Value got = lists.imported();
    REQUIRE(got.size() == 2);
    CHECK(got.arrayVector().rowSize(1) == 3);
    CHECK(got.arrayVector().row(1)->at(0).integer() == 3);
    items.length = 4;
    CHECK_THROWS_AS(lists.imported(), SystemError);
}

TEST_CASE("arrays that contradict their schema or themselves are refused") {
    const auto refused = [](auto&& change) {
        HandMadeBatch batch = numbers();
        change(batch);
        try {
            batch.batch.children[0] = &batch.column;
            batch.imported();
        } catch (const SystemError&) {
            return true;
        }
        return false;
    };
    CHECK_FALSE(refused([](HandMadeBatch&) {}));
    CHECK(refused([](HandMadeBatch& b) { b.batch.length = 5; }));
    CHECK(refused([](HandMadeBatch& b) { b.batch.length = -1; }));
    CHECK(refused([](HandMadeBatch& b) { b.batch.offset = 1; }));
    CHECK(refused([](HandMadeBatch& b) { b.column.offset = -1; }));
    CHECK(refused([](HandMadeBatch& b) { b.column.offset = INT64_MAX; }));
    CHECK(refused([](HandMadeBatch& b) { b.column.length = INT64_MAX; }));
    CHECK(refused([](HandMadeBatch& b) { b.column.bufferCount = 1; }));
    CHECK(refused([](HandMadeBatch& b) { b.column.buffers = nullptr; }));
    CHECK(refused([](HandMadeBatch& b) { b.column.buffers[1] = nullptr; }));
    CHECK(refused([](HandMadeBatch& b) { b.column.childCount = 1; }));
    CHECK(refused([](HandMadeBatch& b) { b.column.release = nullptr; }));
    CHECK(refused([](HandMadeBatch& b) { b.batch.release = nullptr; }));
    CHECK(refused([](HandMadeBatch& b) { b.batch.childCount = 2; }));
    CHECK(refused([](HandMadeBatch& b) {
        b.batch.bufferCount = 1;
        b.batch.nullCount = 1;
        b.batch.buffers = b.column.buffers;
    }));
}

TEST_CASE("offsets that go back, and indexes outside of a dictionary, are refused") {
    const int32_t back[] = {0, 4, 2};
    CHECK_THROWS_AS(HandMadeBatch(fieldOf({"s", Type::String, 0, ""}), 2, {nullptr, back, "abcd"}).imported(),
                    SystemError);
    const int32_t negative[] = {0, 1, -1};
    CHECK_THROWS_AS(HandMadeBatch(fieldOf({"s", Type::String, 0, ""}), 2, {nullptr, negative, "abcd"}).imported(),
                    SystemError);
    const arrow::ArrowField symbols = arrow::fieldOf({"y", Type::Symbol, 0, ""}, 0, arrow::SymbolForm::Dictionary);
    HandMadeBatch indexes(symbols, 3, {nullptr, kNumbers});
    CHECK_THROWS_AS(indexes.imported(), SystemError);
    const int32_t ends[] = {0, 1, 2, 3};
    HandMadeBatch strings(fieldOf({"s", Type::String, 0, ""}), 3, {nullptr, ends, "abc"});
    indexes.column.dictionary = &strings.column;
    CHECK(indexes.imported().at(2).string() == "c");
    strings.column.length = 2;
    CHECK_THROWS_AS(indexes.imported(), SystemError);
}

TEST_CASE("the errors of a stream are told, and it is released") {
    static int released;
    released = 0;
    arrow::CStream stream{};
    stream.schema = [](arrow::CStream*, arrow::CSchema*) { return 5; };
    stream.lastError = [](arrow::CStream*) { return "the disk is full"; };
    stream.release = [](arrow::CStream* s) {
        ++released;
        s->release = nullptr;
    };
    CHECK_THROWS_WITH(arrow::ImportedStream(stream), Catch::Contains("the disk is full"));
    CHECK(released == 1);
    CHECK(stream.release == nullptr);
    CHECK_THROWS_WITH(arrow::ImportedStream(stream), Catch::Contains("released"));
}

}  // namespace pelorus
