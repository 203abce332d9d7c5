#include "apps/process/file_folders.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "apps/process/node_settings.h"
#include "common/error.h"
#include "common/io/user_files.h"
#include "tests/support/temporary_folder.h"

using namespace pelorus;

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
