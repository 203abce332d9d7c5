// Literals, and vectors of adjacent constants that are separated by blanks.
#include <algorithm>
#include <cstring>

#include "interpreter/parser/parser_core.h"
#include "runtime/value/vector.h"

namespace pelorus {

namespace {

bool isConstantWord(const Token& token) {
    return token.isWord("NULL") || token.isWord("null") || token.isWord("true") || token.isWord("false");
}

// The type that blank-separated constants share, or ANY when they must become a tuple.
Type commonType(const std::vector<Value>& items) {
    Type common = Type::Void;
    for (const Value& item : items) {
        Type type = item.type();
        if (type == Type::Void || type == common) continue;
        if (common == Type::Void) {
            common = type;
        } else if (isNumeric(common) && isNumeric(type)) {
            common = std::max(common, type);  // type ids of numbers rise with their width
        } else {
            return Type::Any;
        }
    }
    return common == Type::Void || common == Type::Duration ? Type::Any : common;
}

template <class T>
void fillIntegers(Vector& vector, const std::vector<Value>& items) {
    T* target = vector.mutableData<T>();
    for (size_t i = 0; i < items.size(); ++i) {
        target[i] = items[i].isNull() ? null<T> : static_cast<T>(items[i].integer());
    }
}

template <class T>
void fillReals(Vector& vector, const std::vector<Value>& items) {
    T* target = vector.mutableData<T>();
    for (size_t i = 0; i < items.size(); ++i) {
        target[i] = items[i].isNull() ? null<T> : static_cast<T>(items[i].asDouble());
    }
}

int64_t powerOfTen(int exponent) {
    int64_t power = 1;
    while (exponent-- > 0) power *= 10;
    return power;
}

// Decimals of different scales take the largest.
void fillDecimals(Vector& vector, const std::vector<Value>& items) {
    uint8_t scale = 0;
    for (const Value& item : items) {
        if (!item.isVoid()) scale = std::max(scale, item.extra());
    }
    vector.setScale(scale);
    auto* target = vector.mutableData<int64_t>();
    for (size_t i = 0; i < items.size(); ++i) {
        target[i] = items[i].isNull() ? null<int64_t> : items[i].integer() * powerOfTen(scale - items[i].extra());
    }
}

Value vectorOf(std::vector<Value> items) {
    Type type = commonType(items);
    if (type == Type::Any) return Value::of(makeRef<Tuple>(std::move(items)));
    Ref<Vector> vector = Vector::make(type, static_cast<int64_t>(items.size()));
    if (type == Type::Decimal64) {
        fillDecimals(*vector, items);
    } else {
        switch (storageOf(type)) {
            case Storage::Int8:
                fillIntegers<int8_t>(*vector, items);
                break;
            case Storage::Int16:
                fillIntegers<int16_t>(*vector, items);
                break;
            case Storage::Int32:
                fillIntegers<int32_t>(*vector, items);
                break;
            case Storage::Int64:
                fillIntegers<int64_t>(*vector, items);
                break;
            case Storage::Float32:
                fillReals<float>(*vector, items);
                break;
            case Storage::Float64:
                fillReals<double>(*vector, items);
                break;
            default:
                for (size_t i = 0; i < items.size(); ++i) vector->set(static_cast<int64_t>(i), items[i]);
        }
    }
    bool anyNull = std::any_of(items.begin(), items.end(), [](const Value& item) { return item.isNull(); });
    vector->setMayHaveNull(anyNull);
    return Value::of(std::move(vector));
}

}  // namespace

bool Parser::startsLiteral(size_t ahead) const {
    const Token& token = peek(ahead);
    switch (token.kind) {
        case TokenKind::Number:
        case TokenKind::String:
        case TokenKind::Backtick:
            return true;
        case TokenKind::Identifier:
            return isConstantWord(token);
        default:
            return false;
    }
}

Value Parser::literal() {
    bool negative = peek().is("-");
    if (negative) take();
    const Token& token = take();
    switch (token.kind) {
        case TokenKind::Number:
            return numberLiteral(token, negative);
        case TokenKind::String:
            if (token.isChar) return Value::ofChar(static_cast<int8_t>(token.text[0]));
            return Value::ofString(token.text);
        case TokenKind::Backtick:
            return Value::ofString(token.text);
        default:
            break;
    }
    if (token.source == "true" || token.source == "false") return Value::ofBool(token.source == "true");
    // NULL is a value that is sent to clients; a call that returns nothing has none (the byte of VOID on the wire).
    Value null;
    null.setExtra(1);
    return null;
}

NodeRef Parser::literalRun() {
    SourcePosition position = peek().position;
    std::vector<Value> items{literal()};
    for (;;) {
        bool negative =
            peek().is("-") && peek().spaceBefore && peek(1).kind == TokenKind::Number && !peek(1).spaceBefore;
        if (!sameLine() || (!negative && !startsLiteral(0))) break;
        items.push_back(literal());
    }
    return makeRef<Constant>(items.size() == 1 ? items[0] : vectorOf(std::move(items)), position);
}

}  // namespace pelorus
