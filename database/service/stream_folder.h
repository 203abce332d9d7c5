// Finds the folder in which this node keeps the rows of stream tables.
#pragma once

#include <memory>

#include "runtime/append/stream_store.h"
#include "runtime/function/context.h"

namespace pelorus {

// Returns an object over the data folder of the process, which is opened when nothing has used it before; the object
// keeps it open. Throws SystemError when the folder is in use or damaged, and UserError in a process without one.
std::shared_ptr<StreamFolder> openStreamFolder(const Services& services);

}  // namespace pelorus
