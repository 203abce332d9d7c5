#include "sql/operators/collect_rows.h"

#include <algorithm>

#include "common/check.h"
#include "common/thread/mutex.h"
#include "common/thread/thread_pool.h"
#include "interpreter/expression/expression_program.h"
#include "sql/operators/driver.h"
#include "sql/plan/row_source.h"

namespace pelorus {

namespace {

// Sink that keeps for each morsel and expression the vectors of its blocks, which are copied once, when the size of the
// whole is known.
class Collector final : public Sink {
public:
    // `shared`: columns that need not be computed, null for the others.
    Collector(const std::vector<RowItem>& items, const std::vector<Ref<Vector>>& shared, int64_t needed)
        : items_(items), shared_(shared), needed_(needed) {}

    void open(size_t morsels) override {
        parts_.resize(morsels);
        end_ = morsels;
    }

    bool wants(size_t morsel, const PartitionReader&, int) override {
        if (parts_[morsel].rows >= needed_) return false;
        if (needed_ == INT64_MAX) return true;
        const MutexLock lock(mutex_);
        return morsel < end_;
    }

    void push(size_t morsel, int, BlockRows& rows, Context& context) override {
        Part& part = parts_[morsel];
        part.columns.resize(items_.size());
        const int64_t wanted = std::min(needed_ - part.rows, rows.rows());
        // The last block is computed only as far as it is needed.
        const Filter::Selection wantedRows = wanted < rows.rows() ? rows.first(wanted) : Filter::Selection();
        BlockRows some = rows.only(wantedRows);
        BlockRows& block = wanted < rows.rows() ? some : rows;
        for (size_t i = 0; i < items_.size(); ++i) {
            if (shared_[i]) continue;
            Ref<Vector> values(&block.evaluate(items_[i].value, context).vector());
            CHECK(values->size() == wanted) << "an expression has one value for each row of its block";
            part.columns[i].push_back(std::move(values));
        }
        part.rows += wanted;
    }

    // When the finished morsels in front have enough rows, the later ones are not needed.
    void close(size_t morsel) override {
        if (needed_ == INT64_MAX) return;
        const MutexLock lock(mutex_);
        parts_[morsel].isDone = true;
        while (done_ < end_ && parts_[done_].isDone) {
            CHECK(parts_[done_].rows <= needed_) << "a morsel keeps no more rows than are wanted";
            before_ += parts_[done_++].rows;
            if (before_ >= needed_) end_ = done_;
        }
    }

    // Concatenates the rows of all morsels that count.
    Ref<Vector> column(size_t item) {
        int64_t total = 0;
        for (size_t m = 0; m < end_; ++m) total += parts_[m].rows;
        total = std::min(total, needed_);
        Ref<Vector> whole = columnFor(items_[item], total);
        for (size_t m = 0; m < end_; ++m) {
            if (parts_[m].columns.empty()) continue;
            for (Ref<Vector>& block : parts_[m].columns[item]) {
                whole->append(*block, 0, std::min(block->size(), total - whole->size()));
                block = Ref<Vector>();
            }
        }
        CHECK(whole->size() == total) << "the blocks hold the rows that their morsels counted";
        return whole;
    }

private:
    struct Part {
        std::vector<std::vector<Ref<Vector>>> columns;
        int64_t rows = 0;
        bool isDone = false;
    };

    const std::vector<RowItem>& items_;
    const std::vector<Ref<Vector>>& shared_;
    const int64_t needed_;
    std::vector<Part> parts_;  // each written by the thread of its morsel
    Mutex mutex_;              // guards the members below, and isDone of the parts
    size_t done_ = 0;          // morsels up to here are done,
    int64_t before_ = 0;       // and have so many rows
    size_t end_ = 0;           // morsels from here on do not matter
};

}  // namespace

Ref<Vector> columnFor(const RowItem& item, int64_t rows) {
    Ref<Vector> column = Vector::make(item.value.resultType(), 0, rows);
    column->setScale(item.value.resultScale());
    return column;
}

Ref<MemoryTable> collectRows(const RowSource& source, Filter& filter, const std::vector<RowItem>& items, int64_t needed,
                             Context& context) {
    std::vector<Ref<Vector>> columns(items.size());
    const OnePartition* whole = filter.empty() ? source.whole() : nullptr;
    if (whole) {
        TableSchema shown;
        for (const RowItem& item : items)
            shown.push_back({item.name, item.value.resultType(), item.value.resultScale()});
        whole->requireRoom(std::min(needed, source.table->rowCount()), shown);
    }
    // Columns of which all rows pass are shared with a table in memory until someone changes one.
    for (size_t i = 0; whole && i < items.size(); ++i) {
        const int c = items[i].value.plainColumn();
        if (c < 0) continue;
        columns[i] = Ref<Vector>(&whole->column(c, std::min(needed, source.table->rowCount())).vector());
    }
    if (std::find(columns.begin(), columns.end(), Ref<Vector>()) != columns.end()) {
        Collector collector(items, columns, needed);
        std::vector<const ExpressionProgram*> expressions;
        for (const RowItem& item : items) expressions.push_back(&item.value);
        const std::vector<Morsel> morsels =
            morselsOf(source, filter.constraints(), filter.empty() ? needed : INT64_MAX);
        // Columns that may not be read to their end are not prefetched.
        const bool readsAll = needed == INT64_MAX;
        drive(morsels, filter, readsAll ? readColumns(filter, expressions, context) : std::vector<int>(), collector,
              context);
        parallelFor(static_cast<int64_t>(items.size()), [&](int64_t i) {
            Ref<Vector>& column = columns[static_cast<size_t>(i)];
            if (!column) column = collector.column(static_cast<size_t>(i));
        });
    }
    auto result = makeRef<MemoryTable>();
    for (size_t i = 0; i < items.size(); ++i) {
        CHECK(columns[i]->size() == columns[0]->size()) << "all columns of a result have as many rows";
        result->setColumn(items[i].name, Value::of(columns[i]));
    }
    return result;
}

}  // namespace pelorus
