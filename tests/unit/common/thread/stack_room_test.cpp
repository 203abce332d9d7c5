// Recursion is stopped before the stack ends, and at the same depth on a huge stack as on the usual one.
#include "common/thread/stack_room.h"

#include <pthread.h>
#include <sys/mman.h>

#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>

#include "common/error.h"

using namespace pelorus;

namespace {

// Its result is used after the call, so that each level keeps a separate frame.
size_t deepest(uintptr_t first, int64_t levels) {
    if (levels == 0) return 0;
    requireStackRoom();
    // The thread sanitizer keeps a list of some ten thousand calls.
    volatile char frame[4096];
    frame[0] = 0;
    const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    const size_t below = deepest(first, levels - 1);
    return (below > first - here ? below : first - here) + static_cast<size_t>(frame[0]);
}

struct Descent {
    size_t usedBytes = 0;
    bool wasRefused = false;
};

void* descend(void* result) {
    auto& descent = *static_cast<Descent*>(result);
    const auto first = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    try {
        descent.usedBytes = deepest(first, int64_t{1} << 60);
    } catch (const UserError&) {
        descent.wasRefused = true;
        descent.usedBytes = first - detail::stackEnd;
    }
    return nullptr;
}

Descent descentWith(size_t stackBytes) {
    Descent descent;
    pthread_attr_t attributes;
    REQUIRE(pthread_attr_init(&attributes) == 0);
    // A stack allocated by the test: the system reuses the stack of an ended thread for a new one, however large that
    // is.
    void* stack = ::mmap(nullptr, stackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    REQUIRE(stack != MAP_FAILED);
    REQUIRE(pthread_attr_setstack(&attributes, stack, stackBytes) == 0);
    pthread_t thread{};
    REQUIRE(pthread_create(&thread, &attributes, descend, &descent) == 0);
    REQUIRE(pthread_join(thread, nullptr) == 0);
    pthread_attr_destroy(&attributes);
    ::munmap(stack, stackBytes);
    return descent;
}

constexpr size_t kMegabyte = size_t{1} << 20;

}  // namespace

TEST_CASE("what calls itself without end is refused before its stack ends") {
#if defined(__SANITIZE_THREAD__)
    constexpr size_t kSizes[] = {4, 8};  // the sanitizer keeps most of a megabyte for itself
#else
    constexpr size_t kSizes[] = {1, 2, 8};
#endif
    for (const size_t megabytes : kSizes) {
        const Descent descent = descentWith(megabytes * kMegabyte);
        INFO(megabytes << " MB, " << descent.usedBytes << " bytes used");
        CHECK(descent.wasRefused);
        CHECK(descent.usedBytes > megabytes * kMegabyte / 2);
        CHECK(descent.usedBytes < megabytes * kMegabyte);
    }
}

TEST_CASE("a huge stack is not used to its end") {
    const Descent descent = descentWith(512 * kMegabyte);
    INFO(descent.usedBytes << " bytes used");
    CHECK(descent.wasRefused);
    CHECK(descent.usedBytes < 65 * kMegabyte);
}
