// Random histories of several threads over a disk that breaks, against a model: after every end (orderly, a kill, a
// power loss) the rows are the right ones, whole batches everywhere; a flipped bit leads to the right rows or a named
// refusal.
//
// Threads race, so that a seed is a kind of history and not one: run many, and one often.
//
//   PELORUS_HISTORY_SEEDS   how many histories (default 6)
//   PELORUS_HISTORY_FIRST   the first seed (default 1): a failure names its seed
#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <deque>
#include <map>
#include <mutex>
#include <random>
#include <thread>

#include "common/error.h"
#include "storage/commit/commit_path.h"
#include "storage/commit/commit_result.h"
#include "storage/commit/prepared_commits.h"
#include "storage/commit/write_batch.h"
#include "storage/folder/maintenance.h"
#include "storage/log/stamp.h"
#include "storage/log/wal_writer.h"
#include "storage/table/local_table.h"
#include "storage/version/version_set.h"
#include "tests/support/faulty_file_system.h"
#include "tests/support/storage_fixture.h"

using namespace pelorus;

namespace {

using Fault = FaultyFileSystem::Fault;
using Random = std::mt19937_64;

constexpr uint64_t kTable = 1;
constexpr int kChunks = 4, kThreads = 3, kLives = 5, kSteps = 25;
const TableSchema kSchema = {{"batch", Type::Long}, {"value", Type::Long}};

int64_t setting(const char* name, int64_t otherwise) {
    const char* given = std::getenv(name);
    return given != nullptr ? std::atoll(given) : otherwise;
}

std::string pathOf(int chunk) {
    return "/" + std::to_string(chunk);
}

// How many rows of a batch go to each of its chunks: some through the log, some as segments.
int64_t rowsOf(int64_t batch) {
    return batch % 23 == 7 ? 70000 : 1 + batch * 7 % 40;
}

enum class Outcome { Done, Failed, Unknown };

// Change of a chunk: `begin` and `end` are times of a clock that all threads share.
struct Event {
    int64_t begin = 0, end = INT64_MAX;
    Outcome outcome = Outcome::Unknown;
    int64_t batch = -1;  // of an append, or the only one that is removed; -1: all
};

class Model {
public:
    int64_t now() { return ++clock_; }
    // The number of a batch that goes to these chunks, if it does.
    int64_t beginAppend(const std::vector<int>& chunks) {
        Event event;
        event.batch = ++lastBatch_;
        event.begin = now();
        appended(chunks, event);
        return event.batch;
    }
    void appended(const std::vector<int>& chunks, const Event& event) {
        const std::lock_guard guard(mutex_);
        for (const int chunk : chunks) appends_[chunk][event.batch] = event;
        chunksOf_[event.batch] = chunks;
    }
    void removed(int chunk, const Event& event) {
        const std::lock_guard guard(mutex_);
        removals_[chunk].push_back(event);
    }
    void decided(const std::string& transaction, Outcome outcome) {
        const std::lock_guard guard(mutex_);
        const int64_t batch = std::stoll(transaction);
        pending_.erase(batch);
        for (const int chunk : chunksOf_.at(batch)) {
            Event& event = appends_[chunk][batch];
            event.outcome = outcome;
            event.end = now();
        }
    }

    // Compares what one chunk holds: batch to rows.
    void check(int chunk, const std::map<int64_t, int64_t>& found) {
        const std::lock_guard guard(mutex_);
        for (const auto& [batch, rows] : found) {
            CAPTURE(chunk, batch);
            REQUIRE(appends_[chunk].count(batch) == 1);
            REQUIRE(rows == rowsOf(batch));
        }
        for (const auto& [batch, append] : appends_[chunk]) {
            bool mustBeGone = append.outcome == Outcome::Failed, mayBeGone = append.outcome != Outcome::Done;
            for (const Event& removal : removals_[chunk]) {
                if (removal.batch != -1 && removal.batch != batch) continue;
                if (removal.outcome == Outcome::Failed || removal.end < append.begin) continue;
                mayBeGone = true;
                // One whose fate is unknown may not have been there to be removed, and be found by the next start.
                mustBeGone |=
                    removal.outcome == Outcome::Done && append.outcome == Outcome::Done && removal.begin > append.end;
            }
            CAPTURE(chunk, batch, append.begin, append.end, static_cast<int>(append.outcome));
            if (mustBeGone) REQUIRE(found.count(batch) == 0);
            if (!mayBeGone) REQUIRE(found.count(batch) == 1);
        }
    }

    // Makes the rows that a start found the state of the model.
    void settle(const std::vector<std::map<int64_t, int64_t>>& found) {
        const std::lock_guard guard(mutex_);
        for (int chunk = 0; chunk < kChunks; ++chunk) {
            removals_[chunk].clear();
            const std::map<int64_t, int64_t>& there = found[static_cast<size_t>(chunk)];
            for (auto it = appends_[chunk].begin(); it != appends_[chunk].end();) {
                const bool isThere = there.count(it->first) != 0;
                if (isThere) it->second.outcome = Outcome::Done;
                it = isThere || pending_.count(it->first) != 0 ? std::next(it) : appends_[chunk].erase(it);
            }
        }
    }
    // Names the transactions that are prepared and not decided.
    void setPending(const std::vector<PreparedCommits::OpenTransaction>& transactions) {
        const std::lock_guard guard(mutex_);
        pending_.clear();
        for (const auto& open : transactions) pending_.insert(std::stoll(open.name));
    }

private:
    std::mutex mutex_;
    std::atomic<int64_t> clock_{0}, lastBatch_{0};
    std::map<int, std::map<int64_t, Event>> appends_;  // by chunk and batch
    std::map<int, std::vector<Event>> removals_;
    std::map<int64_t, std::vector<int>> chunksOf_;
    std::set<int64_t> pending_;
};

Ref<MemoryTable> batchRows(int64_t batch) {
    const auto count = static_cast<size_t>(rowsOf(batch));
    return makeRef<MemoryTable>(
        std::vector<std::string>{"batch", "value"},
        std::vector<Value>{longVector(std::vector<int64_t>(count, batch)), longVector(std::vector<int64_t>(count, 0))});
}

std::vector<ChunkRows> chunkRows(const std::vector<int>& chunks, int64_t batch) {
    std::vector<ChunkRows> rows;
    for (const int chunk : chunks) rows.push_back({kTable, pathOf(chunk), {chunk}, batchRows(batch)});
    return rows;
}

Ref<MemoryTable> rowsIn(const LocalStorage& storage, int chunk, uint64_t number) {
    const VersionSet& versions = storage.versions();
    const uint64_t id = versions.find(kTable, pathOf(chunk), number);
    const ChunkVersionRef version = id == 0 ? nullptr : versions.version(id, number);
    if (!version) return MemoryTable::empty(kSchema);
    return readRows(*makeChunkReader(version, kSchema, SortRule()), kSchema);
}

// Batches and their rows; those of one batch have one value, whatever updates ran.
std::map<int64_t, int64_t> batchesIn(const MemoryTable& rows) {
    std::map<int64_t, int64_t> found;
    std::map<int64_t, int64_t> values;
    const int64_t* batches = rows.column(0).vector().data<int64_t>();
    const int64_t* value = rows.column(1).vector().data<int64_t>();
    bool isWhole = true;
    for (int64_t i = 0; i < rows.rowCount(); ++i) {
        ++found[batches[i]];
        isWhole &= values.emplace(batches[i], value[i]).first->second == value[i];
    }
    REQUIRE(isWhole);
    return found;
}

// Failures whose effect is known: the change is not there.
Outcome outcomeOf(const std::string& error) {
    const bool isUnknown = error.find("sync") != std::string::npos || error.find("power") != std::string::npos ||
                           error.find("accepts no writes") != std::string::npos;
    return isUnknown ? Outcome::Unknown : Outcome::Failed;
}

template <class Change>
Event attempt(Model& model, int64_t batch, const Change& change) {
    Event event;
    event.batch = batch;
    event.begin = model.now();
    try {
        event.outcome = change() ? Outcome::Done : Outcome::Failed;
    } catch (const SystemError& error) {
        event.outcome = outcomeOf(error.what());
    }
    event.end = model.now();
    return event;
}

// The decisions of a cluster's store, which outlive the storage, and their installation in order.
class Decisions {
public:
    // Decides, at the first call, and installs what has been decided. Throws when the storage can't.
    bool decide(LocalStorage& storage, const std::string& transaction, bool commits) {
        const std::lock_guard guard(mutex_);
        if (decided_.count(transaction) == 0) waiting_.push_back(decideNow(transaction, commits));
        while (!waiting_.empty()) {
            storage.prepared().applyDecisions({waiting_.front()});
            if (waiting_.front().commit) storage.log().numberFrom(stamp::nextOwn(waiting_.front().number));
            waiting_.pop_front();
        }
        return true;
    }
    // Installs after a restart what was decided before; the rest is decided as committed.
    void settle(LocalStorage& storage, Model& model) {
        waiting_.clear();
        std::vector<PreparedCommits::Decision> decisions;
        for (const auto& open : storage.prepared().openTransactions()) {
            const auto known = decided_.find(open.name);
            decisions.push_back(known == decided_.end() ? decideNow(open.name, true) : known->second);
        }
        std::sort(decisions.begin(), decisions.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
        for (const auto& decision : decisions) {
            storage.prepared().applyDecisions({decision});
            model.decided(decision.transaction, decision.commit ? Outcome::Done : Outcome::Failed);
        }
        if (revision_ != 0) storage.log().numberFrom(stamp::firstOwnAfter(revision_, stamp::kFirstBase));
    }

private:
    PreparedCommits::Decision decideNow(const std::string& transaction, bool commits) {
        const uint64_t number = commits ? stamp::ofDecision(++revision_, stamp::kFirstBase, 0) : 0;
        return decided_[transaction] = {transaction, commits, number};
    }
    std::mutex mutex_;
    uint64_t revision_ = 0;
    std::map<std::string, PreparedCommits::Decision> decided_;
    std::deque<PreparedCommits::Decision> waiting_;
};

// One thread's part of a life. Removals and updates of a chunk come from the thread that owns it; appends from all.
void work(LocalStorage& storage, Model& model, Decisions& decisions, int owned, uint64_t seed) {
    Random random(seed);
    const auto someChunks = [&] {
        std::vector<int> chunks;
        for (int chunk = 0; chunk < kChunks; ++chunk) {
            if (random() % 2 == 0) chunks.push_back(chunk);
        }
        if (chunks.empty()) chunks.push_back(static_cast<int>(random() % kChunks));
        return chunks;
    };
    for (int step = 0; step < kSteps; ++step) {
        const auto kind = random() % 20;
        if (kind < 10) {
            const std::vector<int> chunks = someChunks();
            const int64_t batch = model.beginAppend(chunks);
            model.appended(chunks, attempt(model, batch, [&] {
                               storage.commits().append(chunkRows(chunks, batch), std::to_string(batch));
                               return true;
                           }));
        } else if (kind < 12) {
            const std::vector<int> chunks = someChunks();
            const int64_t batch = model.beginAppend(chunks);
            const std::string name = std::to_string(batch);
            const bool commits = random() % 3 != 0;
            const Event prepared = attempt(model, batch, [&] {
                return storage.prepared().prepare(name, {}, chunkRows(chunks, batch)) == CommitResult::Done;
            });
            if (prepared.outcome != Outcome::Done) {
                model.appended(chunks, prepared);
                continue;
            }
            // Until it is decided nobody changes its chunks.
            Event decided;
            for (int attempts = 0; attempts < 5 && decided.outcome != Outcome::Done; ++attempts)
                decided = attempt(model, batch, [&] { return decisions.decide(storage, name, commits); });
            decided.begin = prepared.begin;
            // Unless it is known to be done, the next life decides.
            if (decided.outcome == Outcome::Failed) decided.outcome = Outcome::Unknown;
            if (decided.outcome == Outcome::Done && !commits) decided.outcome = Outcome::Failed;
            model.appended(chunks, decided);
        } else if (kind < 13) {
            const bool drops = random() % 2 == 0;
            Event pending;
            pending.begin = model.now();
            const Event event = attempt(model, -1, [&] {
                if (drops) {
                    storage.commits().removeChunks(kTable, {pathOf(owned)});
                } else {
                    const VersionSet::Pin pin(storage.versions(), 0);
                    return storage.commits().replace({{kTable, pathOf(owned), {owned}, MemoryTable::empty(kSchema)}},
                                                     pin.number());
                }
                return true;
            });
            model.removed(owned, event);
        } else if (kind < 17) {
            // An update of all rows, or a delete of one batch.
            const bool deletes = random() % 2 == 0;
            int64_t batch = -2;
            const Event event = attempt(model, -2, [&] {
                const VersionSet::Pin pin(storage.versions(), 0);
                Ref<MemoryTable> rows = rowsIn(storage, owned, pin.number())->copy();
                if (rows->rowCount() == 0) return false;
                const int64_t* batches = rows->column(0).vector().data<int64_t>();
                if (deletes) batch = batches[random() % static_cast<uint64_t>(rows->rowCount())];
                std::vector<int32_t> kept;
                std::vector<int64_t> values;
                for (int64_t i = 0; i < rows->rowCount(); ++i) {
                    if (batches[i] == batch) continue;
                    kept.push_back(static_cast<int32_t>(i));
                    values.push_back(rows->column(1).vector().data<int64_t>()[i] + 1);
                }
                rows = rows->gather(kept.data(), static_cast<int64_t>(kept.size()));
                rows->setColumn("value", longVector(values));
                return storage.commits().replace({{kTable, pathOf(owned), {owned}, rows}}, pin.number());
            });
            if (batch >= 0) {
                Event removal = event;
                removal.batch = batch;
                model.removed(owned, removal);
            }
        } else {
            attempt(model, -2, [&] {
                if (kind == 17) storage.maintenance().flush();
                if (kind == 18) storage.maintenance().compact();
                if (kind == 19) storage.maintenance().checkpoint();
                return true;
            });
        }
    }
}

// A concurrent reader sees whole batches only, and the same twice.
void readOften(LocalStorage& storage, const std::atomic<bool>& ends, std::atomic<int>& halves) {
    while (!ends) {
        const VersionSet::Pin pin(storage.versions(), 0);
        for (int chunk = 0; chunk < kChunks; ++chunk) {
            try {
                const auto first = rowsIn(storage, chunk, pin.number());
                std::map<int64_t, int64_t> found;
                for (int64_t i = 0; i < first->rowCount(); ++i) ++found[first->column(0).vector().data<int64_t>()[i]];
                for (const auto& [batch, rows] : found) halves += rows != rowsOf(batch);
                halves += rowsIn(storage, chunk, pin.number())->rowCount() != first->rowCount();
            } catch (const SystemError&) {
                // The disk fails to read.
            }
        }
    }
}

std::vector<std::map<int64_t, int64_t>> contentOf(const LocalStorage& storage) {
    std::vector<std::map<int64_t, int64_t>> content;
    VersionSet& versions = const_cast<LocalStorage&>(storage).versions();
    const VersionSet::Pin pin(versions, 0);
    for (int chunk = 0; chunk < kChunks; ++chunk) content.push_back(batchesIn(*rowsIn(storage, chunk, pin.number())));
    return content;
}

// A bit of any file is flipped: what opens and reads then is right, and what does not says why and is well again when
// the bit is.
int flipAndOpen(FaultyFileSystem& disk, Random& random, Model& model) {
    std::vector<std::string> paths;
    for (const char* folder : {"/data/wal", "/data/checkpoint", "/data/segments"}) {
        for (const std::string& name : disk.list(folder)) paths.push_back(joinPath(folder, name));
    }
    int refusals = 0;
    for (int i = 0; i < 6; ++i) {
        const auto files = disk.clone();
        const std::string& path = paths[random() % paths.size()];
        if (files->sizeOf(path) == 0) continue;
        const size_t at = random() % files->sizeOf(path);
        const int bit = static_cast<int>(random() % 8);
        CAPTURE(path, at, bit);
        files->flipBit(path, at, bit);
        try {
            const auto storage = LocalStorage::open("/data", *files, {.maintenance = false});
            const auto found = contentOf(*storage);
            for (int chunk = 0; chunk < kChunks; ++chunk) model.check(chunk, found[static_cast<size_t>(chunk)]);
        } catch (const SystemError& error) {
            ++refusals;
            CHECK_THAT(error.what(), Catch::Contains("/data/"));
        }
    }
    return refusals;
}

}  // namespace

TEST_CASE("random histories of several threads keep to the model, whatever the disk does and however they end",
          "[history]") {
    const int64_t first = setting("PELORUS_HISTORY_FIRST", 1);
    int refusals = 0;
    for (int64_t seed = first; seed < first + setting("PELORUS_HISTORY_SEEDS", 6); ++seed) {
        Random random(static_cast<uint64_t>(seed));
        FaultyFileSystem files;
        if (random() % 2 == 0) files.slowSyncs(std::chrono::microseconds(1 + random() % 1000));
        Model model;
        Decisions decisions;
        StorageOptions options;
        options.maintenance = random() % 2 == 0;
        options.writeCacheBytes = 1 << 16;
        options.checkpointBytes = 1 << 17;
        for (int life = 0; life <= kLives; ++life) {
            CAPTURE(seed, life);
            bool lostPower = false;
            {
                const auto storage = LocalStorage::open("/data", files, options);
                decisions.settle(*storage, model);
                const auto found = contentOf(*storage);
                for (int chunk = 0; chunk < kChunks; ++chunk) model.check(chunk, found[static_cast<size_t>(chunk)]);
                model.settle(found);
                if (life == kLives) break;

                const bool breaks = random() % 4 != 0;
                const Fault kind = std::array{Fault::Power, Fault::Room, Fault::Sync}[random() % 3];
                if (breaks) files.breakAt(kind, static_cast<int64_t>(1 + random() % 120));
                std::atomic<bool> ends{false};
                std::atomic<int> halves{0};
                std::vector<std::thread> threads;
                for (int t = 0; t < kThreads; ++t)
                    threads.emplace_back([&, t, own = random()] { work(*storage, model, decisions, t, own); });
                std::thread reader([&] { readOften(*storage, ends, halves); });
                if (random() % 4 == 0) {
                    files.failReads(true);
                    std::this_thread::sleep_for(std::chrono::milliseconds(2));
                    files.failReads(false);
                }
                for (std::thread& thread : threads) thread.join();
                ends = true;
                reader.join();
                REQUIRE(halves == 0);
                const bool died = breaks && kind == Fault::Power && files.isBroken();
                // The living process shows what it acknowledged; commits go on behind a change that failed.
                files.breakAt(Fault::Power, -1);
                model.setPending(storage->prepared().openTransactions());
                try {
                    const auto seen = contentOf(*storage);
                    for (int chunk = 0; chunk < kChunks; ++chunk) model.check(chunk, seen[static_cast<size_t>(chunk)]);
                } catch (const SystemError&) {
                    // The disk is dead.
                }
                const auto end = random() % 3;
                if (end == 1) files.endProcess(true);
                lostPower = died || end == 2;
                if (end == 2) files.losePower(random(), true);
            }
            files.endProcess();
            // After a power loss nothing need say how far the last batch was synced (docs/formats/wal.md).
            if (!lostPower) refusals += flipAndOpen(files, random, model);
        }
    }
    if (setting("PELORUS_HISTORY_SEEDS", 6) > 3) REQUIRE(refusals > 0);
}
