#include "storage/rows/row_images.h"

#include <catch2/catch.hpp>

#include "common/error.h"

#include "row_samples.h"

using namespace pelorus;

static RowImages someImages() {
    RowImages images;
    images.number = 700;
    images.logFile = 9;
    images.tables[3] = {kSampleColumns, {{8, 8, 1000}, {9, 1008, 20}}};
    images.tables[5] = {{{Type::Decimal64, 4}}, {}};
    return images;
}

TEST_CASE("the places of images come back as they were written") {
    std::string bytes;
    encodeRowImages(someImages(), bytes);
    ByteReader reader(bytes);
    const RowImages read = decodeRowImages(reader);
    CHECK(reader.atEnd());
    CHECK(read.number == 700);
    CHECK(read.logFile == 9);
    REQUIRE(read.tables.size() == 2);
    CHECK(read.tables.at(3).columns == kSampleColumns);
    CHECK(read.tables.at(3).pages == someImages().tables.at(3).pages);
    CHECK(read.tables.at(5).columns == RowColumns{{Type::Decimal64, 4}});
}

TEST_CASE("places of images that are cut short, or name a column of no row table, are refused") {
    std::string bytes;
    encodeRowImages(someImages(), bytes);
    for (size_t size = 0; size < bytes.size(); ++size) {
        CAPTURE(size);
        ByteReader reader(std::string_view(bytes).substr(0, size));
        CHECK_THROWS_AS(decodeRowImages(reader), SystemError);
    }
    RowImages images = someImages();
    images.tables[3].columns[0].type = Type::Any;
    bytes.clear();
    encodeRowImages(images, bytes);
    ByteReader reader(bytes);
    CHECK_THROWS_AS(decodeRowImages(reader), SystemError);
}
