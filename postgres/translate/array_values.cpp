#include "postgres/translate/array_values.h"

#include <algorithm>

#include <fmt/format.h>

#include "postgres/functions/array_text.h"
#include "postgres/functions/conversions.h"
#include "postgres/sql_error.h"
#include "postgres/translate/function_calls.h"
#include "runtime/value/vector.h"

namespace pelorus::postgres {

namespace {

NodeRef number(int64_t x) {
    return constantNode(Value::ofLong(x));
}

// Returns the type of an array's elements. Throws SqlError 42804 for what is no array.
Oid elementTypeOf(const Typed& array, int place) {
    const OidFacts* facts = oidFacts(array.type);
    if (facts == nullptr || facts->category != 'A' || facts->element == 0)
        throw SqlError(
            sql_state::kDatatypeMismatch,
            fmt::format("cannot subscript type {} because it does not support subscripting", displayOf(array)), place);
    return facts->element;
}

}  // namespace

Typed arrayOf(std::vector<Typed> items, int place, const ConversionHost& host) {
    if (items.empty()) return typedConstant(textValue("{}"), oid::kTextArray);
    convertAll(items, "ARRAY", place, host);
    const OidFacts* element = oidFacts(items[0].type);
    const Oid type = element->array != 0 ? element->array : oid::kTextArray;
    if (std::all_of(items.begin(), items.end(), [](const Typed& item) { return item.constant.has_value(); })) {
        std::vector<ArrayItem> texts;
        for (const Typed& item : items)
            texts.push_back(item.constant->isNull() ? ArrayItem()
                                                    : ArrayItem(textForm(*item.constant, item.type, item.modifier)));
        return typedConstant(textValue(arrayText(texts)), type);
    }
    NodeList codes = {number(items[0].type)};
    for (const Typed& item : items) codes.push_back(item.code);
    Typed result = typedCode(callNode("pgArrayOf", std::move(codes)), type, -1, place);
    result.isNullable = false;
    return result;
}

Typed elementOf(Typed array, Typed index, int place, const ConversionHost& host) {
    // int2vector and oidvector count from 0.
    const bool isVector = array.type == oid::kInt2Vector || array.type == oid::kOidVector;
    const Oid element = elementTypeOf(array, place);
    index = convert(std::move(index), oid::kInt4, -1, Conversion::Implicit, host);
    Typed text = typedCode(callNode("pgArrayElement", {array.code, index.code, number(isVector ? 1 : 0)}), oid::kText,
                           -1, place);
    return isTextType(element) ? convert(std::move(text), element, -1, Conversion::Implicit, host)
                               : convert(std::move(text), element, -1, Conversion::Explicit, host);
}

Typed comparedWithArray(const std::string& op, Typed x, Typed array, bool isAll, int place,
                        const ConversionHost& host) {
    if (array.isUnknown()) {
        const Oid type = x.isUnknown() ? oid::kText : x.type;
        const OidFacts* facts = oidFacts(isTextType(type) ? oid::kText : type);
        array = convert(std::move(array), facts->array != 0 ? facts->array : oid::kTextArray, -1, Conversion::Implicit,
                        host);
    }
    const Oid element = elementTypeOf(array, place);
    if (x.isUnknown()) x = convert(std::move(x), element, -1, Conversion::Implicit, host);
    if (commonType(x.type, element) == 0 && !(isOidType(x.type) && isIntegerType(element)))
        throw SqlError(sql_state::kUndefinedFunction,
                       fmt::format("operator does not exist: {} {} {}", displayOf(x), op, formatType(element, -1)),
                       place);
    if (op != "=" && op != "<>" && op != "!=")
        throw SqlError(sql_state::kFeatureNotSupported, "ANY and ALL of an array take = and <>.", place);
    const bool isEqual = op == "=";
    if (isEqual == isAll)
        throw SqlError(sql_state::kFeatureNotSupported, "= ALL and <> ANY of an array are not supported.", place);
    Typed result = typedCode(callNode("pgInArray", {x.code, array.code, number(x.type)}), oid::kBool, -1, place);
    if (!isEqual) result.code = callNode("pgNot", {result.code});
    return result;
}

Value vectorOfConstants(const std::vector<Typed>& constants) {
    if (constants.empty()) return Value();
    const Type type = constants[0].kept;
    if (std::any_of(constants.begin(), constants.end(), [type](const Typed& x) { return x.kept != type; }) ||
        isDecimal(type))
        return Value();
    Ref<Vector> out = Vector::make(type, 0);
    for (const Typed& x : constants) out->append(*x.constant);
    return Value::of(out);
}

}  // namespace pelorus::postgres
