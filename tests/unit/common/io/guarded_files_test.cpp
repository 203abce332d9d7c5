#include "common/io/guarded_files.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <functional>

#include "common/error.h"
#include "tests/support/temporary_folder.h"

using namespace pelorus;
namespace fs = std::filesystem;

namespace {

// A data folder that is shut but for a folder of files in it, and a folder outside.
struct Place {
    TemporaryFolder root;
    std::string data = root / "data", files = data + "/files", wal = data + "/wal", outside = root / "outside";
    std::shared_ptr<GuardedFiles> guarded;

    Place() {
        for (const std::string& folder : {files, wal, outside}) fs::create_directories(folder);
        std::ofstream(wal + "/1.log") << "key";
        std::ofstream(data + "/audit.log") << "who";
        std::ofstream(files + "/own.csv") << "own";
        fs::create_symlink(wal, files + "/link");
        fs::create_symlink(data + "/audit.log", outside + "/link.log");
        fs::create_symlink(data + "/fresh", outside + "/dangling");
        guarded = std::make_shared<GuardedFiles>(std::vector<std::string>{fs::canonical(data).string()},
                                                 std::vector<std::string>{fs::canonical(files).string()});
    }
};

bool isRefused(const std::function<void()>& call) {
    try {
        call();
    } catch (const UserError& error) {
        return std::string(error.what()).starts_with("<NoPrivilege>");
    } catch (const SystemError&) {
        return false;
    }
    return false;
}

}  // namespace

TEST_CASE("what the server keeps for itself is opened, removed and replaced by no path") {
    const Place place;
    GuardedFiles& files = *place.guarded;
    for (const std::string& path :
         {place.data + "/audit.log", place.wal + "/1.log", place.files + "/../audit.log", place.files + "/link/1.log",
          place.outside + "/link.log", place.outside + "/../data/wal/1.log", std::string("/proc/self/mem"),
          std::string("/proc/self/environ"), "/proc/self/root" + place.data + "/audit.log"}) {
        INFO(path);
        CHECK(isRefused([&] { files.openForRead(path); }));
        CHECK(isRefused([&] { files.openForAppend(path); }));
        CHECK(isRefused([&] { files.create(path); }));
        CHECK(isRefused([&] { files.openStream(path, "a"); }));
        CHECK(isRefused([&] { files.facts(path); }));
    }
    for (const std::string& path : {place.data + "/fresh", place.wal + "/2.log", place.files + "/link/2.log"}) {
        INFO(path);
        CHECK(isRefused([&] { files.create(path); }));
        CHECK(isRefused([&] { files.makeFolder(path); }));
        CHECK(isRefused([&] { files.rename(place.files + "/own.csv", path); }));
        CHECK_FALSE(fs::exists(path));
    }
    CHECK_THROWS(files.create(place.outside + "/dangling"));  // a link is not followed to a new file
    CHECK_FALSE(fs::exists(place.data + "/fresh"));
    for (const std::string& path : {place.wal, place.data, place.root.path(), place.data + "/audit.log", place.files}) {
        INFO(path);
        CHECK(isRefused([&] { files.remove(path); }));
        CHECK(isRefused([&] { files.rename(path, place.outside + "/taken"); }));
        if (fs::is_directory(path) && path != place.files) {
            CHECK(isRefused([&] { files.removeAll(path, false); }));
            CHECK((path == place.root.path() || isRefused([&] { files.list(path); })));
        }
        CHECK(fs::exists(path));
    }
}

TEST_CASE("other files of the machine, and those of the open folders, are used as ever") {
    const Place place;
    GuardedFiles& files = *place.guarded;
    for (const std::string& folder : {place.files, place.outside}) {
        files.create(folder + "/new.csv")->append("x");
        CHECK(files.exists(folder + "/new.csv"));
        files.rename(folder + "/new.csv", folder + "/renamed.csv");
        files.makeFolder(folder + "/a/b");
        files.removeAll(folder + "/a", false);
        files.remove(folder + "/renamed.csv");
        CHECK_FALSE(files.exists(folder + "/renamed.csv"));
    }
    files.removeAll(place.files, true);
    CHECK(fs::exists(place.wal + "/1.log"));  // a link was removed, not followed
}
