// The driver of pipelines. Threads, cancellation, progress and early ends are here and nowhere else.
#pragma once

#include "runtime/function/context.h"
#include "sql/execution/pipeline.h"

namespace pelorus {

// Runs a pipeline on the thread pool, each morsel with a context of its own. Asks for cancellation before each batch.
void run(const Pipeline& pipeline, Context& context);

}  // namespace pelorus
