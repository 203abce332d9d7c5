#include "apps/process/node_settings.h"

#include <catch2/catch.hpp>
#include <fstream>

#include "common/error.h"
#include "tests/support/environment.h"
#include "tests/support/temporary_folder.h"

using namespace pelorus;
using Catch::Contains;

namespace {

// The settings of a file with these lines.
NodeSettings settingsOf(const std::string& lines) {
    const TemporaryFolder folder;
    std::ofstream(folder / "node.cfg") << lines;
    return readNodeSettings(folder / "node.cfg");
}

template <class Call>
std::string refusal(const Call& call) {
    try {
        call();
    } catch (const UserError& error) {
        return error.what();
    }
    return "it was taken";
}

}  // namespace

TEST_CASE("a file has one setting a line, with comments and blanks around") {
    const NodeSettings settings = settingsOf(
        "# a node\n\n"
        "  port = 9000   # of clients\r\n"
        "volumes=/a,/b,\n"
        "fileFolders= files , shared ,\n"
        "maxMemSize=0.5\n"
        "dataSync=0\n"
        "allowedHosts=\n"
        "newValuePartitionPolicy=skip\n"
        "redoLogPurgeLimit=2\n");
    CHECK(settings.port == 9000);
    CHECK(settings.storage.volumes == std::vector<std::string>{"/a", "/b"});
    CHECK(settings.fileFolders == std::vector<std::string>{"files", "shared"});
    CHECK(settings.maxMemoryGigabytes == 0.5);
    CHECK(!settings.storage.dataSync);
    CHECK(settings.allowedHosts.empty());
    CHECK(settings.outside.newValues == OutsidePolicy::Skip);
    CHECK(settings.storage.checkpointBytes == int64_t{2} << 30);
    CHECK(settings.host == "127.0.0.1");
}

TEST_CASE("a value that is none names the setting, its range and the value") {
    CHECK(refusal([] { settingsOf("port=70000"); }) == "port must be a number from 0 to 65535, but it is '70000'.");
    CHECK(refusal([] { settingsOf("port=80x"); }) == "port must be a number from 0 to 65535, but it is '80x'.");
    CHECK(refusal([] { settingsOf("maxMemSize=-1"); }) ==
          "maxMemSize must be a number of GB, as in 4 or 0.5, but it is '-1'.");
    CHECK(refusal([] { settingsOf("maxMemSize=nan"); }).starts_with("maxMemSize must be a number of GB"));
    CHECK(refusal([] { settingsOf("volumeUsageThreshold=1.5"); }) ==
          "volumeUsageThreshold must be a share between 0 and 1, as in 0.97, but it is '1.5'.");
    CHECK(refusal([] { settingsOf("dev=yes"); }) == "dev must be true or false, but it is 'yes'.");
    CHECK(refusal([] { settingsOf("adminFiles=all"); }) ==
          "The setting adminFiles must be any or folders, but it is all.");
    CHECK(refusal([] { settingsOf("appendConflict=retry"); }) ==
          "The setting appendConflict must be wait or fail, but it is retry.");
    CHECK(refusal([] { settingsOf("ilpDatabase=dfs://"); }) ==
          "The setting ilpDatabase must be a database such as dfs://ilp, but it is dfs://.");
}

TEST_CASE("a line that is no setting is named with its number, and a file that is missing by its path") {
    CHECK(refusal([] { settingsOf("port=1\n\nprot=2\n"); }).ends_with("node.cfg:3: there is no setting prot."));
    CHECK(refusal([] { settingsOf("port\n"); }).ends_with("node.cfg:1: there is no setting port."));
    CHECK(refusal([] { readNodeSettings("/nowhere/node.cfg"); }) ==
          "The settings cannot be read from /nowhere/node.cfg.");
}

TEST_CASE("of file and command line the later one counts, and words that are none are refused") {
    const TemporaryFolder folder;
    std::ofstream(folder / "node.cfg") << "port=9000\nalias=first\n";
    const std::string file = folder / "node.cfg";
    const NodeSettings settings = parseNodeSettings({"--config", file, "--port", "9001", "--data", "/d"});
    CHECK(settings.port == 9001);
    CHECK(settings.alias == "first");
    CHECK(settings.dataFolder == "/d");
    CHECK(settings.settingsFile == file);
    CHECK(parseNodeSettings({"--port", "9001", "--config", file}).port == 9000);
    CHECK(refusal([] { parseNodeSettings({"--prot", "1"}); }) == "pelorus serve does not understand --prot.");
    CHECK(refusal([] { parseNodeSettings({"--port"}); }) == "pelorus serve does not understand --port.");
    const testing::EnvironmentVariable home("HOME", "/home/somebody");
    CHECK(parseNodeSettings({}).dataFolder == "/home/somebody/.pelorus");
}

TEST_CASE("a server for development is open to this machine, and to no other") {
    const NodeSettings settings = parseNodeSettings({"--dev"});
    CHECK(settings.guestsMayRun);
    CHECK(settings.outside.newValues == OutsidePolicy::Add);
    CHECK(!parseNodeSettings({}).guestsMayRun);
    CHECK(refusal([] {
              parseNodeSettings({"--dev", "--host", "0.0.0.0"});
          }) == "A server with --dev listens on this machine only, not on 0.0.0.0.");
    const TemporaryFolder folder;
    std::ofstream(folder / "node.cfg") << "newValuePartitionPolicy=fail\nilpPort=9009\n";
    CHECK(parseNodeSettings({"--dev", "--config", folder / "node.cfg"}).outside.newValues == OutsidePolicy::Fail);
    CHECK(refusal([&] {
              parseNodeSettings({"--config", folder / "node.cfg"});
          }) == "The setting ilpPort needs ilpUser or ilpKeys: lines over TCP do not say who writes them.");
}

namespace {

std::string fileOf(const TemporaryFolder& folder, const std::string& lines) {
    const std::string path = folder.path() + "/node.cfg";
    std::ofstream(path) << lines;
    return path;
}

}  // namespace

TEST_CASE("what comes later among the arguments wins, the lines of a file included") {
    const TemporaryFolder folder;
    const std::string file = fileOf(folder, "# a node\n port = 7000 # of tests\n\nalias=a\n");
    const NodeSettings fileLast = parseNodeSettings({"--port", "1", "--config", file});
    CHECK(fileLast.port == 7000);
    CHECK(fileLast.alias == "a");
    CHECK(fileLast.settingsFile == file);
    CHECK(parseNodeSettings({"--config", file, "--port", "1"}).port == 1);
}

TEST_CASE("a line that is no setting is named with its number") {
    const TemporaryFolder folder;
    const std::string file = fileOf(folder, "port=1\nprot=2\n");
    CHECK_THROWS_WITH(readNodeSettings(file), Contains(file + ":2: there is no setting prot."));
    CHECK_THROWS_WITH(readNodeSettings(fileOf(folder, "port\n")), Contains(":1: there is no setting port."));
    CHECK_THROWS_WITH(readNodeSettings(folder.path() + "/none"), Contains("cannot be read"));
}

TEST_CASE("an option that serve does not know, or without its value, is named") {
    CHECK_THROWS_WITH(parseNodeSettings({"--prot", "1"}), Contains("does not understand --prot"));
    CHECK_THROWS_WITH(parseNodeSettings({"--port"}), Contains("does not understand --port"));
    CHECK_THROWS_WITH(parseNodeSettings({"", "1"}), Contains("does not understand"));
}

TEST_CASE("a development server lets guests run, adds new values, and stays on this machine") {
    const NodeSettings dev = parseNodeSettings({"--dev"});
    CHECK(dev.guestsMayRun);
    CHECK(dev.outside.newValues == OutsidePolicy::Add);
    CHECK_FALSE(dev.dataFolder.empty());
    const TemporaryFolder folder;
    const std::string file = fileOf(folder, "newValuePartitionPolicy=skip\n");
    CHECK(parseNodeSettings({"--dev", "--config", file}).outside.newValues == OutsidePolicy::Skip);
    CHECK_THROWS_WITH(parseNodeSettings({"--dev", "--host", "0.0.0.0"}), Contains("this machine only"));
}

TEST_CASE("lines over TCP need a writer") {
    const TemporaryFolder folder;
    CHECK_THROWS_WITH(parseNodeSettings({"--config", fileOf(folder, "ilpPort=0\n")}), Contains("ilpUser or ilpKeys"));
    CHECK(parseNodeSettings({"--config", fileOf(folder, "ilpPort=0\nilpUser=ann\n")}).linePort == 0);
}
