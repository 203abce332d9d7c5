#include "server/postgres/wire/field_encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "common/time/calendar.h"
#include "common/time/time_zone.h"
#include "postgres/functions/array_text.h"
#include "postgres/functions/time_texts.h"
#include "postgres/sql_error.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/decimal.h"
#include "runtime/value/print.h"
#include "runtime/value/vector.h"
#include "server/postgres/wire/parameter_values.h"
#include "server/postgres/wire/wire_messages.h"
#include "server/postgres/wire/wire_numbers.h"
#include "server/postgres/wire/wire_times.h"

namespace pelorus::postgres {
namespace {

constexpr int32_t kNullLength = -1;

// An encoder that appends the bytes of a cell by `Write`, which returns false for NULL and has appended nothing then.
template <class Write>
class WritingEncoder final : public FieldEncoder {
public:
    WritingEncoder(Value cells, Write write) : cells_(std::move(cells)), write_(std::move(write)) {}

    void append(std::string& out, int64_t row) override {
        const size_t at = out.size();
        out.append(sizeof(int32_t), '\0');
        const bool hasValue = write_(out, row);
        putInt32(out, at, hasValue ? static_cast<int32_t>(out.size() - at - sizeof(int32_t)) : kNullLength);
    }

private:
    const Value cells_;  // keeps what the writer reads
    Write write_;
};

template <class Write>
std::unique_ptr<FieldEncoder> encoderOf(const Value& cells, Write write) {
    return std::make_unique<WritingEncoder<Write>>(cells, std::move(write));
}

// Calls `use` with a function from a row to the engine's integer, NULL as null<int64_t>.
template <class Use>
auto withIntegers(const Value& cells, Use use) {
    const auto typed = [&]<class T>(const T* data) {
        return use([data](int64_t row) { return isNull(data[row]) ? null<int64_t> : static_cast<int64_t>(data[row]); });
    };
    if (cells.isTypedVector()) {
        const Vector& vector = cells.vector();
        switch (storageOf(vector.type())) {
            case Storage::Int8:
                return typed(vector.data<int8_t>());
            case Storage::Int16:
                return typed(vector.data<int16_t>());
            case Storage::Int32:
                if (!isLiteral(vector.type()) && !isDecimal(vector.type())) return typed(vector.data<int32_t>());
                break;
            case Storage::Int64:
                if (!isDecimal(vector.type())) return typed(vector.data<int64_t>());
                break;
            default:
                break;
        }
    }
    return use([cells](int64_t row) {
        const Value cell = cells.isScalar() ? cells : cells.at(row);
        if (cell.isNull()) return null<int64_t>;
        if (cell.isString()) return parseInteger(cell.string(), INT64_MIN + 1, INT64_MAX, "bigint");
        return cell.asLong();
    });
}

double realOf(const Value& cell) {
    if (cell.isNull()) return null<double>;
    return cell.isString() ? parseFloat8(cell.string(), "double precision") : cell.asDouble();
}

// Calls `use` with a function from a row to a DOUBLE.
template <class Use>
auto withReals(const Value& cells, Use use) {
    if (cells.isTypedVector() && cells.type() == Type::Double) {
        const auto* data = cells.vector().data<double>();
        return use([data](int64_t row) { return data[row]; });
    }
    if (cells.isTypedVector() && cells.type() == Type::Float) {
        const auto* data = cells.vector().data<float>();
        return use([data](int64_t row) { return isNull(data[row]) ? null<double> : static_cast<double>(data[row]); });
    }
    return use([cells](int64_t row) { return realOf(cells.isScalar() ? cells : cells.at(row)); });
}

// The one-byte string 00 stands for '' where an empty string is NULL.
std::string_view shownString(std::string_view string) {
    return string.size() == 1 && string[0] == '\0' ? std::string_view() : string;
}

void appendInteger(std::string& out, int64_t x) {
    const fmt::format_int digits(x);
    out.append(digits.data(), digits.size());
}

[[noreturn]] void refuseRange(std::string_view type) {
    throw SqlError(sql_state::kOutOfRange, std::string(type) + " out of range");
}

std::unique_ptr<FieldEncoder> integers(Oid type, bool isBinary, const Value& cells) {
    const int width = type == oid::kInt8 ? 8 : type == oid::kInt2 ? 2 : 4;
    const bool isUnsigned = width == 4 && type != oid::kInt4;
    const int64_t most = width == 8 ? INT64_MAX : width == 2 ? INT16_MAX : isUnsigned ? UINT32_MAX : INT32_MAX;
    const int64_t least = width == 8 ? INT64_MIN : width == 2 ? INT16_MIN : isUnsigned ? 0 : INT32_MIN;
    const char* name = oidFacts(type)->display;
    return withIntegers(cells, [&](auto load) -> std::unique_ptr<FieldEncoder> {
        return encoderOf(cells, [=](std::string& out, int64_t row) {
            const int64_t x = load(row);
            if (x == null<int64_t>) return false;
            if (x < least || x > most) refuseRange(name);
            if (!isBinary) {
                appendInteger(out, x);
            } else if (width == 8) {
                appendInt64(out, x);
            } else if (width == 4) {
                appendInt32(out, static_cast<int32_t>(x));
            } else {
                appendInt16(out, static_cast<int16_t>(x));
            }
            return true;
        });
    });
}

std::unique_ptr<FieldEncoder> booleans(bool isBinary, const Value& cells) {
    return withIntegers(cells, [&](auto load) -> std::unique_ptr<FieldEncoder> {
        return encoderOf(cells, [=](std::string& out, int64_t row) {
            const int64_t x = load(row);
            if (x == null<int64_t>) return false;
            out.push_back(isBinary ? static_cast<char>(x != 0) : x != 0 ? 't' : 'f');
            return true;
        });
    });
}

std::unique_ptr<FieldEncoder> reals(Oid type, bool isBinary, const Value& cells, int digits) {
    const bool isShort = type == oid::kFloat4;
    return withReals(cells, [&](auto load) -> std::unique_ptr<FieldEncoder> {
        return encoderOf(cells, [=](std::string& out, int64_t row) {
            const double x = load(row);
            if (isNull(x)) return false;
            if (isBinary && isShort) {
                appendInt32(out, std::bit_cast<int32_t>(static_cast<float>(x)));
            } else if (isBinary) {
                appendInt64(out, std::bit_cast<int64_t>(x));
            } else if (isShort) {
                appendFloat4(out, static_cast<float>(x), digits);
            } else {
                appendFloat8(out, x, digits);
            }
            return true;
        });
    });
}

// Appends a numeric as text, with the declared scale where there is one.
bool appendNumericText(std::string& out, const Value& cell, int declaredScale) {
    if (cell.isNull()) return false;
    if (cell.isString()) {
        out += cell.string();
        return true;
    }
    if (isFloating(cell.type())) {
        // The shortest text of a DOUBLE has an exponent where it is long.
        std::string text;
        appendFloat8(text, cell.asDouble(), 1);
        if (!std::isfinite(cell.asDouble())) {
            out += text;
            return true;
        }
        appendDecimal(out, parseDecimal(text));
        return true;
    }
    DecimalNumber number{decimal::rawOf(cell), isDecimal(cell.type()) ? cell.extra() : 0};
    if (declaredScale >= 0 && declaredScale != number.scale &&
        decimal::rescale(number.raw, number.scale, declaredScale))
        number.scale = declaredScale;
    appendDecimal(out, number);
    return true;
}

template <class Text>
bool writeNumeric(std::string& out, bool isBinary, Text text) {
    if (!isBinary) return text(out);
    std::string digits;
    if (!text(digits)) return false;
    appendBinaryNumeric(out, digits);
    return true;
}

std::unique_ptr<FieldEncoder> numerics(const OutputColumn& column, bool isBinary, const Value& cells) {
    const int declared = column.modifier >= 0 ? numericScale(column.modifier) : -1;
    if (column.modifier == kOwnScales) {
        return encoderOf(cells, [=](std::string& out, int64_t row) {
            const Value cell = cells.isScalar() ? cells : cells.at(row);
            return writeNumeric(out, isBinary, [&](std::string& text) {
                if (cell.isNull() || !isDecimal(cell.type())) return appendNumericText(text, cell, -1);
                DecimalNumber number{decimal::rawOf(cell), cell.extra()};
                decimal::dropZeros(number.raw, number.scale);
                appendDecimal(text, number);
                return true;
            });
        });
    }
    if (cells.isTypedVector() && isDecimal(cells.type()) && (declared < 0 || declared == cells.vector().scale())) {
        const Vector* vector = &cells.vector();
        return encoderOf(cells, [=](std::string& out, int64_t row) {
            const __int128 raw = vector->rawAt(row);
            if (isNull(raw)) return false;
            return writeNumeric(out, isBinary, [&](std::string& text) {
                appendDecimal(text, {raw, vector->scale()});
                return true;
            });
        });
    }
    return encoderOf(cells, [=](std::string& out, int64_t row) {
        const Value cell = cells.isScalar() ? cells : cells.at(row);
        return writeNumeric(out, isBinary, [&](std::string& text) { return appendNumericText(text, cell, declared); });
    });
}

bool appendString(std::string& out, const Value& cell) {
    if (cell.isNull()) return false;
    if (cell.isString()) {
        out += shownString(cell.string());
    } else {
        out += cell.isScalar() ? toString(cell) : display(cell);
    }
    return true;
}

std::unique_ptr<FieldEncoder> strings(const Value& cells) {
    if (cells.isTypedVector() && isLiteral(cells.type())) {
        const Vector* vector = &cells.vector();
        return encoderOf(cells, [=](std::string& out, int64_t row) {
            const std::string_view string = vector->string(row);
            if (string.empty()) return false;
            out += shownString(string);
            return true;
        });
    }
    return encoderOf(cells, [=](std::string& out, int64_t row) {
        return appendString(out, cells.isScalar() ? cells : cells.at(row));
    });
}

// Appends a string behind the byte that begins the binary form of jsonb.
std::unique_ptr<FieldEncoder> binaryJson(const Value& cells) {
    return encoderOf(cells, [=](std::string& out, int64_t row) {
        const Value cell = cells.isScalar() ? cells : cells.at(row);
        if (cell.isNull()) return false;
        out += '\x01';
        return appendString(out, cell);
    });
}

void appendBytesText(std::string& out, std::string_view bytes, bool isEscaped) {
    constexpr char kDigits[] = "0123456789abcdef";
    if (!isEscaped) {
        out += "\\x";
        for (const char c : bytes) {
            out += kDigits[static_cast<unsigned char>(c) >> 4];
            out += kDigits[static_cast<unsigned char>(c) & 15];
        }
        return;
    }
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '\\') {
            out += "\\\\";
        } else if (byte < 0x20 || byte > 0x7e) {
            out += fmt::format("\\{:03o}", byte);
        } else {
            out += c;
        }
    }
}

std::unique_ptr<FieldEncoder> byteStrings(bool isBinary, const Value& cells, bool isEscaped) {
    return encoderOf(cells, [=](std::string& out, int64_t row) {
        const Value cell = cells.isScalar() ? cells : cells.at(row);
        if (cell.isNull()) return false;
        const std::string bytes = cell.isString() ? std::string(shownString(cell.string())) : toString(cell);
        if (isBinary) {
            out += bytes;
        } else {
            appendBytesText(out, bytes, isEscaped);
        }
        return true;
    });
}

std::unique_ptr<FieldEncoder> uuids(bool isBinary, const Value& cells) {
    return encoderOf(cells, [=](std::string& out, int64_t row) {
        const Value cell = cells.isScalar() ? cells : cells.at(row);
        if (cell.isNull()) return false;
        if (!isBinary) {
            out += cell.isString() ? std::string(cell.string()) : toString(cell);
        } else if (cell.isString()) {
            out += uuidBytes(cell.string());
        } else {
            // The engine keeps the last byte first.
            const auto* bytes = reinterpret_cast<const char*>(cell.bytes16());
            out.append(std::reverse_iterator(bytes + 16), std::reverse_iterator(bytes));
        }
        return true;
    });
}

// Converts stored times to days or nanoseconds by a division that is chosen once.
class TimeUnits {
public:
    // `type` is that of the cells; `unitsPerDay` of PostgreSQL's form.
    TimeUnits(Type type, int64_t unitsPerDay) : from_(type) {
        const int64_t own = calendar::unitsPerDay(type);
        if (own == 0) return;
        (own > unitsPerDay ? divisor_ : factor_) = own > unitsPerDay ? own / unitsPerDay : unitsPerDay / own;
    }
    int64_t operator()(int64_t stored) const {
        if (from_ == Type::Month)
            return calendar::daysFromCivil(calendar::floorDivide(stored, 12),
                                           static_cast<int32_t>(calendar::floorModulo(stored, 12)) + 1, 1) *
                   factor_;
        return divisor_ > 1 ? calendar::floorDivide(stored, divisor_) : stored * factor_;
    }

private:
    const Type from_;
    int64_t divisor_ = 1, factor_ = 1;
};

constexpr int64_t kMicrosPerDay = calendar::kSecondsPerDay * 1'000'000;

// Calls `write` with the cell in units of which a day has so many; texts are parsed.
template <class Parse, class Write>
std::unique_ptr<FieldEncoder> times(const Value& cells, int64_t unitsPerDay, Parse parse, Write write) {
    if (isLiteral(cells.type()) || !isTemporal(cells.type())) {
        return encoderOf(cells, [=](std::string& out, int64_t row) {
            const Value cell = cells.isScalar() ? cells : cells.at(row);
            if (cell.isNull()) return false;
            const int64_t x = cell.isString()           ? parse(cell.string())
                              : isTemporal(cell.type()) ? TimeUnits(cell.type(), unitsPerDay)(cell.integer())
                                                        : cell.asLong();
            write(out, x);
            return true;
        });
    }
    const bool isMonth = cells.type() == Type::Month;
    const TimeUnits units = isMonth ? TimeUnits(Type::Month, 1) : TimeUnits(cells.type(), unitsPerDay);
    const int64_t ofMonth = isMonth ? unitsPerDay : 1;
    return withIntegers(cells, [&](auto load) -> std::unique_ptr<FieldEncoder> {
        return encoderOf(cells, [=](std::string& out, int64_t row) {
            const int64_t x = load(row);
            if (x == null<int64_t>) return false;
            write(out, units(x) * ofMonth);
            return true;
        });
    });
}

std::unique_ptr<FieldEncoder> dates(bool isBinary, const Value& cells) {
    return times(cells, 1, parseDate, [=](std::string& out, int64_t days) {
        if (isBinary) {
            appendInt32(out, static_cast<int32_t>(days - kDaysTo2000));
        } else {
            appendDate(out, days);
        }
    });
}

// Appends timestamps; those behind each other are often of one day, whose text is kept.
class TimestampText {
public:
    void operator()(std::string& out, int64_t micros) {
        const int64_t day = calendar::floorDivide(micros, kMicrosPerDay);
        if (day != day_ || text_.empty()) {
            text_.clear();
            appendTimestamp(text_, day * kMicrosPerDay);
            isSpecial_ = text_.ends_with("BC");
            day_ = day;
            text_.resize(text_.find(' ') + 1);
        }
        if (isSpecial_) return appendTimestamp(out, micros);
        out += text_;
        appendTimeOfDay(out, micros - day * kMicrosPerDay);
    }

private:
    int64_t day_ = 0;
    bool isSpecial_ = false;
    std::string text_;
};

std::unique_ptr<FieldEncoder> timestamps(Oid type, bool isBinary, const Value& cells, const FieldStyle& style) {
    const bool isZoned = type == oid::kTimestamptz;
    const auto zone = style.zone;
    const auto parse = [isZoned, zone](std::string_view text) {
        return calendar::floorDivide(parseTimestamp(text, isZoned, zone.get()), 1000);
    };
    if (isBinary)
        return times(cells, kMicrosPerDay, parse,
                     [](std::string& out, int64_t micros) { appendInt64(out, micros - kMicrosTo2000); });
    if (isZoned)
        return times(cells, kMicrosPerDay, parse,
                     [zone](std::string& out, int64_t micros) { appendZonedTimestamp(out, micros, zone.get()); });
    auto text = std::make_shared<TimestampText>();
    return times(cells, kMicrosPerDay, parse, [text](std::string& out, int64_t micros) { (*text)(out, micros); });
}

std::unique_ptr<FieldEncoder> timesOfDay(Oid type, bool isBinary, const Value& cells) {
    const bool isZoned = type == oid::kTimetz;
    const auto parse = [](std::string_view text) { return parseTimeOfDay(text) / 1000; };
    return times(cells, kMicrosPerDay, parse, [=](std::string& out, int64_t micros) {
        if (isBinary) {
            appendInt64(out, micros);
            if (isZoned) appendInt32(out, 0);
            return;
        }
        appendTimeOfDay(out, micros);
        if (isZoned) out += "+00";
    });
}

std::unique_ptr<FieldEncoder> intervals(bool isBinary, const Value& cells) {
    return encoderOf(cells, [=](std::string& out, int64_t row) {
        const Value cell = cells.isScalar() ? cells : cells.at(row);
        if (cell.isNull()) return false;
        if (cell.type() != Type::Int128 && !isBinary) return appendString(out, cell);
        const Interval interval = cell.type() == Type::Int128 ? intervalOf(cell)
                                  : cell.isString()           ? parseIntervalText(cell.string())
                                                              : parseIntervalText(toString(cell));
        if (!isBinary) {
            out += intervalText(interval);
            return true;
        }
        appendInt64(out, interval.micros);
        appendInt32(out, interval.days);
        appendInt32(out, interval.months);
        return true;
    });
}

// Appends an array in PostgreSQL's binary form, made of the texts of its elements.
void appendBinaryArray(std::string& out, const std::vector<ArrayItem>& elements, Oid element, int32_t lowerBound,
                       const FieldStyle& style) {
    const bool hasNull = std::any_of(elements.begin(), elements.end(), [](const auto& x) { return !x; });
    appendInt32(out, elements.empty() ? 0 : 1);
    appendInt32(out, hasNull ? 1 : 0);
    appendInt32(out, static_cast<int32_t>(element));
    if (elements.empty()) return;
    appendInt32(out, static_cast<int32_t>(elements.size()));
    appendInt32(out, lowerBound);
    for (const auto& text : elements) {
        if (!text) {
            appendInt32(out, kNullLength);
            continue;
        }
        const Value value = parseParameter(element, *text, false, {.zone = style.zone.get()});
        // An empty text is a value here.
        if (value.isNull()) {
            appendInt32(out, 0);
        } else {
            makeFieldEncoder({.type = element}, true, value, style)->append(out, 0);
        }
    }
}

// Returns the texts of numbers with blanks between them: int2vector, oidvector.
std::vector<ArrayItem> vectorItems(std::string_view text) {
    std::vector<ArrayItem> items;
    while (!text.empty()) {
        const std::string_view item = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(text.size(), item.size() + 1));
        if (!item.empty()) items.emplace_back(item);
    }
    return items;
}

// Returns the elements of a cell of an array: braces, or a row of an array vector, whose empty row is one NULL.
std::vector<ArrayItem> elementsOf(const Value& cell, Oid type, Oid element, const FieldStyle& style) {
    if (cell.isString()) {
        const std::string_view text = shownString(cell.string());
        return type == oid::kInt2Vector || type == oid::kOidVector ? vectorItems(text) : arrayItems(text);
    }
    std::vector<ArrayItem> elements;
    if (cell.isScalar()) return elements;
    for (int64_t i = 0; i < cell.size(); ++i) {
        std::string text;
        if (fieldText({.type = element}, cell.at(i), style, text)) {
            elements.emplace_back(std::move(text));
        } else {
            elements.emplace_back();
        }
    }
    if (elements.size() == 1 && !elements[0]) elements.clear();
    return elements;
}

std::unique_ptr<FieldEncoder> arrays(const OidFacts& facts, bool isBinary, const Value& cells,
                                     const FieldStyle& style) {
    if (!isBinary && isLiteral(cells.type())) return strings(cells);
    const bool isVector = facts.oid == oid::kInt2Vector || facts.oid == oid::kOidVector;
    const Oid element = facts.element != 0 ? facts.element : oid::kText;
    return encoderOf(cells, [=, type = facts.oid](std::string& out, int64_t row) {
        const Value cell = cells.isScalar() ? cells : cells.at(row);
        if (cell.isScalar() && cell.isNull()) return false;
        const std::vector<ArrayItem> elements = elementsOf(cell, type, element, style);
        if (isBinary) {
            appendBinaryArray(out, elements, element, isVector ? 0 : 1, style);
        } else if (isVector) {
            for (size_t i = 0; i < elements.size(); ++i) out += (i > 0 ? " " : "") + elements[i].value_or("0");
        } else {
            out += arrayText(elements);
        }
        return true;
    });
}

// Names of tables, types and functions are numbers in binary, and may be kept as either.
std::unique_ptr<FieldEncoder> names(bool isBinary, const Value& cells) {
    if (!isBinary) return strings(cells);
    return encoderOf(cells, [=](std::string& out, int64_t row) {
        const Value cell = cells.isScalar() ? cells : cells.at(row);
        if (cell.isNull()) return false;
        int64_t number = 0;
        if (!cell.isString()) {
            number = cell.asLong();
        } else if (const OidFacts* facts = typeByName(cell.string())) {
            number = facts->oid;
        }
        appendInt32(out, static_cast<int32_t>(number));
        return true;
    });
}

}  // namespace

std::unique_ptr<FieldEncoder> makeFieldEncoder(const OutputColumn& column, bool isBinary, const Value& cells,
                                               const FieldStyle& style) {
    const OidFacts* facts = oidFacts(column.type);
    if (facts && facts->category == 'A') return arrays(*facts, isBinary, cells, style);
    switch (column.type) {
        case oid::kBool:
            return booleans(isBinary, cells);
        case oid::kInt2:
        case oid::kInt4:
        case oid::kInt8:
        case oid::kOid:
        case oid::kXid:
            return integers(column.type, isBinary, cells);
        case oid::kFloat4:
        case oid::kFloat8:
            return reals(column.type, isBinary, cells, style.extraFloatDigits);
        case oid::kNumeric:
            return numerics(column, isBinary, cells);
        case oid::kBytea:
            return byteStrings(isBinary, cells, style.escapesBytes);
        case oid::kUuid:
            return uuids(isBinary, cells);
        case oid::kDate:
            return dates(isBinary, cells);
        case oid::kTimestamp:
        case oid::kTimestamptz:
            return timestamps(column.type, isBinary, cells, style);
        case oid::kTime:
        case oid::kTimetz:
            return timesOfDay(column.type, isBinary, cells);
        case oid::kInterval:
            return intervals(isBinary, cells);
        case oid::kJsonb:
            return isBinary ? binaryJson(cells) : strings(cells);
        case oid::kRegclass:
        case oid::kRegtype:
        case oid::kRegproc:
        case oid::kRegnamespace:
        case oid::kRegrole:
            return names(isBinary, cells);
        default:
            return strings(cells);
    }
}

bool fieldText(const OutputColumn& column, const Value& value, const FieldStyle& style, std::string& text) {
    if (value.isScalar() && value.isNull()) return false;
    std::string field;
    makeFieldEncoder(column, false, value, style)->append(field, 0);
    const bool hasValue = !field.starts_with("\xff\xff\xff\xff");
    if (hasValue) text.assign(field, sizeof(int32_t));
    return hasValue;
}

}  // namespace pelorus::postgres
