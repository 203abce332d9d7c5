#include "runtime/table/assign_rows.h"

#include <fmt/format.h>

#include "common/check.h"
#include "common/error.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/cast.h"

namespace pelorus {

namespace {

// A plain vector that an array vector column takes as the value of each updated row, rather than one element a row.
bool isOneRow(const Value& column, const Value& value, size_t rowCount) {
    if (!column.isArrayVector() || !value.isTypedVector() || value.isArrayVector()) return false;
    return rowCount == 1 || value.size() != static_cast<int64_t>(rowCount);
}

Value rowAsArrayVector(const Value& column, const Value& row, const std::string& name) {
    const Type type = column.arrayVector().elementType();
    auto one = makeRef<ArrayVector>(type, column.extra());
    one->appendRow(castForStorage(row, type, name, column.extra()).vector());
    return Value::of(one);
}

}  // namespace

void assignRows(Value& column, const std::vector<int32_t>& rows, const Value& given, const std::string& name) {
    const bool isRepeated = given.isScalar() || isOneRow(column, given, rows.size());
    const Value value = isRepeated && !given.isScalar() ? rowAsArrayVector(column, given, name) : given;
    if (!isRepeated && value.size() != static_cast<int64_t>(rows.size())) {
        throw UserError(
            fmt::format("The new values of {} are {}, but {} rows are updated.", name, value.size(), rows.size()));
    }
    Value converted = castForStorage(value, columnType(column), name, column.extra());
    if (column.isArrayVector()) {
        // Rows change their length, so all are gathered into a new column.
        std::vector<int64_t> source(static_cast<size_t>(column.size()), -1);
        for (size_t i = 0; i < rows.size(); ++i) {
            if (rows[i] >= 0) source[static_cast<size_t>(rows[i])] = isRepeated ? 0 : static_cast<int64_t>(i);
        }
        auto changed = makeRef<ArrayVector>(column.arrayVector().elementType(), column.extra());
        for (int64_t r = 0; r < column.size(); ++r) {
            const int64_t from = source[static_cast<size_t>(r)];
            changed->appendRow(from < 0 ? *column.arrayVector().row(r) : *converted.arrayVector().row(from));
        }
        column = Value::of(changed);
        return;
    }
    for (size_t i = 0; i < rows.size(); ++i) {
        if (rows[i] < 0) continue;
        DCHECK(rows[i] < column.size()) << "an assigned row is in its column";
        Value element = converted.isScalar() ? converted : converted.at(static_cast<int64_t>(i));
        if (column.isTuple()) {
            column.tuple().elements[static_cast<size_t>(rows[i])] = element;
        } else {
            column.vector().set(rows[i], element);
        }
    }
}

}  // namespace pelorus
