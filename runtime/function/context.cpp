#include "runtime/function/context.h"

#include "common/error.h"

namespace pelorus {

void Context::stop() const {
    if (request->cancelled.load(std::memory_order_relaxed)) throw UserError("The job was cancelled.");
    memory::checkLimit();
}

}  // namespace pelorus
