// Runs are merged into the order of one stable sort, whatever their keys and blocks.
#include "sql/spill/run_merge.h"

#include <catch2/catch.hpp>
#include <random>

#include "runtime/value/vector.h"
#include "tests/support/temporary_folder.h"

using namespace pelorus;

namespace {

// Rows with few different keys, NULLs among them, and their numbers; the keys once more behind.
Ref<MemoryTable> drawn(int64_t count, int64_t first, bool hasStrings, std::mt19937& random) {
    Ref<Vector> number = Vector::make(Type::Long, count), small = Vector::make(Type::Int, count);
    Ref<Vector> other = hasStrings ? Vector::make(Type::String, 0) : Vector::make(Type::Double, count);
    for (int64_t i = 0; i < count; ++i) {
        number->mutableData<int64_t>()[i] = first + i;
        small->mutableData<int32_t>()[i] = static_cast<int32_t>(random() % 20);
        if (random() % 9 == 0) small->set(i, Value::nullOf(Type::Int));
        const auto drawn = static_cast<int32_t>(random() % 7);
        if (hasStrings) {
            other->append(*Vector::filled(Type::String, 1, Value::ofString("s" + std::to_string(drawn))), 0, 1);
        } else {
            other->mutableData<double>()[i] = drawn / 2.0;
        }
    }
    auto table = makeRef<MemoryTable>();
    table->setColumn("number", Value::of(number));
    table->setColumn("a", Value::of(small));
    table->setColumn("b", Value::of(other));
    return table;
}

std::vector<int32_t> orderOf(const MemoryTable& rows, std::vector<OrderKey> keys) {
    for (size_t k = 0; k < keys.size(); ++k)
        keys[k].column = rows.column(rows.columnCount() - static_cast<int>(keys.size() - k));
    return sortPositions(keys, rows.rowCount());
}

}  // namespace

TEST_CASE("merged runs are as sorted at once, equal rows in the order of the runs") {
    const unsigned seed = std::random_device()() >> 1;
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const TemporaryFolder folder;
    const SpillFolder place{folder.path(), FileSystem::posix()};
    int rounds = 0;
    for (int n = 0; n < 300; ++n) {
        const bool hasStrings = random() % 3 == 0;
        std::vector<OrderKey> keys(1 + random() % 2);  // b alone, or a and b
        for (OrderKey& key : keys) key = {Value(), random() % 2 == 0, random() % 2 == 0, random() % 2 == 0};
        SpillFile file(place);
        std::vector<RunBlocks> runs;
        Ref<MemoryTable> all;
        for (size_t more = random() % 6; more > 0; --more) {
            Ref<MemoryTable> run =
                drawn(static_cast<int64_t>(1 + random() % 60), all ? all->rowCount() : 0, hasStrings, random);
            const std::vector<int32_t> order = orderOf(*run, keys);
            run = run->gather(order.data(), run->rowCount());
            const int first = file.blockCount();
            const auto blockRows = static_cast<int64_t>(1 + random() % 25);
            for (int64_t at = 0; at < run->rowCount(); at += blockRows)
                file.append(*run->slice(at, std::min(blockRows, run->rowCount() - at)));
            runs.push_back({first, file.blockCount()});
            if (all) {
                all->append(*run);
            } else {
                all = run->copy();
            }
        }
        std::vector<int64_t> wanted, merged;
        if (all) {
            for (const int32_t row : orderOf(*all, keys)) wanted.push_back(all->column(0).at(row).asLong());
        }
        mergeRuns(file, runs, keys, [&](const MemoryTable& rows) {
            ++rounds;
            CHECK(rows.columnCount() == 3 - static_cast<int>(keys.size()));
            for (int64_t i = 0; i < rows.rowCount(); ++i) merged.push_back(rows.column(0).at(i).asLong());
        });
        CHECK(merged == wanted);
    }
    CHECK(rounds > 600);
}
