#include "runtime/text/json.h"

#include <fast_float/fast_float.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "common/error.h"
#include "common/thread/stack_room.h"
#include "common/time/calendar.h"
#include "runtime/kernel/index/assemble.h"
#include "runtime/table/table.h"
#include "runtime/text/utf8.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"

namespace pelorus {

namespace {

constexpr int kMaxDepth = 500;

class JsonParser {
public:
    JsonParser(std::string_view text, JsonStrings strings) : text_(text), strings_(strings) {}

    Value document() {
        Value result = value();
        skipSpace();
        if (at_ != text_.size()) refuse("something follows the value");
        return result;
    }

    std::vector<Value> sequence() {
        std::vector<Value> values;
        for (skipSpace(); at_ != text_.size(); skipSpace()) values.push_back(value());
        return values;
    }

private:
    [[noreturn]] void refuse(std::string_view what) const {
        throw UserError(fmt::format("The text is no JSON: {} at byte {}.", what, at_));
    }
    void skipSpace() {
        while (at_ < text_.size() &&
               (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t')) {
            ++at_;
        }
    }
    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    bool take(char c) {
        skipSpace();
        if (peek() != c) return false;
        ++at_;
        return true;
    }
    bool takeWord(std::string_view word) {
        if (text_.substr(at_, word.size()) != word) return false;
        at_ += word.size();
        return true;
    }

    Value value() {
        if (++depth_ > kMaxDepth) refuse(fmt::format("it is nested deeper than {} levels", kMaxDepth));
        skipSpace();
        Value result;
        switch (peek()) {
            case '{':
                result = object();
                break;
            case '[':
                result = array();
                break;
            case '"':
                result = stringOrTime(string());
                break;
            default:
                if (takeWord("true")) {
                    result = Value::ofBool(true);
                } else if (takeWord("false")) {
                    result = Value::ofBool(false);
                } else if (!takeWord("null")) {
                    result = number();
                }
        }
        --depth_;
        return result;
    }

    Value object() {
        take('{');
        std::vector<std::pair<std::string, Value>> members;
        if (!take('}')) {
            do {
                skipSpace();
                if (peek() != '"') refuse("a key is missing");
                std::string key = string();
                if (!take(':')) refuse("a colon is missing");
                members.emplace_back(std::move(key), value());
            } while (take(','));
            if (!take('}')) refuse("a comma or } is missing");
        }
        // The values get one type where they share it.
        Type type = members.empty() ? Type::Any : members[0].second.type();
        for (const auto& [key, element] : members) {
            if (!element.isScalar() || element.type() != type || element.isVoid()) type = Type::Any;
        }
        auto result = makeRef<Dictionary>(Type::String, type, true);
        for (auto& [key, element] : members) result->set(Value::ofString(key), std::move(element));
        return Value::of(result);
    }

    Value array() {
        take('[');
        std::vector<Value> elements;
        if (!take(']')) {
            do elements.push_back(value());
            while (take(','));
            if (!take(']')) refuse("a comma or ] is missing");
        }
        makeAllWhole(elements);
        return listOf(std::move(elements));
    }

    // Makes all numbers of an array LONG where one is and none has a fraction, so that they are one vector.
    static void makeAllWhole(std::vector<Value>& elements) {
        const auto isWhole = [](const Value& element) {
            return element.type() == Type::Long ||
                   (element.type() == Type::Double && element.isScalar() &&
                    std::trunc(element.real()) == element.real() && std::abs(element.real()) <= kExact);
        };
        const auto isLong = [](const Value& element) { return element.isScalar() && element.type() == Type::Long; };
        if (std::none_of(elements.begin(), elements.end(), isLong) ||
            !std::all_of(elements.begin(), elements.end(), isWhole))
            return;
        for (Value& element : elements) element = Value::ofLong(element.asLong());
    }

    static constexpr double kExact = 9007199254740992.0;  // below it DOUBLE represents every integer

    // Reads a number. An integer that DOUBLE may not represent exactly is a LONG, if it fits.
    Value number() {
        double x = 0;
        const char* begin = text_.data() + at_;
        auto [end, error] = fast_float::from_chars(begin, text_.data() + text_.size(), x);
        const bool digit = peek() == '-' || (peek() >= '0' && peek() <= '9');
        if (!digit || error != std::errc() || end == begin) refuse("a value is missing");
        at_ += static_cast<size_t>(end - begin);
        int64_t whole;
        if (std::abs(x) >= kExact) {
            const auto [wholeEnd, wholeError] = std::from_chars(begin, end, whole);
            if (wholeError == std::errc() && wholeEnd == end && !isNull(whole)) return Value::ofLong(whole);
        }
        return Value::ofDouble(x);
    }

    uint32_t hexadecimal() {
        uint32_t code = 0;
        for (int i = 0; i < 4; ++i, ++at_) {
            const char c = peek();
            const int digit = c >= '0' && c <= '9'   ? c - '0'
                              : c >= 'a' && c <= 'f' ? c - 'a' + 10
                              : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                     : -1;
            if (digit < 0) refuse("\\u needs four hexadecimal digits");
            code = code << 4 | static_cast<uint32_t>(digit);
        }
        return code;
    }

    std::string string() {
        std::string result;
        ++at_;  // the quote
        for (;;) {
            if (at_ >= text_.size()) refuse("a string does not end");
            const char c = text_[at_++];
            if (c == '"') return result;
            if (c != '\\') {
                result += c;
                continue;
            }
            const char escape = peek();
            ++at_;
            switch (escape) {
                case 'n':
                    result += '\n';
                    break;
                case 't':
                    result += '\t';
                    break;
                case 'r':
                    result += '\r';
                    break;
                case 'b':
                    result += '\b';
                    break;
                case 'f':
                    result += '\f';
                    break;
                case 'u': {
                    uint32_t code = hexadecimal();
                    if (code >= 0xD800 && code < 0xDC00 && takeWord("\\u")) {
                        code = 0x10000 + ((code - 0xD800) << 10) + (hexadecimal() - 0xDC00);
                        if (code < 0x10000 || code > 0x10FFFF) refuse("a surrogate pair is broken");
                    }
                    appendUtf8(result, code);
                    break;
                }
                default:
                    result += escape;
            }
        }
    }

    Value stringOrTime(const std::string& text) const {
        if (strings_ == JsonStrings::AsTemporal && !text.empty() && text[0] >= '0' && text[0] <= '9') {
            for (Type type : {Type::Date, Type::DateTime, Type::Timestamp, Type::NanoTimestamp, Type::Second,
                              Type::Time, Type::NanoTime, Type::Minute, Type::Month}) {
                int64_t stored = 0;
                if (calendar::parse(text, type, stored)) return Value::scalar(type, stored);
            }
        }
        return Value::ofString(text);
    }

    std::string_view text_;
    JsonStrings strings_;
    size_t at_ = 0;
    int depth_ = 0;
};

class JsonWriter {
public:
    std::string text;

    void value(const Value& v) {
        requireStackRoom();
        switch (v.form()) {
            case Form::Scalar:
                return scalar(v);
            case Form::Vector:
                return elements(v, ", ");
            case Form::Set:
                return elements(v, ",");
            case Form::Dictionary:
                return dictionary(v.dictionary());
            case Form::Table:
                return table(v.table());
            default:
                throw UserError(0, fmt::format("{} cannot be written as JSON.", typeString(v)),
                                "Write its columns as vectors.");
        }
    }

private:
    void quoted(std::string_view s) {
        text += '"';
        for (char c : s) {
            switch (c) {
                case '"':
                    text += "\\\"";
                    break;
                case '\\':
                    text += "\\\\";
                    break;
                case '\n':
                    text += "\\n";
                    break;
                case '\r':
                    text += "\\r";
                    break;
                case '\t':
                    text += "\\t";
                    break;
                default:
                    if (static_cast<unsigned char>(c) < 0x20) {
                        text += fmt::format("\\u{:04x}", static_cast<int>(c));
                    } else {
                        text += c;
                    }
            }
        }
        text += '"';
    }

    void scalar(const Value& v) {
        const Type type = v.type();
        const Category category = categoryOf(type);
        if (category == Category::Binary) return quoted(toString(v));
        if (category == Category::System || category == Category::Complex) {
            throw UserError(0, fmt::format("{} cannot be written as JSON.", typeName(type)),
                            "Write it with string(x).");
        }
        if (isLiteral(type)) return quoted(v.string());
        if (v.isNull()) {
            text += "null";
        } else if (isTemporal(type)) {
            std::string time = toString(v);
            if (size_t t = time.find('T'); t != std::string::npos) time[t] = ' ';
            quoted(time);
        } else if (type == Type::Char) {
            // Only characters that are seen are written as such.
            const auto c = static_cast<char>(v.integer());
            if (c >= ' ' && c <= '~')
                quoted({&c, 1});
            else
                text += std::to_string(v.integer());
        } else if (isFloating(type)) {
            const double x = v.real();
            text += !std::isfinite(x)     ? std::string("null")
                    : type == Type::Float ? fmt::format("{}", static_cast<float>(x))
                                          : fmt::format("{}", x);
        } else {
            text += toString(v);
        }
    }

    void elements(const Value& v, std::string_view separator) {
        text += '[';
        for (int64_t i = 0; i < v.size(); ++i) {
            if (i > 0) text += separator;
            value(v.at(i));
        }
        text += ']';
    }

    void dictionary(const Dictionary& d) {
        text += '{';
        for (int64_t i = 0; i < d.size(); ++i) {
            if (i > 0) text += ',';
            quoted(toString(d.keyAt(i)));
            text += ": ";
            value(d.valueAt(i));
        }
        text += '}';
    }

    void table(Table& t) {
        const Ref<MemoryTable> rows = tableToRead(t);
        if (!rows) throw UserError(0, "A partitioned table cannot be written as JSON.", "Select its rows first.");
        text += '[';
        for (int64_t r = 0; r < rows->rowCount(); ++r) {
            if (r > 0) text += ',';
            text += '{';
            for (int c = 0; c < rows->columnCount(); ++c) {
                if (c > 0) text += ',';
                quoted(rows->columns()[static_cast<size_t>(c)].name);
                text += ": ";
                value(rows->column(c).at(r));
            }
            text += '}';
        }
        text += ']';
    }
};

}  // namespace

std::vector<Value> parseJsonSequence(std::string_view text, JsonStrings strings) {
    return JsonParser(text, strings).sequence();
}

Value parseJson(std::string_view text, JsonStrings strings) {
    return JsonParser(text, strings).document();
}

std::string toJson(const Value& value) {
    JsonWriter writer;
    writer.value(value);
    return writer.text;
}

}  // namespace pelorus
