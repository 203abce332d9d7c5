// eqPercent: whether numbers agree within a part of the second one.
#include <cmath>

#include "common/thread/stack_room.h"
#include "runtime/kernel/elementwise/operators.h"
#include "runtime/value/cast.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

bool isComparable(const Value& v) {
    requireStackRoom();
    if (v.isTuple()) {
        for (const Value& element : v.tuple().elements) {
            if (!isComparable(element)) return false;
        }
        return true;
    }
    const bool form = v.isScalar() || v.isTypedVector() || v.isPair() || v.isMatrix();
    return form && (v.isVoid() || isNumeric(v.type()) || isDecimal(v.type()));
}

bool agree(const Value& x, const Value& y, double tolerance) {
    requireStackRoom();
    if (x.isScalar() && y.isScalar()) {
        if (x.isNull() || y.isNull()) return x.isNull() && y.isNull();
        const double a = cast(x, Type::Double).real(), b = cast(y, Type::Double).real();
        return std::fabs(a - b) <= std::fabs(b) * tolerance;
    }
    if (x.isScalar() != y.isScalar() || x.isMatrix() != y.isMatrix()) return false;
    if (x.isMatrix()) {
        const bool alike = x.matrix().rows == y.matrix().rows && x.matrix().columns == y.matrix().columns;
        return alike && agree(Value::of(x.matrix().cells), Value::of(y.matrix().cells), tolerance);
    }
    if (x.size() != y.size()) return false;
    for (int64_t i = 0; i < x.size(); ++i) {
        if (!agree(x.at(i), y.at(i), tolerance)) return false;
    }
    return true;
}

// eqPercent(X, Y, [toleranceLevel])
Value eqPercentKernel(Context& context, Arguments a) {
    const double level = realArgument(a, 2, "toleranceLevel", 0.0001);
    if (!(level > 0 && level < 100)) refuseArgument(2, "toleranceLevel", "above 0 and below 100", a[2]);
    if (!isComparable(a[0]) || !isComparable(a[1])) {
        Value both[] = {a[0], a[1]};
        return FunctionRegistry::instance().get("eqObj").call(context, both);
    }
    return Value::ofBool(agree(a[0], a[1], level / 100));
}

}  // namespace

void registerEqualWithin(FunctionRegistry& registry) {
    registry.add(
        "eqPercent(X, Y, [toleranceLevel=0.0001])", eqPercentKernel,
        {.summary = "Whether all elements of X differ from those of Y by at most toleranceLevel percent of Y, as "
                    "one BOOL. What holds other things than numbers is compared by eqObj.",
         .parameters = "X: numbers: a scalar, vector or matrix\n"
                       "Y: of the same shape\n"
                       "toleranceLevel: in percent of Y, above 0 and below 100",
         .nulls = "NULL equals NULL, whatever the types.",
         .errors = "toleranceLevel is not between 0 and 100.",
         .example = "eqPercent(1.9999 2.9999, 2 3, 0.01) -> true"});
}

}  // namespace pelorus
