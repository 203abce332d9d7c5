#include "common/thread/lasting_share.h"

#include <map>

#include "common/thread/mutex.h"

namespace pelorus {

namespace {

struct Shares {
    Mutex mutex;
    std::map<std::string, std::shared_ptr<LastingShare>> ofUsers GUARDED_BY(mutex);
};

}  // namespace

std::shared_ptr<LastingShare> LastingShare::ofUser(const std::string& user) {
    static auto* shares = new Shares;  // never deleted: requests may end while the process does
    const MutexLock lock(shares->mutex);
    std::shared_ptr<LastingShare>& share = shares->ofUsers[user];
    if (!share) share = std::make_shared<LastingShare>();
    return share;
}

}  // namespace pelorus
