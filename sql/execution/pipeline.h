// A pipeline: a source pushes batches through operators into a sink. The driver (driver.h) runs it; operators and sinks
// are in sql/operators.
//
// The rows of a source are cut into morsels, whose bounds depend on the data, never on the number of threads. Morsels
// run concurrently, each on one thread and in order. What an operator or a sink keeps, it keeps for each morsel by
// itself, and puts together in the order of the morsels: so the answer does not depend on the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/function/context.h"
#include "sql/execution/batch.h"

namespace pelorus {

// A consumer of the batches of one morsel: what stands behind a source or an operator.
class Consumer {
public:
    virtual ~Consumer() = default;
    // Whether rows of a batch can still matter: asked before anything of it is read.
    virtual bool wants(const Batch& batch) = 0;
    // Takes rows, at least one. False: the rest of the morsel does not matter.
    virtual bool push(Batch& batch, Context& worker) = 0;
};

// A source of rows: a table, rows in memory, rows on disk.
class Source {
public:
    virtual ~Source() = default;
    virtual size_t morsels() const = 0;
    virtual int64_t rows(size_t morsel) const = 0;
    // Returns where reading is measured; null where nobody asked.
    virtual ScanProfile* profile() const { return nullptr; }
    // A hint that the morsel is read soon.
    virtual void announce(size_t /*morsel*/) const {}
    // Pushes the wanted batches of a morsel in order, until the consumer has enough.
    virtual void read(size_t morsel, Context& worker, Consumer& consumer) const = 0;
};

// An operator changes batches one by one: it drops rows, or replaces columns. Its state is kept by morsel.
class BatchOperator {
public:
    virtual ~BatchOperator() = default;
    // Called once, before anything else.
    virtual void open(size_t /*morsels*/) {}
    virtual bool wants(const Batch& /*batch*/) { return true; }
    // Passes on what remains of a batch. False: enough, as of the next consumer.
    virtual bool push(Batch& batch, Context& worker, Consumer& next) = 0;
    // Called after the last batch of the morsel.
    virtual void close(size_t /*morsel*/) {}
};

// A sink takes the rows of a pipeline. Its result is there when the pipeline has run.
class Sink : public Consumer {
public:
    // Called once, before anything else.
    virtual void open(size_t morsels) = 0;
    bool wants(const Batch& /*batch*/) override { return true; }
    // Called after the last batch of the morsel.
    virtual void close(size_t /*morsel*/) {}
};

// The parts of a pipeline, which outlive its run; operators in the order in which batches pass them.
struct Pipeline {
    const Source& source;
    std::vector<BatchOperator*> operators;
    Sink& sink;
};

}  // namespace pelorus
