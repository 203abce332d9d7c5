#include "interpreter/session/function_cells.h"

#include <catch2/catch.hpp>
#include <memory>

using namespace pelorus;

TEST_CASE("cells are emptied by the last owner of their list, and not before") {
    const auto cell = makeRef<FunctionCell>("f", Signature{});
    cell->target = makeRef<FunctionCell>("g", Signature{});
    auto session = std::make_shared<FunctionCells>();
    session->add(cell);
    std::shared_ptr<const FunctionCells> job = session;
    session.reset();
    CHECK(cell->target);
    job.reset();
    CHECK_FALSE(cell->target);
}
