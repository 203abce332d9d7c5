#include "runtime/memory/budget.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>

#include "common/error.h"

namespace pelorus::memory {

static int64_t defaultLimit() {
    return static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGE_SIZE) / 10 * 8;
}

static std::atomic<int64_t> limit{defaultLimit()};
static std::atomic<int64_t> used{0};

void setLimitBytes(int64_t bytes) {
    limit = bytes;
}
int64_t limitBytes() {
    return limit;
}
int64_t usedBytes() {
    return used;
}

void charge(int64_t sizeBytes) {
    int64_t total = used.fetch_add(sizeBytes, std::memory_order_relaxed) + sizeBytes;
    int64_t allowed = limit.load(std::memory_order_relaxed);
    if (allowed > 0 && total > allowed) {
        used.fetch_sub(sizeBytes, std::memory_order_relaxed);
        throw SystemError(fmt::format("Out of memory: {:.1f} MB asked for, {:.1f} MB in use, the limit is {:.1f} MB.",
                                      sizeBytes / 1048576.0, (total - sizeBytes) / 1048576.0, allowed / 1048576.0),
                          "Work on fewer rows or columns at once, or raise maxMemSize.");
    }
}

void discharge(int64_t sizeBytes) {
    used.fetch_sub(sizeBytes, std::memory_order_relaxed);
}

}  // namespace pelorus::memory
