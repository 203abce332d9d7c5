#include "presentation/view/view_cell.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "common/thread/stack_room.h"
#include "presentation/view/text_width.h"
#include "runtime/table/table.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"

namespace pelorus {

namespace {

constexpr int64_t kElementsShown = 10;

std::string realString(double x, int digits, int decimals) {
    if (x == 0) return "0";
    if (std::isnan(x)) return "NaN";
    if (std::isinf(x)) return x < 0 ? "-inf" : "inf";
    const double magnitude = std::fabs(x);
    const int exponent = static_cast<int>(std::floor(std::log10(magnitude)));
    char buffer[400];
    if (exponent >= digits || exponent < -4) {
        const int shown = exponent < -4 ? decimals - 1 : digits - 1;
        const auto end = std::to_chars(buffer, buffer + sizeof buffer, x, std::chars_format::scientific, shown).ptr;
        std::string string(buffer, end);
        const size_t e = string.find('e');
        const int power = std::atoi(string.c_str() + e + 1);
        string.resize(e);
        string.erase(string.find_last_not_of('0') + 1);
        if (string.back() == '.') string.pop_back();
        return fmt::format("{}E{}", string, power);
    }
    const int places = exponent < 0 ? decimals - exponent - 1 : std::min(decimals, digits - exponent - 1);
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, x, std::chars_format::fixed, places).ptr;
    std::string string(buffer, end);
    if (string.find('.') != std::string::npos) {
        string.erase(string.find_last_not_of('0') + 1);
        if (string.back() == '.') string.pop_back();
    }
    return string;
}

ViewCell nullCell() {
    return {"NULL", true};
}

ViewCell scalarCell(const Value& value, bool quoted) {
    const Type type = value.type();
    const bool showsZero = type == Type::Function || categoryOf(type) == Category::System;
    if (value.isNull() && !showsZero) return nullCell();
    if (type == Type::Double) return {viewDouble(value.real())};
    if (type == Type::Float) {
        constexpr int kDigits = 7;
        return {realString(value.real(), kDigits, kDigits - 1)};
    }
    return {printableString(quoted ? itemString(value) : toString(value))};
}

template <class ElementAt>
std::string elementsString(int64_t size, const char* open, const char* close, const ElementAt& elementAt) {
    std::string string = open;
    const int64_t shown = std::min(size, kElementsShown);
    for (int64_t i = 0; i < shown; ++i) {
        if (i > 0) string += ',';
        string += elementAt(i);
    }
    return string + (shown < size ? ",…" : "") + close;
}

std::string rowString(const Vector& row) {
    // An empty row of an array vector is kept as a single NULL.
    if (row.size() == 1 && row.isNullAt(0)) return "[]";
    return elementsString(row.size(), "[", "]", [&](int64_t i) { return viewElement(row.at(i)).string; });
}

}  // namespace

std::string viewDouble(double x) {
    constexpr int kDigits = 15, kDecimals = 6;
    return realString(x, kDigits, kDecimals);
}

ViewCell viewElement(const Value& value) {
    return value.isScalar() ? scalarCell(value, true) : viewCell(value);
}

ViewCell viewCell(const Value& value) {
    requireStackRoom();
    switch (value.form()) {
        case Form::Scalar:
            return scalarCell(value, false);
        case Form::Vector:
            if (value.isArrayVector()) {
                const ArrayVector& rows = value.arrayVector();
                return {elementsString(rows.size(), "[", "]", [&](int64_t i) { return rowString(*rows.row(i)); })};
            }
            return {elementsString(value.size(), value.isTuple() ? "(" : "[", value.isTuple() ? ")" : "]",
                                   [&](int64_t i) { return viewElement(value.at(i)).string; })};
        case Form::Pair: {
            const Vector& sides = value.vector();
            return {viewElement(sides.at(0)).string + " : " + viewElement(sides.at(1)).string};
        }
        case Form::Set: {
            const Set& set = value.set();
            return {elementsString(set.index.size(), "set(", ")",
                                   [&](int64_t i) { return viewElement(set.index.key(i)).string; })};
        }
        case Form::Dictionary: {
            const Dictionary& entries = value.dictionary();
            return {elementsString(entries.size(), "{", "}", [&](int64_t i) {
                return viewCell(entries.keyAt(i)).string + ": " + viewElement(entries.valueAt(i)).string;
            })};
        }
        case Form::Matrix:
            return {fmt::format("<{} × {} matrix>", value.matrix().rows, value.matrix().columns)};
        case Form::Table:
            return {fmt::format("<table {} × {}>", value.table().rowCount(), value.table().columnCount())};
        default:
            return {printableString(display(value))};
    }
}

ViewCell viewCellOf(const Value& column, int64_t row) {
    if (column.isTuple()) return viewCell(column.tuple().elements[static_cast<size_t>(row)]);
    if (column.isArrayVector()) return {rowString(*column.arrayVector().row(row))};
    return scalarCell(column.vector().at(row), false);
}

}  // namespace pelorus
