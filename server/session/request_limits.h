// RequestLimits holds the limits of single requests that an administrator may change while the server runs. It is a
// service of the process; connections read it, built-in functions write it. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>

namespace pelorus {

struct RequestLimits {
    std::atomic<int64_t> maxResultBytes{0};    // memLimitOfQueryResult; 0: none
    std::atomic<double> maxRequestSeconds{0};  // maxQueryExecutionTime; 0: none
};

}  // namespace pelorus
