// Commits batches over several partitions and two tables until it is killed. Each batch is acknowledged on standard
// output, one number a line, after its commit returned: what was read there must be found again.
//
//   commit_driver FOLDER FIRST_BATCH sync|nosync|rows
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "storage/folder/maintenance.h"
#include "tests/crash/batches.h"

using namespace pelorus;

static void acknowledge(int64_t batch) {
    const std::string line = std::to_string(batch) + "\n";
    if (::write(STDOUT_FILENO, line.data(), line.size()) < 0) std::_Exit(2);
}

int main(int, char** argv) {
    // Everything that changes files runs at the same time: commits of two threads, small and large, flush, compaction,
    // checkpoints.
    const bool changesRows = std::string_view(argv[3]) == "rows";
    BatchTables tables(argv[1], std::string_view(argv[3]) != "nosync");
    std::atomic<int64_t> next{std::atoll(argv[2])};
    std::vector<std::thread> threads;
    for (int t = 0; t < 2; ++t) {
        threads.emplace_back([&] {
            for (;;) {
                const int64_t batch = next++;
                changesRows ? tables.changeRows(batch) : tables.append(batch);
                acknowledge(batch);
            }
        });
    }
    for (int64_t round = 0;; ++round) {
        tables.storage->maintenance().flush(1);
        tables.storage->maintenance().compact();
        if (round % 3 == 0) tables.storage->maintenance().checkpoint();
    }
}
