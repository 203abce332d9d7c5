#include "streaming/subscription/row_filter.h"

#include <fmt/format.h>

#include "common/error.h"
#include "interpreter/engine/engine.h"
#include "interpreter/session/session.h"
#include "interpreter/vm/vm.h"
#include "runtime/kernel/index/row_selection.h"
#include "runtime/kernel/lookup/membership.h"
#include "runtime/partition/partition_scheme.h"
#include "runtime/registry/registry.h"
#include "runtime/value/cast.h"
#include "runtime/value/print.h"

namespace pelorus {

namespace {

constexpr int kFilterArgument = 10;  // of subscribeTable

// Chooses rows by the values of the filter column.
class ColumnFilter : public RowFilter {
public:
    explicit ColumnFilter(int column) : column_(column) {}
    Ref<MemoryTable> apply(Context& context, const Ref<MemoryTable>& rows) const override {
        const std::vector<int32_t> kept = chosen(context, rows->column(column_));
        return rows->gather(kept.data(), static_cast<int64_t>(kept.size()));
    }

protected:
    virtual std::vector<int32_t> chosen(Context& context, const Value& column) const = 0;

private:
    const int column_;
};

class ValueFilter final : public ColumnFilter {
public:
    ValueFilter(int column, Value values) : ColumnFilter(column), among_(std::move(values)) {}

protected:
    std::vector<int32_t> chosen(Context&, const Value& column) const override {
        return rowsWhere(among_.of(column), column.size(), "filter");
    }

private:
    const Membership among_;
};

class RangeFilter final : public ColumnFilter {
public:
    RangeFilter(int column, Value low, Value high)
        : ColumnFilter(column), low_(std::move(low)), high_(std::move(high)) {}

protected:
    std::vector<int32_t> chosen(Context& context, const Value& column) const override {
        const FunctionRegistry& registry = FunctionRegistry::instance();
        std::vector<Value> below{column, high_}, from{column, low_};
        std::vector<Value> both{registry.get("ge").call(context, from), registry.get("lt").call(context, below)};
        return rowsWhere(registry.get("and").call(context, both), column.size(), "filter");
    }

private:
    const Value low_, high_;
};

class BucketFilter final : public ColumnFilter {
public:
    BucketFilter(int column, int count, int first, int end)
        : ColumnFilter(column), count_(count), first_(first), end_(end) {}

protected:
    std::vector<int32_t> chosen(Context&, const Value& column) const override {
        std::vector<int32_t> buckets(static_cast<size_t>(column.size()));
        hashBuckets(column.vector(), count_, buckets.data());
        std::vector<int32_t> rows;
        for (size_t i = 0; i < buckets.size(); ++i) {
            if (buckets[i] >= first_ && buckets[i] < end_) rows.push_back(static_cast<int32_t>(i));
        }
        return rows;
    }

private:
    const int count_, first_, end_;
};

// Chooses by a function of each append, which returns a table of the same columns.
class FunctionFilter final : public RowFilter {
public:
    explicit FunctionFilter(Ref<Function> function) : function_(std::move(function)) {}

    Ref<MemoryTable> apply(Context& context, const Ref<MemoryTable>& rows) const override {
        std::vector<Value> arguments{Value::of(Ref<Table>(rows))};
        const Value result = callFunction(*function_, context, arguments);
        const Ref<MemoryTable> kept = tableToRead(result);
        if (!kept) throw UserError(fmt::format("filter must return a table, but it returned {}.", typeString(result)));
        Ref<MemoryTable> converted = MemoryTable::empty(rows->columns());
        converted->append(*kept);
        return converted;
    }

private:
    const Ref<Function> function_;
};

int integerOf(const Value& v, const char* what) {
    if (!v.isNumber() || !isIntegral(v.type()) || v.isNull() || v.asLong() < 0 || v.asLong() > INT32_MAX)
        throw UserError(kFilterArgument, fmt::format("{} of filter must be an integer of 0 or more.", what));
    return static_cast<int>(v.asLong());
}

std::unique_ptr<RowFilter> bucketFilter(int column, const Tuple& given) {
    if (given.elements.size() != 2)
        throw UserError(kFilterArgument, "filter must be a tuple of the number of buckets and a bucket or a pair.");
    const int count = integerOf(given.elements[0], "The number of buckets");
    const Value& which = given.elements[1];
    const int first = integerOf(which.isPair() ? which.at(0) : which, "A bucket");
    const int end = which.isPair() ? integerOf(which.at(1), "A bucket") : first + 1;
    if (count < 1 || first >= count || end > count || first >= end)
        throw UserError(kFilterArgument, fmt::format("filter chooses buckets {} to {} of {}.", first, end - 1, count),
                        "Buckets are numbered from 0; the end of a pair is left out.");
    return std::make_unique<BucketFilter>(column, count, first, end);
}

}  // namespace

std::unique_ptr<RowFilter> makeRowFilter(const Value& filter, const TableSchema& columns,
                                         const std::string& filterColumn, Context& context) {
    if (filter.isFunction()) return std::make_unique<FunctionFilter>(Ref<Function>(&filter.function()));
    if (filter.isString()) {
        // The name of a function, or the source of a lambda.
        const Value found = evaluate(filter.string(), sessionOf(context), context);
        if (!found.isFunction())
            throw UserError(kFilterArgument, "filter must name a function, or be the text of a lambda.");
        return std::make_unique<FunctionFilter>(Ref<Function>(&found.function()));
    }
    if (filterColumn.empty())
        throw UserError(kFilterArgument, "The stream table has no filter column. RefId: S03028",
                        "Name it first: setStreamTableFilterColumn(table, column).");
    int column = -1;
    for (size_t c = 0; c < columns.size(); ++c) {
        if (columns[c].name == filterColumn) column = static_cast<int>(c);
    }
    if (column < 0)
        throw UserError(kFilterArgument, fmt::format("The filter column {} is not of the table.", filterColumn));
    const ColumnSchema& schema = columns[static_cast<size_t>(column)];
    if (schema.type == Type::Bool || isArrayType(schema.type) || schema.type == Type::Any)
        throw UserError(kFilterArgument, fmt::format("A column of {} can't be filtered by.", typeName(schema.type)));
    if (filter.isPair()) {
        return std::make_unique<RangeFilter>(column, castFitting(filter.at(0), schema.type, schema.scale, schema.name),
                                             castFitting(filter.at(1), schema.type, schema.scale, schema.name));
    }
    if (filter.isTuple()) return bucketFilter(column, filter.tuple());
    if (filter.isScalar() && !filter.isVoid()) {
        return std::make_unique<ValueFilter>(
            column,
            filledColumn(schema.type, schema.scale, 1, castFitting(filter, schema.type, schema.scale, schema.name)));
    }
    if (!filter.isTypedVector())
        throw UserError(kFilterArgument,
                        fmt::format("filter must be a vector of values, a pair, a tuple of buckets or a function, but "
                                    "it is {}.",
                                    typeString(filter)));
    return std::make_unique<ValueFilter>(column, castForStorage(filter, schema.type, schema.name, schema.scale));
}

}  // namespace pelorus
