#include "common/io/open_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>
#include <fstream>

#include "common/error.h"
#include "common/io/disk_full.h"
#include "tests/support/temporary_folder.h"

using namespace pelorus;

namespace {

Descriptor opened(const std::string& path, int flags) {
    return Descriptor(::open(path.c_str(), flags | O_CLOEXEC, 0666));
}

}  // namespace

TEST_CASE("an error of the system says what failed, and what can be done") {
    struct Case {
        int error;
        std::string what, hint;
        bool isRetryable;
    };
    const Case cases[] = {
        {EACCES, "Cannot open /x: Permission denied.", "Check who may write to this place.", false},
        {EROFS, "Cannot open /x: Read-only file system.", "Check who may write to this place.", false},
        {EMFILE, "Cannot open /x: Too many open files.", "Raise the limit of open files (ulimit -n).", true},
        {ENOENT, "Cannot open /x: No such file or directory.", "", false},
        {ENOSPC, "Cannot open /x: No space left on device.", "Free space on this disk, then try again.", true},
    };
    for (const Case& one : cases) {
        try {
            errno = one.error;
            throwErrno("open", "/x");
        } catch (const SystemError& error) {
            CHECK(error.what() == one.what);
            CHECK(error.hint() == one.hint);
            if (one.error != ENOSPC) CHECK(error.retryable() == one.isRetryable);
            CHECK((dynamic_cast<const DiskFull*>(&error) != nullptr) == (one.error == ENOSPC));
        }
    }
}

TEST_CASE("a file is appended to at its end, wherever it was overwritten or cut") {
    const TemporaryFolder folder;
    std::ofstream(folder / "f") << "0123456789";
    const auto file = makeFile(opened(folder / "f", O_RDWR), folder / "f");
    file->append("ab");
    file->overwrite(1, "XY");
    file->append("c");
    CHECK(file->size() == 13);
    std::string bytes(20, '.');
    CHECK(file->readAt(0, bytes.data(), 20) == 13);
    CHECK(bytes.substr(0, 13) == "0XY3456789abc");
    CHECK(file->readAt(13, bytes.data(), 1) == 0);
    file->truncate(4);
    file->append("end");
    CHECK(file->readAt(2, bytes.data(), 10) == 5);
    CHECK(bytes.substr(0, 5) == "Y3end");
    CHECK_NOTHROW(file->sync());
    const auto readOnly = makeFile(opened(folder / "f", O_RDONLY), folder / "f");
    CHECK_THROWS_WITH(readOnly->append("x"), Catch::StartsWith("Cannot write to " + (folder / "f")));
}

TEST_CASE("a lock is had by one at a time, also within the process, and ends with its object") {
    const TemporaryFolder folder;
    const std::string path = folder / "LOCK";
    auto first = makeLock(opened(path, O_RDWR | O_CREAT), path);
    REQUIRE(first);
    first->describe("a long description");
    first->describe("short");
    std::string text;
    std::getline(std::ifstream(path), text);
    CHECK(text == "short");
    CHECK(!makeLock(opened(path, O_RDWR), path));
    first.reset();
    CHECK(makeLock(opened(path, O_RDWR), path));
}

TEST_CASE("the names of a folder are sorted, hidden ones among them") {
    const TemporaryFolder folder;
    CHECK(namesIn(opened(folder.path(), O_RDONLY | O_DIRECTORY), folder.path()).empty());
    for (const char* name : {"b", ".hidden", "a"}) std::ofstream(folder / name) << "";
    std::filesystem::create_directory(folder / "c");
    CHECK(namesIn(opened(folder.path(), O_RDONLY | O_DIRECTORY), folder.path()) ==
          std::vector<std::string>{".hidden", "a", "b", "c"});
    CHECK_THROWS_AS(namesIn(opened(folder / "a", O_RDONLY), folder / "a"), SystemError);
    const double used = usedShareOf(opened(folder.path(), O_RDONLY), folder.path());
    CHECK(used >= 0);
    CHECK(used <= 1);
}

TEST_CASE("files below a folder are read, and nothing else of the machine") {
    const TemporaryFolder folder;
    const std::filesystem::path base = folder.path(), root = base / "root";
    std::filesystem::create_directories(root / "sub");
    std::ofstream(base / "secret.txt") << "secret";
    std::ofstream(root / "a.txt") << "text";
    std::ofstream(root / "sub/b.txt") << "below";
    std::filesystem::create_symlink("../secret.txt", root / "link.txt");
    std::filesystem::create_symlink(base / "secret.txt", root / "absolute.txt");
    std::filesystem::create_directory_symlink("..", root / "up");
    REQUIRE(::mkfifo((root / "fifo").c_str(), 0600) == 0);

    const Descriptor open = openFolder(root.string());
    const auto size = [&](const std::string& path) {
        const std::unique_ptr<File> file = openFileBeneath(open, path);
        return file ? file->size() : -1;
    };
    CHECK(size("a.txt") == 4);
    CHECK(size("sub/b.txt") == 5);
    CHECK(size("sub/../a.txt") == 4);
    for (const std::string& path :
         {std::string("../secret.txt"), std::string("sub/../../secret.txt"), std::string("link.txt"),
          std::string("absolute.txt"), std::string("up/secret.txt"), (base / "secret.txt").string(),
          std::string("/etc/passwd"), std::string("sub"), std::string(""), std::string("."), std::string("fifo"),
          std::string("none.txt"), std::string("a.txt\0.html", 11)}) {
        INFO(path);
        CHECK(size(path) == -1);
    }
    CHECK_THROWS_AS(openFolder((base / "none").string()), SystemError);
}
