#include "storage/version/volumes.h"

#include <catch2/catch.hpp>
#include <fstream>

#include "common/error.h"
#include "storage/format.h"
#include "tests/support/temporary_folder.h"

using namespace pelorus;

namespace {

FileSystem& files() {
    return FileSystem::posix();
}

}  // namespace

TEST_CASE("without volumes files are in the data folder, and with them in each in turn") {
    const TemporaryFolder folder;
    Volumes alone(files(), folder / "own", {}, 1);
    CHECK(alone.folderFor(1) == folder / "own");
    CHECK(alone.folderFor(2) == folder / "own");
    CHECK(alone.pathOf(2) == folder / ("own/" + format::numberedName(2, ".seg")));
    Volumes several(files(), folder / "own", {folder / "a", folder / "b"}, 1);
    CHECK(several.folderFor(1) == folder / "a/segments");
    CHECK(several.folderFor(2) == folder / "b/segments");
    CHECK(several.folderFor(3) == folder / "a/segments");
    CHECK(several.pathOf(2) == folder / ("b/segments/" + format::numberedName(2, ".seg")));
    // One that is nowhere would be in the own folder.
    CHECK(several.pathOf(99) == folder / ("own/" + format::numberedName(99, ".seg")));
}

TEST_CASE("files that were made before are found where they are, and other names are passed over") {
    const TemporaryFolder folder;
    {
        Volumes before(files(), folder / "own", {folder / "a", folder / "b"}, 1);
        std::ofstream(folder / ("b/segments/" + format::numberedName(7, ".seg"))) << "x";
        std::ofstream(folder / "b/segments/notes.txt") << "x";
    }
    const Volumes after(files(), folder / "own", {folder / "b"}, 1);
    CHECK(after.pathOf(7) == folder / ("b/segments/" + format::numberedName(7, ".seg")));
}

TEST_CASE("a volume belongs to one data folder at a time") {
    const TemporaryFolder folder;
    {
        const Volumes first(files(), folder / "own", {folder / "a"}, 1);
        CHECK_THROWS_WITH(Volumes(files(), folder / "other", {folder / "a"}, 1),
                          "The volume " + (folder / "a") + " is in use by another process or data folder.");
    }
    CHECK_NOTHROW(Volumes(files(), folder / "other", {folder / "a"}, 1));
}

TEST_CASE("disks that are filled beyond the threshold take no file") {
    const TemporaryFolder folder;
    Volumes full(files(), folder / "own", {folder / "a", folder / "b"}, -1);
    CHECK_THROWS_WITH(full.folderFor(1),
                      "Every volume is filled beyond volumeUsageThreshold=-1: no column file is written.");
}
