// AddressLimit restricts the process, while the object lives, to hardly more addresses than it uses: stacks of new
// threads cannot be allocated.
#pragma once

#include <sys/resource.h>

#include <fstream>

namespace pelorus::testing {

class AddressLimit {
public:
    explicit AddressLimit(rlim_t spare = 64 << 20) {
        ::getrlimit(RLIMIT_AS, &before_);
        rlim_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        rlimit tight = before_;
        tight.rlim_cur = pages * 4096 + spare;
        ::setrlimit(RLIMIT_AS, &tight);
    }
    ~AddressLimit() { ::setrlimit(RLIMIT_AS, &before_); }
    AddressLimit(const AddressLimit&) = delete;
    AddressLimit& operator=(const AddressLimit&) = delete;

private:
    rlimit before_{};
};

}  // namespace pelorus::testing
