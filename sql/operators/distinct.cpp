#include "sql/operators/distinct.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <iterator>

#include "common/check.h"
#include "common/error.h"
#include "interpreter/expression/expression_program.h"
#include "sql/keys/group_table.h"
#include "sql/operators/driver.h"
#include "sql/operators/first_rows_of_keys.h"
#include "sql/operators/scan/scan.h"
#include "sql/plan/row_item.h"
#include "sql/plan/row_source.h"

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
        std::vector<Value> values;
        for (const RowItem& item : items_) values.push_back(rows.evaluate(item.value, context));
        if (!part.pieces.empty()) return keep(part, std::move(values), rows.rows());
        if (!part.table) part.table = std::make_unique<GroupTable>(types_);
        const int64_t before = part.table->size();
        part.numbers.resize(static_cast<size_t>(rows.rows()));
        part.table->assign(values, rows.rows(), part.numbers.data());
        // Rows that differ among themselves may be those of the block before again.
        const bool mostAreNew = before > 0 && 2 * (part.table->size() - before) > rows.rows();
        const bool wantsAll = needed_ == INT64_MAX && std::ranges::all_of(values, &Value::isTypedVector);
        if (!mostAreNew || !wantsAll || keptRows_.load(std::memory_order_relaxed) > kMaxKept) return;
        // Looking for equal rows in the morsel would cost much and leave as many.
        std::vector<Value> known = part.table->keys();
        const int64_t size = part.table->size();
        part.table.reset();
        keep(part, std::move(known), size);
    }

    void close(size_t morsel) override {
        Part& part = parts_[morsel];
        part.numbers = {};
        if (!part.table) return;
        part.rows = part.table->size();
        part.pieces = {part.table->keys()};
        CHECK(part.pieces[0].empty() || part.pieces[0][0].size() == part.rows) << "each group has one key";
        part.table.reset();
        size_t end = end_;
        while (part.rows >= needed_ && morsel + 1 < end && !end_.compare_exchange_weak(end, morsel + 1)) continue;
    }

    Ref<MemoryTable> rows() {
        std::erase_if(parts_, [](const Part& part) { return part.rows == 0; });
        std::vector<Value> columns;
        if (parts_.size() == 1 && parts_[0].pieces.size() == 1) {
            columns = std::move(parts_[0].pieces[0]);
        } else if (!parts_.empty()) {
            int64_t rows = 0;
            for (const Part& part : parts_) rows += part.rows;
            columns = rows < kManyRows || needed_ < rows ? oneAfterAnother() : firstRowsOfKeys(types_, allPieces());
        }
        auto result = makeRef<MemoryTable>();
        for (size_t i = 0; i < items_.size(); ++i)
            result->setColumn(items_[i].name, columns.empty() ? Value::of(columnFor(items_[i], 0)) : columns[i]);
        return result->rowCount() > needed_ ? result->slice(0, needed_) : result;
    }

private:
    // Rows of blocks that are kept as they are before morsels look for equal ones again, which may be far fewer.
    static constexpr int64_t kMaxKept = int64_t{1} << 24;
    // Rows of all morsels above which they are cut by their keys and looked through on all threads.
    static constexpr int64_t kManyRows = int64_t{1} << 20;

    // The state of a morsel: the table of its distinct rows, and once it is closed their columns; or the columns of
    // its blocks, where most rows differ.
    struct Part {
        std::unique_ptr<GroupTable> table;
        std::vector<int32_t> numbers;
        std::vector<std::vector<Value>> pieces;
        int64_t rows = 0;  // of the pieces
    };

    void keep(Part& part, std::vector<Value> values, int64_t rows) {
        part.pieces.push_back(std::move(values));
        part.rows += rows;
        keptRows_.fetch_add(rows, std::memory_order_relaxed);
    }

    std::vector<std::vector<Value>> allPieces() {
        std::vector<std::vector<Value>> all;
        for (Part& part : parts_) {
            std::ranges::move(part.pieces, std::back_inserter(all));
            part.pieces.clear();
        }
        return all;
    }

    // Returns the columns of the distinct rows, taken one piece after another.
    std::vector<Value> oneAfterAnother() {
        GroupTable all(types_);
        std::vector<int32_t> numbers;
        for (const std::vector<Value>& piece : allPieces()) {
            if (all.size() >= needed_) break;
            numbers.resize(static_cast<size_t>(piece[0].size()));
            all.assign(piece, piece[0].size(), numbers.data());
        }
        return all.keys();
    }

    const std::vector<RowItem>& items_;
    const int64_t needed_;
    std::vector<Type> types_;
    std::vector<Part> parts_;  // each of the thread of its morsel
    std::atomic<int64_t> keptRows_{0};
    std::atomic<size_t> end_{0};  // morsels from here on do not matter
};

}  // namespace

Ref<MemoryTable> distinctRows(const RowSource& source, Filter& filter, const std::vector<RowItem>& items,
                              int64_t needed, Context& context) {
    DistinctSink sink(items, needed);
    std::vector<const ExpressionProgram*> expressions;
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
