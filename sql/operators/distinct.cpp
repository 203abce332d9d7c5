#include "sql/operators/distinct.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "common/check.h"
#include "common/error.h"
#include "sql/operators/aggregate/group_table.h"
#include "sql/operators/driver.h"

namespace pelorus {

namespace {

// Sink that groups rows by all of their columns: those of each morsel by themselves, which are few or become so.
class DistinctSink final : public Sink {
public:
    DistinctSink(const std::vector<RowItem>& items, int64_t needed) : items_(items), needed_(needed) {
        for (const RowItem& item : items) types_.push_back(item.value.resultType());
    }

    void open(size_t morsels) override {
        parts_.resize(morsels);
        end_ = morsels;
    }

    // Enough distinct rows precede all that follow.
    bool wants(size_t morsel, const PartitionReader&, int) override {
        const Part& part = parts_[morsel];
        return morsel < end_ && !(part.table && part.table->size() >= needed_);
    }

    void push(size_t morsel, int, BlockRows& rows, Context& context) override {
        Part& part = parts_[morsel];
        if (!part.table) part.table = std::make_unique<GroupTable>(types_);
        std::vector<Value> values;
        for (const RowItem& item : items_) values.push_back(rows.evaluate(item.value, context));
        part.numbers.resize(static_cast<size_t>(rows.rows()));
        part.table->assign(values, rows.rows(), part.numbers.data());
    }

    void close(size_t morsel) override {
        Part& part = parts_[morsel];
        part.numbers = {};
        if (!part.table) return;
        part.rows = part.table->size();
        part.columns = part.table->keys();
        CHECK(part.columns.empty() || part.columns[0].size() == part.rows) << "each group has one key";
        part.table.reset();
        size_t end = end_;
        while (part.rows >= needed_ && morsel + 1 < end && !end_.compare_exchange_weak(end, morsel + 1)) continue;
    }

    Ref<MemoryTable> rows() {
        std::erase_if(parts_, [](const Part& part) { return part.rows == 0; });
        std::vector<Value> columns;
        if (parts_.size() == 1) {
            columns = std::move(parts_[0].columns);
        } else if (!parts_.empty()) {
            GroupTable all(types_);
            std::vector<int32_t> numbers;
            for (size_t m = 0; m < parts_.size() && all.size() < needed_; ++m) {
                numbers.resize(static_cast<size_t>(parts_[m].rows));
                all.assign(parts_[m].columns, parts_[m].rows, numbers.data());
                parts_[m].columns = {};
            }
            columns = all.keys();
        }
        auto result = makeRef<MemoryTable>();
        for (size_t i = 0; i < items_.size(); ++i)
            result->setColumn(items_[i].name, columns.empty() ? Value::of(columnFor(items_[i], 0)) : columns[i]);
        return result->rowCount() > needed_ ? result->slice(0, needed_) : result;
    }

private:
    struct Part {
        std::unique_ptr<GroupTable> table;
        std::vector<int32_t> numbers;
        std::vector<Value> columns;
        int64_t rows = 0;
    };

    const std::vector<RowItem>& items_;
    const int64_t needed_;
    std::vector<Type> types_;
    std::vector<Part> parts_;     // each of the thread of its morsel
    std::atomic<size_t> end_{0};  // morsels from here on do not matter
};

}  // namespace

Ref<MemoryTable> distinctRows(const RowSource& source, Filter& filter, const std::vector<RowItem>& items,
                              int64_t needed, Context& context) {
    DistinctSink sink(items, needed);
    std::vector<const ColumnExpression*> expressions;
    for (const RowItem& item : items) expressions.push_back(&item.value);
    drive(morselsOf(source, filter.constraints()), filter, readColumns(filter, expressions, context), sink, context);
    return sink.rows();
}

Ref<MemoryTable> distinctRows(const Ref<MemoryTable>& rows, int keys, int64_t needed) {
    CHECK(keys <= rows->columnCount()) << "the keys are the first columns of the rows";
    std::vector<Value> columns;
    std::vector<Type> types;
    for (int c = 0; c < keys; ++c) {
        columns.push_back(rows->column(c));
        types.push_back(columns.back().type());
        if (!columns.back().isTypedVector()) {
            throw UserError(fmt::format("The column {} holds lists, which distinct and union do not compare.",
                                        rows->columns()[static_cast<size_t>(c)].name));
        }
    }
    std::vector<int32_t> numbers(static_cast<size_t>(rows->rowCount()));
    GroupTable groups(types);
    groups.assign(columns, rows->rowCount(), numbers.data());
    CHECK(groups.size() <= rows->rowCount()) << "there are no more groups than rows";
    std::vector<int32_t> first;
    for (size_t r = 0; r < numbers.size() && static_cast<int64_t>(first.size()) < needed; ++r) {
        if (numbers[r] == static_cast<int32_t>(first.size())) first.push_back(static_cast<int32_t>(r));
    }
    return first.size() == numbers.size() ? rows : rows->gather(first.data(), static_cast<int64_t>(first.size()));
}

}  // namespace pelorus
