#include <cstring>

#include "runtime/arrow/c_interface.h"
#include "tests/unit/apps/library/c_handles.h"

namespace pelorus {

using namespace testing;

namespace {

OwnedValue imported(arrow::CStream& stream, const char* const* columns = nullptr, size_t count = 0) {
    pelorus_value* table = nullptr;
    require(pelorus_import(reinterpret_cast<ArrowArrayStream*>(&stream), columns, count, &table));
    return OwnedValue(table);
}

}  // namespace

TEST_CASE("forms, types and sizes of values are told") {
    const OwnedDatabase database = openTemporary();
    const OwnedSession session = startSession(database);
    const auto formOf = [&](const char* script) { return pelorus_form_of(run(session, script).get()); };
    CHECK(formOf("1") == PELORUS_SCALAR);
    CHECK(formOf("1 2") == PELORUS_VECTOR);
    CHECK(formOf("1:2") == PELORUS_PAIR);
    CHECK(formOf("1..4$2:2") == PELORUS_MATRIX);
    CHECK(formOf("set(1 2)") == PELORUS_SET);
    CHECK(formOf("dict(`a`b, 1 2)") == PELORUS_DICTIONARY);
    CHECK(formOf("table(1 2 as a)") == PELORUS_TABLE);
    CHECK(formOf("(1, `a)") == PELORUS_TUPLE);
    CHECK(formOf("sum") == PELORUS_OTHER);
    const OwnedValue matrix = run(session, "1..6$2:3");
    CHECK(pelorus_size_of(matrix.get()) == 2);
    CHECK(pelorus_width_of(matrix.get()) == 3);
    CHECK(std::string(pelorus_type_of(run(session, "2024.01.02").get())) == "DATE");
}

TEST_CASE("what is no table is exported under names that say what it is") {
    const OwnedDatabase database = openTemporary();
    const OwnedSession session = startSession(database);
    for (const auto& [script, expected] :
         {std::pair("1 2 3", "value\n-----\n1    \n2    \n3    "),
          std::pair("dict(`a, 1)", "key value\n--- -----\na   1    "),
          std::pair("1..4$2:2", "c0 c1\n-- --\n1  3 \n2  4 "), std::pair("2.5", "value\n-----\n2.5  ")}) {
        INFO(script);
        arrow::CStream stream{};
        require(pelorus_export(run(session, script).get(), 0, reinterpret_cast<ArrowArrayStream*>(&stream)));
        CHECK(shown(imported(stream)) == expected);
    }
    arrow::CStream stream{};
    const OwnedError error(pelorus_export(run(session, "sum").get(), 0, reinterpret_cast<ArrowArrayStream*>(&stream)));
    REQUIRE(error);
    CHECK(pelorus_error_kind_of(error.get()) == PELORUS_USER_ERROR);
}

TEST_CASE("columns that are not wanted are not imported") {
    const OwnedDatabase database = openTemporary();
    const OwnedSession session = startSession(database);
    arrow::CStream stream{};
    require(pelorus_export(run(session, "table(1 2 as a, 3 4 as b)").get(), 1,
                           reinterpret_cast<ArrowArrayStream*>(&stream)));
    const char* const wanted[] = {"b", "absent"};
    CHECK(shown(imported(stream, wanted, 2)) == "b\n-\n3\n4");
    CHECK(stream.release == nullptr);
}

TEST_CASE("values are made of numbers and texts, and refused where they do not fit") {
    pelorus_value* value = nullptr;
    require(pelorus_make_integer("DATE", 0, &value));
    CHECK(shown(OwnedValue(value)) == "1970.01.01");
    require(pelorus_make_text("STRING", "a b", 3, &value));
    CHECK(shown(OwnedValue(value)) == "a b");
    require(pelorus_make_null("DOUBLE", &value));
    CHECK(pelorus_is_null(OwnedValue(value).get()) == 1);
    CHECK(OwnedError(pelorus_make_integer("SHORT", 70000, &value)) != nullptr);
    CHECK(OwnedError(pelorus_make_integer("STRING", 1, &value)) != nullptr);
    CHECK(OwnedError(pelorus_make_null("NOTHING", &value)) != nullptr);
}

TEST_CASE("tuples, dictionaries and matrices are made of values, and taken apart") {
    const OwnedDatabase database = openTemporary();
    const OwnedSession session = startSession(database);
    const OwnedValue one = run(session, "1"), text = run(session, "`x"),
                     rows = run(session, "table(1 2 as a, 3 4 as b)");
    pelorus_value* const items[] = {one.get(), text.get()};
    pelorus_value* made = nullptr;
    require(pelorus_make_tuple(items, 2, &made));
    const OwnedValue tuple(made);
    require(pelorus_item_of(tuple.get(), 1, &made));
    CHECK(shown(OwnedValue(made)) == "x");
    CHECK(OwnedError(pelorus_item_of(tuple.get(), 2, &made)) != nullptr);
    pelorus_value* const keys[] = {text.get()};
    require(pelorus_make_dictionary(keys, items, 1, &made));
    CHECK(pelorus_size_of(OwnedValue(made).get()) == 1);
    CHECK(OwnedError(pelorus_make_dictionary(items, items, 2, &made)) != nullptr);
    require(pelorus_make_matrix(rows.get(), &made));
    CHECK(pelorus_width_of(OwnedValue(made).get()) == 2);
}

}  // namespace pelorus
