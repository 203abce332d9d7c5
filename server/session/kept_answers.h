// KeptAnswers keeps the answers to numbered requests of clients that repeat a request after they lost the connection:
// the repeat gets the answer, and the work is not done twice.
//
// It is bounded: it keeps the newest 64 answers of at most 64 KiB of each client for five minutes, and 64 MiB over all
// clients; the oldest are evicted first. A longer answer is not kept, so that its repeated request runs again.
// Thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "common/thread/mutex.h"

namespace pelorus {

// The answers of one server, shared by its connections. They do not survive the process.
class KeptAnswers {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr size_t kMaxPerClient = 64;
    static constexpr size_t kMaxBytes = size_t{64} << 10;
    static constexpr size_t kMaxBytesOfAll = size_t{64} << 20;
    static constexpr std::chrono::minutes kKeptFor{5};
    static constexpr std::chrono::seconds kLongestWait{60};

    // The sender of a request, and its number: the repeat has the same key. Users do not see each other's answers.
    struct RequestKey {
        std::string user, client;
        int64_t number = 0;
        auto operator<=>(const RequestKey&) const = default;
    };
    // The outcome of a request.
    struct Answer {
        std::string failure;  // empty: the request succeeded
        std::string bytes;    // encoded value of the result; empty: there is none
    };

    // Scope of a request while it runs, so that a repeat waits for it. Without a call of `keep`, a repeat runs again.
    class Running {
    public:
        Running(KeptAnswers& answers, RequestKey key) : answers_(answers), key_(std::move(key)) {}
        ~Running() { answers_.end(key_); }
        Running(const Running&) = delete;
        Running& operator=(const Running&) = delete;
        void keep(Answer answer) { answers_.keep(key_, std::move(answer)); }

    private:
        KeptAnswers& answers_;
        const RequestKey key_;
    };

    // Returns the answer that is kept for a repeat. While the original still runs, waits up to a minute for its end: it
    // is cancelled as soon as its lost connection is noticed. Returns nullopt when the request must run; the caller
    // must then make a Running at once: without one the number counts as running for ever. Throws UserError when the
    // original still runs, or a request that is no repeat has the number of a running one.
    std::optional<Answer> begin(const RequestKey& key, bool isRepeat) { return begin(key, isRepeat, Clock::now()); }
    std::optional<Answer> begin(const RequestKey& key, bool isRepeat, Clock::time_point now);
    void keep(const RequestKey& key, Answer answer) { keep(key, std::move(answer), Clock::now()); }
    void keep(const RequestKey& key, Answer answer, Clock::time_point now);
    size_t count() const;

private:
    struct Entry {
        Answer answer;
        Clock::time_point since;
        uint64_t order = 0;
    };
    void end(const RequestKey& key);
    void forget(const RequestKey& key) EXCLUSIVE_LOCKS_REQUIRED(mutex_);
    void forgetOld(Clock::time_point now) EXCLUSIVE_LOCKS_REQUIRED(mutex_);

    mutable Mutex mutex_;
    CondVar ended_;
    std::map<RequestKey, Entry> answers_ GUARDED_BY(mutex_);
    std::map<uint64_t, RequestKey> byAge_ GUARDED_BY(mutex_);
    std::set<RequestKey> running_ GUARDED_BY(mutex_);
    size_t bytes_ GUARDED_BY(mutex_) = 0;
    uint64_t nextOrder_ GUARDED_BY(mutex_) = 0;
};

}  // namespace pelorus
