#include "stdlib/instruments/priced_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "runtime/value/cast.h"
#include "runtime/value/print.h"
#include "stdlib/arguments.h"

namespace pelorus {

bool PricedRows::isOne(size_t i) const {
    return !arguments_[i].isTuple() && !arguments_[i].isTypedVector();
}

PricedRows::PricedRows(Arguments arguments, size_t count) : arguments_(arguments) {
    for (size_t i = 0; i < count; ++i) {
        if (isOne(i)) continue;
        const auto size = static_cast<size_t>(arguments[i].size());
        if (areSeveral_ && size != rows_)
            throw UserError(static_cast<int>(i),
                            fmt::format("The arguments differ in length: {} and {}.", rows_, size));
        rows_ = size;
        areSeveral_ = true;
    }
}

Value PricedRows::at(size_t i, size_t row) const {
    const Value& v = arguments_[i];
    if (isOne(i)) return v;
    return v.isTuple() ? v.tuple().elements[row] : v.vector().at(static_cast<int64_t>(row));
}

double PricedRows::number(size_t i, size_t row, std::string_view name) const {
    const Value v = at(i, row);
    if (!v.isScalar() || (!isNumeric(v.type()) && !isDecimal(v.type()))) refuseArgument(i, name, "numeric", v);
    return v.asDouble();
}

int64_t PricedRows::date(size_t i, size_t row, std::string_view name) const {
    const Value v = at(i, row);
    if (!v.isScalar() || v.type() != Type::Date || v.isNull()) refuseArgument(i, name, "a DATE", v);
    return v.integer();
}

Value PricedRows::map(Context& context, const std::function<Value(size_t)>& f) const {
    if (!areSeveral_) return f(0);
    std::vector<Value> results;
    for (size_t row = 0; row < rows_; ++row) {
        context.checkCancelled();
        results.push_back(f(row));
    }
    const auto isReal = [](const Value& v) { return v.isScalar() && v.type() == Type::Double; };
    if (!std::ranges::all_of(results, isReal)) return Value::of(makeRef<Tuple>(std::move(results)));
    Ref<Vector> column = Vector::make(Type::Double, static_cast<int64_t>(rows_));
    for (size_t row = 0; row < rows_; ++row) column->mutableData<double>()[row] = results[row].asDouble();
    return Value::of(std::move(column));
}

}  // namespace pelorus
