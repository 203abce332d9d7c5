#include "apps/node/serving_node.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>
#include <sstream>

#include "apps/node/end_signals.h"
#include "common/error.h"
#include "common/log.h"
#include "tests/support/temporary_folder.h"

using namespace pelorus;
using Catch::Contains;

namespace {

// Gives back what a node changes of its process.
class ProcessState {
public:
    ProcessState() : mask_(::umask(022)) {
        ::umask(mask_);
        pthread_sigmask(SIG_BLOCK, nullptr, &blocked_);
    }
    ~ProcessState() {
        ::umask(mask_);
        pthread_sigmask(SIG_SETMASK, &blocked_, nullptr);
        configureLog({.level = LogLevel::Warning});
    }
    ProcessState(const ProcessState&) = delete;
    ProcessState& operator=(const ProcessState&) = delete;

private:
    const mode_t mask_;
    sigset_t blocked_;
};

NodeSettings settingsIn(const TemporaryFolder& folder) {
    NodeSettings settings;
    settings.dataFolder = folder.path();
    settings.port = 0;
    settings.adminPassword = "Change-me-1";
    settings.enableAuditLog = false;
    settings.offersTls = false;
    return settings;
}

std::string logOf(const TemporaryFolder& folder) {
    flushLog();
    std::ifstream file(folder / "pelorus.log");
    std::ostringstream lines;
    lines << file.rdbuf();
    return lines.str();
}

}  // namespace

TEST_CASE("a node that was stopped leaves its folder to the next one") {
    const ProcessState state;
    const TemporaryFolder folder;
    const EndSignals signals;
    for (int start = 0; start < 2; ++start) {
        ServingNode node(signals, settingsIn(folder));
        node.stop(SIGTERM);
    }
    const std::string log = logOf(folder);
    size_t at = 0;
    for (const char* step :
         {"starting", "listening", "stopping", "stopped", "starting", "listening", "stopping", "stopped"}) {
        at = log.find(std::string("server - ") + step, at);
        INFO(step << " in " << log);
        REQUIRE(at != std::string::npos);
    }
}

TEST_CASE("a node whose start fails leaves its folder to the next one") {
    const ProcessState state;
    const TemporaryFolder folder;
    const EndSignals signals;
    NodeSettings contradictory = settingsIn(folder);
    contradictory.requireTls = true;
    CHECK_THROWS_WITH(ServingNode(signals, contradictory), Contains("contradict each other"));
    ServingNode node(signals, settingsIn(folder));
    CHECK_THROWS_AS(ServingNode(signals, settingsIn(folder)), SystemError);
    node.stop(SIGTERM);
}

TEST_CASE("a node does not start in a thread that the signals would end") {
    const ProcessState state;
    const TemporaryFolder folder;
    const EndSignals signals;
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, nullptr);
    CHECK_THROWS_AS(ServingNode(signals, settingsIn(folder)), InternalError);
}
