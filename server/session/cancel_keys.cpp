#include "server/session/cancel_keys.h"

#include <utility>

#include "server/access/password_hash.h"

namespace pelorus {

constexpr size_t kSecretBytes = 4;

CancelKeys::Key CancelKeys::add(int32_t wanted, std::function<void()> cancel) {
    std::string secret = randomBytes(kSecretBytes);
    const MutexLock lock(mutex_);
    int32_t number = wanted > 0 ? wanted : 1;
    while (entries_.contains(number)) number = number == INT32_MAX ? 1 : number + 1;
    entries_[number] = {secret, std::move(cancel)};
    return {number, std::move(secret)};
}

void CancelKeys::remove(int32_t number) {
    const MutexLock lock(mutex_);
    entries_.erase(number);
}

bool CancelKeys::cancel(int32_t number, std::string_view secret) {
    const MutexLock lock(mutex_);
    const auto it = entries_.find(number);
    if (it == entries_.end() || !sameBytes(it->second.secret, secret)) return false;
    it->second.cancel();
    return true;
}

}  // namespace pelorus
