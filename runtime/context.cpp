#include "runtime/context.h"

#include "common/error.h"

namespace pelorus {

void Context::throwCancelled() {
    throw UserError("The job was cancelled.");
}

}  // namespace pelorus
