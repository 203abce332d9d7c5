#include "runtime/arrow/arrow_schema.h"

#include <fmt/format.h>

#include "common/error.h"

namespace pelorus::arrow {

namespace {

constexpr size_t kMaxFields = 1'000'000;

// ---- To messages. The numbers of fields are those of Arrow's Schema.fbs.

std::vector<FlatBuilder> encodePairs(const std::vector<std::pair<std::string, std::string>>& pairs) {
    std::vector<FlatBuilder> tables;
    for (const auto& [key, value] : pairs) {
        FlatBuilder& table = tables.emplace_back();
        table.addText(0, key);
        table.addText(1, value);
    }
    return tables;
}

FlatBuilder encodeInt(int bits, bool isSigned) {
    FlatBuilder type;
    type.add(0, static_cast<int32_t>(bits));
    type.add(1, static_cast<uint8_t>(isSigned));
    return type;
}

FlatBuilder encodeType(const ArrowField& field) {
    FlatBuilder type;
    switch (field.type) {
        case ArrowType::Int:
            return encodeInt(field.bitWidth, field.isSigned);
        case ArrowType::Float:
            type.add(0, static_cast<int16_t>(field.bitWidth == 16 ? 0 : field.bitWidth == 32 ? 1 : 2));
            break;
        case ArrowType::Decimal:
            type.add(0, static_cast<int32_t>(field.precision));
            type.add(1, static_cast<int32_t>(field.scale));
            type.add(2, static_cast<int32_t>(field.bitWidth));
            break;
        case ArrowType::Date:
            type.add(0, static_cast<int16_t>(field.bitWidth == 32 ? 0 : 1));
            break;
        case ArrowType::Time:
            type.add(0, static_cast<int16_t>(field.unit));
            type.add(1, static_cast<int32_t>(field.bitWidth));
            break;
        case ArrowType::Timestamp:
            type.add(0, static_cast<int16_t>(field.unit));
            if (!field.zone.empty()) type.addText(1, field.zone);
            break;
        case ArrowType::FixedBinary:
            type.add(0, static_cast<int32_t>(field.fixedSize));
            break;
        default:
            break;
    }
    return type;
}

FlatBuilder encodeField(const ArrowField& field) {
    FlatBuilder table;
    table.addText(0, field.name);
    table.add(1, uint8_t{1});  // may be NULL
    table.add(2, static_cast<uint8_t>(field.type));
    table.addTable(3, encodeType(field));
    if (field.dictionary) {
        FlatBuilder dictionary;
        dictionary.add(0, field.dictionary->id);
        dictionary.addTable(1, encodeInt(field.dictionary->indexBits, field.dictionary->isSigned));
        table.addTable(4, std::move(dictionary));
    }
    std::vector<FlatBuilder> children;
    for (const ArrowField& child : field.children) children.push_back(encodeField(child));
    table.addTables(5, std::move(children));
    if (!field.metadata.empty()) table.addTables(6, encodePairs(field.metadata));
    return table;
}

// ---- From messages.

std::vector<std::pair<std::string, std::string>> decodePairs(const FlatView& table, int field) {
    std::vector<std::pair<std::string, std::string>> pairs;
    for (size_t i = 0; i < table.tableCount(field); ++i) {
        const FlatView pair = table.tableAt(field, i);
        pairs.emplace_back(pair.text(0), pair.text(1));
    }
    return pairs;
}

ArrowUnit unitOf(int16_t number) {
    if (number < 0 || number > 3) refuseArrow("a time has no unit that is known");
    return static_cast<ArrowUnit>(number);
}

void decodeType(const FlatView& type, ArrowField& field) {
    switch (field.type) {
        case ArrowType::Int:
            field.bitWidth = type.number<int32_t>(0, 0);
            field.isSigned = type.number<uint8_t>(1, 0) != 0;
            break;
        case ArrowType::Float: {
            const auto precision = type.number<int16_t>(0, 0);
            field.bitWidth = precision == 0 ? 16 : precision == 1 ? 32 : 64;
            break;
        }
        case ArrowType::Decimal:
            field.precision = type.number<int32_t>(0, 0);
            field.scale = type.number<int32_t>(1, 0);
            field.bitWidth = type.number<int32_t>(2, 128);
            break;
        case ArrowType::Date:
            field.bitWidth = type.number<int16_t>(0, 1) == 0 ? 32 : 64;
            break;
        case ArrowType::Time:
            field.unit = unitOf(type.number<int16_t>(0, 1));
            field.bitWidth = type.number<int32_t>(1, 32);
            break;
        case ArrowType::Timestamp:
            field.unit = unitOf(type.number<int16_t>(0, 0));
            field.zone = type.text(1);
            break;
        case ArrowType::FixedBinary:
        case ArrowType::FixedList:
            field.fixedSize = type.number<int32_t>(0, 0);
            if (field.fixedSize < 0) refuseArrow("a fixed size is negative");
            break;
        default:
            break;
    }
}

ArrowField decodeField(const FlatView& table, int depth) {
    if (depth > kMaxDepth) refuseArrow("its types are nested too deeply");
    ArrowField field;
    field.name = table.text(0);
    field.type = static_cast<ArrowType>(table.number<uint8_t>(2, 0));
    if (table.has(3)) decodeType(table.table(3), field);
    if (table.has(4)) {
        const FlatView dictionary = table.table(4);
        ArrowField::Dictionary encoding;
        encoding.id = dictionary.number<int64_t>(0, 0);
        if (dictionary.has(1)) {
            encoding.indexBits = dictionary.table(1).number<int32_t>(0, 0);
            encoding.isSigned = dictionary.table(1).number<uint8_t>(1, 0) != 0;
        }
        field.dictionary = encoding;
    }
    const size_t children = table.tableCount(5);
    for (size_t i = 0; i < children; ++i) field.children.push_back(decodeField(table.tableAt(5, i), depth + 1));
    field.metadata = decodePairs(table, 6);
    return field;
}

// ---- Types.

TypeSpec integerType(const ArrowField& field, std::string& obstacle) {
    const bool isSigned = field.isSigned;
    switch (field.bitWidth) {
        case 8:
            return {isSigned ? Type::Char : Type::Short};
        case 16:
            return {isSigned ? Type::Short : Type::Int};
        case 32:
            return {isSigned ? Type::Int : Type::Long};
        case 64:
            return {Type::Long};
        default:
            obstacle = fmt::format("an integer of {} bits", field.bitWidth);
            return {};
    }
}

TypeSpec decimalType(const ArrowField& field, std::string& obstacle) {
    const bool isKnown = field.bitWidth == 32 || field.bitWidth == 64 || field.bitWidth == 128;
    if (!isKnown || field.precision < 1 || field.precision > 38 || field.scale < 0 || field.scale > field.precision) {
        obstacle = fmt::format("a decimal of {} digits, {} of them after the point, in {} bits", field.precision,
                               field.scale, field.bitWidth);
        return {};
    }
    const Type type = field.precision <= 9    ? Type::Decimal32
                      : field.precision <= 18 ? Type::Decimal64
                                              : Type::Decimal128;
    return {type, static_cast<uint8_t>(field.scale)};
}

TypeSpec plainType(const ArrowField& field, std::string& obstacle) {
    switch (field.type) {
        case ArrowType::Null:
            return {Type::String};
        case ArrowType::Bool:
            return {Type::Bool};
        case ArrowType::Int:
            return integerType(field, obstacle);
        case ArrowType::Float:
            return {field.bitWidth == 64 ? Type::Double : Type::Float};
        case ArrowType::Utf8:
        case ArrowType::LargeUtf8:
            return {field.dictionary ? Type::Symbol : Type::String};
        case ArrowType::Binary:
        case ArrowType::LargeBinary:
            return {Type::Blob};
        case ArrowType::FixedBinary:
            return {field.fixedSize == 16 ? Type::Uuid : Type::Blob};
        case ArrowType::Decimal:
            return decimalType(field, obstacle);
        case ArrowType::Date:
            return {field.bitWidth == 32 ? Type::Date : Type::Timestamp};
        case ArrowType::Time:
            if (field.bitWidth != 32 && field.bitWidth != 64) obstacle = "a time of a width that is not known";
            if (field.bitWidth == 32) return {field.unit == ArrowUnit::Second ? Type::Second : Type::Time};
            return {Type::NanoTime};
        case ArrowType::Timestamp:
            // DATETIME ends in 2038: seconds become TIMESTAMP.
            return {field.unit <= ArrowUnit::Milli ? Type::Timestamp : Type::NanoTimestamp};
        case ArrowType::Struct:
            obstacle = "a struct";
            return {};
        case ArrowType::Map:
            obstacle = "a map";
            return {};
        case ArrowType::Union:
            obstacle = "a union";
            return {};
        case ArrowType::Duration:
        case ArrowType::Interval:
            obstacle = "a duration";
            return {};
        case ArrowType::List:
        case ArrowType::LargeList:
        case ArrowType::FixedList:
            obstacle = "a list";
            return {};
        default:
            obstacle =
                fmt::format("a value of the type {} of Arrow, which is not known here", static_cast<int>(field.type));
            return {};
    }
}

bool canRestore(Type read, Type wanted) {
    switch (wanted) {
        case Type::Month:
            return read == Type::Date;
        case Type::Minute:
            return read == Type::Second;
        case Type::DateTime:
        case Type::DateHour:
        case Type::DateMinute:
            return read == Type::Timestamp;
        case Type::Int128:
        case Type::Complex:
        case Type::Point:
            return read == Type::Uuid;
        case Type::Symbol:
        case Type::Blob:
        case Type::IpAddr:
            return read == Type::String;
        case Type::Decimal32:
        case Type::Decimal64:
            return read == Type::Decimal128;
        default:
            return false;
    }
}

// Returns the type of the elements that the metadata of a column which was written here names, else `read`.
TypeSpec restored(const ArrowField& field, TypeSpec read) {
    for (const auto& [key, value] : field.metadata) {
        TypeSpec spec;
        if (key != kTypeKey || !typeSpecByName(value, spec)) continue;
        spec.type = elementTypeOf(spec.type);
        if (canRestore(read.type, spec.type) && (!isDecimal(spec.type) || spec.scale == read.scale)) return spec;
    }
    return read;
}

}  // namespace

size_t elementBytes(const ArrowField& field) {
    switch (field.type) {
        case ArrowType::Int:
        case ArrowType::Float:
        case ArrowType::Decimal:
        case ArrowType::Date:
        case ArrowType::Time:
            return static_cast<size_t>(field.bitWidth) / 8;
        case ArrowType::Timestamp:
            return 8;
        case ArrowType::FixedBinary:
            return static_cast<size_t>(field.fixedSize);
        default:
            return 0;
    }
}

FlatBuilder encodeSchema(const ArrowSchema& schema) {
    FlatBuilder table;
    table.add(0, int16_t{0});  // little-endian
    std::vector<FlatBuilder> fields;
    for (const ArrowField& field : schema.fields) fields.push_back(encodeField(field));
    table.addTables(1, std::move(fields));
    if (!schema.metadata.empty()) table.addTables(2, encodePairs(schema.metadata));
    return table;
}

ArrowSchema decodeSchema(const FlatView& table) {
    if (table.number<int16_t>(0, 0) != 0)
        throw DamagedArrow("The Arrow data are big-endian, which no processor that this runs on writes.");
    ArrowSchema schema;
    const size_t count = table.tableCount(1);
    if (count > kMaxFields) refuseArrow("it has more than a million columns");
    for (size_t i = 0; i < count; ++i) schema.fields.push_back(decodeField(table.tableAt(1, i), 0));
    schema.metadata = decodePairs(table, 2);
    return schema;
}

TypeSpec typeOf(const ArrowField& field, std::string& obstacle) {
    const bool isList =
        field.type == ArrowType::List || field.type == ArrowType::LargeList || field.type == ArrowType::FixedList;
    if (!isList) {
        const TypeSpec read = plainType(field, obstacle);
        const bool isText = field.type == ArrowType::Utf8 || field.type == ArrowType::LargeUtf8;
        if (obstacle.empty() && field.dictionary && !isText) obstacle = "a dictionary of values other than strings";
        return obstacle.empty() ? restored(field, read) : read;
    }
    if (field.children.size() != 1 || field.dictionary) {
        obstacle = "a list of no type that is known";
        return {};
    }
    const ArrowField& child = field.children[0];
    const TypeSpec read = plainType(child, obstacle);
    if (!obstacle.empty() || child.dictionary || !canBeInArrayVector(read.type)) {
        obstacle = "a list of " + (obstacle.empty() ? std::string(typeName(read.type)) : obstacle);
        return {};
    }
    const TypeSpec elements = restored(field, read);
    return {arrayTypeOf(elements.type), elements.scale};
}

ArrowField fieldOf(const ColumnSchema& column, int64_t dictionaryId, SymbolForm symbols) {
    ArrowField field;
    field.name = column.name;
    if (isArrayType(column.type)) {
        field.type = ArrowType::List;
        ColumnSchema elements = column;
        elements.type = elementTypeOf(column.type);
        elements.name = "item";
        field.children.push_back(fieldOf(elements, dictionaryId, SymbolForm::Text));
        field.metadata = std::move(field.children[0].metadata);
        field.children[0].metadata.clear();
        return field;
    }
    const auto as = [&](ArrowType type, int bits = 0, ArrowUnit unit = ArrowUnit::Second) {
        field.type = type;
        field.bitWidth = bits;
        field.unit = unit;
        return field;
    };
    const auto keepingType = [&](ArrowType type, int bits = 0, ArrowUnit unit = ArrowUnit::Second) {
        field.metadata.emplace_back(kTypeKey, typeString(column.type, column.scale));
        return as(type, bits, unit);
    };
    switch (column.type) {
        case Type::Bool:
            return as(ArrowType::Bool);
        case Type::Char:
            return as(ArrowType::Int, 8);
        case Type::Short:
            return as(ArrowType::Int, 16);
        case Type::Int:
            return as(ArrowType::Int, 32);
        case Type::Long:
            return as(ArrowType::Int, 64);
        case Type::Float:
            return as(ArrowType::Float, 32);
        case Type::Double:
            return as(ArrowType::Float, 64);
        case Type::Date:
            return as(ArrowType::Date, 32);
        case Type::Month:
            return keepingType(ArrowType::Date, 32);
        case Type::Time:
            return as(ArrowType::Time, 32, ArrowUnit::Milli);
        case Type::Minute:
            return keepingType(ArrowType::Time, 32, ArrowUnit::Second);
        case Type::Second:
            return as(ArrowType::Time, 32, ArrowUnit::Second);
        case Type::NanoTime:
            return as(ArrowType::Time, 64, ArrowUnit::Nano);
        case Type::DateTime:
        case Type::DateHour:
        case Type::DateMinute:
            return keepingType(ArrowType::Timestamp, 64, ArrowUnit::Second);
        case Type::Timestamp:
            return as(ArrowType::Timestamp, 64, ArrowUnit::Milli);
        case Type::NanoTimestamp:
            return as(ArrowType::Timestamp, 64, ArrowUnit::Nano);
        case Type::Symbol:
            if (symbols == SymbolForm::Text) return keepingType(ArrowType::Utf8);
            field.dictionary = ArrowField::Dictionary{dictionaryId, 32, true};
            return as(ArrowType::Utf8);
        case Type::String:
            return as(ArrowType::Utf8);
        case Type::Blob:
            return as(ArrowType::LargeBinary);
        case Type::Uuid:
            field.fixedSize = 16;
            return as(ArrowType::FixedBinary);
        case Type::IpAddr:
            return keepingType(ArrowType::Utf8);
        case Type::Int128:
        case Type::Complex:
        case Type::Point:
            field.fixedSize = 16;
            return keepingType(ArrowType::FixedBinary);
        case Type::Decimal32:
        case Type::Decimal64:
        case Type::Decimal128:
            field.precision = 38;
            field.scale = column.scale;
            return keepingType(ArrowType::Decimal, 128);
        default:
            throw UserError(fmt::format("The column {} is of type {}, which Arrow has no counterpart of.", column.name,
                                        typeString(column.type, column.scale)),
                            "Leave it out, or convert it to STRING first.");
    }
}

}  // namespace pelorus::arrow
