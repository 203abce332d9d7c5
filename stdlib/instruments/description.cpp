#include "stdlib/instruments/description.h"

#include <fmt/format.h>

#include <cmath>

#include "common/error.h"
#include "runtime/value/cast.h"
#include "runtime/value/print.h"

namespace pelorus {

Description::Description(const Value& description, size_t argument, std::string_view what)
    : argument_(argument), what_(what) {
    const bool fits = description.isDictionary() && isLiteral(description.dictionary().keyType());
    if (!fits)
        throw UserError(
            static_cast<int>(argument),
            fmt::format("{} must be a dictionary with names as keys, but it is {}.", what, typeString(description)));
    members_ = Ref<Dictionary>(const_cast<Dictionary*>(&description.dictionary()));
}

Value Description::get(std::string_view member) const {
    const Value key = Value::ofString(member);
    return members_->contains(key) ? members_->get(key) : Value();
}

bool Description::has(std::string_view member) const {
    const Value value = get(member);
    return !value.isVoid() && !(value.isScalar() && value.isNull());
}

void Description::refuse(std::string_view member, std::string_view needed) const {
    const Value given = get(member);
    throw UserError(static_cast<int>(argument_), fmt::format("{}: {} must be {}, but it is {}.", what_, member, needed,
                                                             given.isScalar() ? itemString(given) : typeString(given)));
}

void Description::require(std::string_view member) const {
    if (!has(member)) throw UserError(static_cast<int>(argument_), fmt::format("{} lacks {}.", what_, member));
}

std::string Description::text(std::string_view member) const {
    require(member);
    const Value value = get(member);
    if (!value.isString()) refuse(member, "a string");
    return std::string(value.string());
}
std::string Description::text(std::string_view member, std::string_view whenMissing) const {
    return has(member) ? text(member) : std::string(whenMissing);
}

double Description::number(std::string_view member) const {
    require(member);
    const Value value = get(member);
    if (!value.isScalar() || (!isNumeric(value.type()) && !isDecimal(value.type()))) refuse(member, "a number");
    const double number = cast(value, Type::Double).asDouble();
    if (!std::isfinite(number)) refuse(member, "a finite number");
    return number;
}
double Description::number(std::string_view member, double whenMissing) const {
    return has(member) ? number(member) : whenMissing;
}

bool Description::flag(std::string_view member, bool whenMissing) const {
    if (!has(member)) return whenMissing;
    const Value value = get(member);
    if (!value.isScalar() || (value.type() != Type::Bool && !isIntegral(value.type()))) refuse(member, "true or false");
    return value.asLong() != 0;
}

// Returns a string or a time as DATE, NULL where it is none.
static Value asDate(const Value& value) {
    if (!value.isString() && !isTemporal(value.type())) return {};
    try {
        return cast(value, Type::Date);
    } catch (const UserError&) {
        return {};
    }
}

int64_t Description::date(std::string_view member) const {
    require(member);
    const Value value = get(member);
    const Value date = value.isScalar() ? asDate(value) : Value();
    if (date.isNull()) refuse(member, "a DATE");
    return date.integer();
}

std::vector<int64_t> Description::dates(std::string_view member) const {
    require(member);
    const Value value = get(member);
    if (!value.isTypedVector()) refuse(member, "a vector of DATE");
    std::vector<int64_t> result;
    for (int64_t i = 0; i < value.size(); ++i) {
        const Value date = asDate(value.vector().at(i));
        if (date.isNull()) refuse(member, "a vector of DATE without NULL");
        result.push_back(date.integer());
    }
    return result;
}

std::vector<double> Description::numbers(std::string_view member) const {
    require(member);
    const Value value = get(member);
    if (!value.isTypedVector() || (!isNumeric(value.type()) && !isDecimal(value.type())))
        refuse(member, "a vector of numbers");
    const Ref<Vector> reals = cast(value.vector(), Type::Double);
    std::vector<double> result(reals->data<double>(), reals->data<double>() + reals->size());
    for (const double number : result) {
        if (isNull(number) || !std::isfinite(number)) refuse(member, "a vector of finite numbers without NULL");
    }
    return result;
}

}  // namespace pelorus
