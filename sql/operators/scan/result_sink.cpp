#include "sql/operators/scan/result_sink.h"

#include <algorithm>

#include "common/check.h"
#include "common/thread/thread_pool.h"

namespace pelorus {

// Values of all columns below which it takes longer to wake other threads than to copy them.
static constexpr int64_t kFewValues = int64_t{1} << 14;

// Returns a column of the schema's type without rows.
static Value emptyColumn(const ColumnSchema& schema, int64_t capacity) {
    const bool isVector = storageOf(schema.type) != Storage::Boxed && !isArrayType(schema.type);
    if (!isVector) return MemoryTable::empty({schema}, capacity)->column(0);
    Ref<Vector> column = Vector::make(schema.type, 0, capacity);
    column->setScale(schema.scale);
    return Value::of(std::move(column));
}

bool ResultSink::push(Batch& batch, Context&) {
    Part& part = parts_[batch.morsel()];
    part.columns.resize(columns_.size());
    for (size_t c = 0; c < columns_.size(); ++c) {
        if (!columns_[c].known.isVoid()) continue;
        Value values = batch.column(columns_[c].number);
        CHECK(values.size() == batch.rows()) << "a column has one value for each row of its batch";
        part.columns[c].push_back(std::move(values));
    }
    part.rows += batch.rows();
    return true;
}

Value ResultSink::column(size_t number, int64_t rows) {
    const Column& own = columns_[number];
    if (!own.known.isVoid()) return own.known;
    Value whole = emptyColumn(own.schema, rows);
    for (Part& part : parts_) {
        if (part.columns.empty()) continue;
        for (Value& batch : part.columns[number]) {
            const int64_t wanted = rows - whole.size();
            if (whole.isTypedVector() && batch.isTypedVector()) {
                whole.vector().append(batch.vector(), 0, std::min(batch.size(), wanted));
            } else if (wanted >= batch.size()) {
                appendElements(whole, batch);
            } else {
                std::vector<int32_t> first(static_cast<size_t>(wanted));
                for (size_t i = 0; i < first.size(); ++i) first[i] = static_cast<int32_t>(i);
                appendElements(whole, gatherElements(batch, first.data(), wanted));
            }
            batch = Value();
        }
    }
    CHECK(whole.size() == rows) << "the batches hold the rows that their morsels counted";
    return whole;
}

Ref<MemoryTable> ResultSink::rows() {
    int64_t rows = 0;
    for (const Part& part : parts_) rows += part.rows;
    rows = std::min(rows, needed_);
    std::vector<Value> values(columns_.size());
    const auto make = [&](int64_t c) { values[static_cast<size_t>(c)] = column(static_cast<size_t>(c), rows); };
    if (rows * std::ssize(values) < kFewValues) {
        for (int64_t c = 0; c < std::ssize(values); ++c) make(c);
    } else {
        parallelFor(std::ssize(values), make);
    }
    auto result = makeRef<MemoryTable>();
    for (size_t c = 0; c < values.size(); ++c) {
        CHECK(values[c].size() == values[0].size()) << "all columns of a result have as many rows";
        result->setColumn(columns_[c].schema.name, values[c]);
    }
    return result;
}

}  // namespace pelorus
