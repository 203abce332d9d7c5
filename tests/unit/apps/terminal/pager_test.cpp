#include "apps/terminal/pager.h"

#include <unistd.h>
#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>
#include <sstream>

#include "tests/support/environment.h"
#include "tests/support/temporary_folder.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

// A terminal of so many lines whose pager writes what it reads to a file.
struct Screen {
    explicit Screen(int lines, const std::string& command = "cat > ")
        : height("LINES", std::to_string(lines)), width("COLUMNS", "10"), pager("PELORUS_PAGER", command + paged()) {
        std::signal(SIGPIPE, SIG_IGN);
    }
    std::string paged() const { return folder / "paged"; }
    std::string readByPager() const {
        std::stringstream text;
        text << std::ifstream(paged()).rdbuf();
        return text.str();
    }

    TemporaryFolder folder;
    EnvironmentVariable height, width, pager;
    CapturedStream output;
};

}  // namespace

TEST_CASE("what fits the screen is written as it is, more goes to the pager with all before it") {
    if (::isatty(STDOUT_FILENO)) return;  // a terminal knows its own size
    Screen screen(4);
    {
        PagedOutput out(true);
        CHECK(out.write("one\ntwo\nthree\n"));
        CHECK(screen.output.take().empty());
    }
    CHECK(screen.output.take() == "one\ntwo\nthree\n");
    CHECK(screen.readByPager().empty());
    {
        PagedOutput out(true);
        for (int i = 0; i < 100; ++i) CHECK(out.write(std::to_string(i) + "\n"));
    }
    CHECK(screen.output.take().empty());
    CHECK(screen.readByPager().starts_with("0\n1\n2\n3\n"));
    CHECK(screen.readByPager().ends_with("98\n99\n"));
}

TEST_CASE("lines that wrap count as the rows they take, and colours take none") {
    if (::isatty(STDOUT_FILENO)) return;
    Screen screen(4);
    {
        PagedOutput out(true);
        out.write("\033[31m12345\033[0m\033[36m67890\033[0m\na\nb\n");
    }
    CHECK(screen.readByPager().empty());
    screen.output.take();
    {
        PagedOutput out(true);
        out.write("12345678901\na\nb\n");
    }
    CHECK(screen.readByPager() == "12345678901\na\nb\n");
}

TEST_CASE("output that is not paged goes through at once") {
    Screen screen(2);
    PagedOutput out(false);
    CHECK(out.write("one\ntwo\nthree\n"));
    CHECK(screen.output.take() == "one\ntwo\nthree\n");
}

TEST_CASE("a pager that the reader has left takes no more") {
    if (::isatty(STDOUT_FILENO)) return;
    Screen screen(2, "true ");
    PagedOutput out(true);
    bool goesOn = true;
    for (int i = 0; i < 100'000 && goesOn; ++i) goesOn = out.write(std::string(1000, 'x') + "\n");
    CHECK(!goesOn);
    CHECK(!out.write("more\n"));
    CHECK(screen.output.take().empty());
}
