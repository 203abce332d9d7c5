#include "stdlib/finance/row_arguments.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "common/thread/cancellation.h"
#include "runtime/value/cast.h"
#include "runtime/value/print.h"
#include "stdlib/arguments.h"

namespace pelorus {

RowArguments::RowArguments(Arguments arguments, std::vector<size_t> ignored) : arguments_(arguments) {
    for (size_t i = 0; i < arguments.size(); ++i) {
        const Value& v = arguments[i];
        if (std::ranges::find(ignored, i) != ignored.end() || v.isScalar()) continue;
        if (!v.isTypedVector())
            throw UserError(static_cast<int>(i), fmt::format("Argument {} must be a scalar or a vector, but it is {}.",
                                                             i + 1, typeString(v)));
        const auto size = static_cast<size_t>(v.size());
        if (!areScalars_ && size != rows_)
            throw UserError(static_cast<int>(i), fmt::format("The vectors differ in length: {} and {}.", rows_, size));
        rows_ = size;
        areScalars_ = false;
    }
}

Value RowArguments::at(size_t i, size_t row) const {
    const Value& v = arguments_[i];
    return v.isScalar() ? v : v.vector().at(static_cast<int64_t>(row));
}

double RowArguments::number(size_t i, size_t row, std::string_view name) const {
    const Value& v = arguments_[i];
    if (!v.isVoid() && !isNumeric(v.type()) && !isDecimal(v.type())) refuseArgument(i, name, "numeric", v);
    if (!v.isScalar()) return v.vector().asDouble(static_cast<int64_t>(row));
    return v.isVoid() ? null<double> : v.asDouble();
}

int64_t RowArguments::integer(size_t i, size_t row, std::string_view name) const {
    const Value& v = arguments_[i];
    if (!v.isVoid() && !isIntegral(v.type()) && v.type() != Type::Bool) refuseArgument(i, name, "integral", v);
    const Value one = at(i, row);
    return one.isNull() ? null<int64_t> : one.asLong();
}

int64_t RowArguments::date(size_t i, size_t row, std::string_view name) const {
    const Value& v = arguments_[i];
    if (v.type() != Type::Date) refuseArgument(i, name, "a DATE or a vector of them", v);
    const Value one = at(i, row);
    return one.isNull() ? null<int64_t> : one.integer();
}

std::string RowArguments::text(size_t i, size_t row, std::string_view name) const {
    const Value& v = arguments_[i];
    if (!isLiteral(v.type())) refuseArgument(i, name, "a string or a vector of them", v);
    return std::string(at(i, row).string());
}

bool RowArguments::isText(size_t i) const {
    return i < arguments_.size() && isLiteral(arguments_[i].type());
}
bool RowArguments::isGiven(size_t i) const {
    return pelorus::isGiven(arguments_, i);
}

Value RowArguments::map(const std::function<double(size_t)>& f) const {
    if (areScalars_) return Value::ofDouble(f(0));
    Ref<Vector> results = Vector::make(Type::Double, static_cast<int64_t>(rows_));
    for (size_t row = 0; row < rows_; ++row) {
        if (row % 1024 == 0) checkCancelled();
        results->mutableData<double>()[row] = f(row);
    }
    return Value::of(std::move(results));
}

}  // namespace pelorus
