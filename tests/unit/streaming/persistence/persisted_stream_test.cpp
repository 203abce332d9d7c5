#include "streaming/persistence/persisted_stream.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "runtime/append/append_rows.h"
#include "runtime/stream/stream_log.h"

using namespace pelorus;

namespace {

// A disk that counts rows, and refuses them when it is told to.
class CountedStore final : public StreamStore {
public:
    const std::string& owner() const override { return owner_; }
    TableSchema columns() const override { return {{"x", Type::Long}}; }
    std::pair<int64_t, int64_t> range() const override { return {first, total}; }
    void append(const Ref<MemoryTable>& rows, const std::vector<int64_t>& ends, StreamSync sync) override {
        if (refuses) throw SystemError("The disk is full.");
        total += rows->rowCount();
        lastEnds = ends;
        lastSync = sync;
    }
    StreamRows read(int64_t, int64_t) const override { return {}; }
    int64_t removeBefore(int64_t nanos) override {
        removedBefore = nanos;
        return 0;
    }

    int64_t first = 0, total = 0, removedBefore = 0;
    bool refuses = false;
    std::vector<int64_t> lastEnds;
    StreamSync lastSync = StreamSync::Always;

private:
    const std::string owner_ = "ann";
};

struct Fixture {
    explicit Fixture(PersistenceOptions options = {}) {
        makeStream(*table);
        stream = std::make_shared<PersistedStream>("kept", store, options, [this] { ++wakes; });
        table->stream->setKeeper(stream);
    }
    static Ref<MemoryTable> rows(int64_t count) {
        return makeRef<MemoryTable>(std::vector<std::string>{"x"},
                                    std::vector<Value>{Value::of(Vector::filled(Type::Long, count, Value::ofLong(1)))});
    }

    const Ref<MemoryTable> table = rows(0);
    const std::shared_ptr<CountedStore> store = std::make_shared<CountedStore>();
    std::shared_ptr<PersistedStream> stream;
    int wakes = 0;
};

}  // namespace

TEST_CASE("rows are published once they are written, with the borders of their appends") {
    Fixture kept;
    appendToMemory(*kept.table, *Fixture::rows(2));
    appendToMemory(*kept.table, *Fixture::rows(3));
    REQUIRE(kept.wakes == 2);
    REQUIRE(kept.table->stream->published() == 0);
    REQUIRE_FALSE(kept.stream->writeWaiting(*kept.table));
    REQUIRE(kept.table->stream->published() == 5);
    REQUIRE(kept.store->lastEnds == std::vector<int64_t>{2, 5});
    REQUIRE(kept.store->lastSync == StreamSync::Later);
    REQUIRE(kept.table->stream->oldestNeeded() == 5);
}

TEST_CASE("a refusal is told to who appends, and forgotten with the next write") {
    Fixture kept;
    appendToMemory(*kept.table, *Fixture::rows(2));
    kept.store->refuses = true;
    REQUIRE_FALSE(kept.stream->writeWaiting(*kept.table));
    REQUIRE(kept.stream->error() == "The disk is full.");
    REQUIRE(kept.stream->waitingRows() == 2);
    REQUIRE_THROWS_AS(appendToMemory(*kept.table, *Fixture::rows(1)), SystemError);
    kept.store->refuses = false;
    kept.stream->writeWaiting(*kept.table);
    REQUIRE(kept.stream->error().empty());
    REQUIRE(kept.stream->waitingRows() == 0);
    REQUIRE(appendToMemory(*kept.table, *Fixture::rows(1)) == 1);
}

TEST_CASE("a synchronous append is written by its own thread, as the options say") {
    Fixture kept({.isAsynchronous = false, .syncsEachWrite = GENERATE(false, true)});
    appendToMemory(*kept.table, *Fixture::rows(2));
    REQUIRE(kept.store->total == 2);
    REQUIRE(kept.table->stream->published() == 2);
    REQUIRE(kept.store->lastSync == (kept.stream->options().syncsEachWrite ? StreamSync::Always : StreamSync::AsSet));
}

TEST_CASE("a keeper that is closed writes no more, and its table goes on") {
    Fixture kept;
    kept.stream->close();
    REQUIRE(appendToMemory(*kept.table, *Fixture::rows(2)) == 2);
    REQUIRE_FALSE(kept.stream->writeWaiting(*kept.table));
    REQUIRE(kept.store->total == 0);
    REQUIRE(kept.table->stream->published() == 2);
}

TEST_CASE("rows are old after the minutes of retention") {
    Fixture kept({.retentionMinutes = 2});
    kept.stream->removeOld(int64_t{10} * 60'000'000'000);
    REQUIRE(kept.store->removedBefore == int64_t{8} * 60'000'000'000);
}

TEST_CASE("a table of a node that stops takes no more rows, since they would be lost") {
    Fixture kept({.isAsynchronous = GENERATE(true, false)});
    kept.stream->end();
    REQUIRE_THROWS_WITH(appendToMemory(*kept.table, *Fixture::rows(2)), Catch::Contains("the node stops"));
    REQUIRE(kept.table->rowCount() == 0);
}
