#include "runtime/memory/arena_tops.h"

#include <malloc.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <latch>
#include <thread>
#include <vector>

#include "runtime/memory/allocator.h"
#include "runtime/memory/budget.h"

using namespace pelorus;

TEST_CASE("what threads that are gone leave at the ends of their arenas is given back") {
    memory::keepFreedMemory();
    constexpr int kThreads = 4;
    constexpr size_t kPieces = 3000, kPieceBytes = 16 << 10;  // 48 MB each
    const int64_t before = memory::residentBytes();
    std::latch full(kThreads);
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
        threads.emplace_back([&] {
            std::vector<void*> pieces;
            for (size_t k = 0; k < kPieces; ++k) {
                pieces.push_back(std::malloc(kPieceBytes));
                std::memset(pieces.back(), 1, kPieceBytes);
            }
            full.arrive_and_wait();
            for (void* piece : pieces) std::free(piece);
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(memory::residentBytes() - before > 20 << 20);
    ::malloc_trim(0);
    memory::trimArenaTops();
    CHECK(memory::residentBytes() - before < 8 << 20);
}
