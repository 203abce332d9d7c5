// The request under which nodes do internal work of the cluster: no client waits for it or can cancel it.
#pragma once

#include "runtime/function/context.h"
#include "runtime/function/principal.h"

namespace pelorus {

// Returns the request, one for the process: its user is "system", who has the powers of the owner. Thread-safe.
inline const Request& systemRequest() {
    struct SystemRequest : Request {
        SystemRequest() : Request(std::make_shared<const Principal>("system", Principal::owner()->powers())) {}
    };
    static const SystemRequest request;
    return request;
}

}  // namespace pelorus
