#include "apps/process/node_settings.h"

#include <catch2/catch.hpp>
#include <fstream>

#include "common/error.h"
#include "tests/support/temporary_folder.h"

using namespace pelorus;
using Catch::Contains;

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
