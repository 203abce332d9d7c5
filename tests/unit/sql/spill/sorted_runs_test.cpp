#include <catch2/catch.hpp>

#include "common/error.h"
#include "runtime/function/principal.h"
#include "runtime/memory/budget.h"
#include "runtime/table/spill_file.h"
#include "runtime/value/vector.h"
#include "sql/spill/sorted_runs.h"
#include "tests/support/faulty_file_system.h"
#include "tests/support/temporary_folder.h"

using namespace pelorus;

namespace {

constexpr int64_t kRows = 400000;

// A process that has little more memory than what the test's rows take.
struct SmallProcess {
    SmallProcess(FileSystem& files, const std::string& folder) {
        services.add(std::make_shared<SpillFolder>(folder, files));
        auto table = makeRef<MemoryTable>();
        Ref<Vector> keys = Vector::make(Type::Long, kRows), numbers = Vector::make(Type::Long, kRows);
        for (int64_t i = 0; i < kRows; ++i) {
            keys->mutableData<int64_t>()[i] = i * 7919 % 1009;
            numbers->mutableData<int64_t>()[i] = i;
        }
        table->setColumn("key", Value::of(keys));
        table->setColumn("number", Value::of(numbers));
        rows = table;
        memory::shrinkCaches(memory::usedBytes());
        limitBefore = memory::limitBytes();
        memory::setLimitBytes(memory::usedBytes() + (12 << 20));
    }
    ~SmallProcess() { memory::setLimitBytes(limitBefore); }

    Ref<MemoryTable> sorted() {
        Context context(services, request);
        return sortedRows(rows, {{rows->column(0)}}, context);
    }

    Services services;
    Request request{Principal::owner()};
    Ref<MemoryTable> rows;
    int64_t limitBefore = 0;
};

}  // namespace

TEST_CASE("a sort without room in memory is stable and leaves nothing on disk") {
    const TemporaryFolder folder;
    SmallProcess process(FileSystem::posix(), folder.path());
    const Ref<MemoryTable> sorted = process.sorted();
    const auto* keys = sorted->column(0).vector().data<int64_t>();
    const auto* numbers = sorted->column(1).vector().data<int64_t>();
    bool inOrder = sorted->rowCount() == kRows;
    for (int64_t i = 1; inOrder && i < kRows; ++i)
        inOrder = keys[i - 1] < keys[i] || (keys[i - 1] == keys[i] && numbers[i - 1] < numbers[i]);
    CHECK(inOrder);
    CHECK(FileSystem::posix().list(folder.path()).empty());
}

TEST_CASE("a sort that fills the disk ends with an error that says what to do") {
    FaultyFileSystem disk;
    disk.setFreeBytes(1 << 20);
    SmallProcess process(disk, "/db/temp");
    try {
        process.sorted();
        FAIL("the disk is too small");
    } catch (const SystemError& error) {
        CHECK_THAT(error.what(), Catch::Contains("could not spill them to disk"));
        CHECK_THAT(error.hint(), Catch::Contains("maxMemSize"));
    }
    CHECK(disk.list("/db/temp").empty());
}

TEST_CASE("a sort on disk ends when its request is cancelled") {
    FaultyFileSystem disk;
    SmallProcess process(disk, "/db/temp");
    process.request.cancelled = true;
    const CancellationScope scope(&process.request.cancelled);
    CHECK_THROWS_AS(process.sorted(), UserError);
    CHECK(disk.list("/db/temp").empty());
}

TEST_CASE("runs hold tables with decimals of one scale only: none is rounded to that of the first") {
    const TemporaryFolder folder;
    const SpillFolder disk(folder.path(), FileSystem::posix());
    const auto prices = [](uint8_t scale) {
        Ref<Vector> items = Vector::of<int64_t>(Type::Decimal64, {125});
        items->setScale(scale);
        return makeRef<MemoryTable>(
            std::vector<std::string>{"price", "key"},
            std::vector<Value>{Value::of(items), Value::of(Vector::of<int64_t>(Type::Long, {1}))});
    };
    SortedRuns runs(disk, {OrderKey{}});
    runs.add(*prices(1));
    CHECK(runs.canHold(*prices(1)));
    CHECK_FALSE(runs.canHold(*prices(2)));
}
