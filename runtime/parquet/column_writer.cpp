#include "runtime/parquet/column_writer.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "common/check.h"
#include "common/thread/cancellation.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/cast.h"
#include "runtime/value/vector.h"

namespace pelorus::parquet_file {

namespace {

constexpr int64_t kPieceElements = 65536;
constexpr int kFixedBytes = 16;

// Values of a piece that are not NULL, one after the other, and for each element whether it has one.
struct Piece {
    std::vector<char> values;
    std::vector<char> bytes;  // of values of fixed length, to which `values` points
    std::vector<uint8_t> isValue;
    int64_t count = 0;  // values
    const void* data = nullptr;
};

// Returns the type to whose elements a stored column's values are converted first.
Type writtenType(Type type) {
    switch (type) {
        case Type::Month:
            return Type::Date;
        case Type::Minute:
        case Type::Second:
            return Type::Time;
        case Type::DateTime:
        case Type::DateHour:
        case Type::DateMinute:
            return Type::Timestamp;
        default:
            return type;
    }
}

// Returns whether an element is a value: a NaN would be NULL when it is read.
template <class T>
bool hasValue(T element) {
    if constexpr (std::is_floating_point_v<T>) return !isNull(element) && !std::isnan(element);
    return !isNull(element);
}

// Gathers elements that are not NULL as values of the type To. Whole pieces without NULL are not copied where both are
// one type.
template <class From, class To>
void gather(const Vector& elements, int64_t begin, int64_t count, Piece& piece) {
    const From* from = elements.data<From>() + begin;
    int64_t nulls = 0;
    for (int64_t i = 0; i < count; ++i) {
        const bool is = hasValue(from[i]);
        piece.isValue[static_cast<size_t>(i)] = is;
        nulls += !is;
    }
    piece.count = count - nulls;
    if (nulls == 0 && std::is_same_v<From, To>) {
        piece.data = from;
        return;
    }
    piece.values.resize(static_cast<size_t>(count) * sizeof(To));
    To* to = reinterpret_cast<To*>(piece.values.data());
    for (int64_t i = 0; i < count; ++i) {
        *to = static_cast<To>(from[i]);
        to += piece.isValue[static_cast<size_t>(i)];
    }
    piece.data = piece.values.data();
}

Bytes* beginBytes(int64_t count, Piece& piece) {
    piece.count = 0;
    piece.values.resize(static_cast<size_t>(count) * sizeof(Bytes));
    piece.data = piece.values.data();
    return reinterpret_cast<Bytes*>(piece.values.data());
}

void gatherStrings(const Vector& elements, int64_t begin, int64_t count, Piece& piece) {
    Bytes* const to = beginBytes(count, piece);
    for (int64_t i = 0; i < count; ++i) {
        const std::string_view text = elements.string(begin + i);
        piece.isValue[static_cast<size_t>(i)] = !text.empty();
        to[piece.count] = {static_cast<uint32_t>(text.size()), text.data()};
        piece.count += !text.empty();
    }
}

// 16 bytes stand in a file from the first to the last, in an element of ours from the last to the first; so do those of
// a decimal, whose first byte has the sign.
void gatherFixed(const Vector& elements, int64_t begin, int64_t count, Piece& piece) {
    Bytes* const to = beginBytes(count, piece);
    piece.bytes.resize(static_cast<size_t>(count) * kFixedBytes);
    for (int64_t i = 0; i < count; ++i) {
        const bool is = !elements.isNullAt(begin + i);
        piece.isValue[static_cast<size_t>(i)] = is;
        if (!is) continue;
        char* const target = piece.bytes.data() + i * kFixedBytes;
        const char* const from = elements.raw() + (begin + i) * kFixedBytes;
        std::reverse_copy(from, from + kFixedBytes, target);
        to[piece.count++] = {kFixedBytes, target};
    }
}

void gatherValues(const Vector& elements, int64_t begin, int64_t count, Piece& piece) {
    piece.isValue.resize(static_cast<size_t>(count));
    if (isLiteral(elements.type())) return gatherStrings(elements, begin, count, piece);
    switch (storageOf(elements.type())) {
        case Storage::Int8:
            return elements.type() == Type::Bool ? gather<int8_t, bool>(elements, begin, count, piece)
                                                 : gather<int8_t, int32_t>(elements, begin, count, piece);
        case Storage::Int16:
            return gather<int16_t, int32_t>(elements, begin, count, piece);
        case Storage::Int32:
            return gather<int32_t, int32_t>(elements, begin, count, piece);
        case Storage::Int64:
            return gather<int64_t, int64_t>(elements, begin, count, piece);
        case Storage::Float32:
            return gather<float, float>(elements, begin, count, piece);
        case Storage::Float64:
            return gather<double, double>(elements, begin, count, piece);
        case Storage::Bytes16:
            return gatherFixed(elements, begin, count, piece);
        default:
            CHECK(false) << "a column is checked before it is written";
    }
}

Ref<Vector> asWritten(Ref<Vector> elements) {
    const Type type = writtenType(elements->type());
    return type == elements->type() ? elements : cast(*elements, type);
}

void writeFlat(FileWriter& writer, int place, const Vector& given, int64_t begin, int64_t count) {
    Piece piece;
    std::vector<int16_t> definitions;
    for (int64_t done = 0; done < count; done += kPieceElements) {
        checkCancelled();
        const int64_t rows = std::min(kPieceElements, count - done);
        const Ref<Vector> elements = asWritten(given.slice(begin + done, rows));
        gatherValues(*elements, 0, rows, piece);
        definitions.assign(piece.isValue.begin(), piece.isValue.end());
        writer.write(place, rows, definitions.data(), nullptr, piece.data);
    }
}

// A list of one NULL, which is how the language keeps an empty list, is written as a missing list.
void writeLists(FileWriter& writer, int place, const ArrayVector& lists, int64_t begin, int64_t count) {
    constexpr int16_t kNoList = 0, kNoElement = 2, kElement = 3;
    Piece piece;
    std::vector<int16_t> definitions, repetitions;
    for (int64_t row = begin; row < begin + count;) {
        checkCancelled();
        // Whole rows, as many as a piece holds, and one at least.
        int64_t end = row + 1;
        while (end < begin + count && lists.end(end) - lists.begin(row) <= kPieceElements) ++end;
        const int64_t first = lists.begin(row), elements = lists.end(end - 1) - first;
        const Ref<Vector> values = asWritten(lists.values()->slice(first, elements));
        gatherValues(*values, 0, elements, piece);
        definitions.clear();
        repetitions.clear();
        for (; row < end; ++row) {
            const int64_t size = lists.rowSize(row);
            for (int64_t i = 0; i < size; ++i) {
                const bool is = piece.isValue[static_cast<size_t>(lists.begin(row) - first + i)];
                definitions.push_back(is ? kElement : size == 1 ? kNoList : kNoElement);
                repetitions.push_back(i > 0);
            }
        }
        writer.write(place, elements, definitions.data(), repetitions.data(), piece.data);
    }
}

}  // namespace

void writeColumn(FileWriter& writer, int place, const Column& stored, const Value& column, int64_t begin,
                 int64_t count) {
    CHECK((stored.maxRepetition > 0) == column.isArrayVector()) << "array vectors, and only they, are lists";
    if (column.isArrayVector())
        writeLists(writer, place, column.arrayVector(), begin, count);
    else
        writeFlat(writer, place, column.vector(), begin, count);
}

}  // namespace pelorus::parquet_file
