// Debugs scripts in a database of this process.
#pragma once

#include <memory>

#include "devtools/dap/debug_host.h"
#include "runtime/function/context.h"

namespace pelorus {

// Makes a host for the debug adapter. Its script is the `script` of a launch, or else the file `program`. It runs in a
// separate session, as the owner of the process. `services` outlive the host.
std::unique_ptr<DebugHost> embeddedDebugHost(const Services& services);

}  // namespace pelorus
