#include "storage/commit/chunk_claims.h"

#include <fmt/format.h>

#include <map>

#include "common/error.h"
#include "common/thread/mutex.h"

namespace pelorus {
namespace {

struct Claims {
    Mutex mutex;
    // The number of the append, by table and path.
    std::map<std::pair<uint64_t, std::string>, uint64_t> owners GUARDED_BY(mutex);
    uint64_t last GUARDED_BY(mutex) = 0;
};

Claims& claims() {
    static Claims instance;
    return instance;
}

}  // namespace

// Claims all chunks or none: two appends that share two chunks cannot deadlock.
ChunkClaim::Taken ChunkClaim::take() {
    Claims& c = claims();
    const MutexLock lock(c.mutex);
    for (size_t i = 0; i < paths_.size(); ++i) {
        const auto known = c.owners.find({table_, paths_[i]});
        if (known != c.owners.end()) return {i, known->second};
    }
    const uint64_t number = ++c.last;
    for (const std::string& path : paths_) c.owners[{table_, path}] = number;
    return {paths_.size(), number};
}

void ChunkClaim::refuse(const std::string& path, uint64_t by) {
    throw SystemError(fmt::format("<ChunkInTransaction>The openChunks operation failed because the chunk '{}' is "
                                  "currently locked and in use by transaction {}. RefId: S00002",
                                  path, by),
                      "Append again, or leave appendConflict out of the settings: appends then wait for each other.",
                      true);
}

ChunkClaim::~ChunkClaim() {
    Claims& c = claims();
    const MutexLock lock(c.mutex);
    for (const std::string& path : paths_) c.owners.erase({table_, path});
}

}  // namespace pelorus
