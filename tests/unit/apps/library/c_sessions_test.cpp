#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "tests/unit/apps/library/c_handles.h"

namespace pelorus {

using namespace testing;

TEST_CASE("the last expression of a script is its value, and prints are handed over") {
    const OwnedDatabase database = openTemporary();
    const OwnedSession session = startSession(database);
    std::string printed;
    const pelorus_events events{
        nullptr,
        [](void* data, const char* line, size_t bytes) { static_cast<std::string*>(data)->append(line, bytes); },
        &printed};
    const OwnedValue value = run(session, "x = 4\nprint(`hello)\nx * 2", &events);
    CHECK(pelorus_integer_of(value.get()) == 8);
    CHECK(printed == "hello");
    CHECK(pelorus_knows(session.get(), "x") == 1);
    CHECK(pelorus_knows(session.get(), "y") == 0);
    CHECK(pelorus_is_null(run(session, "x = 5").get()) == 1);
}

TEST_CASE("sessions have variables of their own, and share tables") {
    const OwnedDatabase database = openTemporary();
    const OwnedSession first = startSession(database), second = startSession(database);
    run(first, "x = 1; share table(1..3 as a) as ofLibraryTest");
    CHECK(pelorus_knows(second.get(), "x") == 0);
    CHECK(pelorus_integer_of(run(second, "exec sum(a) from ofLibraryTest").get()) == 6);
    run(second, "undef(`ofLibraryTest, SHARED)");
}

TEST_CASE("poll ends a statement, and the session goes on") {
    const OwnedDatabase database = openTemporary();
    const OwnedSession session = startSession(database);
    const pelorus_events events{[](void*) { return 1; }, nullptr, nullptr};
    const OwnedError error = failureOf(session, "do { x = 1 } while(true)", &events);
    CHECK(pelorus_error_kind_of(error.get()) == PELORUS_CANCELLED);
    CHECK(pelorus_integer_of(run(session, "1 + 1").get()) == 2);
}

TEST_CASE("a busy session refuses a second statement, and ends when it is told to") {
    const OwnedDatabase database = openTemporary();
    OwnedSession session = startSession(database);
    std::atomic<bool> isRunning{false};
    const pelorus_events events{[](void* data) {
                                    *static_cast<std::atomic<bool>*>(data) = true;
                                    return 0;
                                },
                                nullptr, &isRunning};
    std::thread other(
        [&] { CHECK(pelorus_error_kind_of(failureOf(session, "sleep(60000)", &events).get()) == PELORUS_CANCELLED); });
    while (!isRunning) std::this_thread::yield();
    CHECK(pelorus_error_kind_of(failureOf(session, "1").get()) == PELORUS_MISUSE);
    pelorus_cancel(session.get());
    other.join();
}

TEST_CASE("a folder has one owner, and keeps its tables") {
    const std::string folder =
        (std::filesystem::temp_directory_path() / ("library_test_" + std::to_string(::getpid()))).string();
    pelorus_database* opened = nullptr;
    require(pelorus_open(folder.c_str(), nullptr, &opened));
    {
        const OwnedDatabase database(opened);
        pelorus_database* again = nullptr;
        const OwnedError refused(pelorus_open(folder.c_str(), nullptr, &again));
        REQUIRE(refused);
        CHECK(pelorus_error_kind_of(refused.get()) == PELORUS_SYSTEM_ERROR);
        run(startSession(database),
            "db = database('dfs://kept', VALUE, 1..3); t = table(1 2 3 as k); pt = db.createPartitionedTable(t, `t, "
            "`k); "
            "pt.append!(t)");
    }
    require(pelorus_open(folder.c_str(), nullptr, &opened));
    const OwnedDatabase database(opened);
    CHECK(pelorus_integer_of(run(startSession(database), "exec sum(k) from loadTable('dfs://kept', `t)").get()) == 6);
    std::filesystem::remove_all(folder);
}

TEST_CASE("variables are put and taken, functions called by name") {
    const OwnedDatabase database = openTemporary();
    const OwnedSession session = startSession(database);
    const OwnedValue seven = run(session, "7");
    require(pelorus_put(session.get(), "n", seven.get()));
    pelorus_value* got = nullptr;
    require(pelorus_get(session.get(), "n", &got));
    const OwnedValue owned(got);
    CHECK(pelorus_integer_of(got) == 7);
    pelorus_value* const arguments[] = {seven.get(), got};
    pelorus_value* product = nullptr;
    require(pelorus_call(session.get(), "mul", arguments, 2, nullptr, &product));
    CHECK(pelorus_integer_of(OwnedValue(product).get()) == 49);
    pelorus_value* none = nullptr;
    CHECK(OwnedError(pelorus_get(session.get(), "absent", &none)) != nullptr);
}

TEST_CASE("a process that forked is told so") {
    const OwnedDatabase database = openTemporary();
    const OwnedSession session = startSession(database);
    run(session, "1");
    const pid_t child = ::fork();
    if (child == 0) {
        pelorus_value* value = nullptr;
        pelorus_error* const error = pelorus_run(session.get(), "1", 1, nullptr, &value);
        ::_exit(error && pelorus_error_kind_of(error) == PELORUS_MISUSE ? 0 : 1);
    }
    int status = -1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    CHECK(pelorus_integer_of(run(session, "2").get()) == 2);
}

}  // namespace pelorus
