#include "postgres/typing/convert.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "postgres/functions/array_text.h"
#include "postgres/functions/conversions.h"
#include "postgres/sql_error.h"
#include "runtime/value/decimal.h"

namespace pelorus::postgres {

namespace {

// The order in which numbers become each other by themselves.
int numberRank(Oid type) {
    constexpr Oid kOrder[] = {oid::kInt2, oid::kInt4, oid::kInt8, oid::kNumeric, oid::kFloat4, oid::kFloat8};
    const auto* found = std::find(std::begin(kOrder), std::end(kOrder), type);
    return found == std::end(kOrder) ? -1 : static_cast<int>(found - std::begin(kOrder));
}

int instantRank(Oid type) {
    return type == oid::kDate ? 0 : type == oid::kTimestamp ? 1 : type == oid::kTimestamptz ? 2 : -1;
}

bool isArray(Oid type) {
    const OidFacts* facts = oidFacts(type);
    // int2vector and oidvector are strings of their own.
    return facts != nullptr && facts->category == 'A' && type != oid::kInt2Vector && type != oid::kOidVector;
}

[[noreturn]] void refuse(const Typed& value, Oid type) {
    throw SqlError(sql_state::kCannotCoerce,
                   fmt::format("cannot cast type {} to {}", displayOf(value), formatType(type, -1)), value.place);
}

// The scale of a conversion to numeric: that of its type, or one that keeps what the value has.
int scaleFor(const Typed& value, int32_t modifier) {
    if (modifier >= 0) return numericScale(modifier);
    if (value.type == oid::kNumeric) return value.scale;
    return isIntegerType(value.type) || isOidType(value.type) ? 0 : 10;
}

NodeRef number(int64_t x) {
    return constantNode(Value::ofInt(static_cast<int32_t>(x)));
}

// Converts a value that is no literal.
Typed convertCode(Typed value, Oid type, int32_t modifier) {
    const Oid from = value.type;
    const auto call = [&](const char* function, NodeList more = {}) {
        NodeList arguments = {value.code};
        for (NodeRef& node : more) arguments.push_back(std::move(node));
        Typed result = typedCode(callNode(function, std::move(arguments)), type, modifier, value.place);
        result.isNullable = value.isNullable;
        return result;
    };
    const bool fromText = isTextType(from);
    if (isTextType(type)) {
        if (fromText && from != oid::kBpchar && (modifier < 0 || type == oid::kName)) {
            value.type = type;
            value.modifier = modifier;
            return value;
        }
        if (fromText)
            return call("pgVarchar",
                        {number(modifier < 0 ? 0 : modifier - 4), constantNode(Value::ofBool(from == oid::kBpchar))});
        return call("pgText", {number(from), number(value.modifier)});
    }
    const bool isOldVector = from == oid::kInt2Vector || from == oid::kOidVector;
    if (isArray(type) && isOldVector) return call("pgVectorArray");
    if (isArray(type) && (fromText || isArray(from))) return call("pgArrayText", {number(type)});
    switch (type) {
        case oid::kInt2:
            return call("pgShort");
        case oid::kInt4:
            return value.kept == Type::Short && !fromText ? call("int") : call("pgInt");
        case oid::kInt8:
            return value.kept == Type::Short || value.kept == Type::Int ? call("long") : call("pgLong");
        case oid::kFloat4:
            return call("pgFloat");
        case oid::kFloat8:
            return fromText || from == oid::kBool ? call("pgDouble") : call("double");
        case oid::kNumeric: {
            const int scale = scaleFor(value, modifier);
            if (from == oid::kNumeric && modifier < 0) return value;
            Typed result = call("pgNumeric", {number(scale), number(modifier < 0 ? 38 : numericPrecision(modifier))});
            result.scale = scale;
            if (modifier < 0 && !isIntegerType(from) && !isOidType(from)) result.modifier = kOwnScales;
            return result;
        }
        case oid::kBool:
            return call("pgBool");
        case oid::kDate:
            return call("pgDate");
        case oid::kTime:
        case oid::kTimetz:
            return call("pgTime");
        case oid::kTimestamp:
        case oid::kTimestamptz:
            if (instantRank(from) > 0) {
                value.type = type;
                return value;
            }
            return call("pgTimestamp");
        case oid::kInterval:
            return call("pgInterval");
        case oid::kUuid:
            return call("pgUuid");
        case oid::kBytea:
            return call("pgBytea");
        case oid::kJson:
        case oid::kJsonb:
            if (from == oid::kJsonb) {
                value.type = type;  // any jsonb is json
                return value;
            }
            return call("pgJson", {constantNode(Value::ofBool(type == oid::kJsonb))});
        case oid::kInet:
            value.type = type;
            return value;
        default:
            break;
    }
    if (isOidType(type) && !fromText) return call("pgLong");
    refuse(value, type);
}

bool isConvertible(Oid from, Oid to, Conversion how) {
    if (convertsImplicitly(from, to)) return true;
    if (how == Conversion::Implicit) return false;
    const bool numbers = numberRank(from) >= 0 && numberRank(to) >= 0;
    if (numbers) return true;
    if (isTextType(to)) return true;
    if ((from == oid::kJson && to == oid::kJsonb) || (from == oid::kJsonb && to == oid::kJson)) return true;
    if (instantRank(from) >= 0 && instantRank(to) >= 0) return true;
    if (how == Conversion::Assignment) return false;
    if (isTextType(from)) return true;
    if ((from == oid::kBool && to == oid::kInt4) || (from == oid::kInt4 && to == oid::kBool)) return true;
    if (instantRank(from) > 0 && (to == oid::kTime || to == oid::kTimetz)) return true;
    if ((from == oid::kTime && to == oid::kInterval) || (from == oid::kInterval && to == oid::kTime)) return true;
    if ((isArray(from) || from == oid::kInt2Vector || from == oid::kOidVector) && isArray(to)) return true;
    return isIntegerType(from) && isOidType(to);
}

}  // namespace

bool convertsImplicitly(Oid from, Oid to) {
    if (from == to || from == oid::kUnknown) return true;
    if (isTextType(from) && isTextType(to)) return true;
    const int numberFrom = numberRank(from), numberTo = numberRank(to);
    if (numberFrom >= 0 && numberTo >= 0) return numberFrom <= numberTo;
    const int instantFrom = instantRank(from), instantTo = instantRank(to);
    if (instantFrom >= 0 && instantTo >= 0) return instantFrom <= instantTo;
    if (from == oid::kTime && (to == oid::kInterval || to == oid::kTimetz)) return true;
    if (isOidType(from) && (isOidType(to) || to == oid::kInt8)) return true;
    return isIntegerType(from) && isOidType(to);
}

Oid commonType(Oid a, Oid b) {
    if (a == b || b == oid::kUnknown) return a;
    if (a == oid::kUnknown) return b;
    if (isTextType(a) && isTextType(b)) return oid::kText;
    if (convertsImplicitly(a, b)) return b;
    if (convertsImplicitly(b, a)) return a;
    return 0;
}

Value parseLiteral(std::string_view text, Oid type, int32_t modifier, int place) {
    try {
        // A function is known by its name, whatever its schema.
        if (type == oid::kRegproc) text = text.substr(text.rfind('.') + 1);
        if (isTextType(type)) {
            if (modifier >= 0 && type != oid::kName) return varcharOf(text, modifier - 4, type == oid::kBpchar);
            return textValue(text);
        }
        if (isArray(type)) {
            const OidFacts* facts = oidFacts(type);
            std::vector<ArrayItem> items = arrayItems(text);
            for (ArrayItem& item : items)
                if (item && facts->element != 0)
                    item = textForm(parseText(*item, facts->element, -1), facts->element, -1);
            return textValue(arrayText(items));
        }
        return parseText(text, type, modifier);
    } catch (const SqlError& error) {
        throw SqlError(error.state(), error.what(), place, error.hint());
    }
}

Typed convert(Typed value, Oid type, int32_t modifier, Conversion how, const ConversionHost& host) {
    if (value.parameter != 0) {
        host.decideParameter(value.parameter, type);
        Typed typed = typedCode(value.code, type, -1, value.place);
        if (type == oid::kNumeric) {
            // A parameter of numeric has any scale: it is given one here.
            typed.code =
                callNode("pgNumeric", {typed.code, number(modifier < 0 ? 10 : numericScale(modifier)), number(38)});
            typed.scale = modifier < 0 ? 10 : numericScale(modifier);
            if (modifier < 0) typed.modifier = kOwnScales;
        }
        return typed;
    }
    if (value.isUnknown() && value.literal) {
        const int place = value.place;
        if (isOidType(type) && type != oid::kOid && type != oid::kXid && !value.literal->empty() &&
            (*value.literal)[0] != '-' && std::isdigit(static_cast<unsigned char>((*value.literal)[0])) == 0)
            value = typedConstant(Value::ofLong(host.numberOfName(type, *value.literal)), type);
        else
            value = typedConstant(parseLiteral(*value.literal, type, modifier, place), type, modifier);
        value.place = place;
        return value;
    }
    if (value.isNullConstant()) {
        const int place = value.place;
        value = typedConstant(Value(), type, modifier);
        if (type == oid::kNumeric && modifier >= 0) value.scale = numericScale(modifier);
        value.place = place;
        return value;
    }
    if (value.type == type && modifier < 0) return value;
    if (!isConvertible(value.type, type, how)) {
        if (how == Conversion::Explicit) refuse(value, type);
        throw SqlError(sql_state::kDatatypeMismatch,
                       fmt::format("a value of type {} is no {}", displayOf(value), formatType(type, -1)), value.place,
                       "Write a cast.");
    }
    if (value.constant && isNumberType(value.type) && isNumberType(type)) {
        const int place = value.place;
        const int scale = scaleFor(value, modifier);
        if (type == oid::kNumeric && modifier < 0 && isFloatType(value.type)) modifier = kOwnScales;
        try {
            value = typedConstant(convertNumber(*value.constant, type, type == oid::kNumeric ? scale : 0,
                                                modifier < 0 ? 38 : numericPrecision(modifier)),
                                  type, modifier);
        } catch (const SqlError& error) {
            throw SqlError(error.state(), error.what(), place);
        }
        value.place = place;
        return value;
    }
    if (isTextType(type) && isOidType(value.type) && value.type != oid::kOid && value.type != oid::kXid &&
        host.nameOfNumber) {
        Typed name = typedCode(host.nameOfNumber(value.code, value.type), oid::kText, -1, value.place);
        return modifier < 0 ? name : convertCode(std::move(name), type, modifier);
    }
    if (isOidType(type) && isTextType(value.type) && host.numberOfText)
        return typedCode(host.numberOfText(value.code, type), type, -1, value.place);
    return convertCode(std::move(value), type, modifier);
}

}  // namespace pelorus::postgres
