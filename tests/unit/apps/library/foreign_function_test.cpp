#include "apps/library/foreign_function.h"

#include <cstring>

#include "tests/unit/apps/library/c_handles.h"

namespace pelorus {

using namespace testing;

namespace {

char* twice(void* data, pelorus_value* const* arguments, size_t count, pelorus_value** result) {
    ++*static_cast<int*>(data);
    if (count != 1 || pelorus_form_of(arguments[0]) != PELORUS_SCALAR) return strdup("one scalar is taken");
    return pelorus_make_integer("LONG", 2 * pelorus_integer_of(arguments[0]), result) ? strdup("no number") : nullptr;
}

char* first(void*, pelorus_value* const* arguments, size_t, pelorus_value** result) {
    return pelorus_item_of(arguments[0], 0, result) ? strdup("nothing in it") : nullptr;
}

}  // namespace

TEST_CASE("scripts call functions of the program, whose errors are theirs") {
    int calls = 0;
    bool isReleased = false;
    {
        const OwnedDatabase database = openTemporary();
        const OwnedSession session = startSession(database);
        static bool* released = nullptr;
        released = &isReleased;
        require(pelorus_define(session.get(), "twice", 1, 0, twice, &calls, [](void*) { *released = true; }));
        CHECK(pelorus_knows(session.get(), "twice") == 2);
        CHECK(pelorus_integer_of(run(session, "twice(twice(3))").get()) == 12);
        CHECK(shown(run(session, "each(twice, 1 2 3)")) == "[2,4,6]");
        CHECK(std::strstr(pelorus_error_message(failureOf(session, "twice(1 2)").get()), "one scalar is taken"));
        CHECK(std::strstr(pelorus_error_message(failureOf(session, "toJson(twice)").get()), "") != nullptr);
    }
    CHECK(calls == 6);
    CHECK(isReleased);
}

TEST_CASE("an elementwise function returns as many elements as it was given") {
    const OwnedDatabase database = openTemporary();
    const OwnedSession session = startSession(database);
    require(pelorus_define(session.get(), "firstOf", 1, 1, first, nullptr, nullptr));
    CHECK(pelorus_integer_of(run(session, "firstOf(5 6)").get()) == 5);
}

}  // namespace pelorus
