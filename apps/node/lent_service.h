// lend adds a service that the process does not own.
#pragma once

#include <memory>

#include "runtime/function/context.h"

namespace pelorus {

// Adds a service that its owner destroys before the others. Nothing may ask for it from then on.
template <class T>
void lend(Services& services, T& service) {
    services.add(std::shared_ptr<T>(std::shared_ptr<void>(), &service));
}

}  // namespace pelorus
