// Functions on the representation of values in memory: hex, signbit.
#include <cmath>

#include "runtime/kernel/forms/elementwise.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

// Two digits a byte, the highest byte first; with `reverse` in the order of memory.
std::string hexString(const char* bytes, int width, bool reverse) {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string string;
    for (int i = 0; i < width; ++i) {
        const auto byte = static_cast<unsigned char>(bytes[reverse ? i : width - 1 - i]);
        string += kDigits[byte >> 4];
        string += kDigits[byte & 15];
    }
    return string;
}

// hex(X, [reverse])
Value hexKernel(Context&, Arguments a) {
    const bool reverse = flagArgument(a, 1, "reverse", false);
    return mapElements(a[0], [&](const Vector& v) {
        const bool fits = isIntegral(v.type()) || v.type() == Type::Compress || isFloating(v.type()) ||
                          storageOf(v.type()) == Storage::Bytes16;
        if (!fits) {
            throw UserError(
                0, fmt::format("X must be integral, floating or of 16 bytes, but it is {}.", typeName(v.type())));
        }
        Ref<Vector> out = Vector::make(Type::String, v.size());
        for (int64_t i = 0; i < v.size(); ++i) {
            out->set(i, Value::ofString(hexString(v.raw() + i * v.width(), v.width(), reverse)));
        }
        return out;
    });
}

// signbit(X)
Value signbitKernel(Context&, Arguments a) {
    return mapElements(a[0], [](const Vector& v) {
        if (!isIntegral(v.type()) && !isFloating(v.type()) && v.type() != Type::Bool) {
            throw UserError(0, fmt::format("X must be a number, but it is {}.", typeName(v.type())));
        }
        Ref<Vector> out = Vector::make(Type::Bool, v.size());
        for (int64_t i = 0; i < v.size(); ++i) {
            const bool negative = isFloating(v.type()) ? std::signbit(v.asDouble(i)) : v.asLong(i) < 0;
            out->set(i, v.isNullAt(i) ? Value() : Value::ofBool(negative));
        }
        return out;
    });
}

}  // namespace

void registerBits(FunctionRegistry& registry) {
    registry.add(
        "hex(X, [reverse=false])", hexKernel,
        {.summary = "The bytes of numbers and of values of 16 bytes as a string, two digits a byte, the highest "
                    "first; with reverse the lowest.",
         .nulls = "Bytes like others.",
         .errors = "X is a string or a time.",
         .example = "hex(16 25) -> [\"00000010\",\"00000019\"]\nhex(16, true) -> 10000000"});
    registry.add("signbit(X)", signbitKernel,
                 {.summary = "Whether the sign of X is negative, as BOOL; of -0.0 too.",
                  .nulls = "NULL.",
                  .errors = "X is no number.",
                  .example = "signbit(-2.1) -> true"});
}

}  // namespace pelorus
