#include "runtime/arrow/arrow_encoder.h"

#include <algorithm>
#include <cstring>

#include "common/check.h"
#include "common/error.h"
#include "runtime/arrow/packed_buffer.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/cast.h"

namespace pelorus::arrow {

namespace {

constexpr int kUuidBytes = 16;

template <class T>
void appendNumber(std::string& out, T number) {
    out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

// Returns the type to whose elements a column's are converted first: the one that has the field's form.
Type writtenType(Type type) {
    switch (type) {
        case Type::Month:
            return Type::Date;
        case Type::Minute:
            return Type::Second;
        case Type::DateHour:
        case Type::DateMinute:
            return Type::DateTime;
        case Type::IpAddr:
            return Type::String;
        default:
            return type;
    }
}

std::string bitsOf(const std::vector<uint8_t>& flags) {
    std::string bits((flags.size() + 7) / 8, '\0');
    for (size_t i = 0; i < flags.size(); ++i) {
        if (flags[i] != 0) bits[i / 8] = static_cast<char>(bits[i / 8] | 1 << i % 8);
    }
    return bits;
}

template <class T>
void flagValues(const Vector& elements, int64_t begin, std::vector<uint8_t>& flags) {
    const T* data = elements.data<T>() + begin;
    for (size_t i = 0; i < flags.size(); ++i) flags[i] = !isNull(data[i]);
}

// Sets for each element whether it has a value.
void flag(const Vector& elements, int64_t begin, std::vector<uint8_t>& flags) {
    switch (elements.type() == Type::Symbol ? Storage::Boxed : storageOf(elements.type())) {
        case Storage::Int8:
            return flagValues<int8_t>(elements, begin, flags);
        case Storage::Int16:
            return flagValues<int16_t>(elements, begin, flags);
        case Storage::Int32:
            return flagValues<int32_t>(elements, begin, flags);
        case Storage::Int64:
            return flagValues<int64_t>(elements, begin, flags);
        case Storage::Float32:
            return flagValues<float>(elements, begin, flags);
        case Storage::Float64:
            return flagValues<double>(elements, begin, flags);
        default:
            for (size_t i = 0; i < flags.size(); ++i) flags[i] = !elements.isNullAt(begin + static_cast<int64_t>(i));
    }
}

}  // namespace

void BatchEncoder::addNode(int64_t length, int64_t nulls) {
    appendNumber(nodes_, length);
    appendNumber(nodes_, nulls);
    ++nodeCount_;
}

void BatchEncoder::addBuffer(const void* bytes, size_t sizeBytes) {
    std::string packed;
    std::string_view written(static_cast<const char*>(bytes), sizeBytes);
    if (codec_ >= 0 && sizeBytes > 0) {
        packed = pack(written, codec_, level_);
        written = packed;
    }
    appendNumber(places_, static_cast<int64_t>(body_.size()));
    appendNumber(places_, static_cast<int64_t>(written.size()));
    ++bufferCount_;
    body_.append(written);
    body_.append((8 - body_.size() % 8) % 8, '\0');
}

// Adds the bits of which elements have a value, or nothing when all have. Returns how many have none.
int64_t BatchEncoder::addValidity(const Value& column, int64_t begin, int64_t count) {
    std::vector<uint8_t> flags(static_cast<size_t>(count), 1);
    const Vector& elements = column.vector();
    if (!elements.isKnown(VectorProperty::NoNull)) flag(elements, begin, flags);
    const auto nulls = static_cast<int64_t>(std::count(flags.begin(), flags.end(), uint8_t{0}));
    if (nulls == 0) {
        addBuffer("", 0);
    } else {
        const std::string bits = bitsOf(flags);
        addBuffer(bits.data(), bits.size());
    }
    return nulls;
}

template <class Offset>
void BatchEncoder::addTextsOf(const Value& column, int64_t begin, int64_t count) {
    const Vector& elements = column.vector();
    std::vector<Offset> ends{0};
    ends.reserve(static_cast<size_t>(count) + 1);
    std::string bytes;
    for (int64_t i = begin; i < begin + count; ++i) {
        bytes += elements.string(i);
        ends.push_back(static_cast<Offset>(bytes.size()));
    }
    if (sizeof(Offset) == 4 && bytes.size() > INT32_MAX)
        throw UserError("The strings of one batch have more than 2 GB.", "Take fewer rows, or convert them to BLOB.");
    addBuffer(ends.data(), ends.size() * sizeof(Offset));
    addBuffer(bytes.data(), bytes.size());
}

void BatchEncoder::addTexts(const ArrowField& field, const Value& column, int64_t begin, int64_t count) {
    const bool isLarge = field.type == ArrowType::LargeBinary || field.type == ArrowType::LargeUtf8;
    isLarge ? addTextsOf<int64_t>(column, begin, count) : addTextsOf<int32_t>(column, begin, count);
}

void BatchEncoder::addValues(const ArrowField& field, const Value& column, int64_t begin, int64_t count,
                             const std::vector<int32_t>& codes) {
    const Vector& elements = column.vector();
    const auto n = static_cast<size_t>(count);
    if (field.dictionary) {
        std::vector<int32_t> indexes(n);
        const auto* symbols = elements.data<int32_t>() + begin;
        for (size_t i = 0; i < n; ++i) indexes[i] = codes[static_cast<size_t>(symbols[i])];
        return addBuffer(indexes.data(), n * 4);
    }
    if (field.type == ArrowType::Bool) {
        std::vector<uint8_t> flags(n);
        for (size_t i = 0; i < n; ++i) flags[i] = elements.data<int8_t>()[begin + static_cast<int64_t>(i)] == 1;
        const std::string bits = bitsOf(flags);
        return addBuffer(bits.data(), bits.size());
    }
    if (field.type == ArrowType::FixedBinary) {
        std::string bytes(n * kUuidBytes, '\0');
        for (size_t i = 0; i < n; ++i) {
            const char* const from = elements.raw() + (begin + static_cast<int64_t>(i)) * kUuidBytes;
            std::reverse_copy(from, from + kUuidBytes, bytes.data() + i * kUuidBytes);
        }
        return addBuffer(bytes.data(), bytes.size());
    }
    if (field.type == ArrowType::Decimal || elements.type() == Type::DateTime) {
        // Wider in Arrow than here.
        const bool isDecimal = field.type == ArrowType::Decimal;
        std::string bytes(n * (isDecimal ? 16 : 8), '\0');
        for (size_t i = 0; i < n; ++i) {
            const int64_t at = begin + static_cast<int64_t>(i);
            if (isDecimal) {
                const __int128 whole = elements.rawAt(at);
                std::memcpy(bytes.data() + i * 16, &whole, 16);
            } else {
                const int64_t seconds = elements.data<int32_t>()[at];
                std::memcpy(bytes.data() + i * 8, &seconds, 8);
            }
        }
        return addBuffer(bytes.data(), bytes.size());
    }
    addBuffer(elements.raw() + begin * elements.width(), n * static_cast<size_t>(elements.width()));
}

// A list of one NULL, which is how the language keeps an empty list, is written as a missing list.
void BatchEncoder::addLists(const ArrowField& field, const Value& column, int64_t begin, int64_t count) {
    const ArrayVector& lists = column.arrayVector();
    std::vector<uint8_t> flags(static_cast<size_t>(count), 1);
    std::vector<int32_t> ends{0};
    Ref<Vector> values = Vector::make(lists.elementType(), 0);
    values->setScale(lists.scale());
    for (int64_t i = begin; i < begin + count; ++i) {
        const bool isMissing = lists.rowSize(i) == 1 && lists.values()->isNullAt(lists.begin(i));
        flags[static_cast<size_t>(i - begin)] = !isMissing;
        if (!isMissing) values->append(*lists.values(), lists.begin(i), lists.rowSize(i));
        ends.push_back(static_cast<int32_t>(values->size()));
    }
    const auto nulls = static_cast<int64_t>(std::count(flags.begin(), flags.end(), uint8_t{0}));
    addNode(count, nulls);
    const std::string bits = nulls == 0 ? "" : bitsOf(flags);
    addBuffer(bits.data(), bits.size());
    addBuffer(ends.data(), ends.size() * 4);
    const int64_t elements = values->size();
    add(field.children[0], Value::of(std::move(values)), 0, elements, {});
}

void BatchEncoder::add(const ArrowField& field, const Value& column, int64_t begin, int64_t count,
                       const std::vector<int32_t>& codes) {
    if (column.isArrayVector()) return addLists(field, column, begin, count);
    CHECK(column.isTypedVector()) << "columns are checked before they are encoded";
    const size_t node = nodes_.size();
    addNode(count, 0);
    const int64_t nulls = addValidity(column, begin, count);
    std::memcpy(nodes_.data() + node + 8, &nulls, sizeof nulls);
    Value written = column;
    const Type type = writtenType(column.type());
    if (type != column.type()) {
        written = Value::of(cast(*column.vector().slice(begin, count), type));
        begin = 0;
    }
    const bool isText = isLiteral(written.type()) && !field.dictionary;
    isText ? addTexts(field, written, begin, count) : addValues(field, written, begin, count, codes);
}

void BatchEncoder::addStrings(const std::vector<std::string_view>& strings) {
    addNode(static_cast<int64_t>(strings.size()), 0);
    addBuffer("", 0);
    std::vector<int32_t> ends{0};
    std::string bytes;
    for (const std::string_view text : strings) {
        bytes += text;
        if (bytes.size() > INT32_MAX) throw UserError("The strings of a column's symbols have more than 2 GB.");
        ends.push_back(static_cast<int32_t>(bytes.size()));
    }
    addBuffer(ends.data(), ends.size() * 4);
    addBuffer(bytes.data(), bytes.size());
}

FlatBuilder BatchEncoder::message(int64_t rows) const {
    FlatBuilder batch;
    batch.add(0, rows);
    batch.addStructs(1, nodes_, nodeCount_);
    batch.addStructs(2, places_, bufferCount_);
    if (codec_ >= 0) {
        FlatBuilder compression;
        compression.add(0, static_cast<int8_t>(codec_));
        compression.add(1, int8_t{0});  // buffer by buffer
        batch.addTable(3, std::move(compression));
    }
    return batch;
}

}  // namespace pelorus::arrow
