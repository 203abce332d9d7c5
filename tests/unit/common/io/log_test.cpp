// The log: lines in both formats, levels, sessions, rotation, and bounds on how much one place writes.
#include "common/log.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "common/error.h"

namespace pelorus {
namespace {

// Logs into a separate folder, and to stderr again at its end.
class LogFixture {
public:
    LogFixture() : folder_(std::filesystem::temp_directory_path() / ("pelorus_log_" + std::to_string(::getpid()))) {
        std::filesystem::create_directories(folder_);
        options.file = (folder_ / "pelorus.log").string();
    }
    ~LogFixture() {
        configureLog({.level = LogLevel::Warning});
        std::filesystem::remove_all(folder_);
    }
    std::vector<std::string> lines(const std::string& suffix = "") const {
        std::ifstream file(options.file + suffix);
        std::vector<std::string> lines;
        for (std::string line; std::getline(file, line);) lines.push_back(line);
        return lines;
    }
    LogOptions options;

private:
    std::filesystem::path folder_;
};

}  // namespace

TEST_CASE("a line has time, level, area, session, text and pairs") {
    LogFixture log;
    configureLog(log.options);
    const LogSession session(17);
    logInfo("storage", "recovered", {{"chunks", 12}, {"folder", "/a b"}, {"clean", true}, {"seconds", 0.5}});
    const auto lines = log.lines();
    REQUIRE(lines.size() == 1);
    REQUIRE_THAT(lines[0], Catch::Matchers::Matches(
                               R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6} INFO storage 17 recovered chunks=12 )"
                               R"(folder="/a b" clean=true seconds=0\.5)"));
}

TEST_CASE("a line stays one line, and JSON stays JSON, whatever its text holds") {
    LogFixture log;
    configureLog(log.options);
    const std::string string = "first\nsecond \"quoted\" \\ \x01";
    logWarning("server", string, {{"user", "a\nb"}});
    REQUIRE(log.lines().size() == 1);

    log.options.format = LogFormat::Json;
    configureLog(log.options);
    logWarning("server", string, {{"user", "a\nb"}, {"count", 3}});
    const auto line = nlohmann::json::parse(log.lines()[1]);
    REQUIRE(line["text"] == string);
    REQUIRE(line["user"] == "a\nb");
    REQUIRE(line["count"] == 3);
    REQUIRE(line["level"] == "WARNING");
    REQUIRE(line["session"] == 0);
}

TEST_CASE("lines below the level are not written") {
    LogFixture log;
    log.options.level = LogLevel::Warning;
    configureLog(log.options);
    logDebug("a", "no");
    logInfo("a", "no");
    logWarning("a", "yes");
    logError("a", "yes");
    REQUIRE(log.lines().size() == 2);
    log.options.level = LogLevel::Off;
    configureLog(log.options);
    logError("a", "no");
    REQUIRE(log.lines().size() == 2);
    REQUIRE_THROWS_AS(logLevelOf("loud"), UserError);
    REQUIRE(logLevelOf("debug") == LogLevel::Debug);
}

TEST_CASE("one place writes a bounded number of lines a second, and says what it dropped") {
    LogFixture log;
    configureLog(log.options);
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(1200);
    int64_t written = 0;
    // A second begins somewhere in between: two bursts at most, and the second one reports lines dropped in the first.
    while (std::chrono::steady_clock::now() < end) {
        logInfo("a", "again");
        ++written;
    }
    const auto lines = log.lines();
    REQUIRE(written > 3 * kLinesPerSecond);
    REQUIRE(lines.size() >= static_cast<size_t>(kLinesPerSecond));
    REQUIRE(lines.size() <= static_cast<size_t>(3 * kLinesPerSecond));
    REQUIRE(std::any_of(lines.begin(), lines.end(),
                        [](const std::string& line) { return line.find("dropped=") != std::string::npos; }));
    // Other places are not held back.
    logInfo("a", "another place");
    REQUIRE_THAT(log.lines().back(), Catch::EndsWith("another place"));
}

TEST_CASE("a full file is rotated and the oldest one goes") {
    LogFixture log;
    log.options.rotateBytes = 200;
    log.options.keptFiles = 2;
    configureLog(log.options);
    const std::string string(100, 'x');
    logInfo("a", string, {{"line", 1}});
    logInfo("a", string, {{"line", 2}});
    logInfo("a", string, {{"line", 3}});
    logInfo("a", string, {{"line", 4}});
    REQUIRE_THAT(log.lines().at(0), Catch::EndsWith("line=4"));
    REQUIRE_THAT(log.lines(".1").at(0), Catch::EndsWith("line=3"));
    REQUIRE_THAT(log.lines(".2").at(0), Catch::EndsWith("line=2"));
    REQUIRE(log.lines(".3").empty());
}

TEST_CASE("a log that cannot be opened is an error, and the old one goes on") {
    LogFixture log;
    configureLog(log.options);
    LogOptions wrong = log.options;
    wrong.file = "/nonexistent/folder/log";
    REQUIRE_THROWS_AS(configureLog(wrong), SystemError);
    logInfo("a", "still here");
    REQUIRE(log.lines().size() == 1);
}

TEST_CASE("lines of many threads do not mix") {
    LogFixture log;
    configureLog(log.options);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([t] {
            const LogSession session(t + 1);
            for (int i = 0; i < 4; ++i) logInfo("a", "a line of a thread", {{"end", "here"}});
        });
    }
    for (auto& thread : threads) thread.join();
    const auto lines = log.lines();
    REQUIRE(lines.size() == 16);
    for (const auto& line : lines) REQUIRE_THAT(line, Catch::EndsWith("a line of a thread end=here"));
}

}  // namespace pelorus
