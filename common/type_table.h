// This table holds the properties of the language's types: id, width, NULL, name, literal suffix, category.
//
// The ids are in files and on the network: append, never renumber.
#pragma once

#include <array>
#include <cfloat>
#include <climits>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace pelorus {

enum class Type : uint8_t {
    Void = 0,
    Bool = 1,
    Char = 2,
    Short = 3,
    Int = 4,
    Long = 5,
    Date = 6,
    Month = 7,
    Time = 8,
    Minute = 9,
    Second = 10,
    DateTime = 11,
    Timestamp = 12,
    NanoTime = 13,
    NanoTimestamp = 14,
    Float = 15,
    Double = 16,
    Symbol = 17,
    String = 18,
    Uuid = 19,
    Function = 20,
    Handle = 21,
    Code = 22,
    DataSource = 23,
    Resource = 24,
    Any = 25,
    Compress = 26,
    Dictionary = 27,
    DateHour = 28,
    DateMinute = 29,
    IpAddr = 30,
    Int128 = 31,
    Blob = 32,
    Decimal = 33,
    Complex = 34,
    Point = 35,
    Duration = 36,
    Decimal32 = 37,
    Decimal64 = 38,
    Decimal128 = 39,
    Object = 40,
    IotAny = 41,  // columns whose cells are scalars of several types
};
constexpr int kTypeCount = 42;
constexpr int kArrayVectorBase = 64;  // type id + 64 is the array vector of that type

enum class Form : uint8_t {
    Scalar = 0,
    Vector = 1,
    Pair = 2,
    Matrix = 3,
    Set = 4,
    Dictionary = 5,
    Table = 6,
    Chart = 7,
    Tensor = 10,
};

enum class Category : uint8_t {
    Nothing,
    Logical,
    Integral,
    Floating,
    Temporal,
    Literal,
    Binary,
    System,
    Mixed,
    Complex,
    Array,
    Denary,
};

// The layout of the values of a type in memory. Kernels are written per storage kind, not per type.
enum class Storage : uint8_t { None, Int8, Int16, Int32, Int64, Float32, Float64, Bytes16, String, Boxed };

struct TypeFacts {
    Type type;
    std::string_view name;
    char suffix;  // suffix of literals; 0 where there is none
    Category category;
    Storage storage;
    uint8_t width;  // bytes of one element in a vector; bytes of the handle for variable-width storage
};

// clang-format off
inline constexpr std::array<TypeFacts, kTypeCount> kTypeTable = {{
    {Type::Void,          "VOID",          0,   Category::Nothing,  Storage::None,    1},
    {Type::Bool,          "BOOL",          'b', Category::Logical,  Storage::Int8,    1},
    {Type::Char,          "CHAR",          'c', Category::Integral, Storage::Int8,    1},
    {Type::Short,         "SHORT",         'h', Category::Integral, Storage::Int16,   2},
    {Type::Int,           "INT",           'i', Category::Integral, Storage::Int32,   4},
    {Type::Long,          "LONG",          'l', Category::Integral, Storage::Int64,   8},
    {Type::Date,          "DATE",          'd', Category::Temporal, Storage::Int32,   4},
    {Type::Month,         "MONTH",         'M', Category::Temporal, Storage::Int32,   4},
    {Type::Time,          "TIME",          't', Category::Temporal, Storage::Int32,   4},
    {Type::Minute,        "MINUTE",        'm', Category::Temporal, Storage::Int32,   4},
    {Type::Second,        "SECOND",        's', Category::Temporal, Storage::Int32,   4},
    {Type::DateTime,      "DATETIME",      'D', Category::Temporal, Storage::Int32,   4},
    {Type::Timestamp,     "TIMESTAMP",     'T', Category::Temporal, Storage::Int64,   8},
    {Type::NanoTime,      "NANOTIME",      'n', Category::Temporal, Storage::Int64,   8},
    {Type::NanoTimestamp, "NANOTIMESTAMP", 'N', Category::Temporal, Storage::Int64,   8},
    {Type::Float,         "FLOAT",         'f', Category::Floating, Storage::Float32, 4},
    {Type::Double,        "DOUBLE",        'F', Category::Floating, Storage::Float64, 8},
    {Type::Symbol,        "SYMBOL",        'S', Category::Literal,  Storage::Int32,   4},
    {Type::String,        "STRING",        'W', Category::Literal,  Storage::String,    8},
    {Type::Uuid,          "UUID",          0,   Category::Binary,   Storage::Bytes16, 16},
    {Type::Function,      "FUNCTIONDEF",   0,   Category::System,   Storage::Boxed,   8},
    {Type::Handle,        "HANDLE",        0,   Category::System,   Storage::Boxed,   8},
    {Type::Code,          "CODE",          0,   Category::System,   Storage::Boxed,   8},
    {Type::DataSource,    "DATASOURCE",    0,   Category::System,   Storage::Boxed,   8},
    {Type::Resource,      "RESOURCE",      0,   Category::System,   Storage::Boxed,   8},
    {Type::Any,           "ANY",           0,   Category::Mixed,    Storage::Boxed,   16},
    {Type::Compress,      "COMPRESS",      0,   Category::Integral, Storage::Int8,    1},
    {Type::Dictionary,    "DICTIONARY",    0,   Category::System,   Storage::Boxed,   8},
    {Type::DateHour,      "DATEHOUR",      0,   Category::Temporal, Storage::Int32,   4},
    {Type::DateMinute,    "DATEMINUTE",    0,   Category::Temporal, Storage::Int32,   4},
    {Type::IpAddr,        "IPADDR",        0,   Category::Binary,   Storage::Bytes16, 16},
    {Type::Int128,        "INT128",        0,   Category::Binary,   Storage::Bytes16, 16},
    {Type::Blob,          "BLOB",          0,   Category::Literal,  Storage::String,    8},
    {Type::Decimal,       "DECIMAL",       0,   Category::Denary,   Storage::None,    0},
    {Type::Complex,       "COMPLEX",       0,   Category::Complex,  Storage::Bytes16, 16},
    {Type::Point,         "POINT",         0,   Category::Complex,  Storage::Bytes16, 16},
    {Type::Duration,      "DURATION",      0,   Category::System,   Storage::Int64,   8},
    {Type::Decimal32,     "DECIMAL32",     0,   Category::Denary,   Storage::Int32,   4},
    {Type::Decimal64,     "DECIMAL64",     'P', Category::Denary,   Storage::Int64,   8},
    {Type::Decimal128,    "DECIMAL128",    0,   Category::Denary,   Storage::Bytes16, 16},
    {Type::Object,        "OBJECT",        0,   Category::System,   Storage::Boxed,   8},
    {Type::IotAny,        "IOTANY",        0,   Category::Mixed,    Storage::Boxed,   16},
}};
// clang-format on

// INT[] and other array types: their entries, made from the table above.
namespace array_types {
struct Names {
    char string[kTypeCount][20] = {};
    size_t length[kTypeCount] = {};
};
constexpr Names makeNames() {
    Names names;
    for (size_t i = 0; i < kTypeCount; ++i) {
        std::string_view base = kTypeTable[i].name;
        for (size_t k = 0; k < base.size(); ++k) names.string[i][k] = base[k];
        names.string[i][base.size()] = '[';
        names.string[i][base.size() + 1] = ']';
        names.length[i] = base.size() + 2;
    }
    return names;
}
inline constexpr Names kNames = makeNames();
// The table by id: the one above, and from kArrayVectorBase on the array vectors. Its size is a power of two, so that
// an index is masked.
constexpr std::array<TypeFacts, 128> makeTable() {
    std::array<TypeFacts, 128> table = {};
    for (size_t i = 0; i < kTypeCount; ++i) {
        table[i] = kTypeTable[i];
        table[i + kArrayVectorBase] = {static_cast<Type>(i + kArrayVectorBase),
                                       std::string_view(kNames.string[i], kNames.length[i]),
                                       0,
                                       Category::Array,
                                       Storage::Boxed,
                                       16};
    }
    return table;
}
inline constexpr std::array<TypeFacts, 128> kTable = makeTable();
}  // namespace array_types

constexpr const TypeFacts& facts(Type type) {
    return array_types::kTable[static_cast<size_t>(type) & 127];
}
constexpr std::string_view typeName(Type type) {
    return facts(type).name;
}
constexpr Category categoryOf(Type type) {
    return facts(type).category;
}
constexpr Storage storageOf(Type type) {
    return facts(type).storage;
}
constexpr int widthOf(Type type) {
    return facts(type).width;
}

constexpr bool isTemporal(Type type) {
    return categoryOf(type) == Category::Temporal;
}
constexpr bool isIntegral(Type type) {
    return categoryOf(type) == Category::Integral;
}
constexpr bool isFloating(Type type) {
    return categoryOf(type) == Category::Floating;
}
constexpr bool isLiteral(Type type) {
    return categoryOf(type) == Category::Literal;
}
constexpr bool isDecimal(Type type) {
    return categoryOf(type) == Category::Denary;
}
// The type of an array vector is kArrayVectorBase + the type of its elements.
constexpr bool isArrayType(Type type) {
    return static_cast<int>(type) >= kArrayVectorBase;
}
constexpr Type arrayTypeOf(Type elements) {
    return static_cast<Type>(static_cast<int>(elements) + kArrayVectorBase);
}
constexpr Type elementTypeOf(Type array) {
    return isArrayType(array) ? static_cast<Type>(static_cast<int>(array) - kArrayVectorBase) : array;
}
// Returns whether array vectors may have elements of the type: they have a fixed width.
constexpr bool canBeInArrayVector(Type type) {
    const Category c = categoryOf(type);
    return c == Category::Logical || (c == Category::Integral && type != Type::Compress) || c == Category::Floating ||
           c == Category::Temporal || c == Category::Denary || c == Category::Binary || c == Category::Complex;
}
// Returns whether the type is a number; BOOL is one, and true is 1.
constexpr bool isNumeric(Type type) {
    return isIntegral(type) || isFloating(type) || type == Type::Bool;
}

// The NULL of a storage type: an in-band value, the minimum of the type. A NaN is not a NULL.
template <class T>
inline constexpr T null = std::numeric_limits<T>::min();
template <>
inline constexpr __int128 null<__int128> = static_cast<__int128>(static_cast<unsigned __int128>(1) << 127);
template <>
inline constexpr float null<float> = -FLT_MAX;
template <>
inline constexpr double null<double> = -DBL_MAX;

template <class T>
constexpr bool isNull(T x) {
    return x == null<T>;
}

// Units of DURATION values. In files and on the network: append, never renumber.
enum class DurationUnit : int32_t {
    Nanosecond,
    Microsecond,
    Millisecond,
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Year,
    BusinessDay
};

// Sets `type` to the type with this name, in any case, such as DATE, `date` or `INT[]`; returns false when there is
// none.
bool typeByName(std::string_view name, Type& type);

// A type as scripts name it: decimals have a scale.
struct TypeSpec {
    Type type = Type::Void;
    uint8_t scale = 0;
};
// Sets `spec` as typeByName does, for DECIMAL32(4) and DECIMAL64(2)[] too; returns false also for a scale out of range.
bool typeSpecByName(std::string_view name, TypeSpec& spec);
// Returns the integer that denotes a type in scripts: its id, with scale + 1 above bit 16 for decimals that name one.
constexpr int32_t typeConstant(Type type, int scale) {
    return static_cast<int32_t>(type) | (scale + 1) << 16;
}
// Sets `spec` to the type that such an integer denotes, and `hasScale` to whether it names a scale; returns false when
// there is none.
bool typeByConstant(int64_t constant, TypeSpec& spec, bool* hasScale = nullptr);
// Returns the largest scale of a decimal type.
constexpr int maxScale(Type type) {
    return type == Type::Decimal32 ? 9 : type == Type::Decimal64 ? 18 : 38;
}
// Returns the name of a type with its scale: DECIMAL32(4), INT[], DATE.
std::string typeString(Type type, uint8_t scale);

}  // namespace pelorus
