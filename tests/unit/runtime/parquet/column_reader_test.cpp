#include "runtime/parquet/column_reader.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <vector>

#include "common/error.h"
#include "runtime/parquet/column_type.h"

namespace pelorus::parquet_file {

namespace {

// Returns levels and values of 4 bytes as a file would, at most two at a time.
class GivenColumn final : public ColumnCursor {
public:
    GivenColumn(std::vector<int16_t> definitions, std::vector<int16_t> repetitions, std::vector<int32_t> values)
        : definitions_(std::move(definitions)), repetitions_(std::move(repetitions)), values_(std::move(values)) {}

    Read read(int64_t count, int16_t* definitions, int16_t* repetitions, void* values) override {
        Read got;
        while (got.levels < std::min<int64_t>(count, 2) && level_ < definitions_.size()) {
            if (definitions != nullptr) definitions[got.levels] = definitions_[level_];
            if (repetitions != nullptr) repetitions[got.levels] = repetitions_[level_];
            if (definitions_[level_] == full && value_ < values_.size())
                std::memcpy(static_cast<char*>(values) + 4 * got.values++, &values_[value_++], 4);
            ++level_, ++got.levels;
        }
        return got;
    }
    bool hasCodes() const override { return false; }
    Read readCodes(int64_t, int16_t*, int16_t*, int32_t*, const Bytes*&, int32_t&) override { return {}; }
    void skip(int64_t count) override {
        for (; count > 0; --count) value_ += definitions_[level_++] == full;
    }

    int16_t full = 1;

private:
    std::vector<int16_t> definitions_, repetitions_;
    std::vector<int32_t> values_;
    size_t level_ = 0, value_ = 0;
};

std::vector<int32_t> elementsOf(const Vector& v) {
    return {v.data<int32_t>(), v.data<int32_t>() + v.size()};
}

constexpr int32_t kNull = null<int32_t>;

}  // namespace

TEST_CASE("values are moved apart, and NULL stands where a level has none") {
    ColumnReader reader(readPlan(storedAs("x", {Type::Int}), {Type::Int}),
                        std::make_unique<GivenColumn>(std::vector<int16_t>{0, 1, 1, 0, 1}, std::vector<int16_t>{},
                                                      std::vector<int32_t>{5, 6, 7}));
    const Ref<Vector> target = Vector::make(Type::Int, 5);
    reader.read(*target, 0, 5);
    CHECK(elementsOf(*target) == std::vector<int32_t>{kNull, 5, 6, kNull, 7});
}

TEST_CASE("a reader goes on where it was, or behind what it skips") {
    ColumnReader reader(readPlan(storedAs("x", {Type::Int}), {Type::Int}),
                        std::make_unique<GivenColumn>(std::vector<int16_t>{1, 0, 1, 1}, std::vector<int16_t>{},
                                                      std::vector<int32_t>{1, 3, 4}));
    const Ref<Vector> target = Vector::make(Type::Int, 1);
    reader.read(*target, 0, 1);
    reader.skip(2);
    CHECK(reader.position() == 3);
    reader.read(*target, 0, 1);
    CHECK(elementsOf(*target) == std::vector<int32_t>{4});
    CHECK_THROWS_AS(reader.read(*target, 0, 1), SystemError);
}

TEST_CASE("levels and values that contradict each other are refused") {
    ColumnReader reader(
        readPlan(storedAs("x", {Type::Int}), {Type::Int}),
        std::make_unique<GivenColumn>(std::vector<int16_t>{1, 1}, std::vector<int16_t>{}, std::vector<int32_t>{1}));
    const Ref<Vector> target = Vector::make(Type::Int, 2);
    CHECK_THROWS_AS(reader.read(*target, 0, 2), SystemError);
}

TEST_CASE("each level of a list is an element, a missing list one NULL") {
    auto cursor = std::make_unique<GivenColumn>(std::vector<int16_t>{3, 3, 0, 2, 3},
                                                std::vector<int16_t>{0, 1, 0, 0, 1}, std::vector<int32_t>{1, 2, 4});
    cursor->full = 3;
    ColumnReader reader(readPlan(storedAs("x", {arrayTypeOf(Type::Int)}), {Type::Int}), std::move(cursor));
    const Ref<ArrayVector> lists = reader.readLists(3);
    CHECK(elementsOf(*lists->values()) == std::vector<int32_t>{1, 2, kNull, kNull, 4});
    CHECK(std::vector<int32_t>(lists->ends().begin(), lists->ends().end()) == std::vector<int32_t>{2, 3, 5});
}

}  // namespace pelorus::parquet_file
