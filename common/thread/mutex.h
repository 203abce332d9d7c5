// Mutex and its locks are checked by clang's thread-safety analysis: it knows which members each mutex guards, and
// refuses code that uses one without holding it. The standard library's types carry no such attributes.
//
//   Mutex mutex_;
//   std::map<…> tables_ GUARDED_BY(mutex_);
//   void add(…) LOCKS_EXCLUDED(mutex_) { const MutexLock lock(mutex_); … }
//   void addLocked(…) EXCLUSIVE_LOCKS_REQUIRED(mutex_);
//
// Every mutex says what it guards: by GUARDED_BY at the members, or by a comment where it orders steps instead.
// Compilers other than clang see no attributes; a stage of the long checks compiles with -Wthread-safety -Werror.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>

#if defined(__clang__)
#define PELORUS_THREAD_ATTRIBUTE(x) __attribute__((x))
#else
#define PELORUS_THREAD_ATTRIBUTE(x)
#endif

#define GUARDED_BY(x) PELORUS_THREAD_ATTRIBUTE(guarded_by(x))
#define PT_GUARDED_BY(x) PELORUS_THREAD_ATTRIBUTE(pt_guarded_by(x))
#define EXCLUSIVE_LOCKS_REQUIRED(...) PELORUS_THREAD_ATTRIBUTE(exclusive_locks_required(__VA_ARGS__))
#define SHARED_LOCKS_REQUIRED(...) PELORUS_THREAD_ATTRIBUTE(shared_locks_required(__VA_ARGS__))
#define LOCKS_EXCLUDED(...) PELORUS_THREAD_ATTRIBUTE(locks_excluded(__VA_ARGS__))
// Marks functions whose locking the analysis cannot follow; a comment next to it states the reason.
#define NO_THREAD_SAFETY_ANALYSIS PELORUS_THREAD_ATTRIBUTE(no_thread_safety_analysis)

namespace pelorus {

class PELORUS_THREAD_ATTRIBUTE(capability("mutex")) Mutex {
public:
    void lock() PELORUS_THREAD_ATTRIBUTE(acquire_capability()) { mutex_.lock(); }
    void unlock() PELORUS_THREAD_ATTRIBUTE(release_capability()) { mutex_.unlock(); }
    bool try_lock() PELORUS_THREAD_ATTRIBUTE(try_acquire_capability(true)) { return mutex_.try_lock(); }

private:
    friend class CondVar;
    std::mutex mutex_;
};

// A mutex for many readers or one writer.
class PELORUS_THREAD_ATTRIBUTE(capability("shared_mutex")) SharedMutex {
public:
    void lock() PELORUS_THREAD_ATTRIBUTE(acquire_capability()) { mutex_.lock(); }
    void unlock() PELORUS_THREAD_ATTRIBUTE(release_capability()) { mutex_.unlock(); }
    bool try_lock() PELORUS_THREAD_ATTRIBUTE(try_acquire_capability(true)) { return mutex_.try_lock(); }
    void lock_shared() PELORUS_THREAD_ATTRIBUTE(acquire_shared_capability()) { mutex_.lock_shared(); }
    void unlock_shared() PELORUS_THREAD_ATTRIBUTE(release_shared_capability()) { mutex_.unlock_shared(); }

private:
    std::shared_mutex mutex_;
};

// A mutex that its holder may lock again; it is free after as many unlocks.
class PELORUS_THREAD_ATTRIBUTE(capability("mutex")) RecursiveMutex {
public:
    void lock() PELORUS_THREAD_ATTRIBUTE(acquire_capability()) { mutex_.lock(); }
    void unlock() PELORUS_THREAD_ATTRIBUTE(release_capability()) { mutex_.unlock(); }
    bool try_lock() PELORUS_THREAD_ATTRIBUTE(try_acquire_capability(true)) { return mutex_.try_lock(); }

private:
    std::recursive_mutex mutex_;
};

// Holds a mutex until the end of the block, or until unlock().
class PELORUS_THREAD_ATTRIBUTE(scoped_lockable) MutexLock {
public:
    explicit MutexLock(Mutex& mutex) PELORUS_THREAD_ATTRIBUTE(acquire_capability(mutex)) : mutex_(mutex) {
        mutex_.lock();
    }
    // Adopts a mutex that the caller has locked, for example by try_lock.
    MutexLock(Mutex& mutex, std::adopt_lock_t) EXCLUSIVE_LOCKS_REQUIRED(mutex) : mutex_(mutex) {}
    ~MutexLock() PELORUS_THREAD_ATTRIBUTE(release_capability()) {
        if (held_) mutex_.unlock();
    }
    MutexLock(const MutexLock&) = delete;
    MutexLock& operator=(const MutexLock&) = delete;

    void unlock() PELORUS_THREAD_ATTRIBUTE(release_capability()) {
        held_ = false;
        mutex_.unlock();
    }
    void lock() PELORUS_THREAD_ATTRIBUTE(acquire_capability()) {
        mutex_.lock();
        held_ = true;
    }

private:
    friend class CondVar;
    Mutex& mutex_;
    bool held_ = true;
};

// Holds a shared mutex for writing.
class PELORUS_THREAD_ATTRIBUTE(scoped_lockable) WriterLock {
public:
    explicit WriterLock(SharedMutex& mutex) PELORUS_THREAD_ATTRIBUTE(acquire_capability(mutex)) : mutex_(mutex) {
        mutex_.lock();
    }
    ~WriterLock() PELORUS_THREAD_ATTRIBUTE(release_capability()) { mutex_.unlock(); }
    WriterLock(const WriterLock&) = delete;
    WriterLock& operator=(const WriterLock&) = delete;

private:
    SharedMutex& mutex_;
};

// Holds a shared mutex for reading.
class PELORUS_THREAD_ATTRIBUTE(scoped_lockable) ReaderLock {
public:
    explicit ReaderLock(SharedMutex& mutex) PELORUS_THREAD_ATTRIBUTE(acquire_shared_capability(mutex)) : mutex_(mutex) {
        mutex_.lock_shared();
    }
    ~ReaderLock() PELORUS_THREAD_ATTRIBUTE(release_capability()) { mutex_.unlock_shared(); }
    ReaderLock(const ReaderLock&) = delete;
    ReaderLock& operator=(const ReaderLock&) = delete;

private:
    SharedMutex& mutex_;
};

// Holds a recursive mutex, or nothing where the pointer is null: an object that is not shared has no lock.
class OptionalLock {
public:
    // The analysis knows no capability that is acquired at run time only.
    explicit OptionalLock(RecursiveMutex* mutex) NO_THREAD_SAFETY_ANALYSIS : mutex_(mutex) {
        if (mutex_) mutex_->lock();
    }
    ~OptionalLock() { reset(nullptr); }
    OptionalLock(const OptionalLock&) = delete;
    OptionalLock& operator=(const OptionalLock&) = delete;

    // Unlocks the mutex that is held, then locks `mutex`, if there is one.
    void reset(RecursiveMutex* mutex) NO_THREAD_SAFETY_ANALYSIS {
        if (mutex_) mutex_->unlock();
        mutex_ = mutex;
        if (mutex_) mutex_->lock();
    }

private:
    RecursiveMutex* mutex_;
};

// A condition variable. The caller waits in a loop, so that the analysis sees that the condition is read under the
// lock:
//
//   while (queue_.empty()) changed_.wait(lock);
class CondVar {
public:
    void wait(MutexLock& lock) { waitOn(lock.mutex_); }
    // Waits within a function that is called with the mutex held, and has no MutexLock.
    void wait(Mutex& mutex) EXCLUSIVE_LOCKS_REQUIRED(mutex) { waitOn(mutex); }
    // Returns false when the time ran out.
    template <class Rep, class Period>
    bool waitFor(MutexLock& lock, const std::chrono::duration<Rep, Period>& time) {
        return waitUntil(lock, std::chrono::steady_clock::now() + time);
    }
    bool waitUntil(MutexLock& lock, std::chrono::steady_clock::time_point deadline) {
        std::unique_lock<std::mutex> native(lock.mutex_.mutex_, std::adopt_lock);
        const bool woken = condition_.wait_until(native, deadline) == std::cv_status::no_timeout;
        native.release();
        return woken;
    }
    void notifyOne() { condition_.notify_one(); }
    void notifyAll() { condition_.notify_all(); }

private:
    void waitOn(Mutex& mutex) {
        std::unique_lock<std::mutex> native(mutex.mutex_, std::adopt_lock);
        condition_.wait(native);
        native.release();
    }

    std::condition_variable condition_;
};

}  // namespace pelorus
