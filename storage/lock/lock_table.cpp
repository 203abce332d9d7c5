#include "storage/lock/lock_table.h"

#include <algorithm>

#include "common/check.h"
#include "common/thread/cancellation.h"
#include "common/thread/lock_waits.h"
#include "storage/lock/waits_for.h"

namespace pelorus {

using Clock = std::chrono::steady_clock;

static constexpr std::chrono::milliseconds kLookEvery{20};  // for cancellation
static constexpr std::chrono::milliseconds kSearchAtLeastEvery{1000};
static constexpr std::chrono::milliseconds kUncancelledWait = std::chrono::seconds(30);
// So many waiters pass others at most before a transaction of the circle ends instead.
static constexpr size_t kMostPasses = 4;
static constexpr uint64_t kNoSession = uint64_t{1} << 63;

// Returns what PostgreSQL calls the event of waiting for a lock of this kind.
static std::string_view eventOf(LockKey::Kind kind) {
    switch (kind) {
        case LockKey::Kind::Row:
            return "tuple";
        case LockKey::Kind::Table:
            return "relation";
        case LockKey::Kind::Transaction:
            return "transactionid";
        case LockKey::Kind::Advisory:
            return "advisory";
    }
    return {};
}

// Somebody who waits. It lives on the stack of its thread.
struct LockTable::Waiter {
    LockOwner* owner = nullptr;
    LockMode mode = LockMode::AccessShare;
    Lock* lock = nullptr;
    bool isGranted = false;
    bool looks = false;
    CondVar woken;
};

// A lock that somebody holds or waits for.
struct LockTable::Lock {
    struct Holder {
        LockOwner* owner;
        LockModes modes;
    };
    std::vector<Holder> holders;
    std::vector<Waiter*> queue;  // those that have the lock in a weaker mode stand before the others

    Holder* holderOf(const LockOwner& owner) {
        for (Holder& holder : holders) {
            if (holder.owner == &owner) return &holder;
        }
        return nullptr;
    }
    // Calls `visit` with the owners that exclude the mode for `owner`: holders, and those of the queue before `before`.
    template <class Visit>
    void forEachBlocker(const LockOwner& owner, LockMode mode, const Waiter* before, Visit visit) const {
        const LockModes conflicts = conflictsOf(mode);
        for (const Holder& holder : holders) {
            if (holder.owner->session_ != owner.session_ && (holder.modes & conflicts) != 0) visit(*holder.owner);
        }
        for (const Waiter* waiter : queue) {
            if (waiter == before) return;
            if (waiter->owner->session_ != owner.session_ && !waiter->isGranted &&
                (setOf(waiter->mode) & conflicts) != 0)
                visit(*waiter->owner);
        }
    }
    bool isFree(const LockOwner& owner, LockMode mode, const Waiter* before) const {
        bool isFree = true;
        forEachBlocker(owner, mode, before, [&](const LockOwner&) { isFree = false; });
        return isFree;
    }
    void add(LockOwner& owner, LockMode mode) {
        if (Holder* const holder = holderOf(owner)) {
            holder->modes |= setOf(mode);
        } else {
            holders.push_back({&owner, setOf(mode)});
        }
    }
    bool isHeldInSession(const LockOwner& owner) const {
        return std::any_of(holders.begin(), holders.end(),
                           [&](const Holder& holder) { return holder.owner->session_ == owner.session_; });
    }
    void remove(const LockOwner& owner, LockMode mode) {
        Holder* const holder = holderOf(owner);
        CHECK(holder != nullptr) << "a lock that is released is held";
        holder->modes &= static_cast<LockModes>(~setOf(mode));
        if (holder->modes == 0) holders.erase(holders.begin() + (holder - holders.data()));
    }
    // Grants the lock to those of the queue that may have it now.
    void grant() {
        for (size_t i = 0; i < queue.size();) {
            Waiter& waiter = *queue[i];
            if (!isFree(*waiter.owner, waiter.mode, &waiter)) {
                ++i;
                continue;
            }
            add(*waiter.owner, waiter.mode);
            waiter.isGranted = true;
            queue.erase(queue.begin() + static_cast<ptrdiff_t>(i));
            waiter.woken.notifyOne();
        }
    }
    // Returns whether the first waiter stands in this queue, before the second, and excludes it.
    bool isQueuedBefore(const Waiter& earlier, const Waiter& later) const {
        if (earlier.lock != this || later.lock != this || (setOf(earlier.mode) & conflictsOf(later.mode)) == 0)
            return false;
        const auto place = std::find(queue.begin(), queue.end(), &earlier);
        return std::find(place, queue.end(), &later) != queue.end();
    }
    // Moves a waiter directly before another one that excludes it only by standing before it, and returns whether it
    // did.
    bool passIfQueued(Waiter& later, const Waiter& earlier) {
        if (!isQueuedBefore(earlier, later)) return false;
        const auto from = std::find(queue.begin(), queue.end(), &later);
        std::rotate(std::find(queue.begin(), from, &earlier), from, std::next(from));
        return true;
    }
    bool isUnused() const { return holders.empty() && queue.empty(); }
};

struct alignas(64) LockTable::Shard {
    mutable Mutex mutex;
    std::unordered_map<LockKey, Lock, KeyHash> locks GUARDED_BY(mutex);
    std::vector<Waiter*> waiters GUARDED_BY(mutex);
};

LockOwner::LockOwner(LockTable& table, uint64_t session)
    : table_(table), age_(++table.owners_), session_(session != 0 ? session : kNoSession | age_) {}

LockOwner::~LockOwner() {
    table_.releaseFrom(*this, 0);
}

LockTable::LockTable() : shards_(std::make_unique<std::array<Shard, kShards>>()) {}

LockTable::~LockTable() = default;

size_t LockTable::KeyHash::operator()(const LockKey& key) const {
    uint64_t hash = key.first * 0x9e3779b97f4a7c15u + static_cast<uint64_t>(key.kind);
    hash = (hash ^ (hash >> 32) ^ key.second) * 0xd6e8feb86659fd93u;
    return hash ^ (hash >> 29);
}

LockTable::Shard& LockTable::shardOf(const LockKey& key) const {
    return (*shards_)[(KeyHash()(key) >> 20) % kShards];
}

LockResult LockTable::acquire(LockOwner& owner, const LockKey& key, LockMode mode, const LockWait& wait) {
    Shard& shard = shardOf(key);
    // First: what is granted is noted.
    if (owner.held_.size() == owner.held_.capacity()) owner.held_.reserve(std::max<size_t>(8, owner.held_.size() * 2));
    {
        const MutexLock guard(shard.mutex);
        Lock& lock = shard.locks[key];
        const Lock::Holder* const own = lock.holderOf(owner);
        if (own != nullptr && covers(own->modes, mode)) return LockResult::Granted;
        // Who has the lock in another mode passes the queue, which could not go on before it.
        const bool isUpgrade = lock.isHeldInSession(owner);
        const Waiter* const before = isUpgrade && !lock.queue.empty() ? lock.queue.front() : nullptr;
        if (lock.isFree(owner, mode, before)) {
            lock.add(owner, mode);
            owner.held_.push_back({key, mode});
            return LockResult::Granted;
        }
        if (!wait.waits) {
            if (lock.isUnused()) shard.locks.erase(key);
            return LockResult::Unavailable;
        }
    }
    Waiter waiter;
    waiter.owner = &owner;
    waiter.mode = mode;
    return await(shard, owner, key, waiter, wait);
}

// Waits for a lock that was not free a moment ago.
LockResult LockTable::await(Shard& shard, LockOwner& owner, const LockKey& key, Waiter& waiter, const LockWait& wait) {
    const CancellationFlag* const cancelled = CancellationScope::current();
    const LockWaitScope shown(cancelled, eventOf(key.kind));
    std::chrono::milliseconds limit = wait.timeout;
    if (limit.count() == 0 && cancelled == nullptr) limit = kUncancelledWait;
    const Clock::time_point deadline = limit.count() > 0 ? Clock::now() + limit : Clock::time_point::max();
    std::chrono::milliseconds pause = kDeadlockAfter;
    Clock::time_point search = Clock::now() + pause;
    MutexLock guard(shard.mutex);
    Lock& lock = shard.locks[key];
    waiter.lock = &lock;
    owner.isVictim_ = false;
    const auto begin = std::find_if(lock.queue.begin(), lock.queue.end(), [&](const Waiter* other) {
        return !lock.isHeldInSession(owner) || !lock.isHeldInSession(*other->owner);
    });
    lock.queue.insert(lock.isHeldInSession(owner) ? begin : lock.queue.end(), &waiter);
    shard.waiters.push_back(&waiter);
    lock.grant();
    LockResult result = LockResult::Granted;
    while (!waiter.isGranted) {
        const Clock::time_point now = Clock::now();
        if (owner.isVictim_.exchange(false)) {
            result = LockResult::Deadlock;
        } else if (now >= deadline) {
            result = LockResult::TimedOut;
        } else if (waiter.looks || (cancelled != nullptr && cancelled->load(std::memory_order_relaxed))) {
            result = LockResult::Look;
        }
        if (result != LockResult::Granted) break;
        if (now >= search) {
            guard.unlock();
            resolveDeadlock(owner);
            guard.lock();
            // Who stands before this waiter may change while it waits.
            pause = std::min(pause * 2, kSearchAtLeastEvery);
            search = Clock::now() + pause;
            continue;
        }
        waiter.woken.waitUntil(guard, std::min({deadline, search, now + kLookEvery}));
    }
    std::erase(shard.waiters, &waiter);
    if (waiter.isGranted) {
        owner.held_.push_back({key, waiter.mode});
        return LockResult::Granted;
    }
    std::erase(lock.queue, &waiter);
    lock.grant();
    if (lock.isUnused()) shard.locks.erase(key);
    guard.unlock();
    if (result == LockResult::Look) checkCancelled();
    return result;
}

// The sessions that wait for each other while all shards are held, so that nothing moves.
class LockTable::Circles {
public:
    void add(Waiter& waiter) { waits_.emplace(waiter.owner->session_, &waiter); }
    std::vector<uint64_t> through(uint64_t session) const {
        return circleThrough(session, [this](uint64_t node) { return blockersOf(node); });
    }
    Waiter& waiterOf(uint64_t session) const { return *waits_.at(session); }

    // Lets waiters of a circle pass others that exclude them only by standing before them, until nobody who has passed,
    // nor `first`, waits in a circle. Returns false, and leaves all as it was, when that cannot be.
    bool resolve(uint64_t first) {
        moved_ = {first};
        return pass(through(first));
    }

private:
    std::vector<uint64_t> blockersOf(uint64_t session) const {
        std::vector<uint64_t> blockers;
        const auto waiting = waits_.find(session);
        if (waiting == waits_.end()) return blockers;
        const Waiter& waiter = *waiting->second;
        waiter.lock->forEachBlocker(*waiter.owner, waiter.mode, &waiter,
                                    [&](const LockOwner& blocker) { blockers.push_back(blocker.session_); });
        return blockers;
    }
    bool pass(const std::vector<uint64_t>& circle) {
        if (circle.empty()) return true;
        if (moved_.size() > kMostPasses) return false;
        // First who has a lock that is waited for: it does not help the circle when others pass.
        for (const bool hasLock : {true, false}) {
            for (size_t i = 0; i < circle.size(); ++i) {
                Waiter& later = waiterOf(circle[i]);
                const Waiter& behind = waiterOf(circle[(i + circle.size() - 1) % circle.size()]);
                const Waiter& earlier = waiterOf(circle[(i + 1) % circle.size()]);
                if (later.lock->isQueuedBefore(later, behind) == hasLock) continue;
                if (pass(circle[i], later, earlier)) return true;
            }
        }
        return false;
    }
    bool pass(uint64_t session, Waiter& later, const Waiter& earlier) {
        const std::vector<Waiter*> queue = later.lock->queue;
        if (!later.lock->passIfQueued(later, earlier)) return false;
        // Whom the later one has passed waits for it now, so each new circle goes through one that was moved.
        moved_.push_back(session);
        std::vector<uint64_t> left;
        for (size_t i = 0; i < moved_.size() && left.empty(); ++i) left = through(moved_[i]);
        if (pass(left)) {
            later.lock->grant();
            return true;
        }
        moved_.pop_back();
        later.lock->queue = queue;
        return false;
    }

    std::unordered_map<uint64_t, Waiter*> waits_;  // by session
    std::vector<uint64_t> moved_;
};

// Finds a circle of waiting sessions that this owner's is in. Where it is one only because of the order in which they
// came, some pass others; else the youngest owner of the circle is told to end. All shards are held meanwhile; that is
// rare.
void LockTable::resolveDeadlock(const LockOwner& owner) NO_THREAD_SAFETY_ANALYSIS {
    for (Shard& shard : *shards_) shard.mutex.lock();
    Circles circles;
    for (const Shard& shard : *shards_) {
        for (Waiter* waiter : shard.waiters) {
            if (!waiter->isGranted) circles.add(*waiter);
        }
    }
    if (!circles.resolve(owner.session_)) {
        Waiter* youngest = nullptr;
        for (const uint64_t session : circles.through(owner.session_)) {
            Waiter& waiter = circles.waiterOf(session);
            if (youngest == nullptr || waiter.owner->age_ > youngest->owner->age_) youngest = &waiter;
        }
        CHECK(youngest != nullptr) << "a circle that is not resolved is there";
        youngest->owner->isVictim_ = true;
        youngest->woken.notifyOne();
    }
    for (Shard& shard : *shards_) shard.mutex.unlock();
}

bool LockTable::isHeldBy(const LockOwner& owner, const LockKey& key) const {
    Shard& shard = shardOf(key);
    const MutexLock guard(shard.mutex);
    const auto lock = shard.locks.find(key);
    return lock != shard.locks.end() && lock->second.isHeldInSession(owner);
}

bool LockTable::release(LockOwner& owner, const LockKey& key, LockMode mode) {
    const auto held = std::find_if(owner.held_.rbegin(), owner.held_.rend(),
                                   [&](const LockOwner::Held& each) { return each.key == key && each.mode == mode; });
    if (held == owner.held_.rend()) return false;
    owner.held_.erase(std::next(held).base());
    Shard& shard = shardOf(key);
    const MutexLock guard(shard.mutex);
    Lock& lock = shard.locks.at(key);
    lock.remove(owner, mode);
    lock.grant();
    if (lock.isUnused()) shard.locks.erase(key);
    return true;
}

void LockTable::releaseFrom(LockOwner& owner, size_t count) {
    while (owner.held_.size() > count) {
        const LockOwner::Held held = owner.held_.back();
        release(owner, held.key, held.mode);
    }
}

void LockTable::wakeAll(const LockKey& key) {
    Shard& shard = shardOf(key);
    const MutexLock guard(shard.mutex);
    const auto lock = shard.locks.find(key);
    if (lock == shard.locks.end()) return;
    for (Waiter* waiter : lock->second.queue) {
        waiter->looks = true;
        waiter->woken.notifyOne();
    }
}

size_t LockTable::waiting() const {
    size_t count = 0;
    for (const Shard& shard : *shards_) {
        const MutexLock guard(shard.mutex);
        count += shard.waiters.size();
    }
    return count;
}

}  // namespace pelorus
