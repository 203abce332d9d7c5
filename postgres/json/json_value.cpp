#include "postgres/json/json_value.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "postgres/sql_error.h"

namespace pelorus::postgres {

namespace {

constexpr size_t kMaxLevels = 1000;
constexpr int64_t kMaxDigits = 10'000;

// Builds the tree from the events of the library's parser, which gives numbers as they are written.
class Builder : public nlohmann::json_sax<nlohmann::json> {
public:
    JsonValue take() { return std::move(root_); }

    bool null() override { return add({}); }
    bool boolean(bool value) override {
        return add({.kind = JsonValue::Kind::Bool, .text = value ? "true" : "false", .items = {}, .names = {}});
    }
    bool number_integer(int64_t value) override { return addNumber(std::to_string(value)); }
    bool number_unsigned(uint64_t value) override { return addNumber(std::to_string(value)); }
    bool number_float(double /*value*/, const std::string& written) override { return addNumber(written); }
    bool string(std::string& value) override {
        return add({.kind = JsonValue::Kind::String, .text = std::move(value), .items = {}, .names = {}});
    }
    bool binary(nlohmann::json::binary_t& /*value*/) override { return false; }
    bool start_object(size_t /*count*/) override { return open(JsonValue::Kind::Object); }
    bool key(std::string& name) override {
        open_.back()->names.push_back(std::move(name));
        return true;
    }
    bool end_object() override { return close(); }
    bool start_array(size_t /*count*/) override { return open(JsonValue::Kind::Array); }
    bool end_array() override { return close(); }
    bool parse_error(size_t /*place*/, const std::string& /*token*/,
                     const nlohmann::json::exception& /*error*/) override {
        return false;
    }

private:
    bool addNumber(std::string written) {
        return add({.kind = JsonValue::Kind::Number, .text = std::move(written), .items = {}, .names = {}});
    }
    bool add(JsonValue value) {
        if (open_.empty()) {
            root_ = std::move(value);
        } else {
            open_.back()->items.push_back(std::move(value));
        }
        return true;
    }
    bool open(JsonValue::Kind kind) {
        if (open_.size() >= kMaxLevels) throw SqlError("54001", "the JSON value has more than 1,000 levels");
        add({.kind = kind, .text = {}, .items = {}, .names = {}});
        // What is open is the last of its parent, which gets no other one before it is closed: it stays where it is.
        open_.push_back(open_.empty() ? &root_ : &open_.back()->items.back());
        return true;
    }
    bool close() {
        open_.pop_back();
        return true;
    }

    JsonValue root_;
    std::vector<JsonValue*> open_;
};

void appendQuoted(std::string& out, std::string_view text) {
    constexpr std::string_view kEscaped = "\b\f\n\r\t\"\\", kLetters = "bfnrt\"\\";
    out += '"';
    for (const char c : text) {
        const size_t at = kEscaped.find(c);
        if (at != std::string_view::npos) {
            out += '\\';
            out += kLetters[at];
        } else if (static_cast<unsigned char>(c) < ' ') {
            out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        } else {
            out += c;
        }
    }
    out += '"';
}

void appendText(std::string& out, const JsonValue& value) {
    const char* separator = "";
    switch (value.kind) {
        case JsonValue::Kind::Null:
            out += "null";
            return;
        case JsonValue::Kind::Bool:
        case JsonValue::Kind::Number:
            out += value.text;
            return;
        case JsonValue::Kind::String:
            return appendQuoted(out, value.text);
        case JsonValue::Kind::Array:
            out += '[';
            for (const JsonValue& item : value.items) {
                out += std::exchange(separator, ", ");
                appendText(out, item);
            }
            out += ']';
            return;
        case JsonValue::Kind::Object:
            out += '{';
            for (size_t i = 0; i < value.items.size(); ++i) {
                out += std::exchange(separator, ", ");
                appendQuoted(out, value.names[i]);
                out += ": ";
                appendText(out, value.items[i]);
            }
            out += '}';
            return;
    }
}

// Returns a number's digits with the point where its exponent puts it.
std::string withoutExponent(const std::string& written) {
    const size_t mark = written.find_first_of("eE");
    if (mark == std::string::npos) {
        const bool isZero = written.find_first_not_of("-0.") == std::string::npos;
        return isZero && written[0] == '-' ? written.substr(1) : written;
    }
    const size_t begin = mark + (written[mark + 1] == '+' ? 2 : 1);
    int64_t exponent = 0;
    const auto read = std::from_chars(written.data() + begin, written.data() + written.size(), exponent);
    if (read.ec != std::errc() || std::abs(exponent) > kMaxDigits)
        throw SqlError("22003", "a number of the JSON value has more than 10,000 digits");
    const bool isNegative = written[0] == '-';
    std::string digits = written.substr(isNegative ? 1 : 0, mark - (isNegative ? 1 : 0));
    const size_t point = digits.find('.');
    auto whole = static_cast<int64_t>(point == std::string::npos ? digits.size() : point);
    if (point != std::string::npos) digits.erase(point, 1);
    whole += exponent;
    if (whole <= 0) digits.insert(0, static_cast<size_t>(1 - whole), '0'), whole = 1;
    if (whole > static_cast<int64_t>(digits.size())) digits.append(static_cast<size_t>(whole) - digits.size(), '0');
    if (whole < static_cast<int64_t>(digits.size())) digits.insert(static_cast<size_t>(whole), 1, '.');
    const size_t zeros = std::min(digits.find_first_not_of('0'), digits.size() - 1);
    digits.erase(0, zeros - (digits[zeros] == '.' ? 1 : 0));
    const bool isZero = digits.find_first_not_of("0.") == std::string::npos;
    return isNegative && !isZero ? "-" + digits : digits;
}

void requireNoNul(const std::string& text) {
    if (text.find('\0') != std::string::npos)
        throw SqlError("22P05", "unsupported Unicode escape sequence: \\u0000 cannot be converted to text");
}

}  // namespace

JsonValue parseJson(std::string_view text) {
    Builder builder;
    if (!nlohmann::json::sax_parse(text.begin(), text.end(), &builder))
        throw SqlError(sql_state::kInvalidText, "invalid input syntax for type json");
    return builder.take();
}

void makeCanonical(JsonValue& value) {
    if (value.kind == JsonValue::Kind::Number) value.text = withoutExponent(value.text);
    if (value.kind == JsonValue::Kind::String) requireNoNul(value.text);
    for (JsonValue& item : value.items) makeCanonical(item);
    if (value.kind != JsonValue::Kind::Object) return;
    std::vector<size_t> order(value.names.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        const std::string &x = value.names[a], &y = value.names[b];
        return x.size() != y.size() ? x.size() < y.size() : x < y;
    });
    JsonValue sorted{.kind = JsonValue::Kind::Object, .text = {}, .items = {}, .names = {}};
    for (size_t i = 0; i < order.size(); ++i) {
        const bool isLast = i + 1 == order.size() || value.names[order[i]] != value.names[order[i + 1]];
        if (!isLast) continue;
        requireNoNul(value.names[order[i]]);
        sorted.names.push_back(std::move(value.names[order[i]]));
        sorted.items.push_back(std::move(value.items[order[i]]));
    }
    value = std::move(sorted);
}

std::string jsonText(const JsonValue& value) {
    std::string text;
    appendText(text, value);
    return text;
}

std::string checkedJson(std::string_view text, bool isBinary) {
    JsonValue value = parseJson(text);
    if (!isBinary) return std::string(text);
    makeCanonical(value);
    return jsonText(value);
}

bool contains(const JsonValue& value, const JsonValue& part) {
    if (value.kind != part.kind) return false;
    if (value.kind == JsonValue::Kind::Object) {
        for (size_t i = 0; i < part.items.size(); ++i) {
            const JsonValue* const own = memberOf(value, part.names[i]);
            if (own == nullptr || !contains(*own, part.items[i])) return false;
        }
        return true;
    }
    if (value.kind != JsonValue::Kind::Array) return value.text == part.text;
    return std::all_of(part.items.begin(), part.items.end(), [&](const JsonValue& wanted) {
        return std::any_of(value.items.begin(), value.items.end(),
                           [&](const JsonValue& item) { return contains(item, wanted); });
    });
}

const JsonValue* memberOf(const JsonValue& value, std::string_view name) {
    if (value.kind != JsonValue::Kind::Object) return nullptr;
    for (size_t i = value.names.size(); i-- > 0;)
        if (value.names[i] == name) return &value.items[i];
    return nullptr;
}

const JsonValue* elementOf(const JsonValue& value, int64_t place) {
    const auto count = static_cast<int64_t>(value.items.size());
    if (value.kind != JsonValue::Kind::Array || place >= count || place < -count) return nullptr;
    return &value.items[static_cast<size_t>(place < 0 ? place + count : place)];
}

}  // namespace pelorus::postgres
