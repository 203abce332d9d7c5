#include "postgres/typing/literals.h"

#include <cstdlib>
#include <utility>

#include "common/check.h"
#include "postgres/functions/conversions.h"
#include "postgres/sql_error.h"

namespace pelorus::postgres {

Typed typedNumber(const std::string& digits) {
    if (digits.find_first_of(".eE") == std::string::npos) {
        try {
            return typedConstant(parseText(digits, oid::kInt8, -1), oid::kInt8);
        } catch (const SqlError&) {
        }
    }
    return typedConstant(parseText(digits, oid::kNumeric, -1), oid::kNumeric);
}

Typed typedText(std::string text) {
    Typed typed;
    typed.literal = std::move(text);
    typed.code = constantNode(textValue(*typed.literal));
    typed.isNullable = false;
    return typed;
}

static Typed valueOf(const RowLiteral& literal) {
    using Kind = RowLiteral::Kind;
    switch (literal.kind) {
        case Kind::Null:
            return typedNull();
        case Kind::True:
        case Kind::False:
            return typedConstant(Value::ofBool(literal.kind == Kind::True), oid::kBool);
        case Kind::Number:
            if (!literal.isSmall) return typedNumber(literal.value);
            return typedConstant(Value::ofInt(static_cast<int32_t>(std::strtol(literal.value.c_str(), nullptr, 10))),
                                 oid::kInt4);
        case Kind::Text:
            return typedText(literal.value);
        case Kind::Default:
            break;
    }
    CHECK(false) << "DEFAULT is no value";
    return typedNull();
}

Typed typedLiteral(const RowLiteral& literal) {
    Typed typed = valueOf(literal);
    typed.place = literal.place;
    return typed;
}

}  // namespace pelorus::postgres
