// A process that commits is killed at random moments. Whatever it acknowledged is there after reopening, and no batch
// is half, over partitions and tables. PELORUS_CRASH_ROUNDS sets the number of kills.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <random>
#include <set>
#include <thread>

#include "tests/crash/batches.h"
#include "tests/support/temporary_folder.h"

using namespace pelorus;

namespace {

// The driver as a child process whose output is read through a pipe.
class Driver {
public:
    Driver(const std::string& folder, int64_t firstBatch, const char* mode) {
        int ends[2];
        REQUIRE(::pipe(ends) == 0);
        const std::string first = std::to_string(firstBatch);
        child_ = ::fork();
        REQUIRE(child_ >= 0);
        if (child_ == 0) {
            ::dup2(ends[1], STDOUT_FILENO);
            ::close(ends[0]);
            ::close(ends[1]);
            ::execl(PELORUS_COMMIT_DRIVER, PELORUS_COMMIT_DRIVER, folder.c_str(), first.c_str(), mode, nullptr);
            std::_Exit(127);
        }
        ::close(ends[1]);
        output_ = ends[0];
    }
    ~Driver() {
        kill();
        ::close(output_);
    }

    // Waits for the first acknowledgement, so that there is something to lose.
    void awaitFirst() {
        pollfd waiting{output_, POLLIN, 0};
        REQUIRE(::poll(&waiting, 1, 30000) == 1);
    }

    void kill() {
        if (child_ <= 0) return;
        ::kill(child_, SIGKILL);
        ::waitpid(child_, nullptr, 0);
        child_ = 0;
    }

    // All whole lines that came out before the end. Only after kill().
    std::set<int64_t> acknowledged() {
        std::string string;
        char buffer[4096];
        for (ssize_t got; (got = ::read(output_, buffer, sizeof buffer)) > 0;)
            string.append(buffer, static_cast<size_t>(got));
        std::set<int64_t> batches;
        for (size_t at = 0, end; (end = string.find('\n', at)) != std::string::npos; at = end + 1) {
            batches.insert(std::stoll(string.substr(at, end - at)));
        }
        return batches;
    }

private:
    pid_t child_ = 0;
    int output_ = -1;
};

int rounds() {
    const char* given = std::getenv("PELORUS_CRASH_ROUNDS");
    return given != nullptr ? std::atoi(given) : 20;
}

}  // namespace

// Kills `rounds` times; `seed` decides when.
static int64_t killAndCompare(int rounds, uint64_t seed, bool dataSync) {
    TemporaryFolder folder;
    const std::string data = folder / "data";
    std::mt19937_64 random(seed);
    std::set<int64_t> acknowledged;
    int64_t next = 0;
    for (int round = 0; round < rounds; ++round) {
        Driver driver(data, next, dataSync ? "sync" : "nosync");
        driver.awaitFirst();
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 150000));
        driver.kill();
        acknowledged.merge(driver.acknowledged());

        BatchTables tables(data);
        const std::map<int64_t, int64_t> a = tables.counts("a");
        REQUIRE(a == tables.counts("b"));
        for (const auto& [batch, rows] : a) {
            CAPTURE(seed, round, batch);
            REQUIRE(rows == BatchTables::rowsOf(batch));
        }
        for (const int64_t batch : acknowledged) {
            CAPTURE(seed, round, batch);
            REQUIRE(a.count(batch) == 1);
        }
        next = a.empty() ? 0 : a.rbegin()->first + 1;
        if (!acknowledged.empty()) next = std::max(next, *acknowledged.rbegin() + 1);
    }
    return static_cast<int64_t>(acknowledged.size());
}

// Kills so many times and returns how many batches were acknowledged.
static int64_t killOften(int rounds, uint64_t seed, bool dataSync) {
    // All rows are compared after each round, so a folder that has grown is left for a new one.
    constexpr int kRoundsPerFolder = 40;
    int64_t acknowledged = 0;
    for (int left = rounds; left > 0; left -= kRoundsPerFolder)
        acknowledged += killAndCompare(std::min(left, kRoundsPerFolder), seed++, dataSync);
    return acknowledged;
}

TEST_CASE("a killed process loses no acknowledged change of a row table, and its indexes fit") {
    TemporaryFolder folder;
    const std::string data = folder / "data";
    std::mt19937_64 random(20261127);
    std::set<int64_t> acknowledged;
    int64_t next = 0;
    for (int round = 0; round < rounds(); ++round) {
        Driver driver(data, next, "rows");
        driver.awaitFirst();
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 150000));
        driver.kill();
        acknowledged.merge(driver.acknowledged());

        const BatchTables tables(data);
        const std::map<int64_t, int64_t> found = tables.counts("rows");
        for (const auto& [batch, rows] : found) {
            CAPTURE(round, batch);
            REQUIRE(rows == BatchTables::rowsOfRowBatch(batch));
        }
        const std::set<int64_t> changed = tables.changedBatches();
        for (const int64_t batch : acknowledged) {
            CAPTURE(round, batch);
            REQUIRE(found.count(batch) == 1);
            REQUIRE(changed.count(batch) == 1);
        }
        REQUIRE(tables.checkRows().empty());
        next = found.empty() ? 0 : found.rbegin()->first + 1;
    }
    REQUIRE(!acknowledged.empty());
}

// After any crash committed transactions are complete, others invisible.
TEST_CASE("a killed process loses no acknowledged batch and leaves none half") {
    REQUIRE(killOften(rounds(), 20240315, true) > 0);
}

// With dataSync=0 the operating system has what was acknowledged, so the end of the process takes nothing.
TEST_CASE("without syncs a killed process loses no acknowledged batch either") {
    REQUIRE(killOften((rounds() + 3) / 4, 20250607, false) > 0);
}
