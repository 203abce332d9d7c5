// summary: a table's numeric columns at a glance.
#include <algorithm>
#include <cmath>

#include "common/error.h"
#include "runtime/code/query.h"
#include "runtime/kernel/index/assemble.h"
#include "runtime/kernel/index/row_index.h"
#include "runtime/table/table.h"
#include "runtime/value/cast.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"
#include "stdlib/statistics/moments.h"
#include "stdlib/statistics/quantile.h"

namespace pelorus {

namespace {

struct SummaryOptions {
    Interpolation interpolation;
    bool mean = true, deviation = true;
    std::vector<double> percents;
};

SummaryOptions optionsArgument(Arguments a) {
    SummaryOptions options{interpolationArgument(a, 1), true, true, {25, 50, 75}};
    if (isGiven(a, 2)) {
        options.mean = options.deviation = false;
        for (const std::string& name : namesArgument(a, 2, "characteristic")) {
            if (name != "avg" && name != "std") refuseArgument(2, "characteristic", "avg, std or both", a[2]);
            (name == "avg" ? options.mean : options.deviation) = true;
        }
    }
    if (isGiven(a, 3)) {
        Ref<Vector> given = realsArgument(a, 3, "percentile");
        options.percents.assign(given->data<double>(), given->data<double>() + given->size());
        for (double p : options.percents) {
            if (!(p >= 0 && p <= 100)) refuseArgument(3, "percentile", "between 0 and 100", a[3]);
        }
        std::sort(options.percents.begin(), options.percents.end());
    }
    return options;
}

// summary(X, [interpolation], [characteristic], [percentile], [precision], [partitionSampling])
Value summaryKernel(Context& context, Arguments a) {
    if (a[0].isTable() && a[0].table().asPartitioned()) {
        // The rows of all partitions.
        auto query = makeRef<Query>(SourcePosition());
        query->verb = QueryVerb::Select;
        query->items.push_back({makeRef<Star>(SourcePosition()), {}, {}});
        query->table = makeRef<Constant>(a[0], SourcePosition());
        std::vector<Value> code{codeValue(query)};
        a[0] = FunctionRegistry::instance().get("executeQuery").call(context, code);
    }
    const Ref<MemoryTable> table = tableToRead(a[0]);
    if (!table) refuseArgument(0, "X", "a table", a[0]);
    SummaryOptions options = optionsArgument(a);
    std::vector<std::string> names;
    std::vector<double> least, most, means, deviations;
    std::vector<int64_t> present, all;
    std::vector<Value> percentiles;
    for (int c = 0; c < table->columnCount(); ++c) {
        const Value& column = table->column(c);
        if (!column.isTypedVector() || !isNumeric(column.type())) continue;
        Ref<Vector> x = cast(column.vector(), Type::Double);
        std::vector<double> elements;
        Spread spread;
        for (int64_t i = 0; i < x->size(); ++i) {
            if (isNull(x->data<double>()[i])) continue;
            elements.push_back(x->data<double>()[i]);
            spread.add(elements.back());
        }
        names.push_back(table->columns()[static_cast<size_t>(c)].name);
        bool none = elements.empty();
        least.push_back(none ? null<double> : *std::min_element(elements.begin(), elements.end()));
        most.push_back(none ? null<double> : *std::max_element(elements.begin(), elements.end()));
        present.push_back(static_cast<int64_t>(elements.size()));
        all.push_back(x->size());
        means.push_back(none ? null<double> : spread.center());
        deviations.push_back(spread.count < 2 ? null<double> : std::sqrt(spread.m2 / (spread.count - 1)));
        std::vector<double> quantiles;
        for (double p : options.percents) quantiles.push_back(quantileOf(elements, p / 100, options.interpolation));
        percentiles.push_back(Value::of(Vector::of(Type::Double, quantiles)));
    }
    auto result = makeRef<MemoryTable>();
    result->setColumn("name", Value::of(Vector::ofStrings(names)));
    result->setColumn("min", Value::of(Vector::of(Type::Double, least)));
    result->setColumn("max", Value::of(Vector::of(Type::Double, most)));
    result->setColumn("nonNullCount", Value::of(Vector::of(Type::Long, present)));
    result->setColumn("count", Value::of(Vector::of(Type::Long, all)));
    if (options.mean) result->setColumn("avg", Value::of(Vector::of(Type::Double, means)));
    if (options.deviation) result->setColumn("std", Value::of(Vector::of(Type::Double, deviations)));
    result->setColumn("percentile", rowsFrom(std::move(percentiles), false));
    return Value::of(Ref<Table>(result));
}

}  // namespace

void registerSummary(FunctionRegistry& registry) {
    registry.add(
        "summary(X, [interpolation='linear'], [characteristic], [percentile], [precision=0.001], "
        "[partitionSampling])",
        summaryKernel,
        {.summary = "Extremes, counts, mean, deviation and percentiles of each numeric column, as a table.",
         .parameters = "characteristic: avg, std or both.\npercentile: between 0 and 100, by default 25 50 75.\n"
                       "precision, partitionSampling: accepted; percentiles are exact.",
         .nulls = "Skipped.",
         .errors = "X is not a table in memory.",
         .example = "summary(table(1 2 3 as a))[`max] -> [3]"});
}

}  // namespace pelorus
