#include "sql/operators/scan/scan.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "common/check.h"
#include "common/error.h"
#include "common/thread/mutex.h"
#include "common/thread/thread_pool.h"
#include "interpreter/expression/expression_program.h"
#include "runtime/function/progress.h"
#include "runtime/kernel/index/row_selection.h"
#include "runtime/partition/value_filters.h"
#include "runtime/value/cast.h"
#include "sql/expression/bind_expression.h"
#include "sql/plan/rules/prune.h"

namespace pelorus {

constexpr size_t kMaxConditions = 64;  // bits of a mask; the last condition takes the rest
constexpr int kMorselBlocks = 8;       // about half a million rows
constexpr size_t kMorselsAhead = 2;    // whose bytes the system prefetches

Filter::Filter(const NodeList& conditions, const TableSchema& columns, Context& context) : columns_(columns) {
    for (const NodeRef& node : conditions) {
        if (conditions_.size() == kMaxConditions) {
            Condition& last = conditions_.back();
            last.node = makeRef<Binary>(Operator::And, last.node, node, node->position);
            if (std::exchange(last.constrained, false)) constraints_.pop_back();
            continue;
        }
        Condition c;
        c.node = node;
        c.constrained = constraintOf(*node, columns, context, c.constraint);
        if (c.constrained) constraints_.push_back(c.constraint);
        conditions_.push_back(std::move(c));
    }
}

const ExpressionProgram& Filter::combined(uint64_t open, Context& context) {
    const MutexLock lock(mutex_);
    for (const auto& [mask, expression] : combined_) {
        if (mask == open) return *expression;
    }
    NodeRef all;
    for (size_t i = 0; i < conditions_.size(); ++i) {
        if (!(open >> i & 1)) continue;
        const NodeRef& node = conditions_[i].node;
        all = all ? NodeRef(makeRef<Binary>(Operator::And, all, node, node->position)) : node;
    }
    combined_.emplace_back(open, std::make_unique<ExpressionProgram>(bindProgram(all, columns_, context)));
    return *combined_.back().second;
}

std::vector<int> Filter::columns(Context& context) {
    if (conditions_.empty()) return {};
    return combined(~uint64_t{0} >> (64 - conditions_.size()), context).columns();
}

Filter::Selection Filter::select(const PartitionReader& reader, int block, Context& context) {
    Selection selection;
    uint64_t open = 0;
    for (size_t i = 0; i < conditions_.size(); ++i) {
        const Condition& c = conditions_[i];
        Selects s = c.constrained ? decide(c.constraint, reader.bounds(block, c.constraint.column)) : Selects::Some;
        if (s == Selects::None) return selection;
        if (s == Selects::Some) open |= uint64_t{1} << i;
    }
    if (open == 0) {
        selection.all = true;
        return selection;
    }
    selection.all = true;
    if (std::has_single_bit(open) || combined(open, context).isCheap()) {
        narrow(selection, combined(open, context), reader, block, context);
        return selection;
    }
    // Conditions on strings and calls cost much: one after the other, on the rows that the cheap ones and those before
    // selected.
    uint64_t programs = 0;
    for (uint64_t rest = open; rest != 0; rest &= rest - 1) {
        const uint64_t one = rest & -rest;
        if (combined(one, context).isCheap()) programs |= one;
    }
    if (programs != 0) narrow(selection, combined(programs, context), reader, block, context);
    for (uint64_t rest = open & ~programs; rest != 0; rest &= rest - 1) {
        if (!selection.all && selection.positions.empty()) break;
        narrow(selection, combined(rest & -rest, context), reader, block, context);
    }
    return selection;
}

void Filter::narrow(Selection& selection, const ExpressionProgram& condition, const PartitionReader& reader, int block,
                    Context& context) {
    for (int c : condition.columns()) {
        const bool isRead = std::any_of(selection.columns.begin(), selection.columns.end(),
                                        [c](const auto& known) { return known.first == c; });
        if (!isRead) selection.columns.emplace_back(c, reader.read(block, c));
    }
    const int64_t rows = reader.blockRows(block);
    BlockRows left(reader, block, selection);
    const Value given = left.evaluate(condition, context);
    if (given.isScalar()) {
        if (isTrue(given)) return;
        selection.all = false;
        selection.positions.clear();
        return;
    }
    if (!given.isVector() || given.size() != left.rows() || !isNumeric(given.type())) {
        throw UserError("A condition must give one BOOL per row. RefId: S02035");
    }
    const Ref<Vector> passes = cast(given.vector(), Type::Bool);
    if (selection.all) {
        selection.mask = passes;
        selection.positions.resize(static_cast<size_t>(rows));
        const int64_t count = chosenPositions(passes->data<int8_t>(), rows, selection.positions.data());
        CHECK(count <= rows) << "a condition passes no more rows than the block has";
        selection.positions.resize(static_cast<size_t>(count));
    } else {
        selection.mask = Vector::make(Type::Bool, rows);
        auto* mask = selection.mask->mutableData<int8_t>();
        std::fill_n(mask, rows, int8_t{0});
        const int8_t* pass = passes->data<int8_t>();
        size_t kept = 0;
        for (size_t i = 0; i < selection.positions.size(); ++i) {
            if (pass[i] != 1) continue;
            mask[selection.positions[i]] = 1;
            selection.positions[kept++] = selection.positions[i];
        }
        selection.positions.resize(kept);
    }
    selection.all = static_cast<int64_t>(selection.positions.size()) == rows;
}

Filter::Selection selectionOf(std::vector<int32_t> positions, int64_t rows) {
    Filter::Selection selection;
    selection.positions = std::move(positions);
    selection.mask = Vector::filled(Type::Bool, rows, Value::ofBool(false));
    auto* mask = selection.mask->mutableData<int8_t>();
    CHECK(static_cast<int64_t>(selection.positions.size()) <= rows) << "a selection names each row once";
    for (const int32_t row : selection.positions) mask[row] = 1;
    selection.all = static_cast<int64_t>(selection.positions.size()) == rows;
    return selection;
}

Filter::Selection BlockRows::first(int64_t count) const {
    std::vector<int32_t> positions;
    for (int64_t i = 0; i < count; ++i) positions.push_back(blockRow(static_cast<int32_t>(i)));
    return selectionOf(std::move(positions), reader_.blockRows(block_));
}

static Value chosenRows(const Value& items, const Filter::Selection& selection) {
    const auto count = static_cast<int64_t>(selection.positions.size());
    if (!items.isTypedVector()) return gatherElements(items, selection.positions.data(), count);
    return Value::of(chosenElements(items.vector(), selection.mask->data<int8_t>(), selection.positions.data(), count));
}

Value BlockRows::fullColumn(int column) {
    for (const auto& [known, value] : columns_) {
        if (known == column) return value;
    }
    columns_.emplace_back(column, reader_.read(block_, column));
    return columns_.back().second;
}

Value BlockRows::filtered(const Value& whole) const {
    return selection_.all || whole.isScalar() ? whole : chosenRows(whole, selection_);
}

Value BlockRows::evaluate(const ExpressionProgram& expression, Context& context) {
    std::vector<Value> columns;
    // Few rows are gathered before the evaluation, many after it: a gather costs about as much as one operator.
    bool pickFirst = !selection_.all && (rows() * 4 < reader_.blockRows(block_) || !expression.isCheap());
    for (int c : expression.columns()) columns.push_back(pickFirst ? filtered(fullColumn(c)) : fullColumn(c));
    for (const Value& column : columns)
        CHECK(column.size() == (pickFirst ? rows() : reader_.blockRows(block_))) << "a block is read with all its rows";
    if (pickFirst) return expression.evaluate(context, columns, rows());
    return filtered(expression.evaluate(context, columns, reader_.blockRows(block_)));
}

// Returns whether the filters of a partition, if it has some, leave rows that satisfy all constraints. They are asked
// only where bounds do not decide: a filter has to be read.
static bool mayHaveRows(const PartitionReader& reader, const std::vector<ColumnConstraint>& constraints) {
    const auto* filters = dynamic_cast<const ValueFilters*>(&reader);
    if (filters == nullptr) return true;
    return std::all_of(constraints.begin(), constraints.end(), [&](const ColumnConstraint& c) {
        if (c.anyOf.empty()) return true;
        bool isOpen = false;
        for (int block = 0; block < reader.blockCount() && !isOpen; ++block)
            isOpen = decide(c, reader.bounds(block, c.column)) != Selects::None;
        return isOpen && filters->mayHaveAny(c.column, c.anyOf);
    });
}

std::vector<Morsel> morselsOf(const RowSource& source, const std::vector<ColumnConstraint>& constraints,
                              int64_t enough) {
    // The binder takes it, and asks for the right to read it.
    if (!source.snapshot) throw InternalError("a query reads a table without a snapshot");
    const std::shared_ptr<TableSnapshot>& snapshot = source.snapshot;
    const std::vector<size_t> partitions = partitionsToRead(source, constraints);
    const auto open = [&](size_t partition) {
        // The reader keeps the snapshot's files alive as long as it lives.
        return std::shared_ptr<const PartitionReader>(snapshot->open(partition).release(),
                                                      [snapshot](const PartitionReader* r) { delete r; });
    };
    std::vector<std::shared_ptr<const PartitionReader>> readers;
    if (enough < INT64_MAX || partitions.size() == 1) {
        int64_t rows = 0;
        for (size_t p = 0; p < partitions.size() && rows < enough; ++p) {
            readers.push_back(open(partitions[p]));
            rows += readers.back()->rowCount();
            if (!mayHaveRows(*readers.back(), constraints)) readers.back() = nullptr;
        }
    } else {
        readers.resize(partitions.size());
        // Opening a partition of a table with sort columns may have to find the order of its rows.
        parallelFor(static_cast<int64_t>(partitions.size()), [&](int64_t i) {
            auto& reader = readers[static_cast<size_t>(i)];
            reader = open(partitions[static_cast<size_t>(i)]);
            if (!mayHaveRows(*reader, constraints)) reader = nullptr;
        });
    }
    std::vector<Morsel> morsels;
    for (size_t p = 0; p < readers.size(); ++p) {
        if (!readers[p]) continue;
        int blocks = readers[p]->blockCount();
        for (int b = 0; b < blocks; b += kMorselBlocks) {
            morsels.push_back({readers[p], b, std::min(b + kMorselBlocks, blocks), p});
        }
    }
    return morsels;
}

std::vector<int> readColumns(Filter& filter, const std::vector<const ExpressionProgram*>& expressions,
                             Context& context) {
    std::vector<int> columns = filter.columns(context);
    for (const ExpressionProgram* e : expressions)
        columns.insert(columns.end(), e->columns().begin(), e->columns().end());
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    return columns;
}

static int64_t rowCount(std::span<const Morsel> morsels) {
    int64_t rows = 0;
    for (const Morsel& morsel : morsels) {
        for (int block = morsel.firstBlock; block < morsel.endBlock; ++block) rows += morsel.reader->blockRows(block);
    }
    return rows;
}

void forEachMorsel(const std::vector<Morsel>& morsels, const std::vector<int>& columns, Context& context,
                   const std::function<void(size_t, const Morsel&, Context&)>& f) {
    const auto announce = [&](size_t i) {
        if (i < morsels.size() && !columns.empty())
            morsels[i].reader->willRead(morsels[i].firstBlock, morsels[i].endBlock, columns);
    };
    const bool isWatched = context.request->progress != nullptr;
    ProgressPhase progress(context.request->progress, "query", ProgressUnit::Rows, isWatched ? rowCount(morsels) : 0);
    auto one = [&](int64_t i) {
        Context own = context;
        own.callDepth = 0;
        own.checkCancelled();
        announce(static_cast<size_t>(i));
        announce(static_cast<size_t>(i) + kMorselsAhead);
        f(static_cast<size_t>(i), morsels[static_cast<size_t>(i)], own);
        if (isWatched) progress.add(rowCount({&morsels[static_cast<size_t>(i)], 1}));
    };
    if (morsels.size() == 1) return one(0);
    parallelFor(static_cast<int64_t>(morsels.size()), one);
}

Ref<MemoryTable> scanColumns(const RowSource& source, Filter& filter, const std::vector<int>& columns,
                             Context& context) {
    TableSchema schema;
    for (int c : columns) schema.push_back(source.columns()[static_cast<size_t>(c)]);
    if (const OnePartition* whole = filter.empty() ? source.whole() : nullptr) {
        const int64_t rows = source.table->rowCount();
        whole->requireRoom(rows, schema);
        auto result = makeRef<MemoryTable>();
        for (size_t c = 0; c < columns.size(); ++c) result->setColumn(schema[c].name, whole->column(columns[c], rows));
        return result;
    }
    std::vector<Morsel> morsels = morselsOf(source, filter.constraints());
    std::vector<std::vector<Value>> parts(morsels.size());
    std::vector<int> read = filter.columns(context);
    read.insert(read.end(), columns.begin(), columns.end());
    forEachMorsel(morsels, read, context, [&](size_t number, const Morsel& morsel, Context& own) {
        Ref<MemoryTable> part = MemoryTable::empty(schema);
        for (int b = morsel.firstBlock; b < morsel.endBlock; ++b) {
            Filter::Selection selection = filter.select(*morsel.reader, b, own);
            if (!selection.all && selection.positions.empty()) continue;
            BlockRows rows(*morsel.reader, b, selection);
            for (size_t c = 0; c < columns.size(); ++c)
                appendElements(part->mutableColumns()[c], rows.column(columns[c]));
        }
        parts[number] = part->mutableColumns();
    });
    Ref<MemoryTable> result = MemoryTable::empty(schema);
    for (size_t c = 0; c < columns.size(); ++c) {
        int64_t total = 0;
        for (const auto& part : parts) total += part[c].size();
        Value& column = result->mutableColumns()[c];
        if (column.isTypedVector()) column.vector().reserve(total);
        for (auto& part : parts) {
            appendElements(column, part[c]);
            part[c] = Value();
        }
        CHECK(column.size() == total) << "a column has the rows of all morsels";
        CHECK(column.size() == result->column(0).size()) << "all columns of a scan have as many rows";
    }
    return result;
}

}  // namespace pelorus
