#include "sql/execution/batch.h"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "common/check.h"
#include "runtime/kernel/index/row_selection.h"

namespace pelorus {

Selection selectionOf(std::vector<int32_t> positions, int64_t rows) {
    CHECK(static_cast<int64_t>(positions.size()) <= rows) << "a selection names each row once";
    Selection selection{static_cast<int64_t>(positions.size()) == rows, std::move(positions), {}};
    selection.mask = Vector::filled(Type::Bool, rows, Value::ofBool(false));
    auto* mask = selection.mask->mutableData<int8_t>();
    for (const int32_t row : selection.positions) mask[row] = 1;
    return selection;
}

void Batch::keep(const Ref<Vector>& passes) {
    CHECK(passes->size() == rows()) << "a condition decides for each row";
    const int64_t blockRows = reader_.blockRows(block_);
    if (selection_.all) {
        selection_.mask = passes;
        selection_.positions.resize(static_cast<size_t>(blockRows));
        const int64_t count = chosenPositions(passes->data<int8_t>(), blockRows, selection_.positions.data());
        CHECK(count <= blockRows) << "a condition passes no more rows than the block has";
        selection_.positions.resize(static_cast<size_t>(count));
    } else {
        selection_.mask = Vector::make(Type::Bool, blockRows);
        auto* mask = selection_.mask->mutableData<int8_t>();
        std::fill_n(mask, blockRows, int8_t{0});
        const int8_t* pass = passes->data<int8_t>();
        size_t kept = 0;
        for (size_t i = 0; i < selection_.positions.size(); ++i) {
            if (pass[i] != 1) continue;
            mask[selection_.positions[i]] = 1;
            selection_.positions[kept++] = selection_.positions[i];
        }
        selection_.positions.resize(kept);
    }
    selection_.all = static_cast<int64_t>(selection_.positions.size()) == blockRows;
}

void Batch::keepFirst(int64_t count) {
    if (count >= rows()) return;
    std::vector<int32_t> positions(static_cast<size_t>(count));
    for (size_t i = 0; i < positions.size(); ++i) positions[i] = blockRow(static_cast<int32_t>(i));
    selection_ = selectionOf(std::move(positions), reader_.blockRows(block_));
}

void Batch::project(std::span<const ExpressionProgram> columns, Context& worker) {
    CHECK(projected_.empty()) << "a batch is projected once";
    projection_ = columns;
    projected_.resize(columns.size());
    worker_ = &worker;
}

static Value chosenRows(const Value& items, const Selection& selection) {
    const auto count = static_cast<int64_t>(selection.positions.size());
    if (!items.isTypedVector() || !selection.mask) return gatherElements(items, selection.positions.data(), count);
    return Value::of(chosenElements(items.vector(), selection.mask->data<int8_t>(), selection.positions.data(), count));
}

const Value& Batch::wholeColumn(int column) {
    for (const auto& [known, value] : columns_) {
        if (known == column) return value;
    }
    if (!profile_) return columns_.emplace_back(column, reader_.read(block_, column)).second;
    const auto begin = std::chrono::steady_clock::now();
    const Value& read = columns_.emplace_back(column, reader_.read(block_, column)).second;
    readNanos_ +=
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin).count();
    constexpr int kStringBytes = 16;
    profile_->readBytes +=
        read.size() * (storageOf(read.type()) == Storage::String ? kStringBytes : widthOf(read.type()));
    return read;
}

Value Batch::selected(const Value& whole) const {
    return selection_.all || whole.isScalar() ? whole : chosenRows(whole, selection_);
}

Value Batch::column(int column) {
    if (!worker_) return selected(wholeColumn(column));
    Value& value = projected_[static_cast<size_t>(column)];
    if (value.isVoid()) value = evaluate(projection_[static_cast<size_t>(column)], *worker_);
    return value;
}

Value Batch::evaluate(const ExpressionProgram& expression, Context& context) {
    const int64_t blockRows = reader_.blockRows(block_);
    // Few rows are gathered before the evaluation, many after it: a gather costs about as much as one operator.
    const bool picksFirst = !selection_.all && (rows() * 4 < blockRows || !expression.isCheap());
    std::vector<Value> columns;
    for (const int c : expression.columns()) {
        const Value& whole = wholeColumn(c);
        columns.push_back(picksFirst ? selected(whole) : whole);
    }
    for (const Value& column : columns)
        CHECK(column.size() == (picksFirst ? rows() : blockRows)) << "a block is read with all its rows";
    if (picksFirst) return expression.evaluate(context, columns, rows());
    return selected(expression.evaluate(context, columns, blockRows));
}

}  // namespace pelorus
