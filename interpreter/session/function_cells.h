// The cells of a session's recursive and declared functions.
#pragma once

#include <vector>

#include "interpreter/bytecode/closure.h"

namespace pelorus {

// A list of cells that is emptied at its end, which breaks the reference cycles of recursion. The session shares it
// with work that goes on without the session and calls its functions, such as a job; the last one of them empties the
// cells. Only the session's own thread adds cells.
class FunctionCells {
public:
    FunctionCells() = default;
    FunctionCells(const FunctionCells&) = delete;
    FunctionCells& operator=(const FunctionCells&) = delete;
    ~FunctionCells() {
        for (const Ref<FunctionCell>& cell : cells_) cell->target = Ref<Function>();
    }

    void add(Ref<FunctionCell> cell) { cells_.push_back(std::move(cell)); }

private:
    std::vector<Ref<FunctionCell>> cells_;
};

}  // namespace pelorus
