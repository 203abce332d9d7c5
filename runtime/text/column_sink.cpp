#include "runtime/text/column_sink.h"

#include <fast_float/fast_float.h>

#include <cstring>

#include "common/error.h"
#include "runtime/kernel/cast.h"
#include "runtime/symbol_base.h"

namespace pelorus::text {

namespace {

std::string_view trimmed(std::string_view field) {
    while (!field.empty() && field.front() == ' ') field.remove_prefix(1);
    while (!field.empty() && field.back() == ' ') field.remove_suffix(1);
    return field;
}

// Digits with a sign; false for anything else and for what LONG cannot hold.
bool readInteger(std::string_view field, int64_t& number) {
    bool negative = false;
    size_t at = 0;
    if (field[0] == '-' || field[0] == '+') {
        negative = field[0] == '-';
        at = 1;
    }
    if (at == field.size()) return false;
    uint64_t value = 0;
    if (field.size() - at <= 18) {
        for (; at < field.size(); ++at) {
            const auto digit = static_cast<unsigned>(field[at] - '0');
            if (digit > 9) return false;
            value = value * 10 + digit;
        }
    } else {
        for (; at < field.size(); ++at) {
            const auto digit = static_cast<unsigned>(field[at] - '0');
            if (digit > 9 || __builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, digit, &value))
                return false;
        }
        if (value > static_cast<uint64_t>(INT64_MAX)) return false;
    }
    number = negative ? -static_cast<int64_t>(value) : static_cast<int64_t>(value);
    return true;
}

constexpr double kPowersOfTen[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

// Up to fifteen digits with a point: both parts are exact, so one division rounds correctly (Clinger's fast path).
bool readShortDecimal(std::string_view field, double& number) {
    if (field.size() > 17) return false;
    size_t at = field[0] == '-';
    int64_t digits = 0;
    size_t point = SIZE_MAX;
    const size_t begin = at;
    for (; at < field.size(); ++at) {
        const auto digit = static_cast<unsigned>(field[at] - '0');
        if (digit <= 9) {
            digits = digits * 10 + digit;
        } else if (field[at] == '.' && point == SIZE_MAX) {
            point = at;
        } else {
            return false;
        }
    }
    const size_t count = field.size() - begin - (point != SIZE_MAX);
    if (count == 0 || count > 15) return false;
    const double value = static_cast<double>(digits) / kPowersOfTen[point == SIZE_MAX ? 0 : field.size() - point - 1];
    number = begin == 1 ? -value : value;
    return true;
}

bool readDouble(std::string_view field, double& number) {
    if (readShortDecimal(field, number)) return true;
    if (field[0] == '+') field.remove_prefix(1);
    const auto [end, error] = fast_float::from_chars(field.data(), field.data() + field.size(), number);
    return error == std::errc() && end == field.data() + field.size();
}

bool readBool(std::string_view field, int8_t& stored) {
    if (field == "true" || field == "TRUE" || field == "True" || field == "1")
        stored = 1;
    else if (field == "false" || field == "FALSE" || field == "False" || field == "0")
        stored = 0;
    else
        return false;
    return true;
}

}  // namespace

ColumnSink::ColumnSink(const TextColumn& column, int64_t capacity)
    : column_(Vector::make(column.type, capacity)), type_(column.type), scale_(column.scale) {
    column_->setScale(scale_);
    raw_ = column_->mutableRaw();
    if (isTemporal(type_)) {
        kind_ = Kind::Temporal;
        if (!column.format.empty()) pattern_.emplace(column.format, type_);
        return;
    }
    switch (type_) {
        case Type::Bool:
            kind_ = Kind::Bool;
            break;
        case Type::Char:
            kind_ = Kind::Int8;
            break;
        case Type::Short:
            kind_ = Kind::Int16;
            break;
        case Type::Int:
            kind_ = Kind::Int32;
            break;
        case Type::Long:
            kind_ = Kind::Int64;
            break;
        case Type::Float:
            kind_ = Kind::Float32;
            break;
        case Type::Double:
            kind_ = Kind::Float64;
            break;
        case Type::Symbol:
            kind_ = Kind::Symbol;
            break;
        case Type::String:
        case Type::Blob:
            kind_ = Kind::Text;
            break;
        default:
            kind_ = Kind::Other;
            if (!canCast(Type::String, type_) || storageOf(type_) == Storage::Boxed) {
                throw UserError(
                    "The column " + column.name + " cannot be read as " + std::string(typeName(type_)) + ".",
                    "Read it as STRING and convert it.");
            }
    }
}

template <class T>
bool ColumnSink::putInteger(int64_t row, std::string_view field) {
    int64_t number;
    if (!readInteger(field, number) || number <= null<T> || number > std::numeric_limits<T>::max()) {
        items<T>()[row] = null<T>;
        return false;
    }
    items<T>()[row] = static_cast<T>(number);
    return true;
}

bool ColumnSink::put(int64_t row, std::string_view field) {
    if (kind_ == Kind::Symbol) return putSymbol(row, field);
    if (kind_ == Kind::Text) {
        column_->setText(row, field);
        return true;
    }
    field = trimmed(field);
    if (field.empty()) {
        putNull(row);
        return true;
    }
    switch (kind_) {
        case Kind::Bool: {
            int8_t stored = null<int8_t>;
            const bool good = readBool(field, stored);
            items<int8_t>()[row] = stored;
            return good;
        }
        case Kind::Int8:
            // A CHAR column holds letters as well as small numbers.
            if (field.size() == 1 && (field[0] < '0' || field[0] > '9')) {
                items<int8_t>()[row] = static_cast<int8_t>(field[0]);
                return true;
            }
            return putInteger<int8_t>(row, field);
        case Kind::Int16:
            return putInteger<int16_t>(row, field);
        case Kind::Int32:
            return putInteger<int32_t>(row, field);
        case Kind::Int64:
            return putInteger<int64_t>(row, field);
        case Kind::Float32: {
            double number = 0;
            const bool good = readDouble(field, number);
            items<float>()[row] = good ? static_cast<float>(number) : null<float>;
            return good;
        }
        case Kind::Float64: {
            double number = 0;
            const bool good = readDouble(field, number);
            items<double>()[row] = good ? number : null<double>;
            return good;
        }
        case Kind::Temporal:
            return putTemporal(row, field);
        default:
            return putOther(row, field);
    }
}

void ColumnSink::storeInteger(int64_t row, int64_t stored) {
    if (storageOf(type_) == Storage::Int64)
        items<int64_t>()[row] = stored;
    else
        items<int32_t>()[row] = stored == null<int64_t> ? null<int32_t> : static_cast<int32_t>(stored);
}

bool ColumnSink::putTemporal(int64_t row, std::string_view field) {
    if (field.size() == lastSize_ && std::memcmp(field.data(), lastText_, lastSize_) == 0) {
        storeInteger(row, lastStored_);
        return true;
    }
    int64_t stored;
    const bool good = pattern_ ? pattern_->parse(field, stored) : parseTemporal(field, type_, stored);
    if (!good) {
        putNull(row);
        return false;
    }
    storeInteger(row, stored);
    if (field.size() <= sizeof lastText_) {
        std::memcpy(lastText_, field.data(), field.size());
        lastSize_ = field.size();
        lastStored_ = stored;
    }
    return true;
}

bool ColumnSink::putSymbol(int64_t row, std::string_view field) {
    int32_t* codes = items<int32_t>();
    if (field.size() == lastSize_ && std::memcmp(field.data(), lastText_, lastSize_) == 0) {
        codes[row] = static_cast<int32_t>(lastStored_);
        return true;
    }
    if (field.size() <= 1) {
        if (field.empty()) {
            codes[row] = 0;
            return true;
        }
        int32_t& code = oneByteCodes_[static_cast<uint8_t>(field[0])];
        if (code == 0) code = symbols::intern(field);
        codes[row] = code;
        return true;
    }
    auto known = codes_.find(field);
    if (known == codes_.end()) {
        const int32_t code = symbols::intern(field);
        known = codes_.emplace(symbols::text(code), code).first;  // the base keeps the text for good
    }
    codes[row] = known->second;
    if (field.size() <= sizeof lastText_) {
        std::memcpy(lastText_, field.data(), field.size());
        lastSize_ = field.size();
        lastStored_ = known->second;
    }
    return true;
}

// UUID, IPADDR, INT128, decimals: rare, so by way of the language's own conversion.
bool ColumnSink::putOther(int64_t row, std::string_view field) {
    const Value value = cast(Value::ofString(field), type_, scale_);
    column_->set(row, value.isNull() ? Value() : value);
    raw_ = column_->mutableRaw();
    return !value.isNull();
}

void ColumnSink::putNull(int64_t row) {
    switch (kind_) {
        case Kind::Bool:
        case Kind::Int8:
            items<int8_t>()[row] = null<int8_t>;
            break;
        case Kind::Int16:
            items<int16_t>()[row] = null<int16_t>;
            break;
        case Kind::Int32:
            items<int32_t>()[row] = null<int32_t>;
            break;
        case Kind::Int64:
            items<int64_t>()[row] = null<int64_t>;
            break;
        case Kind::Float32:
            items<float>()[row] = null<float>;
            break;
        case Kind::Float64:
            items<double>()[row] = null<double>;
            break;
        case Kind::Temporal:
            storeInteger(row, null<int64_t>);
            break;
        case Kind::Symbol:
            items<int32_t>()[row] = 0;
            break;
        case Kind::Text:
            column_->setText(row, "");
            break;
        case Kind::Other:
            column_->set(row, Value());
            break;
    }
}

Ref<Vector> ColumnSink::finish(int64_t rows) {
    column_->resize(rows);
    return std::move(column_);
}

}  // namespace pelorus::text
