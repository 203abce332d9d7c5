#include "streaming/subscription/stream_reader.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "runtime/append/append_rows.h"
#include "runtime/stream/stream_keeper.h"
#include "runtime/stream/stream_log.h"

using namespace pelorus;

namespace {

Ref<MemoryTable> numbers(int64_t begin, int64_t count) {
    const Ref<Vector> x = Vector::make(Type::Long, count);
    for (int64_t i = 0; i < count; ++i) x->mutableData<int64_t>()[i] = begin + i;
    return makeRef<MemoryTable>(std::vector<std::string>{"x"}, std::vector<Value>{Value::of(x)});
}

// A disk on which row i is the number i, and each append has ten rows.
class TenRowAppends final : public StreamKeeper {
public:
    int64_t written() const override { return 100'000; }
    bool isSynchronous() const override { return false; }
    void awaitRoom(int64_t) override {}
    void write(const Ref<MemoryTable>&) override {}
    void rowsCame() override {}
    int64_t oldest() const override { return 20; }
    StreamRows read(int64_t row, int64_t count) const override {
        ++reads;
        StreamRows found;
        found.begin = row;
        while (found.ends.empty() || found.ends.back() - row < count) {
            if (!found.ends.empty() && found.ends.back() >= written()) break;
            found.ends.push_back((row / 10 + 1 + std::ssize(found.ends)) * 10);
        }
        found.rows = numbers(row, found.ends.back() - row);
        return found;
    }
    mutable int reads = 0;
};

}  // namespace

TEST_CASE("a reader finds rows in memory or on disk, and reads many at once from there") {
    const Ref<MemoryTable> table = numbers(0, 0);
    makeStream(*table);
    table->stream->startAt(99'990);
    appendToMemory(*table, *numbers(99'990, 10));
    const auto disk = std::make_shared<TenRowAppends>();
    table->stream->setKeeper(disk);
    StreamReader reader(table);
    REQUIRE(reader.oldest() == 20);
    const auto requireNumbers = [&](int64_t begin, int64_t end) {
        const Ref<MemoryTable> rows = reader.read(begin, end);
        REQUIRE(rows->rowCount() == end - begin);
        REQUIRE(rows->column(0).at(0).asLong() == begin);
        REQUIRE(rows->column(0).at(end - begin - 1).asLong() == end - 1);
    };
    REQUIRE(reader.endOfAppend(99'995) == 100'000);
    requireNumbers(99'992, 100'000);
    REQUIRE(disk->reads == 0);
    for (int64_t row = 25; row < 1000; row = reader.endOfAppend(row)) requireNumbers(row, reader.endOfAppend(row));
    REQUIRE(disk->reads == 1);
    requireNumbers(30, 90'000);
    REQUIRE(reader.read(50, 50)->rowCount() == 0);
}

TEST_CASE("rows that are neither in memory nor on disk are an error") {
    const Ref<MemoryTable> table = numbers(0, 0);
    makeStream(*table);
    table->stream->startAt(5);
    StreamReader reader(table);
    REQUIRE(reader.oldest() == 5);
    REQUIRE_THROWS_AS(reader.read(2, 3), SystemError);
}
