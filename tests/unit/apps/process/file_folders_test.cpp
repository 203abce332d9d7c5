#include "apps/process/file_folders.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "apps/process/node_settings.h"
#include "common/error.h"
#include "common/io/file_sandbox.h"
#include "common/io/user_files.h"
#include "tests/support/temporary_folder.h"

using namespace pelorus;
using Catch::Contains;

namespace {

NodeSettings settingsIn(const TemporaryFolder& folder, std::vector<std::string> fileFolders) {
    NodeSettings settings;
    settings.dataFolder = folder.path();
    settings.fileFolders = std::move(fileFolders);
    return settings;
}

}  // namespace

TEST_CASE("folders that are missing are made below the data folder, and that of modules, too") {
    const TemporaryFolder folder;
    REQUIRE(openFileFolders(settingsIn(folder, {"files", "shared"})));
    CHECK(std::filesystem::is_directory(folder / "files"));
    CHECK(std::filesystem::is_directory(folder / "shared"));
    CHECK(std::filesystem::is_directory(folder / "modules"));
}

TEST_CASE("a folder of users that would open the server's own files is refused") {
    const TemporaryFolder folder;
    for (const std::string& own :
         {std::string("wal"), std::string("modules"), std::string("tls"), std::string("auth"),
          std::string("files/../segments"), std::string("marketHoliday"), folder.path(), std::string("/")}) {
        INFO(own);
        CHECK_THROWS_AS(openFileFolders(settingsIn(folder, {"files", own})), UserError);
    }
    NodeSettings settings = settingsIn(folder, {folder / "keys"});
    settings.storage.keyFolder = folder / "keys/master";
    CHECK_THROWS_AS(openFileFolders(settings), UserError);
    settings.storage.keyFolder = "";
    CHECK_NOTHROW(openFileFolders(settings));
}

TEST_CASE("file folders are made below the data folder") {
    const TemporaryFolder folder;
    NodeSettings settings;
    settings.dataFolder = folder.path();
    CHECK(openFileFolders(settings)->folders() ==
          (folder / "files") + ", " + (folder / "backup") + ", " + (folder / "uploads"));
    CHECK(std::filesystem::is_directory(folder / "uploads"));
}

TEST_CASE(
    "the folder of modules is no file folder, also below a data folder that is named relative to the working one") {
    const TemporaryFolder folder;
    const std::filesystem::path before = std::filesystem::current_path();
    std::filesystem::current_path(folder.path());
    NodeSettings settings;
    settings.fileFolders = {"modules"};
    for (const std::string& dataFolder : {folder / "data", std::string("data")}) {
        settings.dataFolder = dataFolder;
        CHECK_THROWS_WITH(openFileFolders(settings), Contains("belongs to the server"));
    }
    std::filesystem::current_path(before);
}

TEST_CASE("a volume that is named relative to the working folder is no file folder") {
    const TemporaryFolder folder;
    const std::filesystem::path before = std::filesystem::current_path();
    std::filesystem::current_path(folder.path());
    NodeSettings settings;
    settings.dataFolder = folder / "data";
    settings.storage.volumes = {"volume"};
    settings.fileFolders = {folder / "volume"};
    CHECK_THROWS_WITH(openFileFolders(settings), Contains("belongs to the server"));
    std::filesystem::current_path(before);
}
