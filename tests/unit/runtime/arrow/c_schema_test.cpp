#include "runtime/arrow/c_schema.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "tests/support/mixed_table.h"

namespace pelorus::arrow {

namespace {

// A structure made by hand, which nobody need free.
struct HandMade {
    explicit HandMade(const char* format) {
        schema.format = format;
        schema.release = [](CSchema* s) { s->release = nullptr; };
    }
    CSchema schema{};
};

// Returns the type of one column with this format, as text, or what stands in its way.
std::string typeFor(const char* format) {
    HandMade rows("+s"), column(format);
    CSchema* children[] = {&column.schema};
    rows.schema.children = children;
    rows.schema.childCount = 1;
    const ArrowSchema schema = importSchema(rows.schema);
    std::string obstacle;
    const TypeSpec type = typeOf(schema.fields[0], obstacle);
    return obstacle.empty() ? typeString(type.type, type.scale) : obstacle;
}

}  // namespace

TEST_CASE("a schema comes back from the interface as it was") {
    ArrowSchema schema;
    schema.metadata = {{"key", "value"}, {"empty", ""}};
    const Ref<MemoryTable> table = testing::mixedTable(1);
    for (const ColumnSchema& column : table->columns())
        schema.fields.push_back(fieldOf(column, static_cast<int64_t>(schema.fields.size()), SymbolForm::Dictionary));
    CSchema exported{};
    exportSchema(schema, exported);
    const ArrowSchema back = importSchema(exported);
    // A child that a consumer takes out is its own.
    CSchema taken = *exported.children[0];
    exported.children[0]->release = nullptr;
    exported.release(&exported);
    CHECK(exported.release == nullptr);
    CHECK(std::string(taken.name) == schema.fields[0].name);
    taken.release(&taken);
    CHECK(back.metadata == schema.metadata);
    REQUIRE(back.fields.size() == schema.fields.size());
    for (size_t i = 0; i < schema.fields.size(); ++i) {
        std::string obstacle;
        const TypeSpec expected = typeOf(schema.fields[i], obstacle), got = typeOf(back.fields[i], obstacle);
        CHECK(back.fields[i].name == schema.fields[i].name);
        CHECK((got.type == expected.type && got.scale == expected.scale));
    }
}

TEST_CASE("formats of other libraries are the types that they say") {
    CHECK(typeFor("I") == "LONG");
    CHECK(typeFor("e") == "FLOAT");
    CHECK(typeFor("U") == "STRING");
    CHECK(typeFor("d:10,2") == "DECIMAL64(2)");
    CHECK(typeFor("d:9,2,32") == "DECIMAL32(2)");
    CHECK(typeFor("tsu:Europe/Paris") == "NANOTIMESTAMP");
    CHECK(typeFor("tts") == "SECOND");
    CHECK(typeFor("tdm") == "TIMESTAMP");
    CHECK(typeFor("w:16") == "UUID");
    CHECK(typeFor("tDs") == "a duration");
    CHECK(typeFor("vu") == "STRING");
    CHECK(typeFor("vz") == "BLOB");
    CHECK(typeFor("d:x").find("not known here") != std::string::npos);
    CHECK(typeFor("").find("not known here") != std::string::npos);
}

TEST_CASE("structures that contradict the interface are refused") {
    CHECK_THROWS_AS(typeFor(nullptr), SystemError);
    CHECK_THROWS_AS(typeFor("w:-1"), SystemError);
    HandMade column("i");
    CHECK_THROWS_AS(importSchema(column.schema), SystemError);  // no array of structures
    HandMade rows("+s");
    rows.schema.childCount = -1;
    CHECK_THROWS_AS(importSchema(rows.schema), SystemError);
    rows.schema.childCount = 1;
    CHECK_THROWS_AS(importSchema(rows.schema), SystemError);
    CSchema* children[] = {&rows.schema};
    rows.schema.children = children;  // endless
    CHECK_THROWS_WITH(importSchema(rows.schema), Catch::Contains("nested too deeply"));
    children[0] = &column.schema;
    column.schema.release = nullptr;
    CHECK_THROWS_WITH(importSchema(rows.schema), Catch::Contains("released"));
}

}  // namespace pelorus::arrow
