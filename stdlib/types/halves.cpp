// The halves of values of 16 bytes, and tests of values: highLong, lowDouble, isNanInf, isNothing, isOrderedDict.
#include <cmath>

#include "runtime/function/function.h"
#include "runtime/kernel/forms/elementwise.h"
#include "runtime/value/dictionary.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

template <class T, bool kHigh>
Value halfKernel(Context&, Arguments a) {
    constexpr bool kReal = std::is_same_v<T, double>;
    return mapElements(a[0], [](const Vector& v) {
        const bool fits =
            storageOf(v.type()) == Storage::Bytes16 && (!kReal || categoryOf(v.type()) == Category::Complex);
        if (!fits) {
            throw UserError(0, fmt::format("X must be {}, but it is {}.",
                                           kReal ? "COMPLEX or POINT" : "UUID, IPADDR, INT128, COMPLEX or POINT",
                                           typeName(v.type())));
        }
        Ref<Vector> out = Vector::make(kReal ? Type::Double : Type::Long, v.size());
        // The lower half is stored first: the low bytes of numbers, the first part of COMPLEX and POINT.
        for (int64_t i = 0; i < v.size(); ++i) {
            std::memcpy(out->template mutableData<T>() + i, v.raw() + i * 16 + (kHigh ? 8 : 0), 8);
        }
        return out;
    });
}

Value isNanInfKernel(Context&, Arguments a) {
    const bool includesNull = flagArgument(a, 1, "includeNull", false);
    return mapElements(a[0], [=](const Vector& v) {
        Ref<Vector> out = Vector::make(Type::Bool, v.size());
        for (int64_t i = 0; i < v.size(); ++i) {
            const bool missing = v.isNullAt(i);
            const bool odd = !missing && isFloating(v.type()) && !std::isfinite(v.asDouble(i));
            out->mutableData<int8_t>()[i] = missing ? includesNull : odd;
        }
        return out;
    });
}

// nanInfFill(X, Y)
Value nanInfFillKernel(Context& context, Arguments a) {
    std::vector<Value> call = {a[0], omitted()};
    const Value odd = isNanInfKernel(context, call);
    const bool isItems = a[0].isScalar() || a[0].isTypedVector() || a[0].isMatrix() || a[0].isPair();
    if (isItems && !isFloating(a[0].type())) {
        const bool isRepeated = a[0].isScalar() && a[1].isTypedVector();
        return isRepeated ? Value::of(Vector::filled(a[0].type(), a[1].size(), a[0])) : a[0];
    }
    return selectItems(odd, cast(a[1], a[0].type()), a[0]);
}

Value isNothingKernel(Context&, Arguments a) {
    return Value::ofBool(isOmitted(a[0]));
}

Value isOrderedKernel(Context&, Arguments a) {
    if (!a[0].isDictionary()) refuseArgument(0, "X", "a dictionary", a[0]);
    return Value::ofBool(a[0].dictionary().ordered());
}

}  // namespace

void registerHalves(FunctionRegistry& registry) {
    auto add = [&](std::string_view syntax, Kernel kernel, std::string_view summary, std::string_view nulls,
                   std::string_view example, TypeRule gives) {
        registry.add(syntax, kernel, {.summary = summary, .nulls = nulls, .example = example},
                     {.gives = gives, .kind = FunctionKind::Elementwise});
    };
    add("highLong(X)", halfKernel<int64_t, true>,
        "The upper 8 bytes of UUID, IPADDR, INT128, COMPLEX or POINT, as LONG.", "Bytes like others.",
        "highLong(ipaddr(\"10.0.0.1\")) -> 0", is(Type::Long));
    add("lowLong(X)", halfKernel<int64_t, false>,
        "The lower 8 bytes of UUID, IPADDR, INT128, COMPLEX or POINT, as LONG.", "Bytes like others.",
        "lowLong(int128(\"00000000000000000000000000000007\")) -> 7", is(Type::Long));
    add("highDouble(X)", halfKernel<double, true>, "The second part of a COMPLEX or POINT, as DOUBLE.",
        "NULL for NULL.", "highDouble(point(3, 4)) -> 4", is(Type::Double));
    add("lowDouble(X)", halfKernel<double, false>, "The first part of a COMPLEX or POINT, as DOUBLE.", "NULL for NULL.",
        "lowDouble(point(3, 4)) -> 3", is(Type::Double));
    add("isNanInf(X, [includeNull=false])", isNanInfKernel, "Whether elements of X are NaN or infinite.",
        "false, or true with includeNull.", "isNanInf([1.5, float(`inf)]) -> [false,true]", is(Type::Bool));
    add("nanInfFill(X, Y)", nanInfFillKernel, "X with NaN and infinities replaced by Y.", "NULL stays.",
        "nanInfFill([1.5, float(`inf)], 2) -> [1.5,2]", same(0));
    registry.add("isNothing([X])", isNothingKernel,
                 {.summary = "Whether an argument of a call was left out.", .example = "isNothing(1) -> false"});
    registry.add("isOrderedDict(X)", isOrderedKernel,
                 {.summary = "Whether a dictionary keeps the order of its keys.",
                  .example = "isOrderedDict(dict(`k`l, 1 2, true)) -> true"});
}

}  // namespace pelorus
