#include "apps/editor/input_history.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>
#include <vector>

#include <readline/history.h>
#include <stdio.h>

#include "tests/support/temporary_folder.h"

using namespace pelorus;

namespace {

std::vector<std::string> listed() {
    std::vector<std::string> inputs;
    for (int i = 0; i < history_length; ++i) inputs.emplace_back(history_get(history_base + i)->line);
    return inputs;
}

std::string contentOf(const std::string& file) {
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

}  // namespace

TEST_CASE("an input of several lines is one entry in the next console, too") {
    TemporaryFolder folder;
    const std::string file = folder.path() + "/history";
    std::ofstream(file) << "old line 1\nold line 2\n";  // as consoles wrote it before inputs had times
    clear_history();
    {
        InputHistory history(file);
        history.add("def f(x) {\n  return x\n}");
        history.add("1 + 1");
        history.add("1 + 1");
        history.add(" secret");
    }
    clear_history();
    InputHistory history(file);
    REQUIRE(listed() == std::vector<std::string>{"old line 1", "old line 2", "def f(x) {\n  return x\n}", "1 + 1"});
    REQUIRE(InputHistory::last() == "1 + 1");
    clear_history();
}

TEST_CASE("two consoles append to one history") {
    TemporaryFolder folder;
    const std::string file = folder.path() + "/history";
    clear_history();
    InputHistory one(file), other(file);
    one.add("a\nb");
    other.add("c");
    one.add("d");
    clear_history();
    InputHistory third(file);
    REQUIRE(listed() == std::vector<std::string>{"a\nb", "c", "d"});
    clear_history();
}

TEST_CASE("the history is bounded") {
    TemporaryFolder folder;
    const std::string file = folder.path() + "/history";
    std::ofstream out(file);
    for (int i = 0; i < 9000; ++i) out << "#1700000000\nx = " << i << "\ny\n";
    out.close();
    clear_history();
    InputHistory history(file);
    REQUIRE(history_length == 5000);
    REQUIRE(contentOf(file).starts_with("#1700000000\nx = 4000\ny\n"));
    clear_history();
}

TEST_CASE("passwords are not kept") {
    TemporaryFolder folder;
    const std::string file = folder.path() + "/history";
    clear_history();
    InputHistory history(file);
    history.add("login(\"admin\", \"secret\")");
    REQUIRE(InputHistory::last() == "login(\"admin\", \"***\")");
    REQUIRE(contentOf(file).find("secret") == std::string::npos);
    clear_history();
}
