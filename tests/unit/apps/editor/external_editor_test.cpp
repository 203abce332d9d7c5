#include "apps/editor/external_editor.h"

#include <sys/stat.h>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "common/error.h"
#include "tests/support/environment.h"
#include "tests/support/temporary_folder.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

// An editor that is a script of the shell; it gets the path of the file as $1.
struct Editor {
    explicit Editor(const std::string& script)
        : files("TMPDIR", folder.path() + "/te'mp"), visual("VISUAL", "sh " + (folder / "editor.sh")) {
        std::filesystem::create_directory(folder / "te'mp");
        std::ofstream(folder / "editor.sh") << script;
    }
    bool hasLeftNothing() const { return std::filesystem::is_empty(folder / "te'mp"); }

    TemporaryFolder folder;
    EnvironmentVariable files, visual;
};

}  // namespace

TEST_CASE("the text is what the editor leaves, without blank lines at its end, and the file is gone") {
    {
        const Editor editor("printf 'b = 2\\n\\n  \\n' >> \"$1\"");
        CHECK(editOutside("a = 1") == "a = 1\nb = 2");
        CHECK(editor.hasLeftNothing());
    }
    const Editor emptying(": > \"$1\"");
    CHECK(editOutside("a = 1").empty());
}

TEST_CASE("nobody else can read what is edited") {
    const Editor editor("stat -c %a \"$1\" > \"$1.mode\"; cat \"$1.mode\" > \"$1\"; rm \"$1.mode\"");
    CHECK(editOutside("secret") == "600");
}

TEST_CASE("an editor that fails changes nothing") {
    const Editor editor("echo other > \"$1\"; exit 3");
    try {
        editOutside("a = 1");
        FAIL("its text was taken");
    } catch (const UserError& error) {
        CHECK(std::string(error.what()).ends_with("editor.sh ended with status 3; its text is not taken."));
        CHECK(error.hint() == "EDITOR names the editor.");
    }
    CHECK(editor.hasLeftNothing());
    const EnvironmentVariable nowhere("TMPDIR", "/nowhere");
    CHECK_THROWS_WITH(editOutside("a = 1"), "No file can be made in /nowhere: No such file or directory.");
}

TEST_CASE("without an editor the user is told how to name one") {
    const TemporaryFolder empty;
    const EnvironmentVariable visual("VISUAL", ""), editor("EDITOR", std::nullopt), path("PATH", empty.path());
    CHECK_THROWS_WITH(editOutside("a = 1"), "No editor is found.");
}

TEST_CASE("a command of the shell returns its status, or that of the signal that ended it") {
    CHECK(runInShell("exit 7") == 7);
    CHECK(runInShell("true") == 0);
    CHECK(runInShell("kill -9 $$") == 128 + 9);
    const EnvironmentVariable shell("SHELL", "/bin/false");
    CHECK(runInShell("") == 1);
}
