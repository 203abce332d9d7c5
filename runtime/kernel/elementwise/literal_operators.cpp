#include "runtime/kernel/elementwise/literal_operators.h"

#include <fmt/format.h>

#include "common/check.h"
#include "common/error.h"
#include "runtime/kernel/block/comparison.h"
#include "runtime/value/cast.h"
#include "runtime/value/print.h"
#include "runtime/value/symbol_base.h"
#include "runtime/value/vector.h"

namespace pelorus {

namespace {

// A side of the operation as strings: of a scalar, or of element i.
class TextSide {
public:
    explicit TextSide(const Value& v) : value_(isLiteral(v.type()) ? v : cast(v, Type::String)) {}
    std::string_view at(int64_t i) const { return value_.isScalar() ? value_.string() : value_.vector().string(i); }

private:
    Value value_;
};

bool isSymbols(const Value& v) {
    return v.isVector() && v.type() == Type::Symbol;
}

// Compares a SYMBOL vector with a string: one decision per distinct code.
Value compareSymbols(Operator op, const Vector& symbols, std::string_view string) {
    Ref<Vector> result = Vector::make(Type::Bool, symbols.size());
    auto* out = result->mutableData<int8_t>();
    const auto* codes = symbols.data<int32_t>();
    if (op == Operator::Eq || op == Operator::Ne) {
        int32_t code = symbols::find(string);
        for (int64_t i = 0; i < symbols.size(); ++i) out[i] = (codes[i] == code) == (op == Operator::Eq);
    } else {
        std::vector<int8_t> decided(static_cast<size_t>(symbols::count()), -1);
        for (int64_t i = 0; i < symbols.size(); ++i) {
            int8_t& d = decided[static_cast<size_t>(codes[i])];
            if (d < 0) d = holds(op, symbols::string(codes[i]).compare(string));
            out[i] = d;
        }
    }
    result->setMayHaveNull(false);
    return Value::of(result);
}

// A CHAR among strings is most often meant as a string in single quotes.
void refuseCharacter(const Value& character, std::string_view message) {
    if (character.type() != Type::Char || !character.isScalar() || character.isNull()) return;
    const std::string string(1, static_cast<char>(character.integer()));
    throw UserError(std::string(message), fmt::format("'{0}' is a CHAR; write \"{0}\" for a string.", string));
}

constexpr size_t kLongestShown = 40;

void requireComparable(const Value& a, const Value& b, Operator op) {
    for (const Value* v : {&a, &b}) {
        if (!isLiteral(v->type()) && !v->isVoid()) {
            const std::string message = fmt::format("The operator {} cannot compare {} and {}.", facts(op).symbol,
                                                    typeName(a.type()), typeName(b.type()));
            refuseCharacter(*v, message);
            const Value& other = v == &a ? b : a;
            const std::string_view type = typeName(v->type());
            std::string convert(type);
            for (char& c : convert) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
            const std::string string = other.isScalar() && other.isString() ? std::string(other.string()) : "…";
            if (isTemporal(v->type()) && string.size() < kLongestShown) {
                throw UserError(message, fmt::format("Convert the string: {}(\"{}\").", convert, string));
            }
            throw UserError(message, "Convert one side, as in string(x) or int(x).");
        }
    }
}

}  // namespace

Value literalOperation(Operator op, const Value& a, const Value& b) {
    CHECK(op == Operator::Add || isComparison(op)) << "strings are concatenated or compared";
    CHECK(isLiteral(a.type()) || isLiteral(b.type())) << "one side of an operation on strings is a string";
    if (op != Operator::Add) requireComparable(a, b, op);
    if (!a.isScalar() && !b.isScalar() && a.size() != b.size()) {
        throw UserError(fmt::format("The vectors don't have the same length: {} and {}.", a.size(), b.size()));
    }
    if (op != Operator::Add) {
        if (isSymbols(a) && b.isString()) return compareSymbols(op, a.vector(), b.string());
        if (isSymbols(b) && a.isString()) return compareSymbols(mirrored(op), b.vector(), a.string());
        if (isSymbols(a) && isSymbols(b) && (op == Operator::Eq || op == Operator::Ne)) {
            Ref<Vector> result = Vector::make(Type::Bool, a.size());
            const auto *x = a.vector().data<int32_t>(), *y = b.vector().data<int32_t>();
            auto* out = result->mutableData<int8_t>();
            for (int64_t i = 0; i < a.size(); ++i) out[i] = (x[i] == y[i]) == (op == Operator::Eq);
            return Value::of(result);
        }
    }
    TextSide x(a.isVoid() ? Value::ofString("") : a), y(b.isVoid() ? Value::ofString("") : b);
    if (a.isScalar() && b.isScalar()) {
        if (op == Operator::Add) return Value::ofString(std::string(x.at(0)) + std::string(y.at(0)));
        return Value::ofBool(holds(op, x.at(0).compare(y.at(0))));
    }
    int64_t count = a.isScalar() ? b.size() : a.size();
    Ref<Vector> result = Vector::make(op == Operator::Add ? Type::String : Type::Bool, count);
    std::string joined;
    auto* out = op == Operator::Add ? nullptr : result->mutableData<int8_t>();
    for (int64_t i = 0; i < count; ++i) {
        if (out) {
            out[i] = holds(op, x.at(i).compare(y.at(i)));
        } else {
            joined.assign(x.at(i)).append(y.at(i));
            result->setString(i, joined);
        }
    }
    return Value::of(result);
}

}  // namespace pelorus
