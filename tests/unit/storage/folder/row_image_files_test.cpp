#include "storage/folder/row_image_files.h"

#include <catch2/catch.hpp>

#include <atomic>
#include <numeric>
#include <random>
#include <thread>

#include "common/error.h"
#include "storage/commit/commit_path.h"
#include "storage/rows/row_store.h"
#include "tests/support/row_table_fixture.h"

using namespace pelorus;

namespace {

// A storage whose checkpoints keep no more log for rows than a quarter of the rows' bytes.
class ImageFixture : public RowTableFixture {
public:
    ImageFixture() {
        options.rowLogBytes = 0;
        open();
    }
    // Appends rows with ids from `first` on.
    void add(int64_t first, int64_t count, const std::string& name = "name") const {
        std::vector<int64_t> ids(static_cast<size_t>(count));
        std::iota(ids.begin(), ids.end(), first);
        std::vector<double> balances(ids.begin(), ids.end());
        table()->append(*accounts(ids, std::vector<std::string>(ids.size(), name), balances));
    }
    void change(int64_t id, double balance) const {
        const RowAccess::Rows seen = table()->rowsToChange({columnEquals(0, Value::ofLong(id))});
        REQUIRE(seen.ids.size() == 1);
        CHECK(table()->changeRows(seen, {{0}, false, {{2, doubleVector({balance})}}}));
    }
    void erase(int64_t id) const {
        const RowAccess::Rows seen = table()->rowsToChange({columnEquals(0, Value::ofLong(id))});
        CHECK(table()->changeRows(seen, {{0}, true, {}}));
    }
    std::vector<std::string> imageFiles() { return files.list("/data/rows"); }
    size_t logFiles() {
        const std::vector<std::string> names = files.list("/data/wal");
        return static_cast<size_t>(
            std::count_if(names.begin(), names.end(), [](const std::string& name) { return name.ends_with(".wal"); }));
    }
    std::shared_ptr<const RowImages> images() const { return storage->rows().onDisk().images; }
};

}  // namespace

TEST_CASE_METHOD(ImageFixture, "with images the log of row tables ends, and a start finds all rows") {
    add(0, 3000);
    storage->maintenance().checkpoint();
    CHECK(logFiles() == 1);
    CHECK(imageFiles().size() == 1);
    add(5000, 10);
    for (int64_t id = 0; id < 3000; id += 7) change(id, -1);
    for (int64_t id = 1; id < 3000; id += 100) erase(id);
    const AccountRows expected = accountRows(*table());
    for (int round = 0; round < 3; ++round) {
        open();
        REQUIRE(accountRows(*table()) == expected);
        CHECK(table()->check().empty());
        storage->maintenance().checkpoint();
    }
    // Slots of erased rows are used again.
    add(9000, 30);
    CHECK(storage->rows().find(storage->catalog().table("dfs://bank", "accounts").id)->part->endOfRows() == 3010);
}

TEST_CASE_METHOD(ImageFixture, "only pages that have changed are written again, until a file has few images left") {
    add(0, 5 * RowPage::kRows);
    storage->maintenance().checkpoint();
    const std::vector<RowImageBlock> before = images()->tables.begin()->second.pages;
    REQUIRE(before.size() == 5);
    const auto touch = [&](int page) {
        for (int i = 0; i < 1500; ++i) change(page * RowPage::kRows + i % RowPage::kRows, i);
        storage->maintenance().checkpoint();
    };
    touch(3);
    const std::vector<RowImageBlock> after = images()->tables.begin()->second.pages;
    for (size_t page = 0; page < 5; ++page) CHECK((before[page] == after[page]) == (page != 3));
    CHECK(imageFiles().size() == 2);
    touch(0);
    touch(1);
    touch(2);
    const std::vector<std::string> left = imageFiles();
    CHECK(std::find(left.begin(), left.end(), format::numberedName(before[4].file, ".rows")) == left.end());
    const AccountRows expected = accountRows(*table());
    open();
    CHECK(accountRows(*table()) == expected);
}

TEST_CASE_METHOD(ImageFixture, "a change that has not ended is not in the images, and its later record is replayed") {
    add(0, 100);
    const Ref<RowTable> rows = table();
    RowTransaction open(storage->rows().slots());
    const auto part = storage->rows().find(rows->entry().id)->part;
    part->erase(open, 5);
    storage->maintenance().checkpoint();
    open.abort();
    change(7, 70);
    this->open();
    CHECK(table()->rowCount() == 100);
    CHECK(accountRows(*table()).at(7).second == 70);
}

TEST_CASE_METHOD(ImageFixture, "an image that is damaged or missing is told, and nothing is opened") {
    add(0, 3000);
    storage->maintenance().checkpoint();
    add(4000, 1);
    const std::string path = "/data/rows/" + imageFiles().at(0);
    storage.reset();
    files.endProcess();
    std::mt19937_64 random(1);
    for (int round = 0; round < 20; ++round) {
        const size_t at = 8 + random() % (files.sizeOf(path) - 8);
        files.flipBit(path, at, 3);
        CHECK_THROWS_WITH(open(), Catch::Contains(path) && Catch::Contains("damaged"));
        files.flipBit(path, at, 3);
    }
    open();
    CHECK(table()->rowCount() == 3001);
    storage.reset();
    files.endProcess();
    files.remove(path);
    CHECK_THROWS_WITH(open(), Catch::Contains(path) && Catch::Contains("missing"));
}

TEST_CASE_METHOD(ImageFixture, "a table that is dropped beside images stays gone, and its files go") {
    add(0, 2000);
    storage->maintenance().checkpoint();
    const uint64_t id = storage->catalog().dropTable("dfs://bank", "accounts").id;
    storage->commits().removeRows(id);
    open();
    CHECK(storage->rows().find(id) == nullptr);
    storage->catalog().createTable(accountTable());
    add(10, 1);
    storage->maintenance().checkpoint();
    storage->maintenance().checkpoint();
    open();
    CHECK(table()->rowCount() == 1);
    CHECK(storage->rows().find(id) == nullptr);
    storage->commits().removeRows(storage->catalog().dropTable("dfs://bank", "accounts").id);
    storage->maintenance().checkpoint();
    CHECK(imageFiles().empty());
    open();
    CHECK(storage->rows().onDisk().firstFile == 0);
}

TEST_CASE("power that is lost at any call of a checkpoint with images leaves all rows") {
    int cut = 0;
    for (int64_t call = 1;; ++call) {
        CAPTURE(call);
        ImageFixture fixture;
        fixture.add(0, 2500);
        fixture.storage->maintenance().checkpoint();
        for (int64_t id = 0; id < 2500; ++id) {
            if (id % 5 != 0) continue;
            fixture.change(id, 3);
        }
        const AccountRows expected = accountRows(*fixture.table());
        fixture.files.breakAt(FaultyFileSystem::Fault::Power, call);
        bool isDone = true;
        try {
            fixture.storage->maintenance().checkpoint();
        } catch (const Error&) {
            isDone = false;
        }
        fixture.files.losePower(static_cast<uint64_t>(call));
        fixture.open();
        REQUIRE(accountRows(*fixture.table()) == expected);
        CHECK(fixture.table()->check().empty());
        fixture.storage->maintenance().checkpoint();
        fixture.open();
        REQUIRE(accountRows(*fixture.table()) == expected);
        if (isDone) break;
        ++cut;
    }
    CHECK(cut > 10);
}

TEST_CASE("a disk that takes no images keeps the log, and the next checkpoint writes them") {
    ImageFixture fixture;
    fixture.add(0, 2500);
    fixture.files.setFreeBytes(20000);
    CHECK_THROWS_AS(fixture.storage->maintenance().checkpoint(), Error);
    fixture.files.setFreeBytes(int64_t{1} << 40);
    fixture.change(3, 33);
    const AccountRows expected = accountRows(*fixture.table());
    fixture.open();
    CHECK(accountRows(*fixture.table()) == expected);
    fixture.storage->maintenance().checkpoint();
    CHECK(fixture.logFiles() == 1);
    fixture.open();
    CHECK(accountRows(*fixture.table()) == expected);
}

TEST_CASE_METHOD(ImageFixture, "writers go on beside images, and each start finds what was committed") {
    add(0, 4000);
    std::atomic<bool> ends{false};
    std::vector<std::thread> writers;
    for (int writer = 0; writer < 3; ++writer) {
        writers.emplace_back([&, writer] {
            std::mt19937_64 random(static_cast<unsigned>(writer));
            const Ref<RowTable> rows = table();
            // Each moves an amount between two of its own rows, so that the sum stays.
            while (!ends) {
                const auto from = static_cast<int64_t>(random() % 1300 * 3) + writer;
                ColumnConstraint pair;
                pair.column = 0;
                pair.low = Value::ofLong(from);
                pair.high = Value::ofLong(from + 3);
                pair.anyOf = {pair.low, pair.high};
                const RowAccess::Rows seen = rows->rowsToChange({pair});
                if (seen.ids.size() != 2) continue;
                rows->changeRows(seen, {{0, 1},
                                        false,
                                        {{2, doubleVector({seen.rows->column(2).at(0).asDouble() - 1,
                                                           seen.rows->column(2).at(1).asDouble() + 1})}}});
            }
        });
    }
    const auto total = [&] {
        double sum = 0;
        for (const auto& [id, row] : accountRows(*table())) sum += row.second;
        return sum;
    };
    const double before = 4000.0 * 3999 / 2;
    for (int round = 0; round < 12; ++round) {
        storage->maintenance().checkpoint();
        CHECK(total() == before);
    }
    ends = true;
    for (std::thread& writer : writers) writer.join();
    const AccountRows expected = accountRows(*table());
    open();
    CHECK(accountRows(*table()) == expected);
    CHECK(total() == before);
    CHECK(table()->check().empty());
}
