#include "storage/codec/row_codec.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "runtime/value/array_vector.h"
#include "tests/support/storage_fixture.h"

using namespace pelorus;

namespace {

Ref<MemoryTable> mixedRows() {
    return makeRef<MemoryTable>(
        std::vector<std::string>{"sym", "text", "id", "price", "days"},
        std::vector<Value>{stringVector({"B", "", "B"}), stringVector({"one", "", "\xff three"}, Type::String),
                           longVector({1, null<int64_t>, 3}), doubleVector({1.5, -0.0, null<double>}),
                           Value::of(makeRef<ArrayVector>(Vector::of<int32_t>(Type::Date, {1, 2, 3, 4}),
                                                          std::vector<int32_t>{1, 3, 4}))});
}

std::string encodedRows(const MemoryTable& rows) {
    std::string bytes;
    encodeRows(rows, bytes);
    return bytes;
}

Ref<MemoryTable> decodedRows(std::string_view bytes) {
    ByteReader reader(bytes);
    Ref<MemoryTable> rows = decodeRows(reader);
    CHECK(reader.atEnd());
    return rows;
}

}  // namespace

TEST_CASE("rows of all kinds of columns come back") {
    const Ref<MemoryTable> back = decodedRows(encodedRows(*mixedRows()));
    REQUIRE(back->rowCount() == 3);
    CHECK(back->columns()[0].type == Type::Symbol);
    CHECK(back->columns()[4].name == "days");
    CHECK(back->column(0).at(2).string() == "B");
    CHECK(back->column(1).at(2).string() == "\xff three");
    CHECK(back->column(1).at(1).isNull());
    CHECK(back->column(2).at(1).isNull());
    CHECK(std::signbit(back->column(3).vector().data<double>()[1]));
    CHECK(back->column(4).arrayVector().rowSize(1) == 2);
    const Ref<MemoryTable> none = decodedRows(encodedRows(*mixedRows()->slice(0, 0)));
    CHECK(none->rowCount() == 0);
    CHECK(none->columnCount() == 5);
}

TEST_CASE("a schema comes back with types and scales") {
    TableSchema schema = kTradeSchema;
    schema.push_back({"amount", Type::Decimal64, 4});
    std::string bytes;
    encodeSchema(schema, bytes);
    ByteReader reader(bytes);
    const TableSchema back = decodeSchema(reader);
    REQUIRE(back.size() == 5);
    CHECK(back[4].name == "amount");
    CHECK(back[4].type == Type::Decimal64);
    CHECK(back[4].scale == 4);
    CHECK(back[0].type == Type::Symbol);
}

TEST_CASE("rows that are cut off anywhere are an error") {
    const std::string bytes = encodedRows(*mixedRows());
    for (size_t length = 0; length < bytes.size(); ++length) {
        ByteReader reader(std::string_view(bytes).substr(0, length));
        CHECK_THROWS_AS(decodeRows(reader), SystemError);
    }
}

TEST_CASE("types that a disk cannot hold are refused by the name of their column") {
    CHECK(isStorable(Type::Decimal128));
    CHECK(isStorable(Type::Blob));
    CHECK(isStorable(arrayTypeOf(Type::Double)));
    CHECK(!isStorable(Type::Any));
    CHECK(!isStorable(Type::Void));
    CHECK(!isStorable(arrayTypeOf(Type::String)));
    const Ref<MemoryTable> mixed =
        makeRef<MemoryTable>(std::vector<std::string>{"x"},
                             std::vector<Value>{Value::of(makeRef<Tuple>(std::vector<Value>{Value::ofInt(1)}))});
    std::string bytes;
    CHECK_THROWS_WITH(encodeRows(*mixed, bytes), "The column x has type ANY, which a table on disk cannot hold.");
}
