#include "stdlib/window/window_family.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
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

void addWindowFunction(FunctionRegistry& registry, std::string_view syntax, Kernel kernel, std::string_view summary,
                       std::string_view example, TypeRule gives, MakeRolling rolling) {
    registry.add(syntax, kernel,
                 {.summary = summary,
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
