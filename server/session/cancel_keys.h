// CancelKeys lets one connection cancel the request of another one that it names by a number and a secret.
//
// Thread-safe. A server has one; connections enter themselves while they serve.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "common/thread/mutex.h"

namespace pelorus {

class CancelKeys {
public:
    // The number and secret of one connection, until `remove`.
    struct Key {
        int32_t number = 0;  // above 0
        std::string secret;  // random bytes
    };
    // Enters a connection whose request `cancel` cancels: any thread calls it, under the lock of this object; it must
    // not call the object. The number is `wanted`, or the next one that is free. Throws SystemError when the system
    // returns no random numbers.
    Key add(int32_t wanted, std::function<void()> cancel) LOCKS_EXCLUDED(mutex_);
    void remove(int32_t number) LOCKS_EXCLUDED(mutex_);
    // Cancels the request of the connection with this number and secret. Returns false, and does nothing, when there is
    // none.
    bool cancel(int32_t number, std::string_view secret) LOCKS_EXCLUDED(mutex_);

private:
    struct Entry {
        std::string secret;
        std::function<void()> cancel;
    };
    Mutex mutex_;
    std::map<int32_t, Entry> entries_ GUARDED_BY(mutex_);
};

}  // namespace pelorus
