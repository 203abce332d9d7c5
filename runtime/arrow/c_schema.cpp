#include "runtime/arrow/c_schema.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

namespace pelorus::arrow {

namespace {

constexpr int64_t kMaxFields = 1'000'000;
constexpr int32_t kMaxPairs = 10'000;
constexpr int kMaxDictionaries = 1'000'000;

// ---- To the interface.

char integerFormat(int bits, bool isSigned) {
    const char format = bits == 8 ? 'c' : bits == 16 ? 's' : bits == 32 ? 'i' : 'l';
    return isSigned ? format : static_cast<char>(format - 'a' + 'A');
}

char unitFormat(ArrowUnit unit) {
    return "smun"[static_cast<size_t>(unit)];
}

// Returns pairs as the interface has them: numbers of 32 bits before each text.
std::string encodePairs(const std::vector<std::pair<std::string, std::string>>& pairs) {
    std::string bytes;
    const auto add = [&](size_t number) {
        const auto narrow = static_cast<int32_t>(number);
        bytes.append(reinterpret_cast<const char*>(&narrow), sizeof narrow);
    };
    add(pairs.size());
    for (const auto& [key, value] : pairs) {
        add(key.size());
        bytes += key;
        add(value.size());
        bytes += value;
    }
    return bytes;
}

// What an exported structure points to.
struct ExportedSchema {
    std::string format, name, metadata;
    std::vector<std::unique_ptr<CSchema>> children;
    std::vector<CSchema*> places;
    std::unique_ptr<CSchema> dictionary;
};

// A consumer may have taken children out, and released them by themselves.
void releaseSchema(CSchema* schema) {
    const std::unique_ptr<ExportedSchema> held(static_cast<ExportedSchema*>(schema->privateData));
    for (CSchema* child : held->places) {
        if (child->release) child->release(child);
    }
    if (held->dictionary && held->dictionary->release) held->dictionary->release(held->dictionary.get());
    schema->release = nullptr;
}

void fillSchema(ExportedSchema* held, int64_t flags, CSchema& out) {
    for (const auto& child : held->children) held->places.push_back(child.get());
    out = {.format = held->format.c_str(),
           .name = held->name.c_str(),
           .metadata = held->metadata.empty() ? nullptr : held->metadata.data(),
           .flags = flags,
           .childCount = static_cast<int64_t>(held->places.size()),
           .children = held->places.data(),
           .dictionary = held->dictionary.get(),
           .release = releaseSchema,
           .privateData = held};
}

void exportField(const ArrowField& field, CSchema& out) {
    auto held = std::make_unique<ExportedSchema>();
    held->format = formatOf(field);
    held->name = field.name;
    if (!field.metadata.empty()) held->metadata = encodePairs(field.metadata);
    for (const ArrowField& child : field.children) {
        held->children.push_back(std::make_unique<CSchema>());
        exportField(child, *held->children.back());
    }
    if (field.dictionary) {
        ArrowField values = field;
        values.dictionary.reset();
        values.metadata.clear();
        values.name.clear();
        held->dictionary = std::make_unique<CSchema>();
        exportField(values, *held->dictionary);
    }
    fillSchema(held.release(), kIsNullable, out);
}

// ---- From the interface.

std::vector<std::pair<std::string, std::string>> decodePairs(const char* bytes) {
    std::vector<std::pair<std::string, std::string>> pairs;
    if (bytes == nullptr) return pairs;
    const auto number = [&] {
        int32_t n;
        std::memcpy(&n, bytes, sizeof n);
        bytes += sizeof n;
        if (n < 0) refuseArrow("its metadata have a negative length");
        return n;
    };
    const auto text = [&] {
        const auto size = static_cast<size_t>(number());
        std::string taken(bytes, size);
        bytes += size;
        return taken;
    };
    const int32_t count = number();
    if (count > kMaxPairs) refuseArrow("its metadata have too many keys");
    for (int32_t i = 0; i < count; ++i) {
        std::string key = text();
        pairs.emplace_back(std::move(key), text());
    }
    return pairs;
}

// Reads numbers with commas between them; fails for anything else.
bool readNumbers(std::string_view text, std::vector<int>& numbers) {
    for (;;) {
        int number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error != std::errc() || end == text.data()) return false;
        numbers.push_back(number);
        text.remove_prefix(static_cast<size_t>(end - text.data()));
        if (text.empty()) return true;
        if (text[0] != ',') return false;
        text.remove_prefix(1);
    }
}

std::optional<ArrowUnit> unitOf(char letter) {
    const std::string_view letters = "smun";
    const size_t at = letters.find(letter);
    if (at == std::string_view::npos) return std::nullopt;
    return static_cast<ArrowUnit>(at);
}

// Formats of one letter, with the width of the values.
struct PlainFormat {
    char letter;
    ArrowType type;
    int bits = 0;
    bool isSigned = true;
};
constexpr std::array<PlainFormat, 17> kPlainFormats = {{
    {'n', ArrowType::Null},
    {'b', ArrowType::Bool},
    {'c', ArrowType::Int, 8},
    {'C', ArrowType::Int, 8, false},
    {'s', ArrowType::Int, 16},
    {'S', ArrowType::Int, 16, false},
    {'i', ArrowType::Int, 32},
    {'I', ArrowType::Int, 32, false},
    {'l', ArrowType::Int, 64},
    {'L', ArrowType::Int, 64, false},
    {'e', ArrowType::Float, 16},
    {'f', ArrowType::Float, 32},
    {'g', ArrowType::Float, 64},
    {'u', ArrowType::Utf8},
    {'U', ArrowType::LargeUtf8},
    {'z', ArrowType::Binary},
    {'Z', ArrowType::LargeBinary},
}};

bool decodeViews(std::string_view format, ArrowField& field) {
    if (format != "vu" && format != "vz") return false;
    field.type = format == "vu" ? ArrowType::LargeUtf8 : ArrowType::LargeBinary;
    field.hasViews = true;
    return true;
}

bool decodePlain(std::string_view format, ArrowField& field) {
    if (format.size() != 1) return false;
    for (const PlainFormat& plain : kPlainFormats) {
        if (plain.letter != format[0]) continue;
        field.type = plain.type;
        field.bitWidth = plain.bits;
        field.isSigned = plain.isSigned;
        return true;
    }
    return false;
}

bool decodeTime(std::string_view format, ArrowField& field) {
    const std::string_view kind = format.substr(0, 2);
    if (format.size() < 3 || format[0] != 't') return false;
    if (kind == "tD") field.type = ArrowType::Duration;
    if (kind == "ti") field.type = ArrowType::Interval;
    if (kind == "td" && format.size() == 3 && (format[2] == 'D' || format[2] == 'm')) {
        field.type = ArrowType::Date;
        field.bitWidth = format[2] == 'D' ? 32 : 64;
        return true;
    }
    const std::optional<ArrowUnit> unit = unitOf(format[2]);
    if (unit) field.unit = *unit;
    if (kind == "tt" && unit && format.size() == 3) {
        field.type = ArrowType::Time;
        field.bitWidth = *unit <= ArrowUnit::Milli ? 32 : 64;
        return true;
    }
    if (kind == "ts" && unit && format.size() >= 4 && format[3] == ':') {
        field.type = ArrowType::Timestamp;
        field.zone = format.substr(4);
        return true;
    }
    return kind == "tD" || kind == "ti";
}

bool decodeSized(std::string_view format, ArrowField& field) {
    std::vector<int> numbers;
    if (format.starts_with("d:") && readNumbers(format.substr(2), numbers)) {
        if (numbers.size() != 2 && numbers.size() != 3) return false;
        field.type = ArrowType::Decimal;
        field.precision = numbers[0];
        field.scale = numbers[1];
        field.bitWidth = numbers.size() == 3 ? numbers[2] : 128;
        return true;
    }
    const bool isList = format.starts_with("+w:");
    if ((!isList && !format.starts_with("w:")) || !readNumbers(format.substr(isList ? 3 : 2), numbers)) return false;
    if (numbers.size() != 1 || numbers[0] < 0) refuseArrow("a fixed size is negative");
    field.type = isList ? ArrowType::FixedList : ArrowType::FixedBinary;
    field.fixedSize = numbers[0];
    return true;
}

bool decodeNested(std::string_view format, ArrowField& field) {
    if (format == "+s")
        field.type = ArrowType::Struct;
    else if (format == "+l")
        field.type = ArrowType::List;
    else if (format == "+L")
        field.type = ArrowType::LargeList;
    else if (format == "+m")
        field.type = ArrowType::Map;
    else if (format.starts_with("+ud:") || format.starts_with("+us:"))
        field.type = ArrowType::Union;
    else
        return false;
    return true;
}

// The type of a format that is not known: no table can hold it.
constexpr auto kUnknown = static_cast<ArrowType>(0);

ArrowField importField(const CSchema& schema, int depth, int64_t& dictionaries) {
    if (depth > kMaxDepth) refuseArrow("its types are nested too deeply");
    if (schema.release == nullptr) refuseArrow("a part of its schema is released");
    if (schema.format == nullptr) refuseArrow("a part of its schema has no format");
    if (schema.childCount < 0 || schema.childCount > kMaxFields || (schema.childCount > 0 && !schema.children))
        refuseArrow("a part of its schema has a number of children that it cannot have");
    ArrowField field;
    if (schema.name) field.name = schema.name;
    const std::string_view format = schema.format;
    const bool isKnown = decodePlain(format, field) || decodeTime(format, field) || decodeSized(format, field) ||
                         decodeNested(format, field) || decodeViews(format, field);
    if (!isKnown) field.type = kUnknown;
    field.metadata = decodePairs(schema.metadata);
    for (int64_t i = 0; i < schema.childCount; ++i) {
        if (schema.children[i] == nullptr) refuseArrow("a part of its schema is absent");
        field.children.push_back(importField(*schema.children[i], depth + 1, dictionaries));
    }
    if (schema.dictionary == nullptr) return field;
    if (field.type != ArrowType::Int) refuseArrow("indexes of a dictionary are no integers");
    if (dictionaries >= kMaxDictionaries) refuseArrow("it has too many dictionaries");
    ArrowField values = importField(*schema.dictionary, depth + 1, dictionaries);
    if (values.dictionary) refuseArrow("a dictionary has a dictionary");
    values.dictionary = ArrowField::Dictionary{dictionaries++, field.bitWidth, field.isSigned};
    values.name = std::move(field.name);
    values.metadata = std::move(field.metadata);
    return values;
}

}  // namespace

std::string formatOf(const ArrowField& field) {
    if (field.dictionary) return {integerFormat(field.dictionary->indexBits, field.dictionary->isSigned)};
    switch (field.type) {
        case ArrowType::Null:
            return "n";
        case ArrowType::Bool:
            return "b";
        case ArrowType::Int:
            return {integerFormat(field.bitWidth, field.isSigned)};
        case ArrowType::Float:
            return field.bitWidth == 16 ? "e" : field.bitWidth == 32 ? "f" : "g";
        case ArrowType::Utf8:
            return "u";
        case ArrowType::LargeUtf8:
            return "U";
        case ArrowType::Binary:
            return "z";
        case ArrowType::LargeBinary:
            return "Z";
        case ArrowType::FixedBinary:
            return fmt::format("w:{}", field.fixedSize);
        case ArrowType::Decimal:
            return field.bitWidth == 128 ? fmt::format("d:{},{}", field.precision, field.scale)
                                         : fmt::format("d:{},{},{}", field.precision, field.scale, field.bitWidth);
        case ArrowType::Date:
            return field.bitWidth == 32 ? "tdD" : "tdm";
        case ArrowType::Time:
            return std::string("tt") + unitFormat(field.unit);
        case ArrowType::Timestamp:
            return std::string("ts") + unitFormat(field.unit) + ":" + field.zone;
        case ArrowType::List:
            return "+l";
        case ArrowType::LargeList:
            return "+L";
        case ArrowType::FixedList:
            return fmt::format("+w:{}", field.fixedSize);
        default:
            throw InternalError("a column is exported as a type that none has");
    }
}

void exportSchema(const ArrowSchema& schema, CSchema& out) {
    auto held = std::make_unique<ExportedSchema>();
    held->format = "+s";
    if (!schema.metadata.empty()) held->metadata = encodePairs(schema.metadata);
    for (const ArrowField& field : schema.fields) {
        held->children.push_back(std::make_unique<CSchema>());
        exportField(field, *held->children.back());
    }
    fillSchema(held.release(), 0, out);
}

ArrowSchema importSchema(const CSchema& schema) {
    int64_t dictionaries = 0;
    ArrowField all = importField(schema, -1, dictionaries);
    if (all.type != ArrowType::Struct || all.dictionary) refuseArrow("it is no array of structures");
    return {std::move(all.children), std::move(all.metadata)};
}

}  // namespace pelorus::arrow
