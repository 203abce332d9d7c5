#include "stdlib/window/window_family.h"

#include <fmt/format.h>

#include "common/error.h"
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

void addWindowFunction(FunctionRegistry& registry, std::string_view syntax, Kernel kernel, std::string_view summary,
                       std::string_view example, TypeRule gives) {
    registry.add(syntax, kernel,
                 {.summary = summary,
                  .nulls = nullRuleString(syntax),
                  .errors = "X is not numeric, the vectors differ in length, or the window is below 1.",
                  .complexity = "O(1) per row, whatever the window; orders, medians and ranks O(log n).",
                  .example = example},
                 {.gives = gives, .kind = FunctionKind::Window, .nulls = NullRule::Skip, .orderSensitive = true});
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
