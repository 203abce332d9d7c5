#include "common/io/file.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "tests/support/temporary_folder.h"

using namespace pelorus;

TEST_CASE("a file is written, read back at any place, and shortened") {
    TemporaryFolder folder;
    FileSystem& files = FileSystem::posix();
    const auto file = files.create(folder / "a");
    file->append("hello ");
    file->append("world");
    file->sync();
    char part[16];
    REQUIRE(file->readAt(6, part, sizeof part) == 5);
    REQUIRE(std::string(part, 5) == "world");
    file->truncate(5);
    REQUIRE(readWholeFile(files, folder / "a") == "hello");
    files.openForAppend(folder / "a")->append("!");
    REQUIRE(readWholeFile(files, folder / "a") == "hello!");
}

TEST_CASE("replaceFile leaves only the new content") {
    TemporaryFolder folder;
    FileSystem& files = FileSystem::posix();
    replaceFile(files, folder / "a", "old");
    replaceFile(files, folder / "a", "new");
    REQUIRE(readWholeFile(files, folder / "a") == "new");
    REQUIRE(files.list(folder.path()) == std::vector<std::string>{"a"});
}

TEST_CASE("an error names the path and the reason") {
    REQUIRE_THROWS_WITH(FileSystem::posix().openForRead("/no/such/file"),
                        Catch::Contains("/no/such/file") && Catch::Contains("No such file"));
}

TEST_CASE("a lock is held once, and tells the second who holds it") {
    TemporaryFolder folder;
    FileSystem& files = FileSystem::posix();
    std::string holder;
    {
        const auto lock = files.lock(folder / "LOCK", &holder);
        REQUIRE(lock);
        lock->describe("pid 12");
        REQUIRE_FALSE(files.lock(folder / "LOCK", &holder));
        REQUIRE(holder == "pid 12");
    }
    REQUIRE(files.lock(folder / "LOCK", &holder));
}

TEST_CASE("an engine that is linked into a program is in the folder of the program") {
    CHECK(folderOfEngine() == folderOfProgram());
    CHECK_FALSE(folderOfEngine().empty());
}
