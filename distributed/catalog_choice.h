// Which catalog each session has chosen. A service of the process; thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace pelorus {

class CatalogChoice {
public:
    // Empty when none was chosen.
    std::string of(int64_t session) const {
        const std::lock_guard guard(mutex_);
        const auto found = chosen_.find(session);
        return found == chosen_.end() ? "" : found->second;
    }
    void set(int64_t session, const std::string& catalog) {
        const std::lock_guard guard(mutex_);
        if (catalog.empty())
            chosen_.erase(session);
        else
            chosen_[session] = catalog;
    }

private:
    mutable std::mutex mutex_;
    std::map<int64_t, std::string> chosen_;
};

}  // namespace pelorus
