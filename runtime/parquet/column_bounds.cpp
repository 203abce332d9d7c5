#include "runtime/parquet/column_bounds.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <utility>

#include "runtime/kernel/elementwise/operators.h"
#include "runtime/value/cast.h"

namespace pelorus::parquet_file {

namespace {

// Returns whether stored bounds can be told as those of elements of this type.
bool hasBounds(const ReadPlan& plan) {
    if (plan.column.maxRepetition > 0 || plan.column.physical == Physical::Int96) return false;
    if (plan.isText) return plan.column.physical == Physical::Bytes && plan.type.type != Type::Blob;
    return plan.column.physical != Physical::FixedBytes && plan.column.physical != Physical::Bytes;
}

// Returns the element that stored bytes of a bound stand for; VOID when they have another length.
Value boundOf(const ReadPlan& plan, Type given, const std::string& stored) {
    if (plan.isText) return Value::ofString(stored);
    if (stored.size() != plan.rawBytes) return {};
    const Ref<Vector> one = Vector::make(plan.type.type, 1);
    one->setScale(plan.type.scale);
    alignas(16) char raw[16] = {};
    std::memcpy(raw, stored.data(), stored.size());
    if (plan.convert != nullptr) {
        plan.convert(plan.column, raw, 1, one->mutableRaw());
    } else {
        std::memcpy(one->mutableRaw(), raw, plan.rawBytes);
    }
    const Value bound = one->at(0);
    return given == plan.type.type ? bound : cast(bound, given);
}

bool less(const Value& a, const Value& b) {
    return isTrue(applyBinary(Operator::Lt, a, b));
}

// Widens the bounds of a block by those of a page that overlaps it.
void addPage(BlockBounds& block, const BlockBounds& page) {
    block.known = block.known && page.known;
    block.nullCount += page.nullCount;
    if (!block.known) return;
    const bool isFirst = block.max.isVoid() || block.max.isNull();
    if (!isFirst && page.max.isNull()) return;  // a page of NULLs only
    if (isFirst || less(page.min, block.min)) block.min = page.min;
    if (isFirst || less(block.max, page.max)) block.max = page.max;
}

template <class T>
std::string bytesOf(T x) {
    return {reinterpret_cast<const char*>(&x), sizeof(T)};
}

std::optional<std::string> storedInteger(const Column& column, int64_t x) {
    if (column.physical == Physical::Int64) return bytesOf(x);
    const bool fits = std::in_range<int32_t>(x) || (column.logical == Logical::UInt32 && std::in_range<uint32_t>(x));
    if (column.physical != Physical::Int32 || !fits) return std::nullopt;
    return bytesOf(static_cast<uint32_t>(x));
}

// Microseconds, where the file has these for nanoseconds here.
std::optional<std::string> storedTime(const Column& column, int64_t x) {
    constexpr int64_t kNanosPerMicro = 1000;
    const bool isScaled = column.logical == Logical::TimeMicros || column.logical == Logical::TimestampMicros;
    if (isScaled && x % kNanosPerMicro != 0) return std::nullopt;
    return storedInteger(column, isScaled ? x / kNanosPerMicro : x);
}

// Zero has two forms that are equal.
std::optional<std::string> storedReal(const Column& column, const Value& value) {
    constexpr int64_t kMaxExact = int64_t{1} << 53;
    const bool isReal = value.type() == Type::Double || value.type() == Type::Float;
    if (!isReal && (!isIntegral(value.type()) || std::abs(value.integer()) > kMaxExact)) return std::nullopt;
    const double x = value.asDouble();
    if (x == 0) return std::nullopt;
    if (column.physical == Physical::Double && value.type() != Type::Float) return bytesOf(x);
    if (column.physical == Physical::Float && value.type() == Type::Float) return bytesOf(static_cast<float>(x));
    return std::nullopt;
}

}  // namespace

BlockBounds boundsFrom(const ReadPlan& plan, Type given, const Statistics& told, int64_t rows, bool hasNoNan) {
    if (!hasBounds(plan)) return {};
    BlockBounds result;
    const bool isWhole = isIntegral(given) || isTemporal(given) || given == Type::Bool;
    result.isExact = isWhole && told.nullCount.has_value();
    // A NaN, which no bound includes, becomes NULL.
    const bool mayHaveNan = isFloating(given) && !hasNoNan;
    result.nullCount = mayHaveNan ? rows : told.nullCount.value_or(rows);
    if (told.nullCount == rows) {
        result.known = true;
        result.min = result.max = Value::nullOf(given);
        return result;
    }
    if (!told.min || !told.max) return result;
    result.min = boundOf(plan, given, *told.min);
    result.max = boundOf(plan, given, *told.max);
    if (result.min.isVoid() || result.max.isVoid() || result.max.isNull()) return result;
    if (result.min.isNull()) {
        // A stored value that is NULL here, such as an empty string: the others are not known.
        if (!isLiteral(given)) return result;
        result.nullCount = rows;
        result.isExact = false;
    }
    result.known = true;
    return result;
}

std::vector<BlockBounds> blocksOfPages(const std::vector<Page>& pages, int64_t rows, int64_t blockRows,
                                       const std::function<BlockBounds(const Statistics&, int64_t)>& boundsOf) {
    if (pages.empty()) return {};
    BlockBounds unknown;
    unknown.known = true;
    unknown.isExact = false;
    std::vector<BlockBounds> blocks(static_cast<size_t>((rows + blockRows - 1) / blockRows), unknown);
    for (size_t i = 0; i < pages.size(); ++i) {
        const int64_t begin = pages[i].firstRow, end = i + 1 < pages.size() ? pages[i + 1].firstRow : rows;
        const BlockBounds page = boundsOf(pages[i].statistics, end - begin);
        for (int64_t block = begin / blockRows; block * blockRows < end; ++block)
            addPage(blocks[static_cast<size_t>(block)], page);
    }
    for (size_t b = 0; b < blocks.size(); ++b) {
        BlockBounds& block = blocks[b];
        block.nullCount = std::min(block.nullCount, std::min(blockRows, rows - static_cast<int64_t>(b) * blockRows));
    }
    return blocks;
}

std::optional<std::string> storedBytes(const ReadPlan& plan, Type given, const Value& value) {
    // A type that the file's metadata restores is read as another one.
    if (value.isNull() || given != plan.type.type) return std::nullopt;
    if (plan.isText) {
        if (plan.column.physical != Physical::Bytes || !value.isString()) return std::nullopt;
        return std::string(value.string());
    }
    if (isIntegral(given) && given != Type::Bool)
        return isIntegral(value.type()) ? storedInteger(plan.column, value.integer()) : std::nullopt;
    if (isFloating(given)) return storedReal(plan.column, value);
    if (value.type() != given) return std::nullopt;
    if (isTemporal(given)) return storedTime(plan.column, value.integer());
    if (given != Type::Uuid || plan.column.physical != Physical::FixedBytes) return std::nullopt;
    const Ref<Vector> one = Vector::filled(given, 1, value);
    return std::string(std::reverse_iterator(one->raw() + one->width()), std::reverse_iterator(one->raw()));
}

}  // namespace pelorus::parquet_file
