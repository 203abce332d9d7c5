#include "runtime/arrow/arrow_encoder.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "common/check.h"
#include "common/error.h"
#include "runtime/arrow/packed_buffer.h"
#include "runtime/arrow/parallel_rows.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/cast.h"

namespace pelorus::arrow {

namespace {

constexpr int kUuidBytes = 16;
constexpr char kPadding[8] = {};

int64_t paddedBytes(size_t bytes) {
    return static_cast<int64_t>((bytes + 7) / 8 * 8);
}

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

// Calls f with the elements as stored from `begin` on. Returns false for those that are not plain numbers.
template <class F>
bool withElements(const Vector& elements, int64_t begin, F&& f) {
    switch (elements.type() == Type::Symbol ? Storage::Boxed : storageOf(elements.type())) {
        case Storage::Int8:
            f(elements.data<int8_t>() + begin);
            return true;
        case Storage::Int16:
            f(elements.data<int16_t>() + begin);
            return true;
        case Storage::Int32:
            f(elements.data<int32_t>() + begin);
            return true;
        case Storage::Int64:
            f(elements.data<int64_t>() + begin);
            return true;
        case Storage::Float32:
            f(elements.data<float>() + begin);
            return true;
        case Storage::Float64:
            f(elements.data<double>() + begin);
            return true;
        default:
            return false;
    }
}

// Returns whether `is` holds for any of the elements. Most columns have no NULL, which steps of a fixed length, without
// branches, tell soonest.
template <class T, class F>
bool anyOf(const T* data, int64_t count, F&& is) {
    constexpr int64_t kStep = 64;
    int64_t i = 0;
    for (; i + kStep <= count; i += kStep) {
        unsigned any = 0;
        for (int64_t k = 0; k < kStep; ++k) any |= static_cast<unsigned>(is(data[i + k]));
        if (any != 0) return true;
    }
    return std::any_of(data + i, data + count, is);
}

bool hasNullIn(const Vector& elements, int64_t begin, int64_t count) {
    if (elements.type() == Type::Symbol)
        return anyOf(elements.data<int32_t>() + begin, count, [](int32_t code) { return code == 0; });
    bool has = false;
    const bool isPlain = withElements(elements, begin, [&](const auto* data) {
        has = anyOf(data, count, [](auto element) { return isNull(element); });
    });
    for (int64_t i = begin; !isPlain && !has && i < begin + count; ++i) has = elements.isNullAt(i);
    return has;
}

// Returns whether an element is NULL. That none of the whole vector is, is remembered.
bool hasNull(const Vector& elements, int64_t begin, int64_t count) {
    std::atomic<bool> has{false};
    inParallel(count, [&](int64_t from, int64_t to) {
        if (!has && hasNullIn(elements, begin + from, to - from)) has = true;
    });
    if (!has && count == elements.size()) elements.setProperty(VectorProperty::NoNull);
    return has;
}

// Sets for each element whether it has a value.
void flag(const Vector& elements, int64_t begin, std::vector<uint8_t>& flags) {
    const bool isPlain = withElements(elements, begin, [&](const auto* data) {
        for (size_t i = 0; i < flags.size(); ++i) flags[i] = !isNull(data[i]);
    });
    if (isPlain) return;
    for (size_t i = 0; i < flags.size(); ++i) flags[i] = !elements.isNullAt(begin + static_cast<int64_t>(i));
}

}  // namespace

void proveNoNull(const Vector& elements) {
    if (!elements.isKnown(VectorProperty::NoNull)) (void)hasNull(elements, 0, elements.size());
}

void BatchEncoder::addNode(int64_t length, int64_t nulls) {
    nodes_.push_back({length, nulls});
}

// Adds the bytes as the codec has them. Returns false when there is none, or nothing to compress.
bool BatchEncoder::pack(std::string_view bytes) {
    if (codec_ < 0 || bytes.empty()) return false;
    buffers_.push_back({arrow::pack(bytes, codec_, level_), {}});
    return true;
}

void BatchEncoder::addBuffer(std::string bytes) {
    if (!pack(bytes)) buffers_.push_back({std::move(bytes), {}});
}

void BatchEncoder::referBuffer(const void* bytes, size_t sizeBytes, const Value& owner) {
    const std::string_view referred(static_cast<const char*>(bytes), sizeBytes);
    if (pack(referred)) return;
    if (referred.empty()) return addBuffer({});
    buffers_.push_back({{}, referred});
    owners_.push_back(owner);
}

// Adds the bits of which elements have a value, or nothing when all have. Returns how many have none.
int64_t BatchEncoder::addValidity(const Value& column, int64_t begin, int64_t count) {
    const Vector& elements = column.vector();
    if (elements.isKnown(VectorProperty::NoNull) || !hasNull(elements, begin, count)) {
        addBuffer({});
        return 0;
    }
    std::vector<uint8_t> flags(static_cast<size_t>(count));
    flag(elements, begin, flags);
    addBuffer(bitsOf(flags));
    return std::count(flags.begin(), flags.end(), uint8_t{0});
}

template <class Offset>
void BatchEncoder::addTextsOf(const Value& column, int64_t begin, int64_t count) {
    const Vector& elements = column.vector();
    std::string ends((static_cast<size_t>(count) + 1) * sizeof(Offset), '\0');
    std::string bytes;
    for (int64_t i = 0; i < count; ++i) {
        bytes += elements.string(begin + i);
        const auto end = static_cast<Offset>(bytes.size());
        std::memcpy(ends.data() + static_cast<size_t>(i + 1) * sizeof end, &end, sizeof end);
    }
    if (sizeof(Offset) == 4 && bytes.size() > INT32_MAX)
        throw UserError("The strings of one batch have more than 2 GB.", "Take fewer rows, or convert them to BLOB.");
    addBuffer(std::move(ends));
    addBuffer(std::move(bytes));
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
        std::string indexes(n * 4, '\0');
        const auto* symbols = elements.data<int32_t>() + begin;
        inParallel(count, [&](int64_t from, int64_t to) {
            for (int64_t i = from; i < to; ++i)
                std::memcpy(indexes.data() + i * 4, &codes[static_cast<size_t>(symbols[i])], 4);
        });
        return addBuffer(std::move(indexes));
    }
    if (field.type == ArrowType::Bool) {
        std::vector<uint8_t> flags(n);
        for (size_t i = 0; i < n; ++i) flags[i] = elements.data<int8_t>()[begin + static_cast<int64_t>(i)] == 1;
        return addBuffer(bitsOf(flags));
    }
    if (field.type == ArrowType::FixedBinary) {
        std::string bytes(n * kUuidBytes, '\0');
        for (size_t i = 0; i < n; ++i) {
            const char* const from = elements.raw() + (begin + static_cast<int64_t>(i)) * kUuidBytes;
            std::reverse_copy(from, from + kUuidBytes, bytes.data() + i * kUuidBytes);
        }
        return addBuffer(std::move(bytes));
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
        return addBuffer(std::move(bytes));
    }
    referBuffer(elements.raw() + begin * elements.width(), n * static_cast<size_t>(elements.width()), column);
}

// A list of one NULL, which is how the language keeps an empty list, is written as a missing list.
void BatchEncoder::addLists(const ArrowField& field, const Value& column, int64_t begin, int64_t count) {
    const ArrayVector& lists = column.arrayVector();
    std::vector<uint8_t> flags(static_cast<size_t>(count), 1);
    std::string ends(4, '\0');
    Ref<Vector> values = Vector::make(lists.elementType(), 0);
    values->setScale(lists.scale());
    for (int64_t i = begin; i < begin + count; ++i) {
        const bool isMissing = lists.rowSize(i) == 1 && lists.values()->isNullAt(lists.begin(i));
        flags[static_cast<size_t>(i - begin)] = !isMissing;
        if (!isMissing) values->append(*lists.values(), lists.begin(i), lists.rowSize(i));
        appendNumber(ends, static_cast<int32_t>(values->size()));
    }
    const auto nulls = static_cast<int64_t>(std::count(flags.begin(), flags.end(), uint8_t{0}));
    addNode(count, nulls);
    addBuffer(nulls == 0 ? std::string() : bitsOf(flags));
    addBuffer(std::move(ends));
    const int64_t elements = values->size();
    add(field.children[0], Value::of(std::move(values)), 0, elements, {});
}

void BatchEncoder::add(const ArrowField& field, const Value& column, int64_t begin, int64_t count,
                       const std::vector<int32_t>& codes) {
    if (column.isArrayVector()) return addLists(field, column, begin, count);
    CHECK(column.isTypedVector()) << "columns are checked before they are encoded";
    addNode(count, 0);
    nodes_.back().nulls = addValidity(column, begin, count);
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
    addBuffer({});
    std::string ends(4, '\0'), bytes;
    for (const std::string_view text : strings) {
        bytes += text;
        if (bytes.size() > INT32_MAX) throw UserError("The strings of a column's symbols have more than 2 GB.");
        appendNumber(ends, static_cast<int32_t>(bytes.size()));
    }
    addBuffer(std::move(ends));
    addBuffer(std::move(bytes));
}

FlatBuilder BatchEncoder::message(int64_t rows) const {
    std::string nodes, places;
    for (const Node& node : nodes_) {
        appendNumber(nodes, node.length);
        appendNumber(nodes, node.nulls);
    }
    int64_t begin = 0;
    for (const EncodedBuffer& buffer : buffers_) {
        appendNumber(places, begin);
        appendNumber(places, static_cast<int64_t>(buffer.bytes().size()));
        begin += paddedBytes(buffer.bytes().size());
    }
    FlatBuilder batch;
    batch.add(0, rows);
    batch.addStructs(1, std::move(nodes), nodes_.size());
    batch.addStructs(2, std::move(places), buffers_.size());
    if (codec_ >= 0) {
        FlatBuilder compression;
        compression.add(0, static_cast<int8_t>(codec_));
        compression.add(1, int8_t{0});  // buffer by buffer
        batch.addTable(3, std::move(compression));
    }
    return batch;
}

int64_t BatchEncoder::bodyBytes() const {
    int64_t bytes = 0;
    for (const EncodedBuffer& buffer : buffers_) bytes += paddedBytes(buffer.bytes().size());
    return bytes;
}

void BatchEncoder::moveBody(GatheredBytes& message) {
    size_t owner = 0;
    for (EncodedBuffer& buffer : buffers_) {
        const size_t size = buffer.bytes().size();
        if (buffer.referred.data()) {
            message.refer(buffer.referred, std::move(owners_[owner++]));
        } else {
            message.take(std::move(buffer.own));
        }
        message.append(std::string_view(kPadding, static_cast<size_t>(paddedBytes(size)) - size));
    }
    buffers_.clear();
    owners_.clear();
}

}  // namespace pelorus::arrow
