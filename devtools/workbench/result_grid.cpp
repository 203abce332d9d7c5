#include "devtools/workbench/result_grid.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "interpreter/engine/engine.h"
#include "presentation/view/view_cell.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"

namespace pelorus {

namespace {

using Json = nlohmann::json;

Ref<MemoryTable> tableOf(const Value& value) {
    auto table = makeRef<MemoryTable>();
    switch (value.form()) {
        case Form::Table:
            return tableToRead(value);
        case Form::Vector:
            table->setColumn("value", value);
            return table;
        case Form::Set:
            table->setColumn("value", value.set().index.keys());
            return table;
        case Form::Dictionary:
            table->setColumn("key", value.dictionary().keys());
            table->setColumn("value", value.dictionary().values());
            return table;
        case Form::Matrix: {
            const Matrix& matrix = value.matrix();
            if (!matrix.rowLabels.isVoid()) table->setColumn("label", matrix.rowLabels);
            for (int64_t c = 0; c < matrix.columns; ++c) {
                std::string name =
                    matrix.columnLabels.isVoid() ? fmt::format("#{}", c) : toString(matrix.columnLabels.at(c));
                // Labels may repeat; columns of a table do not.
                if (std::any_of(table->columns().begin(), table->columns().end(),
                                [&](const ColumnSchema& column) { return column.name == name; }))
                    name += fmt::format("#{}", c);
                table->setColumn(name, Value::of(matrix.column(c)));
            }
            return table;
        }
        default:
            return Ref<MemoryTable>();
    }
}

bool alignsRight(Type type) {
    return isNumeric(type) || isDecimal(type) || categoryOf(type) == Category::Temporal;
}

std::string quotedName(const std::string& name) {
    std::string quoted = "_\"";
    for (const char c : name) {
        if (c == '"' || c == '\\') quoted += '\\';
        quoted += c;
    }
    return quoted + '"';
}

}  // namespace

std::unique_ptr<ResultGrid> ResultGrid::of(const Value& value) {
    Ref<MemoryTable> table = tableOf(value);
    if (!table) return nullptr;
    return std::unique_ptr<ResultGrid>(new ResultGrid(std::move(table)));
}

void ResultGrid::arrange(const Order& order, Request& request) {
    if (order == order_) return;
    if (order.sortColumn >= table_->columnCount())
        throw UserError(fmt::format("There is no column {} to sort by.", order.sortColumn));
    if (order.sortColumn < 0 && order.filter.empty()) {
        rows_ = Ref<Vector>();
        order_ = order;
        return;
    }
    // The table again, without a copy of its columns, and the number of each row: the query returns these.
    // Bytes above 0x7F are letters, so the name is no column's by accident.
    const std::string number = "row of the grid", name = "grid·rows";
    auto numbered = makeRef<MemoryTable>();
    for (int c = 0; c < table_->columnCount(); ++c)
        numbered->setColumn(table_->columns()[static_cast<size_t>(c)].name, table_->column(c));
    Ref<Vector> numbers = Vector::make(Type::Int, rowCount_);
    auto* rows = numbers->mutableData<int32_t>();
    for (int64_t i = 0; i < rowCount_; ++i) rows[i] = static_cast<int32_t>(i);
    numbered->setColumn(number, Value::of(std::move(numbers)));

    const Services none;
    Session session(none);
    Context context(none, request);
    session.setVariable(name, Value::of(Ref<Table>(std::move(numbered))));
    std::string query = fmt::format("exec {} from {}", quotedName(number), name);
    if (!order.filter.empty()) query += fmt::format(" where ({}\n)", order.filter);
    if (order.sortColumn >= 0) {
        query +=
            fmt::format(" order by {} {}", quotedName(table_->columns()[static_cast<size_t>(order.sortColumn)].name),
                        order.isDescending ? "desc" : "asc");
    }
    Value found = evaluate(query, session, context);
    if (!found.isTypedVector() || found.type() != Type::Int)
        throw UserError("The filter must be a condition over the columns.", "Such as price > 10 and sym == \"A\".");
    rows_ = Ref<Vector>(&found.vector());
    order_ = order;
}

Json ResultGrid::columns() const {
    Json columns = Json::array();
    for (int c = 0; c < table_->columnCount(); ++c) {
        const Value column = table_->column(c);
        const bool isPlain = column.isTypedVector();
        std::string type = std::string(typeName(elementTypeOf(column.type())));
        if (column.isArrayVector()) type += "[]";
        columns.push_back({{"name", table_->columns()[static_cast<size_t>(c)].name},
                           {"type", type},
                           {"alignsRight", isPlain && alignsRight(column.type())}});
    }
    return columns;
}

Json ResultGrid::page(int64_t offset, int64_t count) const {
    const int64_t columnCount = std::max(table_->columnCount(), 1);
    const int64_t shown = shownRows();
    const int64_t begin = std::clamp<int64_t>(offset, 0, shown);
    const int64_t end = begin + std::clamp<int64_t>(count, 0, std::min(shown - begin, kMaxCells / columnCount));
    std::vector<Value> columns;
    for (int c = 0; c < table_->columnCount(); ++c) columns.push_back(table_->column(c));
    Json rows = Json::array();
    for (int64_t i = begin; i < end; ++i) {
        const int64_t row = rows_ ? rows_->data<int32_t>()[i] : i;
        Json cells = Json::array();
        for (const Value& column : columns) {
            ViewCell cell = viewCellOf(column, row);
            cells.push_back(cell.isNull ? Json() : Json(std::move(cell.string)));
        }
        rows.push_back(std::move(cells));
    }
    return rows;
}

Ref<MemoryTable> ResultGrid::shown() const {
    return rows_ ? table_->gather(rows_->data<int32_t>(), rows_->size()) : table_;
}

}  // namespace pelorus
