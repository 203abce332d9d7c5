#include "sql/operators/scan/result_sink.h"

#include <algorithm>

#include "common/check.h"
#include "common/thread/thread_pool.h"

namespace pelorus {

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
    Value whole = MemoryTable::empty({own.schema}, rows)->column(0);
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
    parallelFor(std::ssize(values),
                [&](int64_t c) { values[static_cast<size_t>(c)] = column(static_cast<size_t>(c), rows); });
    auto result = makeRef<MemoryTable>();
    for (size_t c = 0; c < values.size(); ++c) {
        CHECK(values[c].size() == values[0].size()) << "all columns of a result have as many rows";
        result->setColumn(columns_[c].schema.name, values[c]);
    }
    return result;
}

}  // namespace pelorus
