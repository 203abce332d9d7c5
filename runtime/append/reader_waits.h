// Lets appends to a stream table wait for slow readers.
#pragma once

#include <chrono>

#include "runtime/stream/stream_log.h"

namespace pelorus {

// Waits until no reader of the table lags behind by more than its bounds say; does nothing for a table without such a
// bound, or when the caller is what the slowest reader runs. Throws UserError, naming the readers, after `timeout`, and
// at once when each of them waits for the next in a circle; also when the request is cancelled. REQUIRES: the caller
// holds no lock of the table.
void awaitReaders(const StreamLog& log, std::chrono::milliseconds timeout = std::chrono::seconds(30));

}  // namespace pelorus
