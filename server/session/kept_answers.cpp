#include "server/session/kept_answers.h"

#include "common/check.h"
#include "common/error.h"

namespace pelorus {

namespace {

// In addition to an answer's bytes: the nodes of both maps.
constexpr size_t kEntryBytes = 256;

size_t bytesOf(const KeptAnswers::RequestKey& key, const KeptAnswers::Answer& answer) {
    return kEntryBytes + 2 * (key.user.size() + key.client.size()) + answer.failure.size() + answer.bytes.size();
}

}  // namespace

std::optional<KeptAnswers::Answer> KeptAnswers::begin(const RequestKey& key, bool isRepeat, Clock::time_point now) {
    MutexLock lock(mutex_);
    forgetOld(now);
    const auto deadline = Clock::now() + kLongestWait;
    while (running_.contains(key)) {
        if (!isRepeat || !ended_.waitUntil(lock, deadline))
            throw UserError("A request with the same number of the same client is still running.",
                            "Repeat it when it has ended.");
    }
    if (isRepeat) {
        if (const auto kept = answers_.find(key); kept != answers_.end()) return kept->second.answer;
    }
    forget(key);
    running_.insert(key);
    return std::nullopt;
}

void KeptAnswers::end(const RequestKey& key) {
    const MutexLock lock(mutex_);
    running_.erase(key);
    ended_.notifyAll();
}

void KeptAnswers::keep(const RequestKey& key, Answer answer, Clock::time_point now) {
    const size_t bytes = bytesOf(key, answer);
    if (bytes > kMaxBytes) return;
    const MutexLock lock(mutex_);
    forgetOld(now);
    forget(key);
    byAge_.emplace(nextOrder_, key);
    answers_.emplace(key, Entry{std::move(answer), now, nextOrder_++});
    bytes_ += bytes;
    // The keys of one client are neighbours; its oldest answer has the smallest number, since numbers ascend.
    const auto first = answers_.lower_bound({key.user, key.client, INT64_MIN});
    size_t ofClient = 0;
    for (auto it = first; it != answers_.end() && it->first.user == key.user && it->first.client == key.client; ++it)
        ++ofClient;
    if (ofClient > kMaxPerClient) forget(RequestKey(first->first));
    while (bytes_ > kMaxBytesOfAll) forget(RequestKey(byAge_.begin()->second));
}

size_t KeptAnswers::count() const {
    const MutexLock lock(mutex_);
    return answers_.size();
}

void KeptAnswers::forget(const RequestKey& key) {
    const auto kept = answers_.find(key);
    if (kept == answers_.end()) return;
    const size_t bytes = bytesOf(key, kept->second.answer);
    CHECK(bytes <= bytes_) << "the bytes of a kept answer are counted";
    bytes_ -= bytes;
    byAge_.erase(kept->second.order);
    answers_.erase(kept);
}

void KeptAnswers::forgetOld(Clock::time_point now) {
    while (!byAge_.empty()) {
        const RequestKey oldest = byAge_.begin()->second;
        if (now - answers_.at(oldest).since <= kKeptFor) return;
        forget(oldest);
    }
}

}  // namespace pelorus
