// Functions of data sources: sqlDS, and functions that change data sources before they are read.
#include <fmt/format.h>

#include "common/error.h"
#include "common/thread/mutex.h"
#include "runtime/code/query.h"
#include "runtime/value/cast.h"
#include "runtime/value/print.h"
#include "sql/data_source.h"
#include "sql/sql_builtins.h"

namespace pelorus {

namespace {

Value asTuple(const std::vector<Ref<DataSource>>& sources) {
    std::vector<Value> items;
    for (const Ref<DataSource>& ds : sources) items.push_back(Value::ofSystem(Type::DataSource, ds));
    return Value::of(makeRef<Tuple>(std::move(items)));
}

const Query& queryOf(const Value& v) {
    if (v.type() != Type::Code || v.as<Code>()->node->kind != NodeKind::Query) {
        throw UserError(0, fmt::format("sqlObj must be the metacode of a query, as in <select * from t>, but it is {}.",
                                       typeString(v)));
    }
    return static_cast<const Query&>(*v.as<Code>()->node);
}

Value sqlDSKernel(Context& context, Arguments arguments) {
    bool force = !isOmitted(arguments[1]) && isTrue(arguments[1]);
    return asTuple(cutByPartition(queryOf(arguments[0]), context, force));
}

std::vector<Ref<DataSource>> sourcesOf(const Value& v) {
    std::vector<Ref<DataSource>> sources;
    if (v.type() == Type::DataSource && v.isScalar()) {
        sources.push_back(Ref<DataSource>(v.as<DataSource>()));
    } else if (v.isTuple()) {
        for (const Value& item : v.tuple().elements) {
            if (item.type() != Type::DataSource) throw UserError(0, "ds must be data sources, as sqlDS returns them.");
            sources.push_back(Ref<DataSource>(item.as<DataSource>()));
        }
    } else {
        throw UserError(0, fmt::format("ds must be data sources, as sqlDS returns them, but it is {}.", typeString(v)));
    }
    return sources;
}

Value transDSKernel(Context&, Arguments arguments) {
    if (!arguments[1].isFunction()) throw UserError(1, "transFunc must be a function of one table.");
    for (const Ref<DataSource>& ds : sourcesOf(arguments[0])) {
        ds->transformations.push_back(Ref<Function>(&arguments[1].function()));
    }
    return arguments[0];
}

Value cacheDSKernel(Context&, Arguments arguments) {
    for (const Ref<DataSource>& ds : sourcesOf(arguments[0])) ds->cached = true;
    return Value::ofBool(true);
}

Value cacheDSNowKernel(Context& context, Arguments arguments) {
    int64_t rows = 0;
    for (const Ref<DataSource>& ds : sourcesOf(arguments[0])) {
        ds->cached = true;
        rows += ds->load(context).size();
    }
    return rows > INT32_MAX ? Value::ofLong(rows) : Value::ofInt(static_cast<int32_t>(rows));
}

Value clearDSCacheKernel(Context&, Arguments arguments) {
    for (const Ref<DataSource>& ds : sourcesOf(arguments[0])) {
        const MutexLock lock(ds->mutex);
        ds->cached = false;
        ds->kept = Value();
    }
    return {};
}

Value chunkPathKernel(Context&, Arguments arguments) {
    std::vector<std::string> paths;
    for (const Ref<DataSource>& ds : sourcesOf(arguments[0])) paths.push_back(ds->partition);
    return Value::of(Vector::ofStrings(paths));
}

}  // namespace

void registerDataSources(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Public, Effect::Writes);
    registry.add(
        "sqlDS(sqlObj, [forcePartition=false])", sqlDSKernel,
        {.summary = "A tuple of data sources: the query cut by the partitions that its conditions leave.",
         .parameters =
             "sqlObj: metacode of a query\nforcePartition: run a query that can't be cut in each partition by itself",
         .errors = "The result depends on rows of several partitions, and forcePartition is not set.",
         .example = "ds = sqlDS(<select sym, price * qty as amount from loadTable(\"dfs://TAQ\", \"trades\") where "
                    "date >= 2024.01.02>)"},
        kReads);
    registry.add(
        "transDS!(ds, transFunc)", transDSKernel,
        {.summary = "Adds a function that each data source applies to its table when it is read.",
         .example = "t = table(1 2 3 as qty); ds = transDS!(sqlDS(<select qty from t>), def(rows) { return select qty "
                    "* 10 as qty from rows }); mr(ds, def(rows) { return sum(rows.qty) }, +) -> 60"},
        {.givesOther = true});
    registry.add("cacheDS!(ds)", cacheDSKernel,
                 {.summary = "Data sources keep what they read in memory after the first use.",
                  .example = "ds = sqlDS(<select price from loadTable(\"dfs://TAQ\", \"trades\")>); cacheDS!(ds)"},
                 {.givesOther = true});
    registry.add("cacheDSNow(ds)", cacheDSNowKernel,
                 {.summary = "As cacheDS!, and reads at once: returns how many rows are kept.",
                  .example = "ds = sqlDS(<select price from loadTable(\"dfs://TAQ\", \"trades\")>); cacheDSNow(ds)"});
    registry.add(
        "clearDSCache!(ds)", clearDSCacheKernel,
        {.summary = "Data sources forget what they kept in memory.",
         .example =
             "ds = sqlDS(<select price from loadTable(\"dfs://TAQ\", \"trades\")>); cacheDSNow(ds); clearDSCache!(ds)"},
        {.givesOther = true});
    registry.alias("clearDSCacheNow", "clearDSCache!");
    registry.add("getChunkPath(ds)", chunkPathKernel,
                 {.summary = "The paths of the partitions that data sources read, as a STRING vector; empty for a "
                             "source that is no single partition.",
                  .errors = "ds are no data sources.",
                  .example = "getChunkPath(sqlDS(<select * from loadTable(\"dfs://TAQ\", \"trades\")>))"},
                 kReads);
}

}  // namespace pelorus
