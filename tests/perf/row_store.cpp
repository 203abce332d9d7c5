// Times of a row table in this process: look-ups and updates by key, and scans of a column, over 10^6 rows of eight
// columns. Prints a line for each; used by `make bench-rows`.
//
//   row_store_bench [FOLDER]
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "storage/rows/row_part.h"
#include "tests/support/row_table_fixture.h"
#include "tests/support/temporary_folder.h"

using namespace pelorus;

namespace {

constexpr int64_t kRows = 1'000'000;
constexpr int kColumns = 8;

class Stopwatch {
public:
    double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }

private:
    const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

RowCell cellOfLong(const int64_t& value) {
    return {reinterpret_cast<const char*>(&value), sizeof value};
}

void benchPart() {
    TransactionSlots slots;
    auto part = std::make_shared<RowPart>(1, RowColumns(kColumns, {Type::Long, 0}), slots);
    part->setIndexes({{"key", {0}, true}});
    uint64_t number = 0;
    {
        const Stopwatch clock;
        for (int64_t row = 0; row < kRows; row += 1000) {
            RowTransaction transaction(slots);
            for (int64_t i = row; i < row + 1000; ++i)
                part->insert(transaction, std::vector<RowCell>(kColumns, cellOfLong(i)));
            transaction.place(++number);
            transaction.settle();
            part->purge(number);
        }
        fmt::print("insert, 1,000 rows a transaction: {:.2f} us a row\n", clock.seconds() * 1e6 / kRows);
    }
    std::mt19937_64 random(1);
    const auto index = (*part->indexes())[0];
    constexpr int kLookups = 300'000;
    {
        const Stopwatch clock;
        int64_t sum = 0;
        for (int i = 0; i < kLookups; ++i) {
            const auto wanted = static_cast<int64_t>(random() % kRows);
            RowCells key, cells;
            key.add(cellOfLong(wanted));
            const uint64_t row = part->find(*index, index->keyOf(key), {number});
            part->read(row, {number}, {0, 1, 2, 3, 4, 5, 6, 7}, cells);
            sum += static_cast<int64_t>(cells.size());
        }
        fmt::print("look-up: {:.2f} us (of {} cells)\n", clock.seconds() * 1e6 / kLookups, sum);
    }
    {
        const Stopwatch clock;
        for (int i = 0; i < kLookups; ++i) {
            const int64_t value = i;
            RowCells key;
            key.add(cellOfLong(static_cast<int64_t>(random() % kRows)));
            RowTransaction transaction(slots);
            const uint64_t row = part->find(*index, index->keyOf(key), {number, transaction.tag()});
            part->update(transaction, row, {3}, {cellOfLong(value)});
            transaction.place(++number);
            transaction.settle();
            if (number % 64 == 0) part->purge(number);
        }
        fmt::print("update by key, without the log: {:.2f} us\n", clock.seconds() * 1e6 / kLookups);
    }
    part->purge(number);
    {
        const Stopwatch clock;
        constexpr int kScans = 20;
        int64_t values = 0;
        const Ref<Vector> column = Vector::make(Type::Long, 64 * RowPage::kRows);
        for (int scan = 0; scan < kScans; ++scan) {
            int64_t at = 0;
            for (const RowPage* page : part->pages()) {
                if (at + RowPage::kRows > column->size()) at = 0;
                const int64_t rows = page->copyColumn({number}, 3, *column, at);
                at += rows;
                values += rows;
            }
        }
        fmt::print("scan of hot pages: {:.0f} M values/s\n", static_cast<double>(values) / clock.seconds() / 1e6);
    }
}

// Statements of one row through the table and the log of a folder, whose syncs are left to the system.
void benchTable(const std::string& folder) {
    const std::shared_ptr<LocalStorage> storage =
        LocalStorage::open(folder, FileSystem::posix(), {.dataSync = false, .maintenance = false});
    DatabaseEntry database;
    database.path = "dfs://bank";
    storage->catalog().createDatabase(database);
    storage->catalog().createTable(accountTable());
    const Ref<RowTable> table =
        makeRef<RowTable>(storage, database, storage->catalog().table("dfs://bank", "accounts"));
    constexpr int kStatements = 20'000;
    {
        const Stopwatch clock;
        for (int64_t i = 0; i < kStatements; ++i) table->append(*accounts({i}, {"name"}, {1}));
        fmt::print("insert of one row by the table, in the log, not synced: {:.2f} us\n",
                   clock.seconds() * 1e6 / kStatements);
    }
    const Stopwatch clock;
    for (int64_t i = 0; i < kStatements; ++i) {
        const RowAccess::Rows seen = table->rowsToChange({columnEquals(0, Value::ofLong(i))});
        table->changeRows(seen, {{0}, false, {{2, doubleVector({2})}}});
    }
    fmt::print("update of one row by the table, in the log, not synced: {:.2f} us\n",
               clock.seconds() * 1e6 / kStatements);
}

}  // namespace

int main(int argc, char** argv) {
    benchPart();
    const TemporaryFolder temporary;
    benchTable(argc > 1 ? argv[1] : temporary / "data");
}
