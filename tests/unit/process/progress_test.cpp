// Progress of long statements, seen by another thread while they run.
#include "runtime/function/progress.h"
#include "runtime/function/principal.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

#include "common/io/file.h"
#include "interpreter/engine/engine.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/process/whole_process.h"

using namespace pelorus;

namespace {

// Polls the progress of a request all the time, in a separate thread.
class Watcher {
public:
    explicit Watcher(const Progress& progress) : thread_([this, &progress] { watch(progress); }) {}
    ~Watcher() { finish(); }

    // Returns what it saw: each change of the work done.
    const std::vector<Progress::Snapshot>& finish() {
        ended_ = true;
        if (thread_.joinable()) thread_.join();
        return seen_;
    }

private:
    void watch(const Progress& progress) {
        while (!ended_) {
            const Progress::Snapshot now = progress.snapshot();
            if (now.work && (seen_.empty() || now.done != seen_.back().done)) seen_.push_back(now);
        }
    }

    std::vector<Progress::Snapshot> seen_;
    std::atomic<bool> ended_{false};
    std::thread thread_;  // the last member: it uses the others
};

// A session whose statements are watched.
struct Watched {
    std::vector<Progress::Snapshot> run(const std::string& script) {
        Watcher watcher(progress);
        evaluate(script, session, context);
        std::vector<Progress::Snapshot> seen = watcher.finish();
        REQUIRE(progress.snapshot().work == nullptr);
        return seen;
    }
    // Runs the script until the watcher, which may get no processor in time, has seen the work done change so often.
    void requireProgress(const std::string& script, const std::string& work, ProgressUnit unit, int64_t total,
                         size_t changes = 2) {
        INFO(script);
        std::vector<Progress::Snapshot> seen;
        for (int attempt = 0; attempt < 50 && seen.size() < changes; ++attempt) seen = run(script);
        REQUIRE(seen.size() >= changes);
        for (size_t i = 0; i < seen.size(); ++i) {
            REQUIRE(seen[i].work == work);
            REQUIRE(seen[i].unit == unit);
            REQUIRE(seen[i].total == total);
            REQUIRE(seen[i].done >= (i == 0 ? 0 : seen[i - 1].done));
            REQUIRE(seen[i].done <= total);
        }
    }

    Progress progress;
    Request request{Principal::owner()};
    Context context{testing::wholeProcess().services(), request};
    Session session{testing::wholeProcess().services()};
    Watched() { request.progress = &progress; }
};

}  // namespace

TEST_CASE("a phase inside another counts nothing and the outer one ends where it ends") {
    Progress progress;
    {
        ProgressPhase outer(&progress, "import", ProgressUnit::Bytes, 10);
        outer.add(4);
        {
            ProgressPhase inner(&progress, "append", ProgressUnit::Rows, 3);
            inner.add(3);
        }
        const Progress::Snapshot now = progress.snapshot();
        REQUIRE(std::string(now.work) == "import");
        REQUIRE(now.done == 4);
        REQUIRE(now.total == 10);
    }
    REQUIRE(progress.snapshot().work == nullptr);
    ProgressPhase unwatched(nullptr, "query", ProgressUnit::Rows, 1);
    unwatched.add(1);
}

TEST_CASE("what a watcher sees is of one phase also while phases follow each other") {
    Progress progress;
    std::atomic<bool> ended{false};
    std::thread phases([&] {
        for (int round = 0; round < 20000; ++round) {
            const int64_t total = 1 + round % 100;
            ProgressPhase phase(&progress, "query", ProgressUnit::Rows, total);
            for (int64_t i = 0; i < total; ++i) phase.add(1);
        }
        ended = true;
    });
    int64_t wrong = 0;
    while (!ended) {
        const Progress::Snapshot now = progress.snapshot();
        wrong += now.work && (now.total < 1 || now.done > now.total);
    }
    phases.join();
    REQUIRE(wrong == 0);
}

TEST_CASE("long statements show their progress and nothing once they ended") {
    TemporaryFolder folder;
    const std::string file = folder / "rows.csv";
    Watched watched;
    watched.run(
        "n = 4000000\n"
        "progress_rows = table(1..n % 4 as part, 1..n % 100000 as x, rand(1.0, n) as y)\n"
        "progress_db = database('dfs://progress', VALUE, 0..3)\n"
        "progress_table = progress_db.createPartitionedTable(progress_rows, `t, `part)\n"
        "few = select top 1000000 * from progress_rows");
    watched.requireProgress("saveText(few, '" + file + "')", "saveText", ProgressUnit::Rows, 1000000);
    const auto size = static_cast<int64_t>(FileSystem::posix().openForRead(file)->size());
    watched.requireProgress("loaded = loadText('" + file + "')", "import", ProgressUnit::Bytes, size);
    watched.requireProgress("select sum(sqrt(y)), std(y) from progress_rows where x > 5", "query", ProgressUnit::Rows,
                            4000000);
    // One transaction: its rows count when all are written.
    watched.requireProgress("append!(progress_table, progress_rows)", "append", ProgressUnit::Rows, 4000000, 1);
    watched.run("truncate('dfs://progress', `t)\nappend!(progress_table, progress_rows)");
    watched.requireProgress("select sum(sqrt(y)), std(y) from progress_table", "query", ProgressUnit::Rows, 4000000);
    watched.requireProgress("mr(sqlDS(<select y from progress_table>), def(t): sum(sqrt(t.y)), +)", "map-reduce",
                            ProgressUnit::Tasks, 4);
    watched.requireProgress("select sum(sqrt(y)) from progress_table map", "query", ProgressUnit::Tasks, 4);
    watched.run("dropDatabase('dfs://progress')");
}
