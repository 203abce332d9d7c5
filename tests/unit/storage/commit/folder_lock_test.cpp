#include "storage/commit/folder_lock.h"

#include <catch2/catch.hpp>
#include <fstream>

#include "common/error.h"
#include "tests/support/temporary_folder.h"

using namespace pelorus;
using Catch::Matchers::Contains;

TEST_CASE("a second holder is refused, and told who has the folder and where it listens") {
    const TemporaryFolder folder;
    FileSystem& files = FileSystem::posix();
    const std::string path = joinPath(folder.path(), "data");
    {
        FolderLock lock(files, path);
        CHECK_THROWS_WITH(FolderLock(files, path), Contains("in use by this process already"));
        // What a holder in another process has written there.
        const auto announce = [&](const char* holder) { std::ofstream(joinPath(path, "LOCK")) << holder; };
        announce("pid=1\naddress=\n");
        CHECK_THROWS_WITH(FolderLock(files, path),
                          Contains("in use by another process (pid 1)") && Contains("listens to no port"));
        announce("pid=1\naddress=127.0.0.1:8848\n");
        CHECK_THROWS_WITH(FolderLock(files, path), Contains("which serves 127.0.0.1:8848"));
    }
    CHECK_NOTHROW(FolderLock(files, path));
}

TEST_CASE("a data folder is not opened without the log that it was made with") {
    const TemporaryFolder folder;
    FileSystem& files = FileSystem::posix();
    const std::string data = joinPath(folder.path(), "data"), log = joinPath(folder.path(), "log");
    for (const char* name : {"wal", "checkpoint"}) files.makeFolder(joinPath(data, name));
    files.makeFolder(log);
    {
        FolderLock lock(files, data);
        lock.claimLog(log);
        const std::string other = joinPath(folder.path(), "other");
        files.makeFolder(joinPath(other, "wal"));
        files.makeFolder(joinPath(other, "checkpoint"));
        FolderLock second(files, other);
        CHECK_THROWS_WITH(second.claimLog(log), Contains("in use by another process or data folder"));
    }
    FolderLock again(files, data);
    CHECK_THROWS_WITH(again.claimLog(joinPath(data, "wal")), Contains("lies in " + log));
    CHECK_NOTHROW(again.claimLog(log));
}

TEST_CASE("a new data folder takes no log folder that holds something") {
    const TemporaryFolder folder;
    FileSystem& files = FileSystem::posix();
    const std::string data = joinPath(folder.path(), "data"), log = joinPath(folder.path(), "log");
    for (const char* name : {"wal", "checkpoint"}) files.makeFolder(joinPath(data, name));
    files.makeFolder(log);
    files.create(joinPath(log, "1.wal"))->append("records");
    FolderLock lock(files, data);
    CHECK_THROWS_WITH(lock.claimLog(log), Contains("is not empty"));
    CHECK_FALSE(files.exists(joinPath(data, "LOGFOLDER")));
}
