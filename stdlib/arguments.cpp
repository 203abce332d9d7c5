#include "stdlib/arguments.h"

#include <fmt/format.h>

#include "common/error.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/cast.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"

namespace pelorus {

void refuseArgument(size_t i, std::string_view name, std::string_view needed, const Value& given) {
    std::string shown = given.isScalar() && !given.isNull() ? itemString(given) : typeString(given);
    throw UserError(static_cast<int>(i), fmt::format("{} must be {}, but it is {}.", name, needed, shown));
}

int64_t integerArgument(Arguments arguments, size_t i, std::string_view name) {
    if (i >= arguments.size() || !arguments[i].isNumber() ||
        !(isIntegral(arguments[i].type()) || arguments[i].type() == Type::Bool) || arguments[i].isNull()) {
        refuseArgument(i, name, "an integer", i < arguments.size() ? arguments[i] : Value());
    }
    return arguments[i].integer();
}

int64_t integerArgument(Arguments arguments, size_t i, std::string_view name, int64_t whenOmitted) {
    return isGiven(arguments, i) ? integerArgument(arguments, i, name) : whenOmitted;
}

double realArgument(Arguments arguments, size_t i, std::string_view name) {
    const Value given = i < arguments.size() ? arguments[i] : Value();
    const bool isNumber = given.isNumber() || (given.isScalar() && isDecimal(given.type()));
    if (!isNumber || given.isNull()) refuseArgument(i, name, "a number", given);
    return cast(given, Type::Double).real();
}

double realArgument(Arguments arguments, size_t i, std::string_view name, double whenOmitted) {
    return isGiven(arguments, i) ? realArgument(arguments, i, name) : whenOmitted;
}

bool flagArgument(Arguments arguments, size_t i, std::string_view name, bool whenOmitted) {
    if (!isGiven(arguments, i)) return whenOmitted;
    if (!arguments[i].isNumber()) refuseArgument(i, name, "true or false", arguments[i]);
    return isTrue(arguments[i]);
}

std::string stringArgument(Arguments arguments, size_t i, std::string_view name) {
    const Value& v = arguments[i];
    if (v.isString()) return std::string(v.string());
    if (v.isScalar() && v.type() == Type::Char && !v.isNull()) return std::string(1, static_cast<char>(v.integer()));
    refuseArgument(i, name, "a string", v);
}

std::string stringArgument(Arguments arguments, size_t i, std::string_view name, std::string_view whenOmitted) {
    return isGiven(arguments, i) ? stringArgument(arguments, i, name) : std::string(whenOmitted);
}

Type typeArgument(Arguments arguments, size_t i, std::string_view name) {
    const Value& v = arguments[i];
    Type type;
    if (v.isString() && typeByName(v.string(), type)) return type;
    if (v.isFunction() && typeByName(v.function().name(), type)) return type;
    TypeSpec spec;
    if (v.isNumber() && isIntegral(v.type()) && typeByConstant(v.integer(), spec) && !isArrayType(spec.type)) {
        return spec.type;
    }
    refuseArgument(i, name, "a type such as INT", v);
}

Ref<Vector> vectorArgument(Arguments arguments, size_t i, std::string_view name) {
    const Value& v = arguments[i];
    if (v.isTypedVector()) return Ref<Vector>(&v.vector());
    if (v.isPair()) return Ref<Vector>(&v.vector());
    if (v.isSet()) {
        Value keys = v.set().index.keys();
        return Ref<Vector>(&keys.vector());
    }
    if (v.isScalar() && storageOf(v.type()) != Storage::Boxed) {
        return Vector::filled(v.isVoid() ? Type::Int : v.type(), 1, v);
    }
    if (v.isMatrix()) return v.matrix().cells;
    if (v.isArrayVector()) return v.arrayVector().values();
    refuseArgument(i, name, "a vector", v);
}

Ref<Vector> realsArgument(Arguments arguments, size_t i, std::string_view name) {
    Ref<Vector> elements = vectorArgument(arguments, i, name);
    if (!isNumeric(elements->type()) && !isDecimal(elements->type())) refuseArgument(i, name, "numeric", arguments[i]);
    return cast(*elements, Type::Double);
}

std::vector<std::string> namesArgument(Arguments arguments, size_t i, std::string_view name) {
    const Value& v = arguments[i];
    if (!isLiteral(v.type()) || v.isMatrix()) refuseArgument(i, name, "a name or several", v);
    std::vector<std::string> names;
    for (int64_t k = 0; k < v.size(); ++k) {
        names.emplace_back(v.isScalar() ? v.string() : v.vector().string(k));
    }
    return names;
}

}  // namespace pelorus
