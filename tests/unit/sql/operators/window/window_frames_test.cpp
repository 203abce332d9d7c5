// Frames of rows that lie group by group stay within their group.
#include "sql/operators/window/window_frames.h"

#include <catch2/catch.hpp>

#include "runtime/value/vector.h"
#include "tests/support/query_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

struct Bench : QueryBench {
    // The frames of rows with these order keys, in groups that begin so.
    std::string frames(const std::string& frame, const std::vector<int>& keys, const std::vector<int32_t>& groupBegin) {
        std::string result;
        const Ref<Query> code = query("select sum(v) over (partition by k order by v " + frame + ") from t");
        const BoundWindow window = bindWindow(static_cast<const Window&>(*code->items.at(0).value), context);
        WindowRows rows{.groupBegin = groupBegin};
        const std::vector<OrderKey> order = {{Value::of(Vector::of(Type::Int, keys))}};
        findPeers(rows, order);
        const auto show = [&](const RowSpan& span) {
            result += std::to_string(span.begin) + ":" + std::to_string(span.end);
        };
        const std::vector<RowSpan> spans = framesOf(window, rows, order);
        if (window.node->exclusion == FrameExclusion::None) {
            for (const RowSpan span : spans) {
                show(span);
                result += " ";
            }
            return result;
        }
        for (const FrameParts& parts : withoutExcluded(window, rows, spans)) {
            for (const RowSpan part : parts) {
                if (part.begin < part.end) {
                    show(part);
                    result += ",";
                }
            }
            result += " ";
        }
        return result;
    }
};

}  // namespace

TEST_CASE("frames of peers, rows and ranges end where their group does") {
    Bench bench;
    const std::vector<int> keys = {1, 1, 3, 6, 1, 2};
    const std::vector<int32_t> groups = {0, 4, 6};
    CHECK(bench.frames("", keys, groups) == "0:2 0:2 0:3 0:4 4:5 4:6 ");
    CHECK(bench.frames("rows between 1 preceding and 1 following", keys, groups) == "0:2 0:3 1:4 2:4 4:6 4:6 ");
    CHECK(bench.frames("rows between 9223372036854775807 preceding and current row", keys, groups) ==
          "0:1 0:2 0:3 0:4 4:5 4:6 ");
    CHECK(bench.frames("range between 2 preceding and current row", keys, groups) == "0:2 0:2 0:3 3:4 4:5 4:6 ");
    CHECK(bench.frames("range between 1 following and 5 following", keys, groups) == "2:4 2:4 3:4 4:4 5:6 6:6 ");
    CHECK(bench.frames("range between unbounded preceding and unbounded following", keys, groups) ==
          "0:4 0:4 0:4 0:4 4:6 4:6 ");
}

TEST_CASE("frames of groups count rows with equal keys as one") {
    Bench bench;
    const std::vector<int> keys = {1, 1, 3, 6, 6, 1, 2};
    const std::vector<int32_t> groups = {0, 5, 7};
    CHECK(bench.frames("groups between 1 preceding and current row", keys, groups) == "0:2 0:2 0:3 2:5 2:5 5:6 5:7 ");
    CHECK(bench.frames("groups between 1 following and 2 following", keys, groups) == "2:5 2:5 3:5 5:5 5:5 6:7 7:7 ");
    CHECK(bench.frames("groups between unbounded preceding and 1 preceding", keys, groups) ==
          "0:0 0:0 0:2 0:3 0:3 5:5 5:6 ");
}

TEST_CASE("a frame leaves out its row, the peers of it, or both") {
    Bench bench;
    const std::vector<int> keys = {1, 1, 3};
    const std::vector<int32_t> groups = {0, 3};
    const std::string all = "rows between unbounded preceding and unbounded following exclude ";
    CHECK(bench.frames(all + "current row", keys, groups) == "1:3, 0:1,2:3, 0:2, ");
    CHECK(bench.frames(all + "group", keys, groups) == "2:3, 2:3, 0:2, ");
    CHECK(bench.frames(all + "ties", keys, groups) == "0:1,2:3, 1:2,2:3, 0:2,2:3, ");
    CHECK(bench.frames(all + "no others", keys, groups) == "0:3 0:3 0:3 ");
    CHECK(bench.frames("rows between 1 following and 1 following exclude group", keys, groups) == " 2:3,  ");
}

TEST_CASE("NULL is peer of NULL alone, and -0.0 of 0.0") {
    const std::vector<int32_t> groups = {0, 5};
    WindowRows rows{.groupBegin = groups};
    const std::vector<double> keys = {null<double>, null<double>, -0.0, 0.0, 1};
    const std::vector<OrderKey> order = {{Value::of(Vector::of(Type::Double, keys))}};
    findPeers(rows, order);
    CHECK(rows.peerBegin == std::vector<int32_t>{0, 2, 4, 5});
}
