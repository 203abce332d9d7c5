// ResultGrid presents a result as a grid that an editor shows page by page, sorted and filtered.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runtime/function/context.h"
#include "runtime/table/table.h"
#include "runtime/value/value.h"

namespace pelorus {

// The rows of one result in their present order. Not thread-safe.
class ResultGrid {
public:
    // Returns nullptr for values that have no rows: scalars, pairs, charts, tables on disk. Vectors, sets, matrices and
    // dictionaries become columns. The columns share the value's memory.
    static std::unique_ptr<ResultGrid> of(const Value& value);

    // The rows that are shown, and their order.
    struct Order {
        int sortColumn = -1;  // -1: the order of the value
        bool isDescending = false;
        std::string filter;  // a condition of the language over the columns; empty: all rows
        bool operator==(const Order&) const = default;
    };

    // Arranges the rows by an order, unless it is the present one, by a query with the rights of the request. Throws
    // UserError for a filter that is no condition; the former order then remains.
    void arrange(const Order& order, Request& request);

    int64_t rowCount() const { return rowCount_; }                           // rows of the value
    int64_t shownRows() const { return rows_ ? rows_->size() : rowCount_; }  // rows that the filter shows
    // Returns name and type of each column, and whether it is aligned to the right.
    nlohmann::json columns() const;
    // Returns the cells of rows [offset, offset + count) of the order as strings, NULL as null. Integers, decimals and
    // times are exact. At most kMaxCells cells: fewer rows where there are more columns.
    nlohmann::json page(int64_t offset, int64_t count) const;
    // Returns the shown rows as a table.
    Ref<MemoryTable> shown() const;

    static constexpr int64_t kMaxCells = 100'000;

private:
    explicit ResultGrid(Ref<MemoryTable> table) : table_(std::move(table)), rowCount_(table_->rowCount()) {}

    Ref<MemoryTable> table_;
    int64_t rowCount_;
    Order order_;
    Ref<Vector> rows_;  // INT positions; null: all rows as they are
};

}  // namespace pelorus
