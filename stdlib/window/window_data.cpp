// Windows as rows: movingWindowData, movingWindowIndex, movingTopNIndex.
#include <algorithm>

#include "common/thread/cancellation.h"
#include "runtime/kernel/forms/elementwise.h"
#include "runtime/kernel/index/index.h"
#include "runtime/kernel/index/row_index.h"
#include "runtime/registry/parameter_lines.h"
#include "runtime/value/array_vector.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"
#include "stdlib/window/sliding.h"
#include "stdlib/window/window_family.h"
#include "stdlib/window/window_top_rows.h"

namespace pelorus {

namespace {

int64_t lengthArgument(Arguments a, size_t i) {
    int64_t length = integerArgument(a, i, "window");
    if (length < 1) refuseArgument(i, "window", "at least 1", a[i]);
    return length;
}

// Returns the elements from first(i) to i for each row i, with NULL for those before the first row.
template <class First>
Value windowsOf(const Value& x, const First& first) {
    const auto positions = [&](int64_t begin, int64_t i) {
        Ref<Vector> result = Vector::make(Type::Long, i + 1 - begin);
        auto* out = result->mutableData<int64_t>();
        for (int64_t k = begin; k <= i; ++k) out[k - begin] = k < 0 ? null<int64_t> : k;
        return result;
    };
    if (!x.isTypedVector() || !canBeInArrayVector(x.type())) {
        std::vector<Value> rows;
        for (int64_t i = 0; i < x.size(); ++i) {
            checkCancelled();
            rows.push_back(takeRows(x, *positions(first(i), i)));
        }
        return x.isTypedVector() ? rowsFrom(std::move(rows), false) : Value::of(makeRef<Tuple>(std::move(rows)));
    }
    const Vector& elements = x.vector();
    auto rows = makeRef<ArrayVector>(x.type(), elements.scale());
    inPieces(x.size(), [&](int64_t from, int64_t to) {
        for (int64_t i = from; i < to; ++i) {
            checkCancelled();  // a row takes as long as its window is
            const int64_t begin = first(i);
            rows->appendRow(begin < 0 ? *elements.gather(positions(begin, i)->template data<int64_t>(), i + 1 - begin)
                                      : *elements.slice(begin, i + 1 - begin));
        }
    });
    return Value::of(rows);
}

Value movingWindows(const Value& x, int64_t length, bool fixed) {
    return windowsOf(x, [=](int64_t i) { return fixed ? i + 1 - length : std::max<int64_t>(0, i + 1 - length); });
}

// movingWindowData(X, window, [fixed=false])
Value windowDataKernel(Context&, Arguments a) {
    if (!a[0].isVector()) refuseArgument(0, "X", "a vector", a[0]);
    int64_t length = lengthArgument(a, 1);
    return movingWindows(a[0], length, flagArgument(a, 2, "fixed", false));
}

// tmovingWindowData(T, X, window, [leftClosed=false])
Value timedWindowDataKernel(Context&, Arguments a) {
    TimeAxis times(vectorArgument(a, 0, "T"), 0, "T");
    if (!a[1].isVector() || a[1].size() != times.size()) refuseArgument(1, "X", "a vector as long as T", a[1]);
    RowWindow window = RowWindow::timed(times, a[2], 2);
    if (!flagArgument(a, 3, "leftClosed", false)) return windowsOf(a[1], [&](int64_t i) { return window.first(i); });
    const std::vector<int64_t> low = times.moved(a[2], true, 2);
    int64_t begin = 0;
    return windowsOf(a[1], [&](int64_t i) {
        while (begin < i && (times.isMissing(begin) || times.at(begin) < low[static_cast<size_t>(i)])) ++begin;
        return begin;
    });
}

// movingWindowIndex(X, window, [fixed=false])
Value windowIndexKernel(Context&, Arguments a) {
    if (!a[0].isVector()) refuseArgument(0, "X", "a vector", a[0]);
    int64_t length = lengthArgument(a, 1);
    Ref<Vector> rows = Vector::make(Type::Int, a[0].size());
    auto* out = rows->mutableData<int32_t>();
    for (int64_t i = 0; i < rows->size(); ++i) out[i] = static_cast<int32_t>(i);
    return movingWindows(Value::of(rows), length, flagArgument(a, 2, "fixed", false));
}

// movingTopNIndex(X, window, top, [ascending=true], [fixed=false], [tiesMethod='oldest'])
Value topIndexKernel(Context&, Arguments a) {
    Ref<Vector> x = vectorArgument(a, 0, "X");
    int64_t length = lengthArgument(a, 1), top = integerArgument(a, 2, "top");
    if (top < 1 || top > length) refuseArgument(2, "top", "between 1 and window", a[2]);
    bool ascending = flagArgument(a, 3, "ascending", true), fixed = flagArgument(a, 4, "fixed", false);
    std::string ties = stringArgument(a, 5, "tiesMethod", "oldest");
    if (ties != "oldest" && ties != "latest") refuseArgument(5, "tiesMethod", "oldest or latest", a[5]);
    TopRows state(*x, top, ascending, ties == "oldest" ? Ties::Oldest : Ties::Latest);
    std::vector<Value> rows;
    slide(
        state, RowWindow::moving(length, 1, false), x->size(), [&](int64_t i) { return !x->isNullAt(i); },
        [&](int64_t, bool) {
            std::vector<int32_t> chosen;
            state.forEach([&](int64_t row) { chosen.push_back(static_cast<int32_t>(row)); });
            if (fixed) chosen.insert(chosen.begin(), static_cast<size_t>(top) - chosen.size(), null<int32_t>);
            rows.push_back(Value::of(Vector::of(Type::Int, chosen)));
        });
    return rowsFrom(std::move(rows), false);
}

}  // namespace

// The explanations of the parameters; "function.name" is of one function alone.
static constexpr std::string_view kParameterLines =
    "T: the times of the rows: a temporal or integral vector that does not fall, as long as X\n"
    "X: a vector\n"
    "window: rows of a window, an integer of at least 1\n"
    "tmovingWindowData.window: length of a window, above 0: an integer in the unit of T or a DURATION\n"
    "fixed: true makes each row as long as the window, with NULL for what is before the first element\n"
    "leftClosed: true includes a row exactly one window before\n"
    "top: how many positions of each window, from 1 to window\n"
    "ascending: true takes the smallest elements first, false the largest\n"
    "movingTopNIndex.fixed: true makes each row `top` long, with NULL in front\n"
    "tiesMethod: which of equal elements comes first: oldest or latest";

void registerWindowData(FunctionRegistry& registry) {
    // Positions count from the first row of all, so that only elements depend on the window alone.
    auto add = [&](std::string_view syntax, Kernel kernel, std::string_view summary, std::string_view example) {
        const bool isLocal = syntax.find("Data(") != std::string_view::npos;
        registry.add(syntax, kernel,
                     {.summary = summary,
                      .parameters = parameterLines(syntax, kParameterLines),
                      .errors = "The window is below 1.",
                      .example = example},
                     {.orderSensitive = true, .reach = isLocal ? reachOfWindows(syntax) : nullptr});
    };
    add("movingWindowData(X, window, [fixed=false])", windowDataKernel,
        "The elements of each window as an array vector; with fixed, NULL for those before the first.",
        "movingWindowData(1 2 3, 2) -> [[1],[1,2],[2,3]]");
    add("movingWindowIndex(X, window, [fixed=false])", windowIndexKernel,
        "The positions of the elements of each window as an array vector.",
        "movingWindowIndex(7 8 9, 2) -> [[0],[0,1],[1,2]]");
    add("tmovingWindowData(T, X, window, [leftClosed=false])", timedWindowDataKernel,
        "The elements of each window in time as an array vector.",
        "tmovingWindowData(1 2 5, 7 8 9, 2) -> [[7],[7,8],[9]]");
    add("movingTopNIndex(X, window, top, [ascending=true], [fixed=false], [tiesMethod='oldest'])", topIndexKernel,
        "The positions of the first elements of each window in order, as an array vector.",
        "movingTopNIndex(3 1 2, 2, 1) -> [[0],[1],[1]]");
}

}  // namespace pelorus
