#include "runtime/memory/arena_tops.h"

#include <malloc.h>

#include <cstdio>
#include <cstdlib>
#include <latch>
#include <memory>
#include <string_view>
#include <vector>

#include "common/error.h"
#include "common/thread/thread_start.h"
#include "runtime/memory/allocator.h"

namespace pelorus::memory {

namespace {

// A free of so much makes the allocator look at the end of the arena.
constexpr size_t kSampledBytes = 128 << 10;

// Returns the number of arenas; there is no other way to learn it than from the allocator's report.
int arenaCount() {
    char* report = nullptr;
    size_t size = 0;
    FILE* stream = ::open_memstream(&report, &size);
    if (stream == nullptr) return 0;
    ::malloc_info(0, stream);
    std::fclose(stream);
    const std::string_view string(report, size);
    int count = 0;
    for (size_t at = string.find("<heap nr="); at != std::string_view::npos; at = string.find("<heap nr=", at + 1))
        ++count;
    std::free(report);
    return count;
}

}  // namespace

// A new thread gets an arena whose threads are gone, before others. So each of as many threads as there are arenas, all
// at once, frees a block in one of them, while no end is small enough to be kept.
void trimArenaTops() {
    const int count = arenaCount() - 1;  // without the first one
    if (count <= 0) return;
    ::mallopt(M_TRIM_THRESHOLD, 0);
    ::mallopt(M_TOP_PAD, 0);
    std::latch held(count);
    std::vector<std::thread> threads;
    try {
        for (int i = 0; i < count; ++i) {
            threads.push_back(startThread([&held] {
                // Read back, so that the block is not left out.
                void* volatile block = std::malloc(kSampledBytes);
                held.arrive_and_wait();
                std::free(block);
            }));
        }
    } catch (const SystemError&) {
        // No more threads can be started: those that were do what they can.
        held.count_down(count - static_cast<int>(threads.size()));
    }
    for (std::thread& thread : threads) thread.join();
    keepFreedMemory();
}

}  // namespace pelorus::memory
