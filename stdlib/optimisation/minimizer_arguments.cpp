#include "stdlib/optimisation/minimizer_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/error.h"
#include "runtime/value/print.h"
#include "stdlib/arguments.h"
#include "stdlib/number_columns.h"
#include "stdlib/value_parts.h"

namespace pelorus {

StartArgument startArgument(Arguments arguments, size_t i, std::string_view name) {
    constexpr size_t kMostParameters = 10000;
    if (arguments[i].isScalar()) return {{realArgument(arguments, i, name)}, true};
    if (!arguments[i].isTypedVector()) refuseArgument(i, name, "a number or a vector of numbers", arguments[i]);
    StartArgument start{columnArgument(arguments, i, name, NullCells::Refused)};
    if (start.x.empty() || start.x.size() > kMostParameters)
        refuseArgument(i, name, fmt::format("1 to {} numbers", kMostParameters), arguments[i]);
    return start;
}

std::optional<int64_t> countArgument(Arguments arguments, size_t i, std::string_view name) {
    if (!isGiven(arguments, i)) return std::nullopt;
    return countArgument(arguments, i, name, 0);
}

int64_t countArgument(Arguments arguments, size_t i, std::string_view name, int64_t whenOmitted, int64_t least) {
    const int64_t count = integerArgument(arguments, i, name, whenOmitted);
    if (count < least) refuseArgument(i, name, fmt::format("{} or more", least), arguments[i]);
    return count;
}

double positiveArgument(Arguments arguments, size_t i, std::string_view name, double whenOmitted, bool mayBeZero) {
    const double number = realArgument(arguments, i, name, whenOmitted);
    if (!(mayBeZero ? number >= 0 : number > 0))
        refuseArgument(i, name, mayBeZero ? "0 or more" : "above 0", arguments[i]);
    return number;
}

const Function* optionalFunction(Arguments arguments, size_t i, std::string_view name) {
    if (!isGiven(arguments, i)) return nullptr;
    if (!arguments[i].isFunction()) refuseArgument(i, name, "a function", arguments[i]);
    return &arguments[i].function();
}

void boundsArgument(Arguments arguments, size_t i, size_t count, Point& low, Point& high) {
    if (!isGiven(arguments, i)) return;
    const NumberColumns bounds = columnsArgument(arguments, i, "bounds", NullCells::Kept);
    if (bounds.width() != 2 || bounds.rows != count)
        throw UserError(static_cast<int>(i), fmt::format("bounds must have {} rows and 2 columns, but has {} and {}.",
                                                         count, bounds.rows, bounds.width()));
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    low = bounds.columns[0];
    high = bounds.columns[1];
    for (double& bound : low) bound = isNull(bound) ? -kInfinity : bound;
    for (double& bound : high) bound = isNull(bound) ? kInfinity : bound;
    for (size_t k = 0; k < count; ++k) {
        if (!(low[k] <= high[k]))
            throw UserError(static_cast<int>(i),
                            fmt::format("The bounds of parameter {} leave nothing: {} and {}.", k, low[k], high[k]));
    }
}

Value pointValue(const Point& x) {
    Point shown = x;
    for (double& v : shown) v = std::isnan(v) ? null<double> : v;
    return Value::of(Vector::of(Type::Double, shown));
}

}  // namespace pelorus
