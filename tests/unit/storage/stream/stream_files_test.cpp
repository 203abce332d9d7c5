#include "storage/stream/stream_files.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "storage/commit/commit_path.h"
#include "storage/folder/maintenance.h"
#include "tests/support/two_tables.h"

using namespace pelorus;

namespace {

Ref<MemoryTable> rowsFrom(int64_t begin, int64_t count) {
    const Ref<Vector> x = Vector::make(Type::Long, count);
    for (int64_t i = 0; i < count; ++i) x->mutableData<int64_t>()[i] = begin + i;
    return makeRef<MemoryTable>(std::vector<std::string>{"x"}, std::vector<Value>{Value::of(x)});
}

const TableSchema kColumns = {{"x", Type::Long}};

// Checks that the rows are the numbers from `begin` on.
void requireNumbers(const StreamRows& found, int64_t begin, std::vector<int64_t> ends) {
    REQUIRE(found.rows);
    REQUIRE(found.begin == begin);
    REQUIRE(found.ends == ends);
    REQUIRE(found.rows->rowCount() == ends.back() - begin);
    const int64_t* x = found.rows->column(0).vector().data<int64_t>();
    for (int64_t i = 0; i < found.rows->rowCount(); ++i) REQUIRE(x[i] == begin + i);
}

}  // namespace

TEST_CASE("rows of a stream table come back with their numbers and appends, in memory, on disk, after a restart") {
    FaultyFileSystem files;
    const auto open = [&] {
        return std::make_shared<LocalStreamFolder>(LocalStorage::open("/data", files, kNoMaintenance));
    };
    {
        const auto storage = LocalStorage::open("/data", files, kNoMaintenance);
        LocalStreamFolder folder(storage);
        REQUIRE(folder.find("ticks") == nullptr);
        const auto store = folder.make("ticks", kColumns, "ann", 0);
        REQUIRE(store->range() == std::pair<int64_t, int64_t>(0, 0));
        REQUIRE_FALSE(store->read(0, 10).rows);
        store->append(rowsFrom(0, 5), {2, 5}, StreamSync::AsSet);
        storage->maintenance().flush();
        store->append(rowsFrom(5, 3), {3}, StreamSync::Later);
        requireNumbers(store->read(0, 100), 0, {2, 5, 8});
        requireNumbers(store->read(1, 1), 1, {2});
        requireNumbers(store->read(1, 2), 1, {2, 5});
        requireNumbers(store->read(4, 2), 4, {5, 8});
    }
    const auto folder = open();
    REQUIRE(folder->names() == std::vector<std::string>{"ticks"});
    const auto store = folder->find("ticks");
    REQUIRE(store->owner() == "ann");
    REQUIRE(store->range() == std::pair<int64_t, int64_t>(0, 8));
    store->append(rowsFrom(8, 1), {1}, StreamSync::AsSet);
    requireNumbers(store->read(5, 100), 5, {8, 9});
    folder->remove("ticks");
    REQUIRE(folder->names().empty());
    REQUIRE(folder->make("ticks", kColumns, "ann", 7)->range() == std::pair<int64_t, int64_t>(7, 7));
}

TEST_CASE("only whole column files of old rows are removed, and numbers stay") {
    FaultyFileSystem files;
    const auto storage = LocalStorage::open("/data", files, kNoMaintenance);
    LocalStreamFolder folder(storage);
    const auto store = folder.make("ticks", kColumns, "ann", 0);
    store->append(rowsFrom(0, 4), {4}, StreamSync::AsSet);
    REQUIRE(store->removeBefore(INT64_MAX) == 0);
    storage->maintenance().flush();
    store->append(rowsFrom(4, 2), {2}, StreamSync::AsSet);
    REQUIRE(store->removeBefore(1) == 0);
    REQUIRE(store->removeBefore(INT64_MAX) == 4);
    REQUIRE(store->range() == std::pair<int64_t, int64_t>(4, 6));
    requireNumbers(store->read(4, 10), 4, {6});
    REQUIRE_FALSE(store->read(3, 10).rows);
}

TEST_CASE("a column that is added later is NULL in the rows before") {
    FaultyFileSystem files;
    const auto storage = LocalStorage::open("/data", files, kNoMaintenance);
    LocalStreamFolder folder(storage);
    const auto store = folder.make("ticks", kColumns, "ann", 0);
    store->append(rowsFrom(0, 1), {1}, StreamSync::AsSet);
    Ref<MemoryTable> wider = rowsFrom(1, 1);
    wider->setColumn("y", Value::of(Vector::filled(Type::Int, 1, Value::ofInt(7))));
    store->append(wider, {1}, StreamSync::AsSet);
    const StreamRows found = folder.find("ticks")->read(0, 10);
    REQUIRE(found.rows->columnCount() == 2);
    REQUIRE(found.rows->column(1).at(0).isNull());
    REQUIRE(found.rows->column(1).at(1).asLong() == 7);
}

TEST_CASE("positions are kept with their owner, and go with their table") {
    FaultyFileSystem files;
    {
        LocalStreamFolder folder(LocalStorage::open("/data", files, kNoMaintenance));
        folder.make("ticks", kColumns, "ann", 0);
        folder.setPosition("ticks/a", {5, "ann"});
        folder.setPosition("ticks/b", {6, "bob"});
        folder.removePosition("ticks/b");
        folder.sync();
    }
    LocalStreamFolder folder(LocalStorage::open("/data", files, kNoMaintenance));
    REQUIRE(folder.position("ticks/a")->row == 5);
    REQUIRE(folder.position("ticks/a")->owner == "ann");
    REQUIRE_FALSE(folder.position("ticks/b"));
    folder.remove("ticks");
    REQUIRE_FALSE(folder.position("ticks/a"));
}

TEST_CASE("a full disk takes nothing of an append, and the next one follows without a gap") {
    FaultyFileSystem files;
    const auto storage = LocalStorage::open("/data", files, kNoMaintenance);
    LocalStreamFolder folder(storage);
    const auto store = folder.make("ticks", kColumns, "ann", 0);
    store->append(rowsFrom(0, 2), {2}, StreamSync::AsSet);
    files.setFreeBytes(10);
    REQUIRE_THROWS_AS(store->append(rowsFrom(2, 3), {3}, StreamSync::AsSet), SystemError);
    REQUIRE(store->range().second == 2);
    files.setFreeBytes(1 << 30);
    store->append(rowsFrom(2, 3), {3}, StreamSync::AsSet);
    requireNumbers(store->read(0, 10), 0, {2, 5});
}

TEST_CASE("after a loss of power what was synced is there, and of the rest a prefix") {
    FaultyFileSystem files;
    int64_t synced = 0;
    {
        const auto storage = LocalStorage::open("/data", files, kNoMaintenance);
        LocalStreamFolder folder(storage);
        const auto store = folder.make("ticks", kColumns, "ann", 0);
        for (int64_t i = 0; i < 20; ++i) {
            store->append(rowsFrom(i, 1), {1}, i % 5 == 0 ? StreamSync::AsSet : StreamSync::Later);
            if (i % 5 == 0) synced = i + 1;
        }
        files.losePower(GENERATE(1, 2, 3, 4, 5, 6));
    }
    const auto store = LocalStreamFolder(LocalStorage::open("/data", files, kNoMaintenance)).find("ticks");
    const int64_t total = store->range().second;
    REQUIRE(total >= synced);
    const StreamRows found = store->read(0, 100);
    REQUIRE(found.rows->rowCount() == total);
    for (int64_t i = 0; i < total; ++i) REQUIRE(found.rows->column(0).at(i).asLong() == i);
}
