#include "apps/console/console_words.h"

#include <catch2/catch.hpp>

#include "common/error.h"

using namespace pelorus;

namespace {

struct Words {
    Words() {
        words.add(
            {"run", "FILE", "runs a script", [this](const std::string& arguments) { given = "run " + arguments; }});
        words.add({"q", "", "leaves", [this](const std::string& arguments) { given = "q " + arguments; }});
    }
    std::string hintFor(const char* input) const {
        try {
            words.run(input);
        } catch (const UserError& error) {
            return std::string(error.what()) + " " + std::string(error.hint());
        }
        return "it ran";
    }
    ConsoleWords words;
    std::string given;
};

}  // namespace

TEST_CASE("a word gets the rest of its line without the blanks around") {
    Words console;
    console.words.run("  \\run  my file.dos \n");
    CHECK(console.given == "run my file.dos");
    console.words.run("\\q");
    CHECK(console.given == "q ");
    CHECK(ConsoleWords::isWord(" \t\\q"));
    CHECK(!ConsoleWords::isWord("x \\ y"));
    CHECK(!ConsoleWords::isWord(""));
}

TEST_CASE("a word that is none is refused with near ones") {
    const Words console;
    CHECK(console.hintFor("\\rnu x") == "The console has no word \\rnu. Did you mean \\run? \\? lists all.");
    CHECK(console.hintFor("\\somethingelse") == "The console has no word \\somethingelse. \\? lists its words.");
    CHECK(console.given.empty());
}

TEST_CASE("the list has a line for each word, and their help in one column") {
    CHECK(Words().words.list() == "\\run FILE  runs a script\n\\q         leaves\n");
}
