#include "stdlib/window/timed_rows.h"

#include "common/error.h"

namespace pelorus {

bool hasTimedWindow(std::span<const Type> types, std::span<const Value> constants, size_t window) {
    if (types.empty() || window >= constants.size()) return false;
    const Value& length = constants[window];
    if (length.isVoid() || !length.isScalar() || length.isNull() || length.integer() <= 0) return false;
    if (!isTemporal(types[0]) && !isIntegral(types[0])) return false;
    try {
        TimeAxis::inAnyOrder(Vector::make(types[0], 0), 0, "T").moved(length, true, 0);
    } catch (const UserError&) {
        return false;  // a window that does not fit the times
    }
    return true;
}

}  // namespace pelorus
