// Lets built-in functions find the services of a server.
#pragma once

#include "common/error.h"
#include "runtime/function/context.h"

namespace pelorus {

// Returns the service of this type. Throws UserError in a process that is no server; `what` is the subject of its
// message, "… exist only in a server.".
template <class T>
T& requireService(Context& context, const char* what) {
    T* service = context.service<T>();
    if (!service) throw UserError(std::string(what) + " exist only in a server.", "Start one with `pelorus serve`.");
    return *service;
}

}  // namespace pelorus
