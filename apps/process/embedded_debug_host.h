// Debugging of scripts in a database of this process.
#pragma once

#include <memory>

#include "devtools/dap/debug_host.h"
#include "runtime/function/context.h"

namespace pelorus {

// Makes a host whose script is that of the `script` of a launch, else of the file `program`. It runs in a session of
// its own, as the owner of the process. `services` live longer.
std::unique_ptr<DebugHost> embeddedDebugHost(const Services& services);

}  // namespace pelorus
