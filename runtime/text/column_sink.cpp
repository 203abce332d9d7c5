#include "runtime/text/column_sink.h"

#include <fast_float/fast_float.h>

#include <cmath>
#include <limits>

#include "common/error.h"
#include "common/string/trim.h"
#include "runtime/text/odd_numbers.h"
#include "runtime/value/cast.h"
#include "runtime/value/symbol_base.h"

namespace pelorus::text {

namespace {

// Parses digits with a sign; returns false for anything else and on overflow of LONG.
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

// Parses up to fifteen digits with a point: both parts are exact, as in short_text.h.
bool readDecimal(std::string_view field, double& number) {
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
    if (readDecimal(field, number)) return true;
    if (field[0] == '+') field.remove_prefix(1);
    const auto [end, error] = fast_float::from_chars(field.data(), field.data() + field.size(), number);
    return error == std::errc() && end == field.data() + field.size();
}

bool readBool(std::string_view field, int8_t& stored) {
    if (field == "1" || field == "0") {
        stored = field == "1";
        return true;
    }
    const std::optional<bool> truth = truthOf(field);
    if (truth) stored = *truth;
    return truth.has_value();
}

// Returns whether an integer of many digits changes when it becomes a DOUBLE.
bool losesDigits(std::string_view field, double number) {
    constexpr size_t kExactDigits = 15;
    if (field.size() <= kExactDigits || !isInteger(field)) return false;
    int64_t exact;
    if (!readInteger(field, exact)) return true;
    // Two to the 63rd and more would overflow the conversion.
    return number >= 9223372036854775808.0 || static_cast<int64_t>(number) != exact;
}

}  // namespace

ColumnSink::ColumnSink(const TextColumn& column, int64_t capacity)
    : column_(Vector::make(column.type, capacity)),
      type_(column.type),
      scale_(column.scale),
      keepsZeros_(column.isDetected) {
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
            kind_ = Kind::String;
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
        data<T>()[row] = null<T>;
        return false;
    }
    data<T>()[row] = static_cast<T>(number);
    isRounded_ = keepsZeros_ && hasLeadingZeros(field);
    return true;
}

bool ColumnSink::put(int64_t row, std::string_view field) {
    if (kind_ == Kind::Symbol) return putSymbol(row, field);
    if (kind_ == Kind::String) {
        column_->setString(row, field);
        return true;
    }
    field = trim(field, " ");
    if (field.empty()) {
        putNull(row);
        return true;
    }
    switch (kind_) {
        case Kind::Bool: {
            int8_t stored = null<int8_t>;
            const bool good = readBool(field, stored);
            data<int8_t>()[row] = stored;
            return good;
        }
        case Kind::Int8:
            // A CHAR column holds letters as well as small numbers.
            if (field.size() == 1 && (field[0] < '0' || field[0] > '9')) {
                data<int8_t>()[row] = static_cast<int8_t>(field[0]);
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
            constexpr double kMax = std::numeric_limits<float>::max();
            const bool good = readDouble(field, number) && std::abs(number) <= kMax;
            data<float>()[row] = good ? static_cast<float>(number) : null<float>;
            return good;
        }
        case Kind::Float64: {
            double number = 0;
            const bool good = readDouble(field, number);
            data<double>()[row] = good ? number : null<double>;
            isRounded_ = good && (losesDigits(field, number) || (keepsZeros_ && hasLeadingZeros(field)));
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
        data<int64_t>()[row] = stored;
    else
        data<int32_t>()[row] = stored == null<int64_t> ? null<int32_t> : static_cast<int32_t>(stored);
}

bool ColumnSink::putTemporal(int64_t row, std::string_view field) {
    int64_t stored;
    const bool good = pattern_ ? pattern_->parse(field, stored) : parseTemporal(field, type_, stored);
    storeInteger(row, good ? stored : null<int64_t>);
    return good;
}

bool ColumnSink::putSymbol(int64_t row, std::string_view field) {
    auto known = codes_.find(field);
    if (known == codes_.end()) {
        const int32_t code = symbols::intern(field);
        known = codes_.emplace(symbols::string(code), code).first;  // the base keeps the text for good
    }
    data<int32_t>()[row] = known->second;
    return true;
}

// Stores each field: `quick(begin, end, row)` stores those that it knows and returns true; put parses the others.
template <class Quick>
FieldFaults ColumnSink::putEach(int64_t row, const FieldColumn& fields, Quick quick) {
    FieldFaults faults;
    const uint32_t* ends = fields.found.ends.data();
    const uint32_t* lines = fields.found.lines.data() + fields.firstLine;
    for (int line = 0; line < fields.lineCount; ++line, ++row) {
        const uint32_t* at = ends + lines[line] + fields.field;
        const char* begin = fields.text + static_cast<uint32_t>(at[0] + 1);
        const char* end = fields.text + at[1];
        if (fields.carriageReturns && *end == '\n' && end > begin && end[-1] == '\r') --end;
        if (quick(begin, end, row)) continue;
        const std::string_view text(begin, static_cast<size_t>(end - begin));
        if (!put(row, text))
            faults.bad.note(fields.firstLine + line, text);
        else if (takeRounded())
            faults.rounded.note(fields.firstLine + line, text);
    }
    return faults;
}

// Parses repeated strings once: nearly all fields of a column of dates or symbols are.
FieldFaults ColumnSink::putTemporals(int64_t row, const FieldColumn& fields) {
    const auto remember = [&](Known& known, const ShortString& text, int64_t stored, int64_t at) {
        known.text = text;
        known.stored = stored;
        storeInteger(at, stored);
    };
    const bool isTime = type_ == Type::Second && !pattern_;
    return putEach(row, fields, [&](const char* begin, const char* end, int64_t at) {
        const auto size = static_cast<size_t>(end - begin);
        int32_t seconds;
        if (isTime && size == 8 && readShortTime(end, seconds)) {
            data<int32_t>()[at] = seconds;
            return true;
        }
        if (size == 0 || size > ShortString::kMax) return false;
        const ShortString text = ShortString::of(begin, size);
        if (text == last_.text) {
            storeInteger(at, last_.stored);
            return true;
        }
        Known& known = known_[text.hash() % known_.size()];
        if (!(known.text == text)) {
            if (!put(at, {begin, size})) return false;
            const int64_t stored = storageOf(type_) == Storage::Int64 ? data<int64_t>()[at] : data<int32_t>()[at];
            remember(known, text, stored, at);
        }
        last_ = known;
        storeInteger(at, known.stored);
        return true;
    });
}

FieldFaults ColumnSink::putColumn(int64_t row, const FieldColumn& fields) {
    constexpr size_t kWord = 8;
    const auto sizeOf = [](const char* begin, const char* end) { return static_cast<size_t>(end - begin); };
    const bool keepsZeros = keepsZeros_;
    const auto integers = [&]<class T>(T) {
        return putEach(row, fields, [&](const char* begin, const char* end, int64_t at) {
            const size_t size = sizeOf(begin, end);
            int32_t number;
            if (size - 1 >= kWord || !readShortInteger(end, size, number)) return false;
            if (*begin == '0' && size > 1 && keepsZeros) return false;
            if constexpr (sizeof(T) < sizeof number) {
                if (number <= null<T> || number > std::numeric_limits<T>::max()) return false;
            }
            data<T>()[at] = static_cast<T>(number);
            return true;
        });
    };
    switch (kind_) {
        case Kind::Int8:
            return putEach(row, fields, [&](const char* begin, const char* end, int64_t at) {
                const bool isLetter = sizeOf(begin, end) == 1 && *begin > '9';
                if (isLetter) data<int8_t>()[at] = static_cast<int8_t>(*begin);
                return isLetter;
            });
        case Kind::Int16:
            return integers(int16_t{});
        case Kind::Int32:
            return integers(int32_t{});
        case Kind::Int64:
            return integers(int64_t{});
        case Kind::Float64:
            return putEach(row, fields, [&](const char* begin, const char* end, int64_t at) {
                const size_t size = sizeOf(begin, end);
                if (*begin == '0' && keepsZeros && size > 1 && begin[1] != '.') return false;
                return size - 1 < kWord && readShortDecimal(end, size, data<double>()[at]);
            });
        case Kind::Temporal:
            return putTemporals(row, fields);
        case Kind::Symbol:
            return putEach(row, fields, [&](const char* begin, const char* end, int64_t at) {
                const size_t size = sizeOf(begin, end);
                int32_t* codes = data<int32_t>();
                if (size == 0) {
                    codes[at] = 0;
                    return true;
                }
                if (size > ShortString::kMax) return false;
                const ShortString text = ShortString::of(begin, size);
                if (!(last_.text == text)) {
                    Known& known = known_[text.hash() % known_.size()];
                    if (!(known.text == text)) {
                        putSymbol(at, {begin, size});
                        known.text = text;
                        known.stored = codes[at];
                    }
                    last_ = known;
                }
                codes[at] = static_cast<int32_t>(last_.stored);
                return true;
            });
        default:
            return putEach(row, fields, [](const char*, const char*, int64_t) { return false; });
    }
}

// Parses UUID, IPADDR, INT128 and decimals, which are rare, with the language's own conversion.
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
            data<int8_t>()[row] = null<int8_t>;
            break;
        case Kind::Int16:
            data<int16_t>()[row] = null<int16_t>;
            break;
        case Kind::Int32:
            data<int32_t>()[row] = null<int32_t>;
            break;
        case Kind::Int64:
            data<int64_t>()[row] = null<int64_t>;
            break;
        case Kind::Float32:
            data<float>()[row] = null<float>;
            break;
        case Kind::Float64:
            data<double>()[row] = null<double>;
            break;
        case Kind::Temporal:
            storeInteger(row, null<int64_t>);
            break;
        case Kind::Symbol:
            data<int32_t>()[row] = 0;
            break;
        case Kind::String:
            column_->setString(row, "");
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
