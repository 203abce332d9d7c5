#include "postgres/steps/row_steps.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "postgres/functions/conversions.h"
#include "postgres/sql_error.h"
#include "runtime/table/table.h"
#include "runtime/table/value_bytes.h"
#include "runtime/value/vector.h"
#include "sql/keys/group_table.h"

namespace pelorus::postgres {

namespace {

// The most different rows for which steps run.
constexpr size_t kMaxDifferentRows = 100'000;
constexpr size_t kMaxJoinedRows = 100'000'000;

// Runs steps for rows, those with equal inputs once. Lives as long as one step of the plan runs.
class RowSteps {
public:
    RowSteps(const std::vector<PlanStep>& steps, const std::vector<RowInput>& inputs, const MemoryTable& rows,
             const StepScope& scope, Context& context)
        : steps_(steps), inputs_(inputs), rows_(rows), scope_(scope), context_(context) {}

    // Calls `made` with the scope in which the steps have run for this row, the first time that its inputs are met;
    // returns the number of these inputs, counted from 0.
    template <class Made>
    size_t run(int64_t row, const Made& made) {
        context_.checkCancelled();
        StepScope inside(&scope_);
        std::string key;
        for (const RowInput& input : inputs_) {
            Value given = input.source.starts_with('=') ? scope_.get(input.source.substr(1))
                                                        : rows_.column(input.source)->at(row);
            key += given.isNull() ? std::string(1, '\1') : textForm(given, oid::kText, -1) + '\2';
            key += '\0';
            inside.set(input.name, std::move(given));
        }
        const auto [known, isNew] = known_.emplace(std::move(key), known_.size());
        if (!isNew) return known->second;
        if (known_.size() > kMaxDifferentRows)
            throw SqlError(sql_state::kProgramLimit,
                           "A sub-query that reads columns of the query around it is computed for at most 100,000 "
                           "different rows.",
                           -1, "Write a join.");
        runSteps(steps_, inside, context_);
        made(inside);
        return known->second;
    }

private:
    const std::vector<PlanStep>& steps_;
    const std::vector<RowInput>& inputs_;
    const MemoryTable& rows_;
    const StepScope& scope_;
    Context& context_;
    std::unordered_map<std::string, size_t> known_;
};

// Fewer different rows than these are computed one by one: an index finds what belongs to each.
constexpr int64_t kMinDomainRows = 17;

// The different inputs of rows, and which of them each row has.
class Domain {
public:
    Domain(const std::vector<RowInput>& inputs, const MemoryTable& rows, const StepScope& scope) : inputs_(inputs) {
        std::vector<Value> keys;
        std::vector<Type> types;
        for (const RowInput& input : inputs) {
            if (input.source.starts_with('=')) continue;
            keys.push_back(*rows.column(input.source));
            isTyped_ = isTyped_ && keys.back().isTypedVector();
            types.push_back(keys.back().type());
            names_.push_back(input.name);
        }
        isTyped_ = isTyped_ && !keys.empty();
        if (!isTyped_) return;
        numbers_.resize(static_cast<size_t>(rows.rowCount()));
        GroupTable groups(types);
        groups.assign(keys, rows.rowCount(), numbers_.data());
        count_ = groups.size();
        if (count_ < kMinDomainRows) return;
        std::vector<int32_t> first(static_cast<size_t>(count_));
        for (size_t i = numbers_.size(); i-- > 0;) first[static_cast<size_t>(numbers_[i])] = static_cast<int32_t>(i);
        table_ = makeRef<MemoryTable>();
        for (size_t k = 0; k < keys.size(); ++k)
            table_->setColumn(names_[k], gatherElements(keys[k], first.data(), count_));
        const Ref<Vector> row = Vector::make(Type::Int, count_);
        std::iota(row->mutableData<int32_t>(), row->mutableData<int32_t>() + count_, 0);
        table_->setColumn(kDomainRowName, Value::of(row));
        for (const RowInput& input : inputs)
            if (input.source.starts_with('=')) scalars_.emplace_back(input.name, scope.get(input.source.substr(1)));
    }

    bool isWorthIt() const { return static_cast<bool>(table_); }
    int64_t count() const { return count_; }
    const std::vector<int32_t>& numbers() const { return numbers_; }
    // Makes what the steps see: the domain, or NULL for each of its columns where they are those of no row.
    void enter(StepScope& inside, bool ofNone) const {
        for (const auto& [name, value] : scalars_) inside.set(name, value);
        if (!ofNone) return inside.set(kDomainName, Value::of(Ref<Table>(table_)));
        for (const std::string& name : names_) {
            const ColumnSchema& column = table_->columns()[static_cast<size_t>(table_->findColumn(name))];
            Value null = Value::nullOf(column.type);
            if (isDecimal(column.type)) null.setExtra(column.scale);
            inside.set(name, std::move(null));
        }
    }

private:
    const std::vector<RowInput>& inputs_;
    bool isTyped_ = true;
    std::vector<std::string> names_;
    std::vector<std::pair<std::string, Value>> scalars_;
    std::vector<int32_t> numbers_;  // of each row
    int64_t count_ = 0;
    Ref<MemoryTable> table_;
};

// Returns the value of each row of the domain.
Ref<Vector> valuesOverDomain(const Domain& domain, const RowValue& value, const StepScope& scope, Context& context) {
    const DomainSteps& over = *value.overDomain;
    StepScope inside(&scope);
    domain.enter(inside, false);
    runSteps(over.steps, inside, context);
    const Value made = inside.get(over.steps.back().name);
    const MemoryTable& results = *made.table().asMemory();
    const int32_t* rows = results.column(kDomainRowName)->vector().data<int32_t>();
    std::vector<int64_t> place(static_cast<size_t>(domain.count()), -1);
    const bool isOne = !over.value.empty();
    for (int64_t i = 0; i < results.rowCount(); ++i) {
        int64_t& at = place[static_cast<size_t>(rows[i])];
        if (at >= 0 && isOne)
            throw SqlError(sql_state::kCardinality, "more than one row returned by a subquery used as an expression");
        at = i;
    }
    Value ofNone = isOne ? value.null : Value::ofBool(false);
    if (!over.forNone.empty() && std::find(place.begin(), place.end(), -1) != place.end()) {
        StepScope empty(&scope);
        domain.enter(empty, true);
        runSteps(over.forNone, empty, context);
        ofNone = value.compute(empty);
        if (ofNone.isVoid()) ofNone = value.null;
    }
    Ref<Vector> out = Vector::make(value.null.type(), 0, domain.count());
    if (isDecimal(value.null.type())) out->setScale(value.null.extra());
    const Value items = isOne ? *results.column(over.value) : Value();
    for (const int64_t at : place) out->append(at < 0 ? ofNone : isOne ? items.at(at) : Value::ofBool(true));
    return out;
}

Value gathered(const Value& column, const std::vector<int64_t>& positions) {
    return gatherElements(column, positions.data(), static_cast<int64_t>(positions.size()));
}

}  // namespace

Value withRowValues(const std::vector<PlanStep>& steps, const std::vector<RowInput>& inputs, const Value& rows,
                    const RowValue& value, const StepScope& scope, Context& context) {
    const MemoryTable& table = *rows.table().asMemory();
    const auto withColumn = [&](Value column) {
        Ref<MemoryTable> with = table.copy();
        with->setColumn(value.column, std::move(column));
        return Value::of(Ref<Table>(with));
    };
    if (value.overDomain) {
        const Domain domain(inputs, table, scope);
        if (domain.isWorthIt())
            return withColumn(gatherElements(Value::of(valuesOverDomain(domain, value, scope, context)),
                                             domain.numbers().data(), table.rowCount()));
    }
    Ref<Vector> out = Vector::make(value.isText ? Type::String : value.null.type(), 0, table.rowCount());
    if (isDecimal(value.null.type()) && !value.isText) out->setScale(value.null.extra());
    RowSteps runner(steps, inputs, table, scope, context);
    std::vector<Value> made;
    for (int64_t row = 0; row < table.rowCount(); ++row) {
        const size_t number = runner.run(row, [&](const StepScope& inside) {
            made.push_back(value.compute(inside));
            if (made.back().isVoid()) made.back() = value.null;
        });
        out->append(made[number]);
    }
    return withColumn(Value::of(out));
}

Value joinedWithRows(const std::vector<PlanStep>& steps, const std::vector<RowInput>& inputs, const Value& rows,
                     const RowJoin& join, const StepScope& scope, Context& context) {
    const MemoryTable& table = *rows.table().asMemory();
    RowSteps runner(steps, inputs, table, scope, context);
    struct Range {
        int64_t begin = 0, end = 0;
    };
    std::vector<Range> ranges;  // of the rows that were made for inputs, among all that were made
    Ref<MemoryTable> all;
    std::vector<int64_t> left, right;  // rows of both sides; -1: NULLs
    for (int64_t row = 0; row < table.rowCount(); ++row) {
        const size_t number = runner.run(row, [&](const StepScope& inside) {
            const Value made = inside.get(join.table);
            const MemoryTable& part = *made.table().asMemory();
            if (!all) all = MemoryTable::empty(part.columns(), part.rowCount());
            const int64_t begin = all->rowCount();
            all->append(part);
            ranges.push_back({begin, all->rowCount()});
        });
        const Range range = ranges[number];
        for (int64_t i = range.begin; i < range.end; ++i) {
            left.push_back(row);
            right.push_back(i);
        }
        if (join.isLeft && range.begin == range.end) {
            left.push_back(row);
            right.push_back(-1);
        }
        if (left.size() > kMaxJoinedRows)
            throw SqlError(sql_state::kProgramLimit, "A lateral join gives at most 100,000,000 rows.");
    }
    if (!all) {
        // No row has asked for any: its columns are known by running once with NULLs.
        StepScope inside(&scope);
        for (const RowInput& input : inputs)
            inside.set(input.name, input.source.starts_with('=') ? scope.get(input.source.substr(1))
                                                                 : Value::nullOf(table.column(input.source)->type()));
        runSteps(steps, inside, context);
        all = Ref<MemoryTable>(inside.get(join.table).table().asMemory());
    }
    std::vector<std::string> names;
    std::vector<Value> columns;
    for (int i = 0; i < table.columnCount(); ++i) {
        names.push_back(table.columns()[static_cast<size_t>(i)].name);
        columns.push_back(gathered(table.column(i), left));
    }
    for (const auto& [own, name] : join.columns) {
        names.push_back(name);
        columns.push_back(gathered(*all->column(own), right));
    }
    return Value::of(Ref<Table>(makeRef<MemoryTable>(std::move(names), std::move(columns))));
}

}  // namespace pelorus::postgres
