#include "runtime/memory/budget.h"

#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <fstream>
#include <string>
#include <vector>

#include "common/error.h"
#include "common/thread/mutex.h"
#include "common/thread/work_arena.h"
#include "runtime/memory/allocator.h"
#include "runtime/memory/heap.h"

namespace pelorus::memory {

int64_t residentBytes() {
    int64_t pages = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> pages >> resident;
    return resident * ::sysconf(_SC_PAGESIZE);
}

// Returns the files with the limits of the process's control group and of all above it, in both versions of control
// groups.
static std::vector<std::string> controlGroupLimits() {
    std::vector<std::string> files;
    std::ifstream groups("/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
        const size_t path = line.find('/');  // number:controllers:path
        const bool isSecond = line.starts_with("0::/");
        if (!isSecond && line.find(":memory:/") == std::string::npos) continue;
        for (std::string group = line.substr(path);; group.resize(group.rfind('/'))) {
            files.push_back(isSecond ? "/sys/fs/cgroup" + group + "/memory.max"
                                     : "/sys/fs/cgroup/memory" + group + "/memory.limit_in_bytes");
            if (group.empty()) break;
        }
    }
    return files;
}

// Returns the machine's memory, or less where the container or the shell (ulimit -v) allows less.
static int64_t machineBytes() {
    int64_t bytes = static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGE_SIZE);
    for (const std::string& file : controlGroupLimits()) {
        int64_t allowed = 0;
        if (std::ifstream(file) >> allowed && allowed > 0) bytes = std::min(bytes, allowed);
    }
    rlimit addresses{};
    if (::getrlimit(RLIMIT_AS, &addresses) == 0 && addresses.rlim_cur != RLIM_INFINITY)
        bytes = std::min(bytes, static_cast<int64_t>(addresses.rlim_cur));
    return bytes;
}

// 0 until main's statics are made: allocations before that are counted and not refused.
static std::atomic<int64_t> limit{0};
static std::atomic<int64_t> used{0};
std::atomic<bool> limitIsPassed{false};
// The count begins with the memory of the program itself.
static const bool limitIsSet = [] {
    used += residentBytes();
    setLimitBytes(machineBytes() / 10 * 8);
    return true;
}();

// Small requests that passed the limit end a request here; what runs afterwards may have a little more each time, so
// that a session whose variables are the reason can still undefine them.
static std::atomic<int64_t> passedAt{INT64_MAX};

void setLimitBytes(int64_t bytes) {
    linkCountingHeap();
    limit = bytes;
    passedAt = bytes > 0 ? bytes : INT64_MAX;
}
int64_t limitBytes() {
    return limit.load(std::memory_order_relaxed);
}
int64_t usedBytes() {
    return used.load(std::memory_order_relaxed);
}

static std::string megabytes(int64_t bytes) {
    return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1048576.0);
}

static constexpr const char* kHint = "Work on fewer rows or columns at once, or raise maxMemSize.";

static std::atomic<bool> residentIsBounded{false};
void boundResidentMemory() {
    residentIsBounded = true;
}

// Returns the most that is counted with small pieces: a sixteenth beyond the limit.
static int64_t hardLimit(int64_t allowed) {
    return allowed + allowed / 16;
}

// Returns the most that the process may have when a thread looks, with what was freed and not given back: less than
// the hard limit by what threads have got and not touched yet.
static int64_t residentLimit(int64_t allowed) {
    return allowed;
}

// Returns whether the process would have more memory than residentLimit with so much more, counted or not. Each
// thread's heap keeps what was freed in it, which no count shows: it is given back first. Looks when more than an
// eighth of the limit is counted, and again when a thread has asked for an eighth of what was left.
static bool holdsTooMuch(int64_t sizeBytes, int64_t allowed) {
    constexpr int64_t kMinCheckBytes = int64_t{1} << 20, kMaxCheckBytes = int64_t{4} << 20;
    static thread_local int64_t unseen = 0, lookBytes = kMinCheckBytes;
    if (!residentIsBounded.load(std::memory_order_relaxed) || usedBytes() < allowed / 8 || Unrefused::holds())
        return false;
    unseen += sizeBytes;
    if (unseen < lookBytes) return false;
    unseen = 0;
    const int64_t left = residentLimit(allowed) - residentBytes() - sizeBytes;
    lookBytes = std::clamp(left / 8, kMinCheckBytes, kMaxCheckBytes);
    if (left >= 0) return false;
    static Mutex trimming;  // one thread gives back for all
    const MutexLock lock(trimming);
    const int64_t before = residentBytes();
    if (before + sizeBytes <= residentLimit(allowed)) return false;
    // A walk through all heaps takes a tenth of a second: one in vain is not repeated at once, unless memory was freed.
    using Clock = std::chrono::steady_clock;
    constexpr auto kVainPause = std::chrono::seconds(1);
    static Clock::time_point vainAt;  // guarded by that mutex
    static int64_t usedAtVain = 0;    // likewise
    const int64_t worthBytes = allowed / 64;
    if (usedBytes() + worthBytes > usedAtVain && Clock::now() - vainAt < kVainPause) return true;
    shrinkCaches(allowed / 32);  // trims, too
    const int64_t after = residentBytes();
    if (before - after < worthBytes) {
        vainAt = Clock::now();
        usedAtVain = usedBytes();
    }
    return after + sizeBytes > residentLimit(allowed);
}

// Counts memory for the request that the thread works for, if it does for one.
static void noteForArena(int64_t sizeBytes) noexcept {
    if (WorkArena* arena = WorkArena::ofThread()) arena->noteBytes(sizeBytes);
}

static void chargeBudget(int64_t sizeBytes) {
    const int64_t total = used.fetch_add(sizeBytes, std::memory_order_relaxed) + sizeBytes;
    const int64_t allowed = limitBytes();
    if (allowed <= 0 || (total <= allowed && !holdsTooMuch(sizeBytes, allowed))) return;
    if (total > allowed) {
        // Frees more than is missing, so that not each of the next requests comes here.
        shrinkCaches(total - allowed + allowed / 32);
        if (usedBytes() <= allowed) return;
    }
    if (Unrefused::holdsAll()) return;
    const int64_t now = usedBytes();
    used.fetch_sub(sizeBytes, std::memory_order_relaxed);
    const Unrefused making;  // the error takes small pieces, too
    throw OutOfMemory(fmt::format("Out of memory: {} asked for, {} in use, the limit is {}.", megabytes(sizeBytes),
                                  megabytes(now - sizeBytes), megabytes(allowed)),
                      kHint);
}

void charge(int64_t sizeBytes) {
    chargeBudget(sizeBytes);
    noteForArena(sizeBytes);
}

void discharge(int64_t sizeBytes) {
    used.fetch_sub(sizeBytes, std::memory_order_relaxed);
    noteForArena(-sizeBytes);
}

void passNotes() noexcept {
    const int64_t total = used.fetch_add(notedBytes, std::memory_order_relaxed) + notedBytes;
    noteForArena(notedBytes);
    if (notedBytes > 0 && total > passedAt.load(std::memory_order_relaxed)) limitIsPassed = true;
    notedBytes = 0;
}

void refuseBeyondLimit(int64_t sizeBytes) {
    const int64_t allowed = limitBytes();
    const int64_t most = hardLimit(allowed);
    if (allowed <= 0) return;
    const bool isCounted = usedBytes() + notedBytes + sizeBytes > most;
    if (!isCounted && !holdsTooMuch(kNotedPortion, allowed)) return;
    // A second error while one unwinds the stack would end the process.
    if (WorkArena::ofThread() == nullptr || Unrefused::holds() || std::uncaught_exceptions() > 0) return;
    const Unrefused making;  // the error takes small pieces, too, and would be refused in its turn without end
    if (isCounted) shrinkCaches(usedBytes() - allowed + allowed / 32);
    if (isCounted && usedBytes() <= most) return;
    throw OutOfMemory(
        fmt::format("Out of memory: {} in use, the limit is {}.", megabytes(usedBytes()), megabytes(allowed)), kHint);
}

void checkLimit() {
    limitIsPassed = false;
    const int64_t allowed = limitBytes();
    if (allowed <= 0) return;
    int64_t total = usedBytes();
    if (total > allowed) {
        shrinkCaches(total - allowed + allowed / 32);
        total = usedBytes();
    }
    if (total <= allowed) {
        passedAt = allowed;
        return;
    }
    if (total <= passedAt) return;
    passedAt = total + allowed / 32;
    const Unrefused making;
    throw OutOfMemory(fmt::format("Out of memory: {} in use, the limit is {}.", megabytes(total), megabytes(allowed)),
                      kHint);
}

namespace {

struct Caches {
    Mutex mutex;
    std::list<Cache*> all GUARDED_BY(mutex);
};

}  // namespace

// Never destroyed: caches of static duration may outlive statics of this file.
static Caches& caches() {
    static auto* known = new Caches;
    return *known;
}

Cache::Cache(std::function<int64_t()> usedBytes, std::function<void(int64_t)> shrink)
    : usedBytes_(std::move(usedBytes)), shrink_(std::move(shrink)) {
    Caches& known = caches();
    const MutexLock guard(known.mutex);
    place_ = known.all.insert(known.all.end(), this);
}

Cache::~Cache() {
    Caches& known = caches();
    const MutexLock guard(known.mutex);
    known.all.erase(place_);
}

// A cache that allocates while it is asked must not be asked again.
static thread_local bool askingCaches = false;

int64_t cachedBytes() {
    if (askingCaches) return 0;
    askingCaches = true;
    int64_t total = 0;
    {
        Caches& known = caches();
        const MutexLock guard(known.mutex);
        for (const Cache* cache : known.all) total += cache->usedBytes_();
    }
    askingCaches = false;
    return total;
}

void shrinkCaches(int64_t sizeBytes) {
    if (askingCaches) return;
    askingCaches = true;
    {
        Caches& known = caches();
        const MutexLock guard(known.mutex);
        const int64_t goal = usedBytes() - sizeBytes;
        for (Cache* cache : known.all) {
            if (usedBytes() <= goal) break;
            cache->shrink_(usedBytes() - goal);
        }
        // Memory that was freed in small pieces, here and before, is no longer counted, but still the process's.
        ::malloc_trim(0);
    }
    askingCaches = false;
}

}  // namespace pelorus::memory
