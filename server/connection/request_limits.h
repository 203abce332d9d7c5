// Limits of single requests that an administrator may change while the server runs. A service of the process.
#pragma once

#include <atomic>
#include <cstdint>

namespace pelorus {

struct RequestLimits {
    std::atomic<int64_t> maxResultBytes{0};    // memLimitOfQueryResult; 0: none
    std::atomic<double> maxRequestSeconds{0};  // maxQueryExecutionTime; 0: none
};

}  // namespace pelorus
