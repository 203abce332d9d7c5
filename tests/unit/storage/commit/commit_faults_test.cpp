// A fault at every call of every kind of change: the power, a full disk, a failing sync. What is found afterwards is
// the state before the change or the one after it, over both tables, and the latter when the change was acknowledged.
#include <catch2/catch.hpp>
#include <functional>

#include "common/error.h"
#include "storage/commit/commit_path.h"
#include "storage/folder/maintenance.h"
#include "tests/support/two_tables.h"

using namespace pelorus;

namespace {

using Fault = FaultyFileSystem::Fault;

struct EngineTables : TwoTables {
    EngineTables(FaultyFileSystem& files, const std::string& engine) : TwoTables(files, kNoMaintenance, engine) {}

    // Changes rows like update and delete: rows with an even id vanish, the others get another price, in all partitions
    // at once.
    void change() const {
        const auto target = table("a");
        const auto seen = target->takeSnapshot();
        std::vector<std::pair<size_t, Ref<MemoryTable>>> partitions;
        for (size_t p = 0; p < seen->partitions().size(); ++p) {
            Ref<MemoryTable> rows = readRows(*seen->open(p), target->columns());
            std::vector<int32_t> kept;
            for (int64_t i = 0; i < rows->rowCount(); ++i) {
                if (rows->column(2).at(i).integer() % 4 < 2) kept.push_back(static_cast<int32_t>(i));
            }
            rows = rows->gather(kept.data(), static_cast<int64_t>(kept.size()));
            rows->setColumn("price", Value::of(Vector::filled(Type::Double, rows->rowCount(), Value::ofDouble(7))));
            partitions.emplace_back(p, std::move(rows));
        }
        const bool replaced = target->replace(*seen, partitions);
        REQUIRE(replaced);
    }

    // id and price of every row, in order.
    using Rows = std::vector<std::pair<int64_t, double>>;
    Rows rows(const std::string& name) const {
        Rows rows;
        const auto snapshot = table(name)->takeSnapshot();
        for (size_t p = 0; p < snapshot->partitions().size(); ++p) {
            const Ref<MemoryTable> content = readRows(*snapshot->open(p), kTradeSchema);
            const int64_t* ids = content->column(2).vector().data<int64_t>();
            const double* prices = content->column(3).vector().data<double>();
            for (int64_t i = 0; i < content->rowCount(); ++i) rows.emplace_back(ids[i], prices[i]);
        }
        std::sort(rows.begin(), rows.end());
        return rows;
    }
    std::vector<Rows> all() const { return {rows("a"), rows("b")}; }
};

struct KindOfChange {
    const char* name;
    std::function<void(const EngineTables&)> make;
};

const std::vector<KindOfChange> kChanges = {
    {"small append", [](const EngineTables& t) { t.append(1000, 40); }},
    {"large append", [](const EngineTables& t) { t.append(1000, 70000); }},
    {"update and delete", [](const EngineTables& t) { t.change(); }},
    {"upsert",
     [](const EngineTables& t) {
         t.table("a")->upsert(*trades(100, 200), {{"id", "sym"}, {}, false});
     }},
    {"flush", [](const EngineTables& t) { t.storage->maintenance().flush(); }},
    {"compaction", [](const EngineTables& t) { t.storage->maintenance().compact(); }},
    {"checkpoint", [](const EngineTables& t) { t.storage->maintenance().checkpoint(); }},
    {"truncate", [](const EngineTables& t) { t.storage->commits().removeRows(t.table("a")->entry().id, true); }},
};

// A disk on which both tables have rows in many small segments and in the write cache.
std::unique_ptr<FaultyFileSystem> filledDisk(const std::string& engine) {
    auto files = std::make_unique<FaultyFileSystem>();
    EngineTables tables(*files, engine);
    for (int64_t i = 0; i < 9; ++i) {
        tables.append(i * 16, 24);
        tables.storage->maintenance().flush();
    }
    tables.append(120, 80);
    return files;
}

// Makes the change on a copy of the disk with the fault at its n-th call. False when it has fewer calls.
bool survives(FaultyFileSystem& disk, const std::string& engine, const KindOfChange& change, Fault fault, int64_t n,
              const std::vector<EngineTables::Rows>& before, const std::vector<EngineTables::Rows>& after) {
    const std::unique_ptr<FaultyFileSystem> files = disk.clone();
    CAPTURE(engine, change.name, static_cast<int>(fault), n);
    bool acknowledged = false, broken = false;
    {
        EngineTables tables(*files, engine);
        files->breakAt(fault, n);
        try {
            change.make(tables);
            acknowledged = true;
        } catch (const SystemError&) {
            // A reader of the living process sees none of it, and a disk that has room again takes it.
            REQUIRE(tables.all() == before);
            if (fault == Fault::Room) {
                change.make(tables);
                acknowledged = true;
                REQUIRE(tables.all() == after);
            }
        }
        broken = files->isBroken();
    }
    files->losePower(static_cast<uint64_t>(n));
    EngineTables reopened(*files, engine);
    const auto found = reopened.all();
    REQUIRE((found == after || (!acknowledged && found == before)));
    reopened.append(200000, 8);
    REQUIRE(reopened.rows("a").size() == found[0].size() + 8);
    return broken;
}

}  // namespace

TEST_CASE("a fault at any call of a change leaves the state before it or after it") {
    for (const std::string engine : {"OLAP", "TSDB", "PKEY"}) {
        const auto disk = filledDisk(engine);
        for (const KindOfChange& change : kChanges) {
            const auto before = EngineTables(*disk->clone(), engine).all();
            const auto whole = disk->clone();
            EngineTables changed(*whole, engine);
            change.make(changed);
            const auto after = changed.all();
            for (const Fault fault : {Fault::Power, Fault::Room, Fault::Sync}) {
                int64_t n = 1;
                while (survives(*disk, engine, change, fault, n, before, after)) {
                    ++n;
                }
                INFO(engine << " " << change.name);
                REQUIRE(n > 1);
            }
        }
    }
}
