#include "server/line_protocol/column_builder.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "common/check.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/vector.h"
#include "server/line_protocol/line_lexer.h"

namespace pelorus {
namespace {

LineKind kindFor(Type type) {
    switch (type) {
        case Type::Bool:
            return LineKind::Bool;
        case Type::Double:
            return LineKind::Double;
        case Type::NanoTimestamp:
            return LineKind::Time;
        case Type::String:
        case Type::Symbol:
        case Type::Blob:
            return LineKind::String;
        default:
            return type == arrayTypeOf(Type::Double) ? LineKind::Array : LineKind::Long;
    }
}

bool hasPlainCells(Type type) {
    return type == Type::Long || type == Type::Double || type == Type::Bool;
}

int64_t nullCellOf(Type type) {
    switch (type) {
        case Type::Bool:
        case Type::Char:
            return null<int8_t>;
        case Type::Short:
            return null<int16_t>;
        case Type::Int:
            return null<int32_t>;
        case Type::Float:
        case Type::Double:
            return std::bit_cast<int64_t>(null<double>);
        case Type::String:
        case Type::Symbol:
        case Type::Blob:
            return 0;
        default:
            return isArrayType(type) ? 0 : null<int64_t>;
    }
}

template <class T>
T elementOf(int64_t cell) {
    if constexpr (std::is_same_v<T, double>) {
        return std::bit_cast<double>(cell);
    } else if constexpr (std::is_same_v<T, float>) {
        const double x = std::bit_cast<double>(cell);
        return isNull(x) ? null<float> : static_cast<float>(x);
    } else {
        return static_cast<T>(cell);
    }
}

}  // namespace

ColumnBuilder::ColumnBuilder(std::string name, Type type, bool isNew)
    : name_(std::move(name)),
      type_(type),
      own_(kindFor(type)),
      isPlain_(hasPlainCells(type)),
      isNew_(isNew),
      nullCell_(nullCellOf(type)) {}

void ColumnBuilder::setSlowly(int64_t row, const LineValue& value) {
    if (static_cast<int64_t>(cells_.size()) > row) throw LineError(fmt::format("the field {} is given twice", name_));
    const int64_t cell = cellOf(value);
    if (cells_.empty()) firstRow_ = static_cast<size_t>(row);
    cells_.resize(static_cast<size_t>(row), nullCell_);
    cells_.push_back(cell);
}

int64_t ColumnBuilder::cellOf(const LineValue& value) {
    if (value.kind == own_) {
        switch (value.kind) {
            case LineKind::String:
            case LineKind::Array: {
                const size_t begin = bytes_.size();
                if (value.isEscaped) {
                    appendUnescaped(bytes_, value.string);
                } else {
                    bytes_.append(value.string);
                }
                CHECK(bytes_.size() - begin < size_t{1} << kSizeBits) << "a line is shorter than this";
                return packed(begin, bytes_.size() - begin);
            }
            case LineKind::Long:
                if (type_ == Type::Long) return value.bits;
                break;
            default:
                return value.bits;
        }
    }
    if (const std::optional<int64_t> cell = convertExactly(value, type_)) return *cell;
    throw LineError(fmt::format("the field {} is a {} that does not fit its column of type {}", name_,
                                nameOf(value.kind), typeName(type_)));
}

// Returns where the bytes of the values from this row on begin: cells of missing values are 0.
size_t ColumnBuilder::cutPlace(size_t row) const {
    for (; row < cells_.size(); ++row) {
        if (cells_[row] != nullCell_) return static_cast<uint64_t>(cells_[row]) >> kSizeBits;
    }
    return bytes_.size();
}

void ColumnBuilder::truncate(int64_t rows) {
    const auto kept = static_cast<size_t>(rows);
    if (cells_.size() <= kept) return;
    if (own_ == LineKind::String || own_ == LineKind::Array) bytes_.resize(cutPlace(kept));
    cells_.resize(kept);
    if (kept <= firstRow_) {
        cells_.clear();
        firstRow_ = 0;
    }
}

std::string_view ColumnBuilder::bytesAt(int64_t cell) const {
    const auto place = static_cast<uint64_t>(cell);
    return std::string_view(bytes_).substr(place >> kSizeBits, place & ((uint64_t{1} << kSizeBits) - 1));
}

template <class T>
Value ColumnBuilder::buildNumbers(int64_t rows, const std::vector<int32_t>& order) const {
    Ref<Vector> column = Vector::make(type_, rows);
    T* elements = column->mutableData<T>();
    const auto given = static_cast<int64_t>(cells_.size());
    const auto at = [&](int64_t i) { return elementOf<T>(i < given ? cells_[static_cast<size_t>(i)] : nullCell_); };
    if (order.empty()) {
        for (int64_t i = 0; i < rows; ++i) elements[i] = at(i);
    } else {
        for (int64_t i = 0; i < rows; ++i) elements[i] = at(order[static_cast<size_t>(i)]);
    }
    return Value::of(std::move(column));
}

Value ColumnBuilder::buildStrings(int64_t rows, const std::vector<int32_t>& order) const {
    Ref<Vector> column = Vector::make(type_, rows);
    for (int64_t i = 0; i < rows; ++i) {
        const auto from = static_cast<size_t>(order.empty() ? i : order[static_cast<size_t>(i)]);
        if (from < cells_.size()) {
            column->setString(i, bytesAt(cells_[from]));
        } else {
            column->setString(i, "");
        }
    }
    return Value::of(std::move(column));
}

Value ColumnBuilder::buildArrays(int64_t rows, const std::vector<int32_t>& order) const {
    auto column = makeRef<ArrayVector>(Type::Double, uint8_t{0}, rows);
    for (int64_t i = 0; i < rows; ++i) {
        const auto from = static_cast<size_t>(order.empty() ? i : order[static_cast<size_t>(i)]);
        const std::string_view bytes = from < cells_.size() ? bytesAt(cells_[from]) : std::string_view();
        const auto size = static_cast<int64_t>(bytes.size() / sizeof(double));
        Ref<Vector> row = Vector::make(Type::Double, std::max<int64_t>(size, 1));
        auto* elements = row->mutableData<double>();
        elements[0] = null<double>;
        if (size > 0) std::memcpy(elements, bytes.data(), bytes.size());
        for (int64_t k = 0; k < size; ++k) elements[k] = std::isfinite(elements[k]) ? elements[k] : null<double>;
        column->appendRow(*row);
    }
    return Value::of(std::move(column));
}

Value ColumnBuilder::build(int64_t rows, const std::vector<int32_t>& order) const {
    CHECK(order.empty() || static_cast<int64_t>(order.size()) == rows) << "each row has one place";
    switch (type_) {
        case Type::Bool:
        case Type::Char:
            return buildNumbers<int8_t>(rows, order);
        case Type::Short:
            return buildNumbers<int16_t>(rows, order);
        case Type::Int:
            return buildNumbers<int32_t>(rows, order);
        case Type::Float:
            return buildNumbers<float>(rows, order);
        case Type::Double:
            return buildNumbers<double>(rows, order);
        case Type::String:
        case Type::Symbol:
        case Type::Blob:
            return buildStrings(rows, order);
        default:
            return isArrayType(type_) ? buildArrays(rows, order) : buildNumbers<int64_t>(rows, order);
    }
}

}  // namespace pelorus
