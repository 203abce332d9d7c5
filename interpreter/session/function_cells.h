// FunctionCells owns the cells of a session's recursive and declared functions.
#pragma once

#include <vector>

#include "interpreter/bytecode/closure.h"

namespace pelorus {

// A list of cells, which its destructor empties to break the reference cycles of recursion. The session shares it with
// work that calls its functions and may outlive the session, such as a job; the last owner empties the cells. Only the
// session's own thread adds cells.
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
