#include "net/console_message.h"

#include <catch2/catch.hpp>

#include "common/error.h"

using namespace pelorus;

TEST_CASE("a console message of each kind is read as it was written") {
    ConsoleMessage notice;
    notice.kind = ConsoleMessage::Kind::Notice;
    notice.string = "two\nlines\tand a tab";
    CHECK(parseConsoleMessage(formatConsoleMessage(notice)).string == notice.string);
    ConsoleMessage print;
    CHECK(parseConsoleMessage(formatConsoleMessage(print)).string.empty());

    ConsoleMessage progress;
    progress.kind = ConsoleMessage::Kind::Progress;
    progress.string = "import";
    progress.unit = ProgressUnit::Bytes;
    progress.done = 5;
    progress.total = 10'000'000'000;
    const ConsoleMessage read = parseConsoleMessage(formatConsoleMessage(progress));
    CHECK(read.string == "import");
    CHECK(read.unit == ProgressUnit::Bytes);
    CHECK(read.done == 5);
    CHECK(read.total == 10'000'000'000);

    ConsoleMessage changed;
    changed.kind = ConsoleMessage::Kind::Changed;
    changed.changed = {200'000, 3};
    CHECK(parseConsoleMessage(formatConsoleMessage(changed)).changed.appended == 200'000);
    CHECK(parseConsoleMessage(formatConsoleMessage(changed)).changed.replaced == 3);
}

TEST_CASE("what is no console message is refused") {
    for (const char* string : {"", "x", "p", "pimport\t9\t1\t2", "pimport\t1\t-1\t2", "pimport\t1\tone\t2", "c1", "c\t",
                               "c99999999999999999999\t0"}) {
        INFO(string);
        CHECK_THROWS_AS(parseConsoleMessage(string), SystemError);
    }
}
