#include "sql/spill/placed_rows.h"

#include <utility>

#include "common/check.h"
#include "common/thread/cancellation.h"
#include "runtime/value/element_width.h"
#include "runtime/value/vector.h"

namespace pelorus {

namespace {

void place(const Vector& items, const int64_t* numbers, Vector& target) {
    if (storageOf(items.type()) == Storage::String) {
        for (int64_t i = 0; i < items.size(); ++i) target.setString(numbers[i], items.string(i));
        return;
    }
    char* const out = target.mutableRaw();
    withWidth(items.width(), [&](auto zero) {
        using T = decltype(zero);
        const T* const from = items.data<T>();
        T* const to = reinterpret_cast<T*>(out);
        for (int64_t i = 0; i < items.size(); ++i) to[numbers[i]] = from[i];
    });
}

bool canBePlaced(const Value& column) {
    const Storage storage = storageOf(column.type());
    return column.isTypedVector() && storage != Storage::Boxed && storage != Storage::None;
}

}  // namespace

bool PlacedRows::add(const MemoryTable& part, const Value& numbers) {
    checkCancelled();
    if (columns_.empty()) {
        schema_ = part.columns();
        for (int c = 0; c < part.columnCount(); ++c) {
            if (!canBePlaced(part.column(c))) return false;
            columns_.push_back(Vector::make(part.column(c).type(), rows_));
            columns_.back()->setScale(part.column(c).vector().scale());
        }
    }
    CHECK(std::ssize(columns_) == part.columnCount() && numbers.size() == part.rowCount())
        << "all parts have one schema, and a number for each row";
    for (size_t c = 0; c < columns_.size(); ++c) {
        const Value& column = part.column(static_cast<int>(c));
        if (!canBePlaced(column) || column.type() != columns_[c]->type() ||
            column.vector().scale() != columns_[c]->scale())
            return false;
        place(column.vector(), numbers.vector().data<int64_t>(), *columns_[c]);
    }
    added_ += part.rowCount();
    return true;
}

Ref<MemoryTable> PlacedRows::finish() {
    CHECK(added_ == rows_) << "each row was added once";
    auto table = makeRef<MemoryTable>();
    for (size_t c = 0; c < columns_.size(); ++c) table->setColumn(schema_[c].name, Value::of(std::move(columns_[c])));
    return table;
}

}  // namespace pelorus
