// Functions around stream engines: find, drop and list them.
#include <fmt/format.h>

#include <map>

#include "common/error.h"
#include "database/service/status_table.h"
#include "runtime/function/principal.h"
#include "runtime/kernel/elementwise/operators.h"
#include "runtime/kernel/index/row_selection.h"
#include "runtime/value/dictionary.h"
#include "streaming/builtins/engine_arguments.h"
#include "streaming/builtins/given.h"
#include "streaming/builtins/streaming_builtins.h"

namespace pelorus {

namespace {

Value getKernel(Context& context, Arguments arguments) {
    return Value::of(Ref<Table>(streamEngines(context).get(textGiven(arguments, 0, "name"))));
}

Value dropKernel(Context& context, Arguments arguments) {
    streamEngines(context).drop(textGiven(arguments, 0, "name"), context.principal());
    return {};
}

// getStreamEngineState(name, [key])
Value stateKernel(Context& context, Arguments arguments) {
    Ref<MemoryTable> state = streamEngines(context).get(textGiven(arguments, 0, "name"))->state(context);
    if (!isGiven(arguments, 1)) return Value::of(Ref<Table>(state));
    const Value& key = arguments[1];
    const int64_t parts = key.isScalar() ? 1 : key.size();
    Value chosen;
    for (int c = 0; c < parts; ++c) {
        if (c >= state->columnCount()) throw UserError(1, "key has more elements than the engine has key columns.");
        const Value own = key.isScalar() ? key : key.at(c);
        const Value equal = applyBinary(Operator::Eq, state->column(c), own);
        chosen = c == 0 ? equal : applyBinary(Operator::And, chosen, equal);
    }
    const std::vector<int32_t> rows = rowsWhere(chosen, state->rowCount(), "key");
    return Value::of(Ref<Table>(state->gather(rows.data(), std::ssize(rows))));
}

// getStreamEngineStat(): a table for each kind of engine.
Value statKernel(Context& context, Arguments) {
    std::map<std::string, std::pair<TableSchema, std::vector<std::vector<Value>>>> kinds;
    for (const Ref<StreamEngine>& engine : streamEngines(context).all()) {
        if (!engine->isSeenBy(context.principal())) continue;
        auto& [columns, rows] = kinds[engine->options().kind];
        columns = {
            {"name", Type::String}, {"user", Type::String}, {"status", Type::String}, {"lastErrMsg", Type::String}};
        const TableSchema own = engine->statColumns();
        columns.insert(columns.end(), own.begin(), own.end());
        columns.push_back(
            {engine->options().kind == "ReactiveStreamEngine" ? "memoryInUsed" : "memoryUsed", Type::Long});
        rows.push_back(engine->stat());
    }
    auto tables = makeRef<Dictionary>(Type::String, Type::Any, true);
    for (const auto& [kind, table] : kinds) tables->set(Value::ofString(kind), statusTable(table.first, table.second));
    return Value::of(tables);
}

Value listKernel(Context& context, Arguments) {
    std::vector<std::vector<Value>> rows;
    for (const Ref<StreamEngine>& engine : streamEngines(context).all()) {
        if (!engine->isSeenBy(context.principal())) continue;
        rows.push_back({Value::ofString(engine->options().kind), Value::ofString(engine->name),
                        Value::ofString(engine->options().owner)});
    }
    return statusTable({{"engineType", Type::String}, {"engineName", Type::String}, {"user", Type::String}}, rows);
}

constexpr const char* kMadeForExample =
    "t = table(1:0, `sym`px, [SYMBOL, DOUBLE]); r = table(10:0, `sym`total, [SYMBOL, DOUBLE]); ";

}  // namespace

void registerEngines(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Public, Effect::Writes);
    registry.add(
        "getStreamEngine(name)", getKernel,
        {.summary = "The stream engine of that name, as a table that takes rows.",
         .parameters = "name: STRING",
         .errors = "There is none.",
         .example =
             std::string(kMadeForExample) +
             "createReactiveStateEngine(`found, <cumsum(px)>, t, r, `sym); "
             "names = getStreamEngine(`found).columnNames(); dropStreamEngine(`found); names -> [\"sym\",\"px\"]"},
        kReads);
    registry.alias("getAggregator", "getStreamEngine");
    registry.add("dropStreamEngine(name)", dropKernel,
                 {.summary = "Releases a stream engine, once a running append has ended.",
                  .parameters = "name: STRING",
                  .errors = "There is none; it belongs to another user.",
                  .example = std::string(kMadeForExample) +
                             "createReactiveStateEngine(`gone, <cumsum(px)>, t, r, `sym); dropStreamEngine(`gone); "
                             "exec count(*) from getStreamEngineList() where engineName = \"gone\" -> 0"});
    registry.alias("dropAggregator", "dropStreamEngine");
    registry.add(
        "getStreamEngineStat()", statKernel,
        {.summary = "The state of the user's stream engines, as a dictionary from their kind to a table: name, "
                    "user, status (OK, FATAL), lastErrMsg, what the kind has, memory.",
         .units = "memory in bytes",
         .example = "typestr(getStreamEngineStat()) -> STRING->ANY DICTIONARY"},
        kReads);
    registry.alias("getAggregatorStat", "getStreamEngineStat");
    registry.add(
        "getStreamEngineState(name, [key])", stateKernel,
        {.summary = "What a stream engine keeps of each key, as a table: the key columns, then of a reactive state "
                    "engine how many rows came since the key began, of a time series engine the time of the first row "
                    "in its open windows, and the rows that are in them.",
         .parameters = "name: STRING\nkey: a scalar, or a tuple with a scalar for each key column: that key alone",
         .nulls = "NULL is a key.",
         .errors = "There is no such engine; it belongs to another user; key has more elements than there are key "
                   "columns.",
         .complexity = "O(keys); the engine takes no rows meanwhile.",
         .example =
             std::string(kMadeForExample) +
             "eng = createReactiveStateEngine(`seen, <cumsum(px)>, t, r, `sym); eng.append!(table(`A`B`A as sym, 1. "
             "2. 3. as px)); s = getStreamEngineState(`seen, `A); dropStreamEngine(`seen); s.rows -> [2]"},
        kReads);
    registry.add("getStreamEngineList()", listKernel,
                 {.summary = "The user's stream engines, as a table: engineType, engineName, user.",
                  .example = "getStreamEngineList().columnNames() -> [\"engineType\",\"engineName\",\"user\"]"},
                 kReads);
}

}  // namespace pelorus
