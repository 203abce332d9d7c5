// What pg_stat_activity shows: the sessions of a node. Who has them adds an ActivitySource to the services.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "postgres/catalog/collectors.h"
#include "runtime/function/context.h"

namespace pelorus::postgres {

// A session of any protocol. Times are UTC nanoseconds since 1970; 0: none.
struct Activity {
    int32_t processId = 0;
    std::string user;
    std::string applicationName;
    std::string address;
    int32_t port = 0;
    int64_t connected = 0;
    int64_t began = 0;  // of the running request
    int64_t lastActive = 0;
    bool isRunning = false;
    std::string query;  // the beginning of the running request
    std::string lock;   // what the request waits for, in words of PostgreSQL's wait events; empty: it does not wait
};

// A service of the process. Thread-safe.
class ActivitySource {
public:
    virtual ~ActivitySource() = default;
    // Returns the sessions that the running request's user may see: administrators see all, others their own.
    virtual std::vector<Activity> sessions(const Context& context) const = 0;
};

void collectActivity(Context& context, CatalogRows& rows);

}  // namespace pelorus::postgres
