#include "postgres/typing/typed.h"

#include "runtime/format/to_source.h"
#include "runtime/table/table.h"

namespace pelorus::postgres {

static SourcePosition nowhere() {
    return SourcePosition();
}

NodeRef constantNode(const Value& value) {
    return makeRef<Constant>(value, nowhere());
}
NodeRef nameNode(std::string name) {
    return makeRef<Name>(std::move(name), nowhere());
}
NodeRef columnNode(const std::string& table, const std::string& column) {
    return makeRef<Member>(nameNode(table), column, NodeRef(), nowhere());
}
NodeRef callNode(std::string function, NodeList arguments) {
    std::vector<Argument> given;
    given.reserve(arguments.size());
    for (NodeRef& argument : arguments) given.push_back({"", std::move(argument)});
    return makeRef<Call>(nameNode(std::move(function)), std::move(given), Call::Style::Function, nowhere());
}
NodeRef binaryNode(Operator op, NodeRef left, NodeRef right) {
    return makeRef<Binary>(op, std::move(left), std::move(right), nowhere());
}
NodeRef notNode(NodeRef operand) {
    return makeRef<Unary>(Operator::Not, std::move(operand), nowhere());
}
NodeRef isNullNode(NodeRef operand) {
    return callNode("isNull", {std::move(operand)});
}
NodeRef isValidNode(NodeRef operand) {
    return callNode("isValid", {std::move(operand)});
}

std::string sourceOf(const NodeRef& code) {
    return toSource(*code);
}

static Type keptTypeOf(Oid type) {
    const OidFacts* facts = oidFacts(type);
    return facts == nullptr ? Type::String : facts->kept;
}

Typed typedConstant(Value value, Oid type, int32_t modifier) {
    Typed typed;
    typed.type = type;
    typed.modifier = modifier;
    typed.isNullable = value.isNull();
    typed.kept = value.isVoid() ? keptTypeOf(type) : value.type();
    if (isDecimal(typed.kept)) typed.scale = value.extra();
    // NULL travels with its type, so that a column of it has one.
    typed.code = constantNode(value.isVoid() && type != oid::kUnknown ? Value::nullOf(typed.kept) : value);
    typed.constant = std::move(value);
    return typed;
}

Typed typedNull() {
    return typedConstant(Value(), oid::kUnknown);
}

Typed typedCode(NodeRef code, Oid type, int32_t modifier, int place) {
    Typed typed;
    typed.code = std::move(code);
    typed.type = type;
    typed.modifier = modifier;
    typed.kept = keptTypeOf(type);
    if (type == oid::kNumeric && modifier >= 0) typed.scale = numericScale(modifier);
    typed.place = place;
    return typed;
}

Typed typedNumeric(NodeRef code, int scale, int place, int32_t modifier) {
    Typed typed = typedCode(std::move(code), oid::kNumeric, modifier, place);
    typed.kept = Type::Decimal128;
    typed.scale = scale;
    return typed;
}

NodeRef nullNodeOf(const Typed& like) {
    Value null = Value::nullOf(like.kept);
    if (isDecimal(like.kept)) null.setExtra(static_cast<uint8_t>(like.scale));
    return constantNode(null);
}

Typed columnOfType(const ColumnSchema& column, ShownType shown, NodeRef code) {
    const bool hasOwnScales = shown.type == oid::kNumeric && shown.modifier < 0;
    Typed typed = typedCode(std::move(code), shown.type, hasOwnScales ? kOwnScales : shown.modifier);
    typed.kept = column.type;
    typed.scale = column.scale;
    return typed;
}

bool isIntegerType(Oid type) {
    return type == oid::kInt2 || type == oid::kInt4 || type == oid::kInt8;
}
bool isFloatType(Oid type) {
    return type == oid::kFloat4 || type == oid::kFloat8;
}
bool isNumberType(Oid type) {
    return isIntegerType(type) || isFloatType(type) || type == oid::kNumeric;
}
bool isTextType(Oid type) {
    return type == oid::kText || type == oid::kVarchar || type == oid::kBpchar || type == oid::kName ||
           type == oid::kUnknown || type == oid::kRegproc || type == oid::kChar || type == oid::kPgNodeTree;
}
bool isInstantType(Oid type) {
    return type == oid::kDate || type == oid::kTimestamp || type == oid::kTimestamptz;
}
bool isOidType(Oid type) {
    return type == oid::kOid || type == oid::kRegclass || type == oid::kRegtype || type == oid::kRegnamespace ||
           type == oid::kRegrole || type == oid::kXid;
}

std::string displayOf(const Typed& typed) {
    const OidFacts* facts = oidFacts(typed.type);
    return facts == nullptr ? "unknown" : facts->display;
}

}  // namespace pelorus::postgres
