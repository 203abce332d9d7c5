// Write amplification: bytes that go to files until nothing is left to do, over the bytes of the rows received.
//
//   write_amplification FOLDER [ROWS]
//
// Rows of 28 bytes in the order of arrival, into a table partitioned by day and ordered by time. A share of each batch
// of 10,000 is late, by up to all the days before; in the last case sixteen writers commit one late row at a time. One
// line a case: its name and the ratio.
#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <thread>
#include <vector>

#include "common/io/file.h"
#include "storage/catalog/catalog.h"
#include "storage/folder/local_storage.h"
#include "storage/folder/maintenance.h"
#include "storage/table/local_table.h"

using namespace pelorus;

namespace {

class CountedFile final : public File {
public:
    CountedFile(std::unique_ptr<File> file, std::atomic<int64_t>& written)
        : file_(std::move(file)), written_(written) {}
    void append(std::string_view bytes) override {
        written_ += static_cast<int64_t>(bytes.size());
        file_->append(bytes);
    }
    void overwrite(int64_t offset, std::string_view bytes) override {
        written_ += static_cast<int64_t>(bytes.size());
        file_->overwrite(offset, bytes);
    }
    size_t readAt(int64_t offset, void* target, size_t sizeBytes) const override {
        return file_->readAt(offset, target, sizeBytes);
    }
    void sync() override { file_->sync(); }
    void reserve(int64_t sizeBytes) override { file_->reserve(sizeBytes); }
    int64_t size() const override { return file_->size(); }
    void truncate(int64_t sizeBytes) override { file_->truncate(sizeBytes); }
    const std::string& path() const override { return file_->path(); }

private:
    const std::unique_ptr<File> file_;
    std::atomic<int64_t>& written_;
};

class CountingFileSystem final : public FileSystem {
public:
    int64_t written() const { return written_.load(); }

    std::unique_ptr<File> create(const std::string& path) override { return counted(files_.create(path)); }
    std::unique_ptr<File> openForAppend(const std::string& path) override {
        return counted(files_.openForAppend(path));
    }
    std::unique_ptr<File> openForRead(const std::string& path) override { return files_.openForRead(path); }
    bool exists(const std::string& path) override { return files_.exists(path); }
    void rename(const std::string& from, const std::string& to) override { files_.rename(from, to); }
    void remove(const std::string& path) override { files_.remove(path); }
    void makeFolder(const std::string& path) override { files_.makeFolder(path); }
    double usedShare(const std::string& path) override { return files_.usedShare(path); }
    void syncFolder(const std::string& path) override { files_.syncFolder(path); }
    std::vector<std::string> list(const std::string& path) override { return files_.list(path); }
    std::unique_ptr<FileLock> lock(const std::string& path, std::string* holder) override {
        return files_.lock(path, holder);
    }

private:
    std::unique_ptr<File> counted(std::unique_ptr<File> file) {
        return std::make_unique<CountedFile>(std::move(file), written_);
    }

    FileSystem& files_ = FileSystem::posix();
    std::atomic<int64_t> written_{0};
};

constexpr int kDays = 10;
constexpr int32_t kFirstDay = 13726;  // 2007-08-01
constexpr int64_t kNanosPerDay = 86400000000000;
constexpr int64_t kRowBytes = 8 + 4 + 8 + 4 + 4;

TableEntry tradesTable() {
    TableEntry table;
    table.database = "dfs://late";
    table.name = "trades";
    table.schema = {{"ts", Type::NanoTimestamp},
                    {"sym", Type::Symbol},
                    {"price", Type::Double},
                    {"size", Type::Int},
                    {"ex", Type::Symbol}};
    table.partitionColumns = {"ts"};
    table.sortColumns = {"ts"};
    return table;
}

// Rows `first` to `first + count` of `total`; a share of them late.
Ref<MemoryTable> rowsFrom(int64_t first, int64_t count, int64_t total, double late, std::mt19937_64& random) {
    std::vector<int64_t> times;
    std::vector<std::string> symbols, exchanges;
    std::vector<double> prices;
    std::vector<int32_t> sizes;
    std::uniform_real_distribution<double> share(0, 1);
    const double day = static_cast<double>(kDays) / static_cast<double>(total);
    for (int64_t i = first; i < first + count; ++i) {
        double at = static_cast<double>(i) * day;
        if (share(random) < late) at *= share(random);
        times.push_back(int64_t{kFirstDay} * kNanosPerDay +
                        static_cast<int64_t>(at * static_cast<double>(kNanosPerDay)));
        symbols.push_back(fmt::format("S{}", random() % 500));
        prices.push_back(static_cast<double>(1000 + random() % 9000) / 100);
        sizes.push_back(static_cast<int32_t>(100 * (1 + random() % 20)));
        exchanges.emplace_back(1, "NTPZ"[random() % 4]);
    }
    return makeRef<MemoryTable>(
        std::vector<std::string>{"ts", "sym", "price", "size", "ex"},
        std::vector<Value>{Value::of(Vector::of(Type::NanoTimestamp, times)),
                           Value::of(Vector::ofStrings(symbols, Type::Symbol)),
                           Value::of(Vector::of(Type::Double, prices)), Value::of(Vector::of(Type::Int, sizes)),
                           Value::of(Vector::ofStrings(exchanges, Type::Symbol))});
}

double amplification(const std::string& folder, int64_t rows, int64_t batch, double late, int writers) {
    std::filesystem::remove_all(folder);
    CountingFileSystem files;
    StorageOptions options;
    options.dataSync = false;  // the bytes are the same
    const auto storage = LocalStorage::open(folder, files, options);
    DatabaseEntry database;
    database.path = "dfs://late";
    std::vector<int32_t> days;
    for (int d = 0; d < kDays; ++d) days.push_back(kFirstDay + d);
    database.scheme = PartitionScheme({PartitionLevel(PartitionKind::Value, Value::of(Vector::of(Type::Date, days)))});
    storage->catalog().createDatabase(database);
    storage->catalog().createTable(tradesTable());
    std::atomic<int64_t> next{0};
    std::vector<std::thread> threads;
    for (int w = 0; w < writers; ++w) {
        threads.emplace_back([&, w] {
            const Ref<PartitionedTable> table =
                makeRef<LocalTable>(storage, storage->catalog().database("dfs://late"),
                                    storage->catalog().table("dfs://late", "trades"), OutsideRules{});
            std::mt19937_64 random(static_cast<uint64_t>(w));
            for (int64_t first; (first = next.fetch_add(batch)) < rows;)
                table->append(*rowsFrom(first, std::min(batch, rows - first), rows, late, random));
        });
    }
    for (std::thread& thread : threads) thread.join();
    storage->maintenance().flush();
    storage->maintenance().compact();
    storage->maintenance().checkpoint();
    return static_cast<double>(files.written()) / static_cast<double>(rows * kRowBytes);
}

}  // namespace

int main(int count, char** words) {
    if (count < 2) {
        std::fprintf(stderr, "write_amplification FOLDER [ROWS]\n");
        return 2;
    }
    const int64_t rows = count > 2 ? std::atoll(words[2]) : 2000000;
    struct Case {
        const char* name;
        int64_t batch;
        double late;
        int writers;
    };
    for (const Case& c : {Case{"0.1 % late", 10000, 0.001, 1}, Case{"10 % late", 10000, 0.1, 1},
                          Case{"50 % late", 10000, 0.5, 1}, Case{"one late row per commit, 16 writers", 1, 1.0, 16}}) {
        fmt::print("{}\t{:.3f}\n", c.name,
                   amplification(words[1], c.batch == 1 ? rows / 2 : rows, c.batch, c.late, c.writers));
        std::fflush(stdout);
    }
    std::filesystem::remove_all(words[1]);
}
