// Driver that pushes the rows of a source block by block into a sink. Threads, cancellation and early termination are
// implemented here and nowhere else.
#pragma once

#include <vector>

#include "runtime/function/context.h"
#include "sql/operators/scan/scan.h"

namespace pelorus {

// Consumer of rows. The results of each morsel are kept separately and concatenated in the order of the morsels, so
// that the answer does not depend on the number of threads. Morsels run concurrently, each on one thread.
class Sink {
public:
    virtual ~Sink() = default;
    // Called once, before anything else.
    virtual void open(size_t morsels) = 0;
    // Whether rows of a block can still matter: called before anything of it is read.
    virtual bool wants(size_t morsel, const PartitionReader& reader, int block) = 0;
    // Takes the rows of a block that passed, in the order of the morsel's blocks. `rows` has at least one.
    virtual void push(size_t morsel, int block, BlockRows& rows, Context& context) = 0;
    // Called after the last rows of the morsel.
    virtual void close(size_t morsel) = 0;
};

// `columns`: those that will be read, which storage prefetches.
void drive(const std::vector<Morsel>& morsels, Filter& filter, const std::vector<int>& columns, Sink& sink,
           Context& context);

}  // namespace pelorus
