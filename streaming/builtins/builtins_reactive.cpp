// createReactiveStateEngine.
#include <fmt/format.h>

#include "common/error.h"
#include "streaming/builtins/engine_arguments.h"
#include "streaming/builtins/given.h"
#include "streaming/builtins/streaming_builtins.h"
#include "streaming/reactive/reactive_state_engine.h"

namespace pelorus {

namespace {

NodeRef conditionGiven(Arguments a, size_t i, std::string_view name) {
    if (!isGiven(a, i)) return {};
    const NodeList conditions = metricsOf(a[i], static_cast<int>(i), name);
    if (conditions.size() != 1)
        throw UserError(static_cast<int>(i), fmt::format("{} must be one condition.", name), "Join several by and.");
    return conditions[0];
}

// createReactiveStateEngine(name, metrics, dummyTable, outputTable, [keyColumn], [filter], [snapshotDir],
// [snapshotIntervalInMsgCount], [keepOrder], [keyPurgeFilter], [keyPurgeFreqInSecond], [raftGroup],
// [outputElapsedMicroseconds], [keyCapacity], [parallelism], [outputHandler], [msgAsTable])
Value createKernel(Context& context, Arguments a) {
    std::string name = engineNameGiven(context, a);
    ReactiveOptions reactive;
    reactive.metrics = metricsOf(a[1], 1, "metrics");
    EngineOptions options = engineOptionsGiven(
        context, a,
        {.dummyTable = 2, .outputTable = 3, .snapshotDir = 6, .raftGroup = 11, .outputHandler = 15, .msgAsTable = 16},
        "ReactiveStreamEngine");
    reactive.keyColumns = namesGiven(a, 4, "keyColumn");
    reactive.filter = conditionGiven(a, 5, "filter");
    flagGiven(a, 8, "keepOrder", true);  // rows always keep their order
    reactive.purgeFilter = conditionGiven(a, 9, "keyPurgeFilter");
    reactive.purgeInterval = std::chrono::seconds(integerGiven(a, 10, "keyPurgeFreqInSecond", 0, 0, INT32_MAX));
    reactive.showsElapsed = flagGiven(a, 12, "outputElapsedMicroseconds", false);
    integerGiven(a, 13, "keyCapacity", 1024, 1);
    integerGiven(a, 14, "parallelism", 1, 1, 63);
    return addEngine(context,
                     makeRef<ReactiveStateEngine>(context, std::move(name), std::move(options), std::move(reactive)));
}

}  // namespace

void registerReactiveEngines(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Public, Effect::Writes);
    registry.add(
        "createReactiveStateEngine(name, metrics, dummyTable, [outputTable], [keyColumn], [filter], [snapshotDir], "
        "[snapshotIntervalInMsgCount], [keepOrder], [keyPurgeFilter], [keyPurgeFreqInSecond=0], [raftGroup], "
        "[outputElapsedMicroseconds=false], [keyCapacity=1024], [parallelism=1], [outputHandler], [msgAsTable=false])",
        createKernel,
        {.summary = "Makes a stream engine that gives a row of results for each row that comes, computed from the rows "
                    "of its key so far: the rows of select keys, metrics from t context by keys, in order of arrival. "
                    "Returns the engine, a table that takes rows.",
         .parameters =
             "name: STRING, a letter followed by letters, digits, _\n"
             "metrics: metacode of expressions over the columns, or a tuple of it; functions of rows so far and of the "
             "last rows, elementwise ones, and functions marked @state\n"
             "dummyTable: a table with the columns of the rows that will come\n"
             "outputTable: the table that gets keys and results, by position; also another engine\n"
             "keyColumn: STRING, one name or several; without it all rows are of one key\n"
             "filter: metacode of a condition over the columns, which may look back, too; rows that do not fulfil it "
             "have no result, but count for later ones\n"
             "keepOrder: BOOL, results always come in the order of their rows\n"
             "keyPurgeFilter: metacode of a condition over the output's columns: keys whose last result fulfils it "
             "start anew\n"
             "keyPurgeFreqInSecond: INT, how often that is looked at\n"
             "outputElapsedMicroseconds: BOOL, adds two columns after the keys: how long the append took, and its "
             "rows\n"
             "keyCapacity, parallelism: INT, change no result\n"
             "outputHandler: a function that gets the results in place of outputTable\n"
             "msgAsTable: BOOL, whether it gets them as a table or as a tuple of columns",
         .units = "keyPurgeFreqInSecond in seconds",
         .nulls = "As in select; NULL is a key.",
         .errors =
             "A metric aggregates (S03005), looks ahead, or has no type; outputTable has other columns (S03042) or "
             "may not be written (S03043); there is an engine of that name (S03001).",
         .complexity = "O(metrics) per row, whatever the windows.",
         .example =
             "t = table(1:0, `sym`px, [SYMBOL, DOUBLE]); r = table(10:0, `sym`d`m, [SYMBOL, DOUBLE, DOUBLE]); engine = "
             "createReactiveStateEngine(`factors, <[deltas(px), mavg(px, 2)]>, t, r, `sym); "
             "engine.append!(table(`A`B`A "
             "as sym, 1. 5. 4. as px)); dropStreamEngine(`factors); r.d -> [,,3]"},
        {.takesSharedTables = true});
}

}  // namespace pelorus
