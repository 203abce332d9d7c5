// Opens the databases of `pelorus lsp` for its editor: one in this process, or on a node.
#pragma once

#include <memory>

#include "devtools/workbench/workbench.h"

namespace pelorus {

// Opens what the parameters of pelorus/connect name: {"folder": …} an embedded database, whose folder is created when
// it is missing, and is temporary when the name is empty; {"address": "HOST:PORT", "user", "password", "tls",
// "tlsCertificate"} a node. Throws Error: RequestError for parameters that are neither, UserError for a folder that
// another process has open, naming that process.
std::unique_ptr<ScriptRunner> openRunner(const Json& parameters, RunnerEvents events);

}  // namespace pelorus
