// One call ranks the rows of many groups.
#include <catch2/catch.hpp>

#include "runtime/value/print.h"
#include "runtime/value/vector.h"
#include "sql/operators/window/window_kernels.h"

using namespace pelorus;

namespace {

using Kind = BoundWindow::Kind;

struct Groups {
    std::vector<int32_t> begin = {0, 5, 6};
    Ref<Window> node = makeRef<Window>(NodeRef(), SourcePosition{});
    WindowRows rows{.groupBegin = begin, .peerBegin = {0, 2, 3, 5, 6}};

    BoundWindow window(Kind kind, int64_t number = 0) {
        node->orderBy.resize(1);
        BoundWindow bound;
        bound.node = node.get();
        bound.kind = kind;
        bound.number = number;
        return bound;
    }
    std::string ranks(Kind kind, int64_t number = 0) { return display(rankingValues(window(kind, number), rows)); }
};

}  // namespace

TEST_CASE("ranks, tiles and shares begin anew in every group") {
    Groups groups;
    CHECK(groups.ranks(Kind::RowNumber) == "[1,2,3,4,5,1]");
    CHECK(groups.ranks(Kind::Rank) == "[1,1,3,4,4,1]");
    CHECK(groups.ranks(Kind::DenseRank) == "[1,1,2,3,3,1]");
    CHECK(groups.ranks(Kind::Ntile, 3) == "[1,1,2,2,3,1]");
    CHECK(groups.ranks(Kind::PercentRank) == "[0,0,0.5,0.75,0.75,0]");
    CHECK(groups.ranks(Kind::CumeDist) == "[0.4,0.4,0.6,1,1,1]");
}

TEST_CASE("ranks of a range go on from the rows in front of it") {
    Groups groups;
    groups.begin = {0, 3};
    groups.rows = {.groupBegin = groups.begin,
                   .peerBegin = {0, 2, 3},
                   .isRange = true,
                   .before = 10,
                   .peersBefore = 4,
                   .total = 20};
    CHECK(groups.ranks(Kind::RowNumber) == "[11,12,13]");
    CHECK(groups.ranks(Kind::Rank) == "[11,11,13]");
    CHECK(groups.ranks(Kind::DenseRank) == "[5,5,6]");
    CHECK(groups.ranks(Kind::Ntile, 4) == "[3,3,3]");
    CHECK(groups.ranks(Kind::CumeDist) == "[0.6,0.6,0.65]");
}

TEST_CASE("values of other rows are those of the same group") {
    Groups groups;
    const Value column = Value::of(Vector::of(Type::Int, std::vector<int>{1, 2, 3, 4, 5, 6}));
    CHECK(display(shiftedValues(groups.window(Kind::Lag, 2), groups.rows, column)) == "[,,1,2,3,]");
    CHECK(display(shiftedValues(groups.window(Kind::Lag, -1), groups.rows, column)) == "[2,3,4,5,,]");
    const std::vector<RowSpan> frames = {{0, 2}, {1, 3}, {2, 2}, {3, 5}, {4, 5}, {5, 6}};
    CHECK(display(valuesInFrames(groups.window(Kind::NthValue, 2), frames, column)) == "[2,3,,5,,]");
    CHECK(display(valuesInFrames(groups.window(Kind::LastValue), frames, column)) == "[2,3,,5,5,6]");
    CHECK(display(rowsInFrames(frames)) == "[2,2,0,2,1,1]");
}
