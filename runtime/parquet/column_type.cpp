#include "runtime/parquet/column_type.h"

#include <fmt/format.h>

#include <array>

#include "common/error.h"

namespace pelorus::parquet_file {

namespace {

constexpr int kUuidBytes = 16;
constexpr int kFloat16Bytes = 2;

Type plainType(const Column& column) {
    switch (column.physical) {
        case Physical::Bool:
            return Type::Bool;
        case Physical::Int32:
            return Type::Int;
        case Physical::Int64:
            return Type::Long;
        case Physical::Int96:
            return Type::NanoTimestamp;
        case Physical::Float:
            return Type::Float;
        case Physical::Double:
            return Type::Double;
        case Physical::Bytes:
        case Physical::FixedBytes:
            return Type::String;
    }
    return Type::Void;
}

TypeSpec decimalType(const Column& column, std::string& obstacle) {
    const int digits = column.precision;
    const bool isStoredSo = column.physical == Physical::Int32 || column.physical == Physical::Int64 ||
                            column.physical == Physical::Bytes || column.physical == Physical::FixedBytes;
    if (!isStoredSo || digits < 1 || digits > 38 || column.scale < 0 || column.scale > digits) {
        obstacle = fmt::format("a decimal of {} digits, {} of them after the point", digits, column.scale);
        return {};
    }
    const Type type = digits <= 9 ? Type::Decimal32 : digits <= 18 ? Type::Decimal64 : Type::Decimal128;
    return {type, static_cast<uint8_t>(column.scale)};
}

TypeSpec flatType(const Column& column, std::string& obstacle) {
    switch (column.logical) {
        case Logical::String:
        case Logical::Json:
            return {Type::String};
        case Logical::Enum:
            return {Type::Symbol};
        case Logical::Bson:
            return {Type::Blob};
        case Logical::Uuid:
            return {column.byteWidth == kUuidBytes ? Type::Uuid : Type::String};
        case Logical::Float16:
            return {column.byteWidth == kFloat16Bytes ? Type::Float : Type::String};
        case Logical::Decimal:
            return decimalType(column, obstacle);
        case Logical::Date:
            return {Type::Date};
        case Logical::TimeMillis:
            return {Type::Time};
        case Logical::TimeMicros:
        case Logical::TimeNanos:
            return {Type::NanoTime};
        case Logical::TimestampMillis:
            return {Type::Timestamp};
        case Logical::TimestampMicros:
        case Logical::TimestampNanos:
            return {Type::NanoTimestamp};
        case Logical::Int8:
            return {Type::Char};
        case Logical::UInt8:
        case Logical::Int16:
            return {Type::Short};
        case Logical::UInt16:
        case Logical::Int32:
            return {Type::Int};
        case Logical::UInt32:
        case Logical::Int64:
        case Logical::UInt64:
            return {Type::Long};
        case Logical::Other:
            // Bytes are what they are, such as the shapes of GeoParquet.
            if (column.physical == Physical::Bytes) return {Type::Blob};
            obstacle = "of a meaning that is not known here";
            return {};
        case Logical::None:
        case Logical::Null:
            return {plainType(column)};
    }
    return {};
}

}  // namespace

TypeSpec typeOf(const Column& column, std::string& obstacle) {
    if (!column.obstacle.empty()) {
        obstacle = column.obstacle;
        return {};
    }
    const TypeSpec flat = flatType(column, obstacle);
    if (!obstacle.empty() || column.maxRepetition == 0) return flat;
    if (!canBeInArrayVector(flat.type)) {
        obstacle = fmt::format("a list of {}", typeName(flat.type));
        return {};
    }
    return {arrayTypeOf(flat.type), flat.scale};
}

bool canRestore(TypeSpec read, TypeSpec wanted) {
    if (isArrayType(read.type) != isArrayType(wanted.type)) return false;
    const Type from = elementTypeOf(read.type), to = elementTypeOf(wanted.type);
    if (from == to) return read.scale == wanted.scale;
    switch (to) {
        case Type::Symbol:
        case Type::Blob:
            return from == Type::String;
        case Type::Month:
            return from == Type::Date;
        case Type::Minute:
        case Type::Second:
            return from == Type::Time;
        case Type::DateTime:
        case Type::DateHour:
        case Type::DateMinute:
            return from == Type::Timestamp;
        case Type::Int128:
        case Type::IpAddr:
        case Type::Complex:
        case Type::Point:
            return from == Type::Uuid;
        default:
            return false;
    }
}

Column storedAs(std::string_view name, TypeSpec spec) {
    Column column;
    column.name = name;
    column.maxDefinition = 1;
    if (isArrayType(spec.type)) {
        column.maxDefinition = 3;
        column.maxRepetition = 1;
    }
    const auto as = [&](Physical physical, Logical logical = Logical::None, int width = 0) {
        column.physical = physical;
        column.logical = logical;
        column.byteWidth = width;
        return column;
    };
    const auto decimal = [&](Physical physical, int digits, int width = 0) {
        column.precision = digits;
        column.scale = spec.scale;
        return as(physical, Logical::Decimal, width);
    };
    switch (elementTypeOf(spec.type)) {
        case Type::Bool:
            return as(Physical::Bool);
        case Type::Char:
            return as(Physical::Int32, Logical::Int8);
        case Type::Short:
            return as(Physical::Int32, Logical::Int16);
        case Type::Int:
            return as(Physical::Int32);
        case Type::Long:
            return as(Physical::Int64);
        case Type::Date:
        case Type::Month:
            return as(Physical::Int32, Logical::Date);
        case Type::Time:
        case Type::Minute:
        case Type::Second:
            return as(Physical::Int32, Logical::TimeMillis);
        case Type::NanoTime:
            return as(Physical::Int64, Logical::TimeNanos);
        case Type::DateTime:
        case Type::DateHour:
        case Type::DateMinute:
        case Type::Timestamp:
            return as(Physical::Int64, Logical::TimestampMillis);
        case Type::NanoTimestamp:
            return as(Physical::Int64, Logical::TimestampNanos);
        case Type::Float:
            return as(Physical::Float);
        case Type::Double:
            return as(Physical::Double);
        case Type::Symbol:
        case Type::String:
            return as(Physical::Bytes, Logical::String);
        case Type::Blob:
            return as(Physical::Bytes);
        case Type::Uuid:
        case Type::Int128:
        case Type::IpAddr:
        case Type::Complex:
        case Type::Point:
            return as(Physical::FixedBytes, Logical::Uuid, kUuidBytes);
        case Type::Decimal32:
            return decimal(Physical::Int32, 9);
        case Type::Decimal64:
            return decimal(Physical::Int64, 18);
        case Type::Decimal128:
            return decimal(Physical::FixedBytes, 38, kUuidBytes);
        default:
            throw UserError(fmt::format("The column {} is of type {}, which no Parquet file can hold.", name,
                                        typeString(spec.type, spec.scale)),
                            "Leave it out, or convert it to STRING first.");
    }
}

}  // namespace pelorus::parquet_file
