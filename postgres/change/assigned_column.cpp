#include "postgres/change/assigned_column.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "common/time/calendar.h"
#include "postgres/functions/conversions.h"
#include "postgres/functions/stored_text.h"
#include "postgres/sql_error.h"
#include "runtime/append/empty_text.h"
#include "runtime/value/cast.h"

namespace pelorus::postgres {

namespace {

bool isText(Type type) {
    return type == Type::String || type == Type::Symbol;
}

int precisionOf(const TargetColumn& column) {
    if (column.declared.shown.modifier >= 0) return numericPrecision(column.declared.shown.modifier);
    return column.schema.type == Type::Decimal32 ? 9 : column.schema.type == Type::Decimal64 ? 18 : 38;
}

}  // namespace

AssignedColumn::AssignedColumn(const TargetTable& table, const TargetColumn& column)
    : table_(table),
      column_(column),
      values_(Vector::make(isText(column.schema.type) ? Type::String : column.schema.type, 0)) {
    if (isArrayType(column.schema.type) || column.schema.type == Type::Any)
        throw SqlError(sql_state::kFeatureNotSupported,
                       fmt::format("column \"{}\" has arrays, which are not written", column.schema.name), -1,
                       "Write them by a script.");
    if (isDecimal(column.schema.type)) values_->setScale(column.schema.scale);
}

// A day ends before 24:00, which PostgreSQL has as a time.
void AssignedColumn::requireTime(int64_t nanos) const {
    if (nanos >= calendar::kNanosPerDay)
        throw SqlError(sql_state::kDatetimeOverflow,
                       fmt::format("time out of range: column \"{}\" has times before 24:00", column_.schema.name));
}

void AssignedColumn::addNull() {
    if (column_.declared.isRequired) refuseNull(column_.schema.name, table_.name);
    values_->resize(values_->size() + 1);
}

void AssignedColumn::addNulls(int64_t count) {
    if (count > 0 && column_.declared.isRequired) refuseNull(column_.schema.name, table_.name);
    values_->resize(values_->size() + count);
}

void AssignedColumn::addText(std::string_view value) {
    const std::string_view stored = storedText(value, column_.declared.shown);
    const int64_t at = values_->size();
    values_->resize(at + 1);
    if (!stored.empty()) {
        values_->setString(at, stored);
    } else if (table_.isRowTable) {
        values_->setString(at, kEmptyText);
    }
}

template <class T>
void AssignedColumn::push(T value) {
    const int64_t at = values_->size();
    values_->resize(at + 1);
    values_->mutableData<T>()[at] = value;
}

void AssignedColumn::addInteger(int64_t value) {
    switch (column_.schema.type) {
        case Type::Short:
            return push(static_cast<int16_t>(value));
        case Type::Int:
        case Type::Date:
            return push(static_cast<int32_t>(value));
        case Type::NanoTime:
            requireTime(value);
            return push(value);
        default:
            return push(value);
    }
}

void AssignedColumn::addReal(double value) {
    if (column_.schema.type == Type::Float) return push(static_cast<float>(value));
    push(value);
}

Value AssignedColumn::fitted(const Value& value) const {
    const Type kept = column_.schema.type;
    switch (kept) {
        case Type::Short:
        case Type::Int:
        case Type::Long:
        case Type::Float:
        case Type::Double:
            if (value.type() == kept) return value;
            return convertNumber(value, shownType(kept, 0).type, 0, 38);
        case Type::Char: {
            const Value small = convertNumber(value, oid::kInt2, 0, 38);
            if (std::abs(small.integer()) > INT8_MAX)
                throw SqlError(sql_state::kOutOfRange,
                               fmt::format("value out of range for column \"{}\"", column_.schema.name));
            return cast(small, kept);
        }
        case Type::Decimal32:
        case Type::Decimal64:
        case Type::Decimal128:
            return cast(convertNumber(value, oid::kNumeric, column_.schema.scale, precisionOf(column_)), kept,
                        column_.schema.scale);
        default:
            break;
    }
    if (value.type() == kept) return value;
    try {
        return castFitting(value, kept, column_.schema.scale, column_.schema.name);
    } catch (const SqlError&) {
        throw;
    } catch (const UserError& error) {
        throw SqlError(sql_state::kOutOfRange, error.what(), -1, error.hint());
    }
}

void AssignedColumn::add(const Value& value) {
    if (value.isVoid() || value.isNull()) return addNull();
    if (value.type() == Type::NanoTime) requireTime(value.integer());
    if (values_->type() == Type::String) {
        addText(value.isString() ? textOfValue(value) : value.string());
        return;
    }
    const int64_t at = values_->size();
    const Value own = fitted(value);
    values_->resize(at + 1);
    values_->set(at, own);
}

void AssignedColumn::addAll(const Value& elements) {
    const int64_t count = elements.size();
    const bool isAsIs = elements.isTypedVector() && elements.type() == values_->type() &&
                        values_->type() != Type::String && !isDecimal(values_->type());
    if (isAsIs) {
        for (int64_t i = 0; elements.type() == Type::NanoTime && i < count; ++i) requireTime(elements.at(i).integer());
        if (column_.declared.isRequired && elements.vector().hasNull()) refuseNull(column_.schema.name, table_.name);
        values_->append(elements.vector(), 0, count);
        return;
    }
    for (int64_t i = 0; i < count; ++i) add(elements.at(i));
}

Value AssignedColumn::take() {
    Ref<Vector> values = std::exchange(values_, Vector::make(values_->type(), 0));
    if (column_.schema.type == Type::Symbol) return Value::of(cast(*values, Type::Symbol));
    return Value::of(values);
}

}  // namespace pelorus::postgres
