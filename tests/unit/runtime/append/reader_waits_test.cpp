#include "runtime/append/reader_waits.h"

#include <catch2/catch.hpp>
#include <thread>

#include "common/error.h"
#include "runtime/append/append_rows.h"

using namespace pelorus;
using namespace std::chrono_literals;

namespace {

// A reader at a place, run by a thread or by none.
class Reader final : public StreamListener {
public:
    explicit Reader(std::string name) : name_(std::move(name)) {}
    void rowsCame() override {}
    int64_t position() const override { return at.load(); }
    std::string describe() const override { return name_; }
    std::thread::id runner() const override { return by.load(); }

    std::atomic<int64_t> at{0};
    std::atomic<std::thread::id> by{};

private:
    const std::string name_;
};

std::shared_ptr<StreamLog> logOf(const std::shared_ptr<Reader>& reader, int64_t rows) {
    auto log = std::make_shared<StreamLog>();
    log->setBounds({.rows = 1000, .maxLagRows = 10});
    log->listen(reader);
    log->appended(rows);
    return log;
}

std::string failure(const StreamLog& log, std::chrono::milliseconds timeout) {
    try {
        awaitReaders(log, timeout);
    } catch (const UserError& error) {
        return error.what();
    }
    return {};
}

}  // namespace

TEST_CASE("an append waits until the slowest reader has come near, and fails with its name when that takes too long") {
    const auto slow = std::make_shared<Reader>("slow"), quick = std::make_shared<Reader>("quick");
    const auto log = logOf(slow, 30);
    log->listen(quick);
    quick->at = 30;
    REQUIRE(failure(*log, 1ms).find("slow lags behind by 30 rows") != std::string::npos);
    std::thread reads([&] {
        std::this_thread::sleep_for(5ms);
        slow->at = 20;
    });
    REQUIRE(failure(*log, 20s).empty());
    reads.join();
}

TEST_CASE("a handler that appends to its own table does not wait for itself") {
    const auto reader = std::make_shared<Reader>("own");
    const auto log = logOf(reader, 30);
    reader->by = std::this_thread::get_id();
    REQUIRE(failure(*log, 20s).empty());
}

TEST_CASE("a circle of handlers that wait for each other is told at once, with all names") {
    const auto first = std::make_shared<Reader>("first"), second = std::make_shared<Reader>("second");
    const auto read = logOf(first, 30), filled = logOf(second, 30);
    first->by = std::this_thread::get_id();
    // The handler of the second writes to the table that the first reads, and waits for it. Whichever of both waits
    // last is told of the circle.
    std::atomic<bool> isTold{false};
    std::thread other([&] {
        second->by = std::this_thread::get_id();
        while (!isTold) failure(*read, 20s);
    });
    while (second->by.load() == std::thread::id()) std::this_thread::yield();
    std::string told;
    while (told.find("circle") == std::string::npos) told = failure(*filled, 2ms);
    isTold = true;
    first->at = 30;
    other.join();
    CHECK(told.find("second, first") != std::string::npos);
}
