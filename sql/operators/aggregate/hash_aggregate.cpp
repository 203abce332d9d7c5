#include "sql/operators/aggregate/hash_aggregate.h"

#include <algorithm>

#include "common/check.h"
#include "common/thread/thread_pool.h"
#include "runtime/kernel/sort/row_order.h"
#include "sql/execution/driver.h"
#include "sql/keys/key_ranges.h"
#include "sql/operators/aggregate/by_key.h"
#include "sql/operators/aggregate/group_builder.h"
#include "sql/operators/scan/filter.h"
#include "sql/operators/scan/table_scan.h"
#include "sql/plan/aggregate_plan.h"

namespace pelorus {

namespace {

std::vector<ExpressionProgram> programsOf(const std::vector<BoundItem>& items) {
    std::vector<ExpressionProgram> programs;
    for (const BoundItem& item : items) programs.push_back(item.value);
    return programs;
}

// Whether bounds determine the aggregate: min(c), max(c) and count(c) of a column whose bounds are exact: of integers
// and times.
bool isToldByBounds(const AggregateCall& call) {
    const Role role = call.function->declaration().role;
    if (call.arguments.size() != 1 || call.arguments[0].plainColumn() < 0) return false;
    const Type type = call.arguments[0].resultType();
    const Storage storage = storageOf(type);
    const bool isWhole =
        storage == Storage::Int8 || storage == Storage::Int16 || storage == Storage::Int32 || storage == Storage::Int64;
    return (role == Role::Min || role == Role::Max || role == Role::Count) && isWhole && !isDecimal(type) &&
           !isLiteral(type);
}

// Returns false where the exact bounds of the block are unknown; then nothing was added.
bool addBounds(GroupedState& state, const AggregateCall& call, const Batch& rows) {
    const BlockBounds bounds = rows.bounds(call.arguments[0].plainColumn());
    if (!bounds.known || !bounds.isExact) return false;
    const int64_t items = rows.rows() - bounds.nullCount;
    const Role role = call.function->declaration().role;
    const Value& item = role == Role::Max ? bounds.max : bounds.min;
    if (items > 0) state.add({&item, 1}, nullptr, role == Role::Count ? items : 1);
    return true;
}

void addBlock(GroupBuilder& groups, Batch& rows, const std::vector<ExpressionProgram>& keys,
              const AggregatePlan& aggregates, Context& context) {
    const int64_t n = rows.rows();
    std::vector<Value> keyValues;
    for (const ExpressionProgram& k : keys) keyValues.push_back(rows.evaluate(k, context));
    const int32_t* numbers = groups.number(keyValues, n);
    for (size_t i = 0; i < aggregates.calls.size(); ++i) {
        const AggregateCall& call = aggregates.calls[i];
        if (keys.empty() && isToldByBounds(call) && addBounds(groups.state(i), call, rows)) continue;
        std::vector<Value> arguments;
        for (const ExpressionProgram& a : call.arguments) {
            arguments.push_back(rows.evaluate(a, context));
            CHECK(arguments.back().isScalar() || arguments.back().size() == n)
                << "an argument has one value, or one for each row";
        }
        groups.state(i).add(arguments, numbers, n);
    }
}

// Each morsel is a leaf.
class LeafSink final : public Sink {
public:
    LeafSink(const std::vector<ExpressionProgram>& keys, const std::vector<Type>& keyTypes,
             const AggregatePlan& aggregates, const std::vector<LeafPlace>& places, GroupParts& parts)
        : keys_(keys), keyTypes_(keyTypes), aggregates_(aggregates), places_(places), parts_(parts) {}

    void open(size_t morsels) override {
        CHECK(morsels == places_.size()) << "each morsel is a leaf with its place";
        builders_.resize(morsels);
    }

    bool push(Batch& batch, Context& worker) override {
        addBlock(builder(batch.morsel()), batch, keys_, aggregates_, worker);
        return true;
    }

    void close(size_t morsel) override {
        parts_.add(places_[morsel], builder(morsel).finish());
        builders_[morsel].reset();
    }

private:
    GroupBuilder& builder(size_t morsel) {
        if (!builders_[morsel]) builders_[morsel] = std::make_unique<GroupBuilder>(keyTypes_, aggregates_);
        return *builders_[morsel];
    }

    const std::vector<ExpressionProgram>& keys_;
    const std::vector<Type>& keyTypes_;
    const AggregatePlan& aggregates_;
    const std::vector<LeafPlace>& places_;
    GroupParts& parts_;
    std::vector<std::unique_ptr<GroupBuilder>> builders_;  // each of the thread of its morsel
};

// Concatenates vectors, tuples or array vectors of one type.
Value joined(std::vector<Value> parts) {
    Value whole = std::move(parts[0]);
    if (parts.size() == 1) return whole;
    int64_t rows = whole.size();
    for (size_t p = 1; p < parts.size(); ++p) rows += parts[p].size();
    if (whole.isTypedVector()) whole.vector().reserve(rows);
    for (size_t p = 1; p < parts.size(); ++p) {
        appendElements(whole, parts[p]);
        parts[p] = Value();
    }
    CHECK(whole.size() == rows) << "the parts are appended with all their groups";
    return whole;
}

// Aggregation of the rows; passes each hash partition of the groups on when it is complete.
class Aggregation {
public:
    Aggregation(const RowsToGroup& rows, Context& context)
        : rows_(rows),
          aggregates_(rows.aggregates),
          context_(context),
          keys_(programsOf(rows.keys)),
          keyTypes_(keyTypes(keys_)),
          parts_(keyTypes_, rows.aggregates, grant_, spillFolderOf(context)) {}

    // `wantsKeyOrder`: the groups of a partition should precede those of the next ones.
    void ofRows(bool wantsKeyOrder, const TakePart& take) {
        Filter filter(rows_.conditions, rows_.source.columns(), context_);
        const std::vector<Morsel> morsels = morselsOf(rows_.source, filter.constraints());
        std::vector<Morsel> leaves;
        std::vector<LeafPlace> places;
        for (size_t begin = 0, end = 0; begin < morsels.size(); begin = end) {
            const size_t partition = morsels[begin].partition;
            while (end < morsels.size() && morsels[end].partition == partition) ++end;
            const std::span<const Morsel> own(morsels.data() + begin, end - begin);
            if (prefersKeyParts(own, keys_, aggregates_, filter, context_)) {
                // A part of the only partition is complete at once.
                const bool isAll = own.size() == morsels.size();
                std::optional<KeyRanges> ranges;
                if (isAll && wantsKeyOrder) ranges = keyRangesOf(own, keys_, filter, context_);
                partsAreInKeyOrder_ = ranges.has_value();
                const TakePart add = [&](size_t part, PartialGroups groups) {
                    parts_.addPart({partition, 0}, part, std::move(groups));
                };
                groupByKeyParts(own, keys_, aggregates_, filter, ranges ? &*ranges : nullptr, grant_,
                                isAll ? take : add, context_);
                if (isAll) return;
                continue;
            }
            for (size_t i = begin; i < end; ++i) {
                leaves.push_back(morsels[i]);
                places.push_back({partition, i - begin});
            }
        }
        std::vector<const ExpressionProgram*> read;
        for (const ExpressionProgram& key : keys_) read.push_back(&key);
        for (const AggregateCall& call : aggregates_.calls) {
            // Columns whose values the bounds of most blocks imply are not prefetched.
            if (keys_.empty() && filter.empty() && isToldByBounds(call)) continue;
            for (const ExpressionProgram& argument : call.arguments) read.push_back(&argument);
        }
        LeafSink sink(keys_, keyTypes_, aggregates_, places, parts_);
        run({TableScan(std::move(leaves), readColumns(filter, read, context_)), {&filter}, sink}, context_);
        parts_.merge(take);
        if (ScanProfile* profile = rows_.source.profile.get()) profile->spilledBytes += parts_.spilledBytes();
    }
    // Known before the first part is passed.
    bool partsAreInKeyOrder() const { return partsAreInKeyOrder_; }

    void ofSaved(const std::vector<Value>& saved, const TakePart& take) {
        for (size_t partition = 0; partition < saved.size(); ++partition)
            parts_.add({partition, 0}, loadGroups(saved[partition], keyTypes_, aggregates_));
        parts_.merge(take);
    }

private:
    const RowsToGroup& rows_;
    const AggregatePlan& aggregates_;
    Context& context_;
    std::vector<ExpressionProgram> keys_;
    std::vector<Type> keyTypes_;
    memory::Grant grant_;
    GroupParts parts_;
    bool partsAreInKeyOrder_ = false;
};

// Collects parts of groups as a table.
class TableParts {
public:
    void take(size_t part, PartialGroups groups) {
        CHECK(part < parts_.size()) << "parts are numbered below their count";
        Part& own = parts_[part];
        own.groups = groups.groups;
        own.columns = std::move(groups.keys);
        for (const Value& key : own.columns) CHECK(key.size() == own.groups) << "each group has one key";
        for (auto& state : groups.states) {
            own.columns.push_back(state->results());
            CHECK(own.columns.back().size() == own.groups) << "an aggregate has one result for each group";
            state.reset();
        }
    }

    // Sorts the groups of a part by their keys, the first columns.
    void sort(size_t part, size_t keys) {
        Part& own = parts_[part];
        std::vector<OrderKey> order;
        for (size_t k = 0; k < keys; ++k) order.push_back({own.columns[k]});
        const std::vector<int32_t> positions = sortPositions(order, own.groups);
        for (Value& column : own.columns) column = gatherElements(column, positions.data(), own.groups);
    }

    Ref<MemoryTable> table(const std::vector<BoundItem>& keys, const AggregatePlan& aggregates) {
        const auto isEmpty = [](const Part& part) { return part.groups == 0; };
        // Part 0 is always there.
        if (std::all_of(parts_.begin(), parts_.end(), isEmpty)) parts_.resize(1);
        if (parts_.size() > 1) std::erase_if(parts_, isEmpty);
        CHECK(parts_[0].columns.size() == keys.size() + aggregates.calls.size())
            << "groups have a column for each key and each aggregate";
        std::vector<Value> whole(parts_[0].columns.size());
        parallelFor(static_cast<int64_t>(whole.size()), [&](int64_t c) {
            std::vector<Value> column;
            for (Part& part : parts_) column.push_back(std::move(part.columns[static_cast<size_t>(c)]));
            whole[static_cast<size_t>(c)] = joined(std::move(column));
        });
        auto result = makeRef<MemoryTable>();
        for (size_t c = 0; c < whole.size(); ++c) {
            const bool isKey = c < keys.size();
            result->setColumn(isKey ? keys[c].names()[0] : aggregates.calls[c - keys.size()].column,
                              std::move(whole[c]));
        }
        return result;
    }

private:
    struct Part {
        int64_t groups = 0;
        std::vector<Value> columns;
    };
    std::vector<Part> parts_{GroupParts::kMaxParts};
};

}  // namespace

PartialGroups groupsOf(const RowsToGroup& rows, Context& context) {
    std::vector<PartialGroups> parts(GroupParts::kMaxParts);
    Aggregation(rows, context).ofRows(false, [&](size_t part, PartialGroups groups) {
        parts[part] = std::move(groups);
    });
    const auto isEmpty = [](const PartialGroups& part) { return part.groups == 0; };
    // Part 0 is always there.
    if (std::all_of(parts.begin(), parts.end(), isEmpty)) return std::move(parts[0]);
    std::erase_if(parts, isEmpty);
    return concatenated(std::move(parts), rows.aggregates);
}

GroupsTable groupsTable(const RowsToGroup& rows, bool inKeyOrder, Context& context) {
    TableParts parts;
    Aggregation all(rows, context);
    all.ofRows(inKeyOrder, [&](size_t part, PartialGroups groups) {
        parts.take(part, std::move(groups));
        if (all.partsAreInKeyOrder()) parts.sort(part, rows.keys.size());
    });
    return {parts.table(rows.keys, rows.aggregates), all.partsAreInKeyOrder()};
}

GroupsTable groupsTable(const RowsToGroup& rows, const std::vector<Value>& saved, Context& context) {
    TableParts parts;
    Aggregation(rows, context).ofSaved(saved, [&](size_t part, PartialGroups groups) {
        parts.take(part, std::move(groups));
    });
    return {parts.table(rows.keys, rows.aggregates)};
}

}  // namespace pelorus
