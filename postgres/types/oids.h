// The types of PostgreSQL that results and parameters have: numbers, names, sizes, and the type in which the engine
// keeps their values.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "common/type_table.h"

namespace pelorus::postgres {

using Oid = uint32_t;

// The numbers of built-in types, which clients know by heart.
namespace oid {
constexpr Oid kBool = 16, kBytea = 17, kChar = 18, kName = 19, kInt8 = 20, kInt2 = 21, kInt2Vector = 22, kInt4 = 23,
              kRegproc = 24, kText = 25, kOid = 26, kXid = 28, kOidVector = 30, kJson = 114, kPgNodeTree = 194,
              kFloat4 = 700, kFloat8 = 701, kUnknown = 705, kInet = 869, kBoolArray = 1000, kByteaArray = 1001,
              kCharArray = 1002, kNameArray = 1003, kInt2Array = 1005, kInt4Array = 1007, kTextArray = 1009,
              kBpcharArray = 1014, kVarcharArray = 1015, kInt8Array = 1016, kFloat4Array = 1021, kFloat8Array = 1022,
              kOidArray = 1028, kAclItemArray = 1034, kBpchar = 1042, kVarchar = 1043, kDate = 1082, kTime = 1083,
              kTimestamp = 1114, kTimestampArray = 1115, kDateArray = 1182, kTimeArray = 1183, kTimestamptz = 1184,
              kTimestamptzArray = 1185, kInterval = 1186, kNumericArray = 1231, kTimetz = 1266, kNumeric = 1700,
              kRegclass = 2205, kRegtype = 2206, kRecord = 2249, kVoid = 2278, kUuid = 2950, kUuidArray = 2951,
              kJsonb = 3802, kRegnamespace = 4089, kRegrole = 4096;
}  // namespace oid

// The facts of a type.
struct OidFacts {
    Oid oid;
    const char* name;     // of pg_type: int4
    const char* display;  // as format_type shows it: integer
    int16_t length;       // bytes of a value; -1 for variable ones
    char category;        // typcategory: N, S, D, B, T, A, U, X
    Oid element;          // of an array; 0 for others
    Oid array;            // the type of arrays of this one; 0 for none
    Type kept;            // in which the engine keeps a value that no column has given a type of its own
};

// Returns the facts of a type; nullptr for an unknown number.
const OidFacts* oidFacts(Oid type);
// Finds a type by its name in pg_type or by PostgreSQL's other spellings: int, integer, character varying, float8 …
// Names that end in [] are arrays. Returns nullptr when there is none.
const OidFacts* typeByName(std::string_view name);
// All types, in the order of their numbers.
std::span<const OidFacts> allTypes();

// Returns the type as which a column of the engine's type is shown, and its modifier: numeric(p, s) for decimals.
struct ShownType {
    Oid type = oid::kText;
    int32_t modifier = -1;

    bool operator==(const ShownType&) const = default;
};
ShownType shownType(Type kept, int scale);

// Returns how the type is written: numeric(10,2), character varying(5).
std::string formatType(Oid type, int32_t modifier);

// The modifier of numeric(precision, scale), and its parts.
constexpr int32_t numericModifier(int precision, int scale) {
    return ((precision << 16) | scale) + 4;
}
constexpr int numericScale(int32_t modifier) {
    return (modifier - 4) & 0x7FF;
}
constexpr int numericPrecision(int32_t modifier) {
    return ((modifier - 4) >> 16) & 0xFFFF;
}

// The modifier, on our side of the wire alone, of a numeric without a declared scale: each value is shown with the
// digits that it has, without zeros behind the last one. Clients are told -1.
constexpr int32_t kOwnScales = -2;
// Returns the modifier of values that are computed of two, or chosen among them, as one scale for both.
constexpr int32_t jointModifier(int32_t a, int32_t b) {
    return a == b ? a : a == kOwnScales || b == kOwnScales ? kOwnScales : -1;
}

// A column of a result as clients see it. Labels repeat freely.
struct OutputColumn {
    std::string label;
    Oid type = oid::kText;
    int32_t modifier = -1;
    int64_t tableOid = 0;  // 0 for expressions
    int16_t tableColumn = 0;
};

}  // namespace pelorus::postgres
