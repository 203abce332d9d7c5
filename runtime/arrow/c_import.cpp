#include "runtime/arrow/c_import.h"

#include <fmt/format.h>

#include <cstring>
#include <deque>
#include <string>
#include <string_view>
#include <utility>

#include "common/error.h"
#include "runtime/arrow/arrow_decoder.h"
#include "runtime/arrow/c_schema.h"

namespace pelorus::arrow {

namespace {

// Offset and length of an array at most: places in it are integers of 32 bits, as in a batch of a stream.
constexpr int64_t kMaxElements = INT32_MAX - 1;

// The arrays of one column in the order of a stream's batch, each cut to the elements that are wanted.
class FlatColumn {
public:
    // Adds elements [from, from + count) of an array and of those below it.
    void add(const ArrowField& field, const CArray& array, int64_t from, int64_t count) {
        requireShape(field, array, from, count);
        const int64_t begin = array.offset + from;
        addNode(count, array.nullCount);
        const bool isNull = field.type == ArrowType::Null && !field.dictionary;
        if (isNull) return;
        const bool isWhole = array.nullCount == 0 || array.buffers[0] == nullptr;
        buffers_.push_back(isWhole ? std::string_view() : bits(array.buffers[0], begin, count));
        if (field.dictionary)
            return addElements(array, begin, count, static_cast<size_t>(field.dictionary->indexBits) / 8);
        if (field.hasViews) return addViews(array, begin, count);
        switch (field.type) {
            case ArrowType::Bool:
                requireBytes(array.buffers[1], count);
                buffers_.push_back(bits(array.buffers[1], begin, count));
                return;
            case ArrowType::Utf8:
            case ArrowType::Binary:
                return addTexts(array, begin, count, 4);
            case ArrowType::LargeUtf8:
            case ArrowType::LargeBinary:
                return addTexts(array, begin, count, 8);
            case ArrowType::List:
            case ArrowType::LargeList:
                return addLists(field, array, begin, count);
            case ArrowType::FixedList:
                return add(field.children[0], *array.children[0], begin * field.fixedSize, count * field.fixedSize);
            default:
                return addElements(array, begin, count, elementBytes(field));
        }
    }

    BatchDecoder decoder(int64_t rows) const { return {rows, nodes_, buffers_}; }

private:
    static int64_t bufferCountOf(const ArrowField& field) {
        if (field.dictionary) return 2;
        switch (field.type) {
            case ArrowType::Null:
                return 0;
            case ArrowType::FixedList:
                return 1;
            case ArrowType::Utf8:
            case ArrowType::LargeUtf8:
            case ArrowType::Binary:
            case ArrowType::LargeBinary:
                return 3;
            default:
                return 2;
        }
    }

    static void requireShape(const ArrowField& field, const CArray& array, int64_t from, int64_t count) {
        const auto refuse = [&](const char* how) { refuseArrow(fmt::format("the column {} {}", field.name, how)); };
        if (array.release == nullptr) refuse("is released");
        if (array.length < 0 || array.offset < 0 || array.length > kMaxElements || array.offset > kMaxElements)
            refuse("has a length that it cannot have");
        if (from < 0 || count < 0 || from > array.length || count > array.length - from)
            refuse("has fewer elements than it must");
        if (field.hasViews && !field.dictionary ? array.bufferCount < kFewestOfViews
                                                : array.bufferCount != bufferCountOf(field))
            refuse("has another number of buffers than its type");
        if (array.bufferCount > 0 && array.buffers == nullptr) refuse("has no buffers");
        const size_t children = field.dictionary ? 0 : field.children.size();
        if (array.childCount != static_cast<int64_t>(children)) refuse("has another number of children than its type");
        if (children == 0) return;
        if (array.children == nullptr || array.children[0] == nullptr) refuse("has no children");
        if (field.type == ArrowType::FixedList &&
            (array.offset + array.length) * static_cast<int64_t>(field.fixedSize) > kMaxElements)
            refuse("has too many elements");
    }

    static void requireBytes(const void* buffer, int64_t count) {
        if (count > 0 && buffer == nullptr) refuseArrow("a buffer of elements is absent");
    }

    void addNode(int64_t length, int64_t nulls) {
        for (const int64_t number : {length, nulls})
            nodes_.append(reinterpret_cast<const char*>(&number), sizeof number);
    }

    // Returns bits from one on, moved when that is within a byte.
    std::string_view bits(const void* buffer, int64_t begin, int64_t count) {
        if (count == 0) return {};
        const auto* const bytes = static_cast<const char*>(buffer) + begin / 8;
        const auto size = static_cast<size_t>((count + 7) / 8);
        const int shift = static_cast<int>(begin % 8);
        if (shift == 0) return {bytes, size};
        const size_t last = static_cast<size_t>((shift + count + 7) / 8) - 1;
        std::string& moved = moved_.emplace_back(size, '\0');
        for (size_t i = 0; i < size; ++i) {
            const auto low = static_cast<unsigned char>(bytes[i]);
            const auto high = i < last ? static_cast<unsigned char>(bytes[i + 1]) : static_cast<unsigned char>(0);
            moved[i] = static_cast<char>((low | high << 8) >> shift);
        }
        return moved;
    }

    void addElements(const CArray& array, int64_t begin, int64_t count, size_t width) {
        requireBytes(array.buffers[1], count);
        const auto size = static_cast<size_t>(count) * width;
        const auto* const bytes = static_cast<const char*>(array.buffers[1]);
        buffers_.push_back(count == 0 ? std::string_view()
                                      : std::string_view(bytes + static_cast<size_t>(begin) * width, size));
    }

    // Adds the offsets, and returns the last one. The decoder checks that none before it is greater.
    int64_t addOffsets(const CArray& array, int64_t begin, int64_t count, size_t width) {
        if (count == 0) {
            buffers_.emplace_back();
            return 0;
        }
        requireBytes(array.buffers[1], count);
        const auto* const bytes = static_cast<const char*>(array.buffers[1]) + static_cast<size_t>(begin) * width;
        buffers_.emplace_back(bytes, static_cast<size_t>(count + 1) * width);
        const char* const at = bytes + static_cast<size_t>(count) * width;
        int64_t last = 0;
        if (width == 8) {
            std::memcpy(&last, at, 8);
        } else {
            int32_t narrow;
            std::memcpy(&narrow, at, 4);
            last = narrow;
        }
        if (last < 0) refuseArrow("an element ends before it begins");
        return last;
    }

    void addTexts(const CArray& array, int64_t begin, int64_t count, size_t width) {
        const int64_t last = addOffsets(array, begin, count, width);
        requireBytes(array.buffers[2], last);
        buffers_.emplace_back(static_cast<const char*>(array.buffers[2]), static_cast<size_t>(last));
    }

    // Adds elements that are views: a length, then the bytes where there are twelve at most, else the first four, the
    // number of a buffer and the place in it. The last buffer has the sizes of those that the views lead to.
    void addViews(const CArray& array, int64_t begin, int64_t count) {
        requireBytes(array.buffers[1], count);
        const int64_t dataBuffers = array.bufferCount - kFewestOfViews;
        const void* const sizes = array.buffers[array.bufferCount - 1];
        requireBytes(sizes, dataBuffers);
        std::string& offsets = moved_.emplace_back(static_cast<size_t>(count + 1) * sizeof(int64_t), '\0');
        std::string& bytes = moved_.emplace_back();
        const auto* const isThere = static_cast<const uint8_t*>(array.nullCount == 0 ? nullptr : array.buffers[0]);
        for (int64_t i = 0; i < count; ++i) {
            const int64_t at = begin + i;
            if (!isThere || (isThere[at / 8] >> (at % 8) & 1) != 0)
                bytes +=
                    viewed(static_cast<const char*>(array.buffers[1]) + at * kViewBytes, array, dataBuffers, sizes);
            const auto end = static_cast<int64_t>(bytes.size());
            std::memcpy(&offsets[static_cast<size_t>(i + 1) * sizeof end], &end, sizeof end);
        }
        buffers_.push_back(offsets);
        buffers_.push_back(bytes);
    }

    static std::string_view viewed(const char* view, const CArray& array, int64_t dataBuffers, const void* sizes) {
        int32_t parts[4];  // length, first bytes, buffer, place
        std::memcpy(parts, view, sizeof parts);
        constexpr int32_t kInline = 12;
        if (parts[0] < 0) refuseArrow("an element ends before it begins");
        if (parts[0] <= kInline) return {view + 4, static_cast<size_t>(parts[0])};
        if (parts[2] < 0 || parts[2] >= dataBuffers) refuseArrow("an element lies in a buffer that is absent");
        int64_t size = 0;
        std::memcpy(&size, static_cast<const char*>(sizes) + static_cast<size_t>(parts[2]) * sizeof size, sizeof size);
        const void* const data = array.buffers[2 + parts[2]];
        if (!data || parts[3] < 0 || int64_t{parts[3]} + parts[0] > size)
            refuseArrow("an element lies outside of its buffer");
        return {static_cast<const char*>(data) + parts[3], static_cast<size_t>(parts[0])};
    }

    static constexpr int64_t kFewestOfViews = 3;  // validity, views and sizes
    static constexpr int64_t kViewBytes = 16;

    void addLists(const ArrowField& field, const CArray& array, int64_t begin, int64_t count) {
        const int64_t last = addOffsets(array, begin, count, field.type == ArrowType::List ? 4 : 8);
        if (last > kMaxElements) refuseArrow("lists have too many elements");
        add(field.children[0], *array.children[0], 0, last);
    }

    std::string nodes_;
    std::vector<std::string_view> buffers_;
    std::deque<std::string> moved_;
};

// Returns the strings of a column's dictionary.
Ref<Vector> importDictionary(const ArrowField& field, const CArray& array) {
    if (array.dictionary == nullptr) refuseArrow("the column " + field.name + " has no dictionary");
    ArrowField values = field;
    values.dictionary.reset();
    FlatColumn strings;
    strings.add(values, *array.dictionary, 0, array.dictionary->length);
    Value taken = strings.decoder(array.dictionary->length).take(values, {Type::Symbol, 0}, {});
    return Ref<Vector>(&taken.vector());
}

void requireRows(const CArray& array, const ArrowSchema& schema) {
    if (array.release == nullptr) refuseArrow("a batch is released");
    if (array.length < 0 || array.offset < 0 || array.length > kMaxElements || array.offset > kMaxElements)
        refuseArrow("a batch has a number of rows that it cannot have");
    if (array.childCount != static_cast<int64_t>(schema.fields.size()) || (array.childCount > 0 && !array.children))
        refuseArrow("a batch has another number of columns than its schema");
    const bool isWhole = array.nullCount == 0 || array.bufferCount < 1 || !array.buffers || !array.buffers[0];
    if (!isWhole) refuseArrow("rows of a batch are missing as a whole");
    for (int64_t c = 0; c < array.childCount; ++c) {
        if (array.children[c] == nullptr) refuseArrow("a column of a batch is absent");
    }
}

}  // namespace

Ref<MemoryTable> importRows(const CArray& array, const ArrowSchema& schema, const TableColumns& columns,
                            const std::vector<int>& wanted) {
    requireRows(array, schema);
    std::vector<std::string> names;
    std::vector<Value> values;
    for (const int c : wanted) {
        columns.requireReadable(c);
        const ArrowField& field = schema.fields[static_cast<size_t>(c)];
        const CArray& column = *array.children[c];
        FlatColumn flat;
        flat.add(field, column, array.offset, array.length);
        Dictionaries dictionaries;
        if (field.dictionary) dictionaries[field.dictionary->id] = importDictionary(field, column);
        names.push_back(columns.schema()[static_cast<size_t>(c)].name);
        values.push_back(flat.decoder(array.length).take(field, columns.type(c), dictionaries));
    }
    return makeRef<MemoryTable>(std::move(names), std::move(values));
}

ImportedStream::ImportedStream(CStream& stream) : stream_(stream) {
    if (stream_.release == nullptr) refuseArrow("the stream is released");
    stream.release = nullptr;
    try {
        readSchema();
    } catch (...) {
        release();
        throw;
    }
}

void ImportedStream::release() {
    if (stream_.release) stream_.release(&stream_);
}

void ImportedStream::require(int error) {
    if (error == 0) return;
    const char* why = stream_.lastError ? stream_.lastError(&stream_) : nullptr;
    throw SystemError(fmt::format("The stream of Arrow data failed: {}", why ? why : std::strerror(error)));
}

void ImportedStream::readSchema() {
    CSchema schema{};
    require(stream_.schema(&stream_, &schema));
    const std::unique_ptr<CSchema, void (*)(CSchema*)> held(&schema, [](CSchema* s) {
        if (s->release) s->release(s);
    });
    schema_ = importSchema(schema);
    columns_ = TableColumns(schema_);
}

Ref<MemoryTable> ImportedStream::next(const std::vector<int>& wanted) {
    CArray array{};
    require(stream_.next(&stream_, &array));
    if (array.release == nullptr) return {};
    const std::unique_ptr<CArray, void (*)(CArray*)> held(&array, [](CArray* a) { a->release(a); });
    return importRows(array, schema_, columns_, wanted);
}

Ref<MemoryTable> ImportedStream::readAll(const std::vector<int>& wanted) {
    return columns_.join(wanted, [&] { return next(wanted); });
}

}  // namespace pelorus::arrow
