#include "server/line_query/json_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "common/check.h"
#include "runtime/value/print.h"
#include "runtime/value/symbol_base.h"
#include "runtime/value/vector.h"

namespace pelorus {
namespace {

constexpr int64_t kSecondsPerDay = 86'400;

void appendString(std::string& out, std::string_view string) {
    const auto isPlain = [](char c) {
        return static_cast<unsigned char>(c) >= ' ' && static_cast<unsigned char>(c) < 0x7f && c != '"' && c != '\\';
    };
    if (std::all_of(string.begin(), string.end(), isPlain)) {
        out += '"';
        out += string;
        out += '"';
    } else {
        out += nlohmann::json(string).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    }
}

void appendReal(std::string& out, double x) {
    if (!std::isfinite(x)) {
        out += "null";
        return;
    }
    const size_t begin = out.size();
    fmt::format_to(std::back_inserter(out), "{}", x);
    if (out.find_first_of(".e", begin) == std::string::npos) out += ".0";
}

void appendInteger(std::string& out, int64_t x) {
    const fmt::format_int digits(x);
    out.append(digits.data(), digits.size());
}

// Appends times; consecutive ones are often of one day.
class TimeFormat {
public:
    TimeFormat(int64_t perSecond, int digits) : perSecond_(perSecond), digits_(digits) {}

    void append(std::string& out, int64_t units) {
        int64_t seconds = units / perSecond_, rest = units % perSecond_;
        if (rest < 0) {
            rest += perSecond_;
            --seconds;
        }
        int64_t day = seconds / kSecondsPerDay, ofDay = seconds % kSecondsPerDay;
        if (ofDay < 0) {
            ofDay += kSecondsPerDay;
            --day;
        }
        if (day != day_ || dayString_.empty()) {
            day_ = day;
            const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days(day)}};
            dayString_ = fmt::format("\"{:04}-{:02}-{:02}T", static_cast<int>(date.year()),
                                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
        }
        out += dayString_;
        appendPadded(out, ofDay / 3600, 2);
        out += ':';
        appendPadded(out, ofDay / 60 % 60, 2);
        out += ':';
        appendPadded(out, ofDay % 60, 2);
        if (digits_ > 0) {
            out += '.';
            appendPadded(out, rest, digits_);
        }
        out += "Z\"";
    }

private:
    static void appendPadded(std::string& out, int64_t x, int digits) {
        const size_t begin = out.size();
        out.append(static_cast<size_t>(digits), '0');
        for (int i = digits; i > 0 && x > 0; --i, x /= 10)
            out[begin + static_cast<size_t>(i) - 1] = static_cast<char>('0' + x % 10);
    }

    const int64_t perSecond_;
    const int digits_;
    int64_t day_ = 0;
    std::string dayString_;
};

TimeFormat formatOf(Type type) {
    switch (type) {
        case Type::NanoTimestamp:
            return {1'000'000'000, 9};
        case Type::Timestamp:
            return {1000, 3};
        default:
            return {1, 0};
    }
}

bool isTimeWithDay(Type type) {
    return type == Type::NanoTimestamp || type == Type::Timestamp || type == Type::DateTime;
}

void appendValue(std::string& out, const Value& value) {
    if (value.isVector()) {
        out += '[';
        for (int64_t i = 0; i < value.size(); ++i) {
            if (i > 0) out += ',';
            appendValue(out, value.at(i));
        }
        out += ']';
        return;
    }
    if (!value.isScalar()) return appendString(out, toString(value));
    if (value.isNull()) {
        out += "null";
        return;
    }
    const Type type = value.type();
    if (isTimeWithDay(type)) return formatOf(type).append(out, value.asLong());
    switch (type) {
        case Type::Bool:
            out += value.asLong() != 0 ? "true" : "false";
            return;
        case Type::Char:
        case Type::Short:
        case Type::Int:
        case Type::Long:
            return appendInteger(out, value.asLong());
        case Type::Float:
        case Type::Double:
            return appendReal(out, value.asDouble());
        case Type::String:
        case Type::Symbol:
        case Type::Blob:
            return appendString(out, value.string());
        default:
            return appendString(out, toString(value));
    }
}

// A column whose cells are appended one by one.
class JsonColumn {
public:
    explicit JsonColumn(const Value& column)
        : column_(column), type_(column.type()), time_(formatOf(type_)), isPlain_(column.isTypedVector()) {}

    void append(std::string& out, int64_t row) {
        if (isPlain_ && (type_ == Type::Long || isTimeWithDay(type_)) && type_ != Type::DateTime) {
            const int64_t x = column_.vector().data<int64_t>()[row];
            if (isNull(x)) {
                out += "null";
            } else if (type_ == Type::Long) {
                appendInteger(out, x);
            } else {
                time_.append(out, x);
            }
        } else if (isPlain_ && type_ == Type::Double) {
            const double x = column_.vector().data<double>()[row];
            if (isNull(x)) {
                out += "null";
            } else {
                appendReal(out, x);
            }
        } else if (isPlain_ && type_ == Type::Symbol) {
            out += symbolString(column_.vector().data<int32_t>()[row]);
        } else {
            appendValue(out, column_.at(row));
        }
    }

private:
    const std::string& symbolString(int32_t code) {
        std::string& string = symbols_[code];
        if (string.empty()) {
            if (symbols::string(code).empty()) {
                string = "null";
            } else {
                appendString(string, symbols::string(code));
            }
        }
        return string;
    }

    const Value column_;
    const Type type_;
    TimeFormat time_;
    const bool isPlain_;
    std::unordered_map<int32_t, std::string> symbols_;
};

}  // namespace

std::string jsonRows(const MemoryTable& table, int64_t begin, int64_t end) {
    CHECK(begin >= 0 && end <= table.rowCount()) << "the rows are the table's";
    std::vector<JsonColumn> columns;
    columns.reserve(static_cast<size_t>(table.columnCount()));
    for (int c = 0; c < table.columnCount(); ++c) columns.emplace_back(table.column(c));
    std::string out = "[";
    for (int64_t row = begin; row < end; ++row) {
        out += row > begin ? ",[" : "[";
        for (size_t c = 0; c < columns.size(); ++c) {
            if (c > 0) out += ',';
            columns[c].append(out, row);
        }
        out += ']';
    }
    return out + ']';
}

std::string jsonValue(const Value& value) {
    std::string out;
    appendValue(out, value);
    return out;
}

std::string_view jsonTypeName(Type type) {
    switch (type) {
        case Type::Bool:
            return "BOOLEAN";
        case Type::Char:
            return "BYTE";
        case Type::Timestamp:
        case Type::NanoTimestamp:
        case Type::DateTime:
            return "TIMESTAMP";
        default:
            return typeName(type);
    }
}

}  // namespace pelorus
