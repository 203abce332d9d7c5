#include "postgres/types/oids.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace pelorus::postgres {

namespace {

// Sorted by number.
constexpr OidFacts kTypes[] = {
    {oid::kBool, "bool", "boolean", 1, 'B', 0, oid::kBoolArray, Type::Bool},
    {oid::kBytea, "bytea", "bytea", -1, 'U', 0, oid::kByteaArray, Type::Blob},
    {oid::kChar, "char", "\"char\"", 1, 'Z', 0, oid::kCharArray, Type::String},
    {oid::kName, "name", "name", 64, 'S', 0, oid::kNameArray, Type::String},
    {oid::kInt8, "int8", "bigint", 8, 'N', 0, oid::kInt8Array, Type::Long},
    {oid::kInt2, "int2", "smallint", 2, 'N', 0, oid::kInt2Array, Type::Short},
    {oid::kInt2Vector, "int2vector", "int2vector", -1, 'A', oid::kInt2, 0, Type::String},
    {oid::kInt4, "int4", "integer", 4, 'N', 0, oid::kInt4Array, Type::Int},
    {oid::kRegproc, "regproc", "regproc", 4, 'N', 0, 0, Type::String},
    {oid::kText, "text", "text", -1, 'S', 0, oid::kTextArray, Type::String},
    {oid::kOid, "oid", "oid", 4, 'N', 0, oid::kOidArray, Type::Long},
    {oid::kXid, "xid", "xid", 4, 'U', 0, 0, Type::Long},
    {oid::kOidVector, "oidvector", "oidvector", -1, 'A', oid::kOid, 0, Type::String},
    {oid::kJson, "json", "json", -1, 'U', 0, 0, Type::String},
    {oid::kPgNodeTree, "pg_node_tree", "pg_node_tree", -1, 'Z', 0, 0, Type::String},
    {oid::kFloat4, "float4", "real", 4, 'N', 0, oid::kFloat4Array, Type::Float},
    {oid::kFloat8, "float8", "double precision", 8, 'N', 0, oid::kFloat8Array, Type::Double},
    {oid::kUnknown, "unknown", "unknown", -2, 'X', 0, 0, Type::String},
    {oid::kInet, "inet", "inet", -1, 'I', 0, 0, Type::String},
    {oid::kBoolArray, "_bool", "boolean[]", -1, 'A', oid::kBool, 0, Type::String},
    {oid::kByteaArray, "_bytea", "bytea[]", -1, 'A', oid::kBytea, 0, Type::String},
    {oid::kCharArray, "_char", "\"char\"[]", -1, 'A', oid::kChar, 0, Type::String},
    {oid::kNameArray, "_name", "name[]", -1, 'A', oid::kName, 0, Type::String},
    {oid::kInt2Array, "_int2", "smallint[]", -1, 'A', oid::kInt2, 0, Type::String},
    {oid::kInt4Array, "_int4", "integer[]", -1, 'A', oid::kInt4, 0, Type::String},
    {oid::kTextArray, "_text", "text[]", -1, 'A', oid::kText, 0, Type::String},
    {oid::kBpcharArray, "_bpchar", "character[]", -1, 'A', oid::kBpchar, 0, Type::String},
    {oid::kVarcharArray, "_varchar", "character varying[]", -1, 'A', oid::kVarchar, 0, Type::String},
    {oid::kInt8Array, "_int8", "bigint[]", -1, 'A', oid::kInt8, 0, Type::String},
    {oid::kFloat4Array, "_float4", "real[]", -1, 'A', oid::kFloat4, 0, Type::String},
    {oid::kFloat8Array, "_float8", "double precision[]", -1, 'A', oid::kFloat8, 0, Type::String},
    {oid::kOidArray, "_oid", "oid[]", -1, 'A', oid::kOid, 0, Type::String},
    {oid::kAclItemArray, "_aclitem", "aclitem[]", -1, 'A', 0, 0, Type::String},
    {oid::kBpchar, "bpchar", "character", -1, 'S', 0, oid::kBpcharArray, Type::String},
    {oid::kVarchar, "varchar", "character varying", -1, 'S', 0, oid::kVarcharArray, Type::String},
    {oid::kDate, "date", "date", 4, 'D', 0, oid::kDateArray, Type::Date},
    {oid::kTime, "time", "time without time zone", 8, 'D', 0, oid::kTimeArray, Type::NanoTime},
    {oid::kTimestamp, "timestamp", "timestamp without time zone", 8, 'D', 0, oid::kTimestampArray, Type::NanoTimestamp},
    {oid::kTimestampArray, "_timestamp", "timestamp without time zone[]", -1, 'A', oid::kTimestamp, 0, Type::String},
    {oid::kDateArray, "_date", "date[]", -1, 'A', oid::kDate, 0, Type::String},
    {oid::kTimeArray, "_time", "time without time zone[]", -1, 'A', oid::kTime, 0, Type::String},
    {oid::kTimestamptz, "timestamptz", "timestamp with time zone", 8, 'D', 0, oid::kTimestamptzArray,
     Type::NanoTimestamp},
    {oid::kTimestamptzArray, "_timestamptz", "timestamp with time zone[]", -1, 'A', oid::kTimestamptz, 0, Type::String},
    {oid::kInterval, "interval", "interval", 16, 'T', 0, 0, Type::Int128},
    {oid::kNumericArray, "_numeric", "numeric[]", -1, 'A', oid::kNumeric, 0, Type::String},
    {oid::kTimetz, "timetz", "time with time zone", 12, 'D', 0, 0, Type::NanoTime},
    {oid::kNumeric, "numeric", "numeric", -1, 'N', 0, oid::kNumericArray, Type::Decimal128},
    {oid::kRegclass, "regclass", "regclass", 4, 'N', 0, 0, Type::Long},
    {oid::kRegtype, "regtype", "regtype", 4, 'N', 0, 0, Type::Long},
    {oid::kRecord, "record", "record", -1, 'P', 0, 0, Type::String},
    {oid::kVoid, "void", "void", 4, 'P', 0, 0, Type::String},
    {oid::kUuid, "uuid", "uuid", 16, 'U', 0, oid::kUuidArray, Type::Uuid},
    {oid::kUuidArray, "_uuid", "uuid[]", -1, 'A', oid::kUuid, 0, Type::String},
    {oid::kJsonb, "jsonb", "jsonb", -1, 'U', 0, 0, Type::String},
    {oid::kRegnamespace, "regnamespace", "regnamespace", 4, 'N', 0, 0, Type::Long},
    {oid::kRegrole, "regrole", "regrole", 4, 'N', 0, 0, Type::Long},
};

// Spellings that the grammar has already made pg_type's are here too, since casts of texts and regtype take them.
struct Spelling {
    std::string_view written;
    Oid type;
};
constexpr Spelling kSpellings[] = {
    {"boolean", oid::kBool},
    {"smallint", oid::kInt2},
    {"int", oid::kInt4},
    {"integer", oid::kInt4},
    {"bigint", oid::kInt8},
    {"real", oid::kFloat4},
    {"double precision", oid::kFloat8},
    {"double", oid::kFloat8},
    {"decimal", oid::kNumeric},
    {"dec", oid::kNumeric},
    {"character varying", oid::kVarchar},
    {"character", oid::kBpchar},
    {"string", oid::kText},
    {"timestamp without time zone", oid::kTimestamp},
    {"timestamp with time zone", oid::kTimestamptz},
    {"time without time zone", oid::kTime},
    {"time with time zone", oid::kTimetz},
    {"serial", oid::kInt4},
    {"bigserial", oid::kInt8},
    {"serial8", oid::kInt8},
    {"serial4", oid::kInt4},
};

}  // namespace

std::span<const OidFacts> allTypes() {
    return kTypes;
}

const OidFacts* oidFacts(Oid type) {
    const auto* found = std::lower_bound(std::begin(kTypes), std::end(kTypes), type,
                                         [](const OidFacts& facts, Oid wanted) { return facts.oid < wanted; });
    return found != std::end(kTypes) && found->oid == type ? found : nullptr;
}

const OidFacts* typeByName(std::string_view name) {
    if (name.ends_with("[]")) {
        const OidFacts* element = typeByName(name.substr(0, name.size() - 2));
        return element == nullptr || element->array == 0 ? nullptr : oidFacts(element->array);
    }
    for (const Spelling& spelling : kSpellings)
        if (spelling.written == name) return oidFacts(spelling.type);
    for (const OidFacts& facts : kTypes)
        if (facts.name == name) return &facts;
    return nullptr;
}

ShownType shownType(Type kept, int scale) {
    switch (kept) {
        case Type::Bool:
            return {oid::kBool};
        case Type::Char:
        case Type::Short:
            return {oid::kInt2};
        case Type::Int:
            return {oid::kInt4};
        case Type::Long:
            return {oid::kInt8};
        case Type::Float:
            return {oid::kFloat4};
        case Type::Double:
            return {oid::kFloat8};
        case Type::Decimal32:
            return {oid::kNumeric, numericModifier(9, scale)};
        case Type::Decimal64:
            return {oid::kNumeric, numericModifier(18, scale)};
        case Type::Decimal128:
            return {oid::kNumeric, numericModifier(38, scale)};
        case Type::Date:
        case Type::Month:
            return {oid::kDate};
        case Type::Time:
        case Type::Minute:
        case Type::Second:
        case Type::NanoTime:
            return {oid::kTime};
        case Type::DateTime:
        case Type::DateHour:
        case Type::Timestamp:
        case Type::NanoTimestamp:
            return {oid::kTimestamp};
        case Type::Uuid:
            return {oid::kUuid};
        case Type::Blob:
            return {oid::kBytea};
        default:
            break;
    }
    if (!isArrayType(kept)) return {oid::kText};
    const ShownType element = shownType(elementTypeOf(kept), scale);
    const OidFacts* facts = oidFacts(element.type);
    return {facts->array != 0 ? facts->array : oid::kTextArray, element.modifier};
}

std::string formatType(Oid type, int32_t modifier) {
    const OidFacts* facts = oidFacts(type);
    if (facts == nullptr) return "???";
    if (modifier < 0) return facts->display;
    if (type == oid::kNumeric) return fmt::format("numeric({},{})", numericPrecision(modifier), numericScale(modifier));
    if (type == oid::kVarchar || type == oid::kBpchar) return fmt::format("{}({})", facts->display, modifier - 4);
    return facts->display;
}

}  // namespace pelorus::postgres
