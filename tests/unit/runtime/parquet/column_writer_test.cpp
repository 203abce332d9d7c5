#include "runtime/parquet/column_writer.h"

#include <catch2/catch.hpp>
#include <vector>

#include "runtime/parquet/column_type.h"
#include "tests/support/mixed_table.h"

namespace pelorus::parquet_file {

namespace {

// Keeps what it is given.
class KeptColumns final : public FileWriter {
public:
    void beginRowGroup() override {}
    void write(int column, int64_t levels, const int16_t* definitions, const int16_t* repetitions,
               const void*) override {
        place = column;
        for (int64_t i = 0; i < levels; ++i) {
            this->definitions.push_back(definitions[i]);
            this->repetitions.push_back(repetitions == nullptr ? int16_t{0} : repetitions[i]);
        }
    }
    void endRowGroup() override {}
    void close() override {}

    std::vector<int16_t> definitions, repetitions;
    int place = -1;
};

using Levels = std::vector<int16_t>;

}  // namespace

TEST_CASE("NULL has the definition level below that of values") {
    KeptColumns kept;
    writeColumn(kept, 7, storedAs("x", {Type::Int}), testing::mixedColumn(Type::Int, 0, 6), 0, 6);
    CHECK(kept.definitions == Levels{1, 1, 1, 1, 0, 1});
    CHECK(kept.place == 7);
}

TEST_CASE("a list of one NULL is a missing list, other NULLs are missing elements") {
    const Ref<Vector> values = Vector::of<int32_t>(Type::Int, {1, null<int32_t>, null<int32_t>, 4});
    const Value lists = Value::of(makeRef<ArrayVector>(values, std::vector<int32_t>{2, 3, 4}));
    KeptColumns kept;
    writeColumn(kept, 7, storedAs("x", {arrayTypeOf(Type::Int)}), lists, 0, 3);
    CHECK(kept.definitions == Levels{3, 2, 0, 3});
    CHECK(kept.repetitions == Levels{0, 1, 0, 0});
}

}  // namespace pelorus::parquet_file
