#include "common/io/user_files.h"

#include <sys/stat.h>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "common/error.h"
#include "tests/support/temporary_folder.h"

using namespace pelorus;

namespace {

void write(const std::string& path, const std::string& text) {
    std::ofstream(path) << text;
}

std::string contentOf(const std::string& path) {
    return readWholeFile(UserFiles::machine(), path);
}

}  // namespace

TEST_CASE("a file that is created is empty, and one that is opened keeps what it has") {
    const TemporaryFolder folder;
    UserFiles& files = UserFiles::machine();
    write(folder / "f", "before");
    files.create(folder / "f")->append("new");
    CHECK(contentOf(folder / "f") == "new");
    files.openForAppend(folder / "f")->append("er");
    CHECK(contentOf(folder / "f") == "newer");
    CHECK_THROWS_AS(files.openForAppend(folder / "none"), SystemError);
    CHECK_THROWS_AS(files.openForRead(folder / "none"), SystemError);
    CHECK_THROWS_WITH(files.openForRead(std::string("a\0b", 3)), "A path must not contain a zero byte.");
}

TEST_CASE("pipes are refused and not waited for, and a folder is no file") {
    const TemporaryFolder folder;
    UserFiles& files = UserFiles::machine();
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    CHECK_THROWS_WITH(files.openForRead(folder / "pipe"), Catch::Contains("it is a pipe."));
    CHECK_THROWS_WITH(files.openStream(folder / "pipe", "a"), Catch::Contains("it is a pipe, a socket or a device."));
    CHECK_THROWS_WITH(files.openForRead(folder.path()), Catch::Contains("it is a folder."));
}

TEST_CASE("streams are opened in the modes of C") {
    const TemporaryFolder folder;
    UserFiles& files = UserFiles::machine();
    const auto put = [&](std::string_view mode, const char* text) {
        std::fputs(text, files.openStream(folder / "f", mode).get());
        return contentOf(folder / "f");
    };
    CHECK_THROWS_AS(files.openStream(folder / "f", "r"), SystemError);
    CHECK_THROWS_AS(files.openStream(folder / "f", "r+"), SystemError);
    CHECK(put("w", "first") == "first");
    CHECK(put("a", "+more") == "first+more");
    CHECK(put("r+", "F") == "First+more");
    CHECK(put("w+", "x") == "x");
}

TEST_CASE("folders are made with those above, and removed without following links") {
    const TemporaryFolder folder;
    UserFiles& files = UserFiles::machine();
    files.makeFolder(folder / "a/b/c/");
    CHECK(files.isFolder(folder / "a/b/c"));
    CHECK_NOTHROW(files.makeFolder(folder / "a/b"));
    write(folder / "kept", "text");
    std::filesystem::create_directory(folder / "other");
    write(folder / "other/inner", "text");
    std::filesystem::create_symlink(folder / "other", folder / "a/b/link");
    write(folder / "a/b/c/f", "text");
    CHECK_THROWS_AS(files.remove(folder / "a"), SystemError);
    files.removeAll(folder / "a", true);
    CHECK(files.list(folder / "a").empty());
    CHECK(files.isFolder(folder / "a"));
    files.removeAll(folder / "a", false);
    CHECK(!files.exists(folder / "a"));
    CHECK(contentOf(folder / "other/inner") == "text");
    CHECK_NOTHROW(files.remove(folder / "never/was"));
    CHECK(files.list(folder / "never").empty());
    CHECK_THROWS_AS(files.remove(folder / "other/.."), SystemError);
}

TEST_CASE("facts are those of the file, and its time can be set, also before 1970") {
    const TemporaryFolder folder;
    UserFiles& files = UserFiles::machine();
    CHECK(!files.facts(folder / "none"));
    write(folder / "f", "12345");
    CHECK(!files.facts(folder / "f/below"));
    CHECK(files.facts(folder / "f")->sizeBytes == 5);
    CHECK(files.facts(folder / "f")->isFile);
    CHECK(files.facts(folder.path())->isFolder);
    for (const int64_t millis : {int64_t{1'700'000'000'123}, int64_t{0}, int64_t{-1}, int64_t{-86'400'001}}) {
        files.setModified(folder / "f", millis);
        CHECK(files.facts(folder / "f")->modifiedMillis == millis);
    }
    files.rename(folder / "f", folder / "g");
    CHECK(!files.exists(folder / "f"));
    CHECK_THROWS_AS(files.rename(folder / "f", folder / "h"), SystemError);
    std::string holder;
    const auto lock = files.lock(folder / "LOCK", nullptr);
    lock->describe("me");
    CHECK(!files.lock(folder / "LOCK", &holder));
    CHECK(holder == "me");
}
