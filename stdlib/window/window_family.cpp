#include "stdlib/window/window_family.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "runtime/registry/parameter_lines.h"
#include "runtime/registry/time_reach.h"
#include "runtime/value/cast.h"

namespace pelorus {

// Returns what NULLs do, as the function's parameters have it: minPeriods is only explained where there is one.
static std::string_view nullRuleString(std::string_view syntax) {
    constexpr std::string_view kWindow = "window", kPeriods = "minPeriods";
    if (syntax.find(kPeriods) != std::string_view::npos)
        return "Skipped; a window without elements gives NULL. Without minPeriods the first window-1 rows of a moving "
               "window are NULL; with it, windows of fewer elements are.";
    if (syntax.starts_with('m') && syntax.find(kWindow) != std::string_view::npos)
        return "Skipped; a window without elements gives NULL. The first window-1 rows are NULL.";
    return "Skipped; a window without elements gives NULL.";
}

// The rows before its own that a row of a moving function depends on: the window is argument kAt.
template <size_t kAt>
static int64_t reachOfWindow(std::span<const Value> constants) {
    if (kAt >= constants.size()) return -1;
    const Value& window = constants[kAt];
    if (window.isVector()) return window.size() - 1;  // of weights
    if (!window.isScalar() || !window.isNumber() || window.isNull() || window.asLong() < 1) return -1;
    return window.asLong() - 1;
}

// The same of a window in time over the first argument.
template <size_t kAt>
static int64_t reachOfTimes(std::span<const Value> constants) {
    const bool isKnown = kAt < constants.size() && constants[kAt].isScalar() && !constants[kAt].isVoid();
    return isKnown ? reachInTime({.times = 0, .window = kAt}) : -1;
}

template <size_t kAt>
static constexpr Reach kReaches[] = {reachOfWindow<kAt>, reachOfTimes<kAt>};

Reach reachOfWindows(std::string_view syntax) {
    const bool isTimed = syntax.starts_with("tm");
    if (!syntax.starts_with('m') && !isTimed) return nullptr;
    const std::string_view parameters = syntax.substr(syntax.find('(') + 1);
    const size_t at = parameters.find("window");
    if (at == std::string_view::npos) return nullptr;
    switch (std::count(parameters.begin(), parameters.begin() + static_cast<ptrdiff_t>(at), ',')) {
        case 1:
            return kReaches<1>[isTimed];
        case 2:
            return kReaches<2>[isTimed];
        case 3:
            return kReaches<3>[isTimed];
        case 4:
            return kReaches<4>[isTimed];
        default:
            return nullptr;
    }
}

// The explanations of the parameters of both kinds of windows, of rows and of times.
static constexpr std::string_view kSharedLines =
    "T: the times of the rows: a temporal or integral vector that does not fall, as long as X\n"
    "X: a vector; a matrix or table is computed column by column\n"
    "Y: numbers, as many as X has\n"
    "percent: a number from 0 to 100\n"
    "interpolation: between two elements: linear, lower, higher, nearest or midpoint\n"
    "ascending: true ranks from the smallest element on, false from the largest\n"
    "tiesMethod: the rank of equal elements: their min, max or average\n"
    "mrank.percent: true gives the rank as a part of the window's elements, as DOUBLE\n"
    "tmrank.percent: true gives the rank as a part of the window's elements, as DOUBLE\n"
    "cumrank.percent: true gives the rank as a part of the elements so far, as DOUBLE\n"
    "cumdenseRank.percent: true gives the rank as a part of the distinct elements so far, as DOUBLE\n"
    "norm: the parts of percent: max from 1 / count to 1, minmax from 0 to 1\n"
    "ignoreNA: true gives NULL no rank; false ranks it as the smallest\n"
    "biased: true takes the elements as the whole population, false corrects for a sample\n"
    "useMedian: true takes the median in place of the mean\n"
    "k: a scalar that is passed over, as NULL is; NULL alone when omitted\n"
    "ratio: true gives the fall as a part of the highest element, false as it is\n"
    "ignoreNull: true leaves NULL out of the count\n"
    "cumValue: the numeric value of each row in the group that it moves to\n"
    "prevCumValue: the numeric value of the row before it moved; NULL for none\n"
    "membership: the group of each row from 0 to groupCount - 1; NULL for none\n"
    "prevMembership: the group that the row left, in the same way\n"
    "groupCount: an integer from 2 to 8";
static constexpr std::string_view kRowLines =
    "\nwindow: rows of a window, at least 1, its own included; over an indexed matrix a length of its labels or a "
    "DURATION\n"
    "mavg.window: rows of a window, at least 1, its own included; or a vector of weights, one for each row of it\n"
    "minPeriods: how many elements that are not NULL a result needs, from 1 to window\n"
    "mcount.minPeriods: how many elements that are not NULL a result needs, from 1 to window; 1 when omitted";
static constexpr std::string_view kTimeLines =
    "\nwindow: length of a window, above 0: an integer in the unit of T or a DURATION; a row at t sees times in (t - "
    "window, t]\n"
    "tmove.window: how far back to look: an integer in the unit of T or a DURATION";

static std::string windowParameterLines(std::string_view syntax) {
    const bool isTimed = syntax.find("(T,") != std::string_view::npos;
    return parameterLines(syntax, std::string(kSharedLines).append(isTimed ? kTimeLines : kRowLines));
}

void addWindowFunction(FunctionRegistry& registry, std::string_view syntax, Kernel kernel, std::string_view summary,
                       std::string_view example, TypeRule gives, MakeRolling rolling) {
    registry.add(syntax, kernel,
                 {.summary = summary,
                  .parameters = windowParameterLines(syntax),
                  .nulls = nullRuleString(syntax),
                  .errors = "X is not numeric, the vectors differ in length, or the window is below 1.",
                  .complexity = "O(1) per row, whatever the window; orders, medians and ranks O(log n).",
                  .example = example},
                 {.gives = gives,
                  .kind = FunctionKind::Window,
                  .nulls = NullRule::Skip,
                  .orderSensitive = true,
                  .rolling = rolling,
                  .reach = reachOfWindows(syntax)});
}

Ref<Vector> windowReals(const Value& v, int argument) {
    const Vector& elements = v.vector();
    if (!isNumeric(elements.type()) && !isDecimal(elements.type())) {
        throw UserError(argument, fmt::format("{} must be numeric, but it is {}.", argument == 0 ? "X" : "Y",
                                              typeName(elements.type())));
    }
    return cast(elements, Type::Double);
}

}  // namespace pelorus
