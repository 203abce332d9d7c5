#include "apps/terminal/terminal.h"

#include <unistd.h>
#include <catch2/catch.hpp>

#include "tests/support/environment.h"

using namespace pelorus;
using pelorus::testing::EnvironmentVariable;

TEST_CASE("without a terminal the size is that of the environment, within bounds, or 80 by 24") {
    if (::isatty(STDOUT_FILENO)) return;  // it knows better
    const auto size = [](const std::optional<std::string>& columns, const std::optional<std::string>& lines) {
        const EnvironmentVariable width("COLUMNS", columns), height("LINES", lines);
        const TerminalSize found = terminalSize();
        return std::pair(found.columns, found.lines);
    };
    CHECK(size(std::nullopt, std::nullopt) == std::pair(80, 24));
    CHECK(size("132", "50") == std::pair(132, 50));
    CHECK(size("wide", "-3") == std::pair(80, 24));
    CHECK(size("0", "") == std::pair(80, 24));
    CHECK(size("999999", "999999") == std::pair(10'000, 10'000));
}

TEST_CASE("colours are wanted unless somebody refuses them or the terminal has none") {
    const auto wanted = [](const std::optional<std::string>& refused, const std::optional<std::string>& terminal) {
        const EnvironmentVariable no("NO_COLOR", refused), kind("TERM", terminal);
        return areColorsWanted();
    };
    CHECK(wanted(std::nullopt, "xterm-256color"));
    CHECK(wanted("", "xterm"));
    CHECK(!wanted("1", "xterm"));
    CHECK(!wanted(std::nullopt, "dumb"));
    CHECK(!wanted(std::nullopt, ""));
    CHECK(!wanted(std::nullopt, std::nullopt));
}
