// createTimeSeriesEngine.
#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "common/time/calendar.h"
#include "runtime/table/column_lookup.h"
#include "runtime/value/print.h"
#include "streaming/builtins/engine_arguments.h"
#include "streaming/builtins/given.h"
#include "streaming/builtins/streaming_builtins.h"
#include "streaming/reactive/state_program.h"
#include "streaming/window/time_series_engine.h"

namespace pelorus {

namespace {

// The parameters of createTimeSeriesEngine, by position.
enum TimeSeriesArgument : uint8_t {
    kName,
    kWindowSize,
    kStep,
    kMetrics,
    kDummyTable,
    kOutputTable,
    kTimeColumn,
    kUseSystemTime,
    kKeyColumn,
    kGarbageSize,
    kUpdateTime,
    kUseWindowStartTime,
    kRoundTime,
    kSnapshotDir,
    kSnapshotInterval,
    kFill,
    kForceTriggerTime,
    kRaftGroup,
    kKeyPurgeFreqInSec,
    kClosed,
    kElapsed,
    kSubWindow,
    kParallelism,
    kAcceptedDelay,
    kOutputHandler,
    kMsgAsTable,
};

std::vector<int64_t> sizesGiven(Arguments a) {
    const Value& given = a[kWindowSize];
    const bool areIntegers = isGiven(a, kWindowSize) && (given.isScalar() || given.isTypedVector()) &&
                             isIntegral(given.type()) && given.size() > 0;
    if (!areIntegers) throw UserError(kWindowSize, "windowSize must be an integer, or a vector of integers.");
    std::vector<int64_t> sizes;
    for (int64_t i = 0; i < given.size(); ++i)
        sizes.push_back(given.isScalar() ? given.asLong() : given.vector().asLong(i));
    return sizes;
}

std::vector<NodeList> metricsGiven(Arguments a, size_t sizes) {
    const Value& given = a[kMetrics];
    if (sizes == 1) return {metricsOf(given, kMetrics, "metrics")};
    if (!given.isTuple() || static_cast<size_t>(given.size()) != sizes)
        throw UserError(kMetrics,
                        fmt::format("metrics must be a tuple with an element for each of {} window sizes.", sizes));
    std::vector<NodeList> metrics;
    for (const Value& part : given.tuple().elements) metrics.push_back(metricsOf(part, kMetrics, "metrics"));
    return metrics;
}

// Reads 'none', 'null', 'ffill', a value, or a tuple or vector of these for each metric.
std::vector<WindowFill> fillsGiven(Arguments a) {
    if (!isGiven(a, kFill)) return {};
    const auto one = [&](const Value& given, bool isAlone) -> std::vector<WindowFill> {
        if (!given.isScalar())
            throw UserError(
                kFill, fmt::format("fill must be 'none', 'null', 'ffill' or values, but holds {}.", typeString(given)));
        if (given.isString() && given.string() == "none") {
            if (!isAlone) throw UserError(kFill, "fill 'none' stands alone. RefId: S03015");
            return {};
        }
        if (given.isString() && given.string() == "null") return {{WindowFill::Kind::Null, {}}};
        if (given.isString() && given.string() == "ffill") return {{WindowFill::Kind::Last, {}}};
        return {{WindowFill::Kind::Value, given}};
    };
    const Value& given = a[kFill];
    if (given.isScalar()) return one(given, true);
    std::vector<WindowFill> fills;
    for (int64_t i = 0; i < given.size(); ++i) fills.push_back(one(given.at(i), false)[0]);
    return fills;
}

WindowRules rulesGiven(Arguments a, bool useSystemTime) {
    WindowRules rules;
    rules.sizes = sizesGiven(a);
    if (!isGiven(a, kStep)) throw UserError(kStep, "step is missing.");
    rules.step = integerGiven(a, kStep, "step", 1, 1);
    for (const int64_t size : rules.sizes) {
        if (size < 1 || size % rules.step != 0)
            throw UserError(kWindowSize, fmt::format("windowSize must be a multiple of step, but {} is none of {}.",
                                                     size, rules.step));
    }
    const std::string closed = textGiven(a, kClosed, "closed", "left");
    if (closed != "left" && closed != "right") throw UserError(kClosed, "closed must be 'left' or 'right'.");
    rules.closedRight = closed == "right";
    rules.updateTime = integerGiven(a, kUpdateTime, "updateTime", -1, 0);
    if (rules.updateTime > 0 && rules.step % rules.updateTime != 0)
        throw UserError(kUpdateTime, fmt::format("step must be a multiple of updateTime, but {} is none of {}.",
                                                 rules.step, rules.updateTime));
    if (rules.updateTime >= 0 && useSystemTime) throw UserError(kUpdateTime, "updateTime needs times of the data.");
    rules.forceTrigger = integerGiven(a, kForceTriggerTime, "forceTriggerTime", -1, 0);
    if (rules.forceTrigger >= 0 && (rules.updateTime >= 0 || useSystemTime))
        throw UserError(kForceTriggerTime, "forceTriggerTime needs times of the data, and no updateTime.");
    rules.acceptedDelay = integerGiven(a, kAcceptedDelay, "acceptedDelay", 0, 0);
    if (rules.acceptedDelay > 0 && (rules.updateTime >= 0 || rules.forceTrigger >= 0))
        throw UserError(kAcceptedDelay, "acceptedDelay stands without updateTime and forceTriggerTime.");
    if (rules.acceptedDelay > rules.sizes[0] && useSystemTime)
        throw UserError(kAcceptedDelay, "acceptedDelay must be at most windowSize with useSystemTime.");
    return rules;
}

// Returns the type of the times of rows; VOID where the engine itself says what is wrong with the columns.
Type timeTypeOf(const TableSchema& input, const TimeSeriesOptions& series) {
    if (series.useSystemTime) return Type::Timestamp;
    const int column = findColumn(input, series.timeColumns.back());
    const Type type = column < 0 ? Type::Void : input[static_cast<size_t>(column)].type;
    if (series.timeColumns.size() == 1) return type;
    return type == Type::Second     ? Type::DateTime
           : type == Type::Time     ? Type::Timestamp
           : type == Type::NanoTime ? Type::NanoTimestamp
                                    : Type::Void;
}

// Returns an integer as it is, and a duration in units of the times.
int64_t unitsOf(const Value& given, Type times) {
    if (given.type() != Type::Duration) return given.asLong();
    const int64_t nanos = calendar::nanosPerUnit(static_cast<DurationUnit>(given.unit()));
    const int64_t perDay = isTemporal(times) && times != Type::Month ? calendar::unitsPerDay(times) : 0;
    const int64_t unit = perDay > 0 ? calendar::kNanosPerDay / perDay : 0;
    if (nanos == 0 || unit == 0 || given.integer() * nanos % unit != 0)
        throw UserError(kSubWindow,
                        fmt::format("subWindow: {} does not fit times of {}.", itemString(given), typeName(times)));
    return given.integer() * nanos / unit;
}

void readPart(Arguments a, Type times, WindowRules& rules) {
    if (!isGiven(a, kSubWindow)) return;
    const Value& part = a[kSubWindow];
    const bool isRange = part.isPair() && (isIntegral(part.type()) || part.type() == Type::Duration);
    if (!isRange || rules.sizes.size() != 1 || rules.sizes[0] != rules.step)
        throw UserError(kSubWindow, "subWindow must be a pair of integers or durations, and windowSize equal step.");
    rules.partBegin = unitsOf(part.at(0), times);
    rules.partEnd = unitsOf(part.at(1), times);
    if (rules.partBegin < 0 || rules.partBegin >= rules.partEnd || rules.partEnd > rules.step)
        throw UserError(kSubWindow, "subWindow must rise within 0 and windowSize.");
}

Value createKernel(Context& context, Arguments a) {
    std::string name = engineNameGiven(context, a);
    TimeSeriesOptions series;
    series.useSystemTime = flagGiven(a, kUseSystemTime, "useSystemTime", false);
    series.rules = rulesGiven(a, series.useSystemTime);
    series.metrics = metricsGiven(a, series.rules.sizes.size());
    EngineOptions options = engineOptionsGiven(context, a,
                                               {.dummyTable = kDummyTable,
                                                .outputTable = kOutputTable,
                                                .snapshotDir = kSnapshotDir,
                                                .raftGroup = kRaftGroup,
                                                .outputHandler = kOutputHandler,
                                                .msgAsTable = kMsgAsTable},
                                               "TimeSeriesEngine");
    series.timeColumns = namesGiven(a, kTimeColumn, "timeColumn");
    if (series.useSystemTime) {
        series.timeColumns.clear();
    } else if (series.timeColumns.empty() || series.timeColumns.size() > 2) {
        throw UserError(kTimeColumn,
                        "timeColumn must name a column, or one of dates and one of times, without useSystemTime.");
    }
    readPart(a, timeTypeOf(options.input, series), series.rules);
    series.keyColumns = namesGiven(a, kKeyColumn, "keyColumn");
    integerGiven(a, kGarbageSize, "garbageSize", 50'000, 0);
    series.showsStart = flagGiven(a, kUseWindowStartTime, "useWindowStartTime", false);
    if (series.showsStart && series.rules.sizes.size() > 1)
        throw UserError(kUseWindowStartTime, "Windows of several sizes have no start in common.");
    series.roundTime = flagGiven(a, kRoundTime, "roundTime", true);
    series.fills = fillsGiven(a);
    series.rules.fills = !series.fills.empty();
    if (integerGiven(a, kKeyPurgeFreqInSec, "keyPurgeFreqInSec", -1, -1) > 0 &&
        (series.rules.forceTrigger < 0 || series.rules.fills))
        throw UserError(kKeyPurgeFreqInSec, "keyPurgeFreqInSec needs forceTriggerTime, and no fill.");
    series.showsElapsed = flagGiven(a, kElapsed, "outputElapsedMicroseconds", false);
    integerGiven(a, kParallelism, "parallelism", 1, 1, 63);
    return addEngine(context,
                     makeRef<TimeSeriesEngine>(context, std::move(name), std::move(options), std::move(series)));
}

}  // namespace

void registerTimeSeriesEngines(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Public, Effect::Writes);
    registry.add(
        "createTimeSeriesEngine(name, windowSize, step, metrics, dummyTable, [outputTable], [timeColumn], "
        "[useSystemTime=false], [keyColumn], [garbageSize=50000], [updateTime], [useWindowStartTime=false], "
        "[roundTime=true], [snapshotDir], [snapshotIntervalInMsgCount], [fill='none'], [forceTriggerTime], "
        "[raftGroup], "
        "[keyPurgeFreqInSec=-1], [closed='left'], [outputElapsedMicroseconds=false], [subWindow], [parallelism=1], "
        "[acceptedDelay=0], [outputHandler], [msgAsTable=false])",
        createKernel,
        {.summary = "Makes a stream engine that aggregates the rows of each key over windows of time, and gives a row "
                    "when a window ends: by the first row of the key at or after its end. Returns the engine, a table "
                    "that takes rows.",
         .parameters =
             "name: STRING, a letter followed by letters, digits, _\n"
             "windowSize: INT, a multiple of step; or a vector of sizes of windows that end together\n"
             "step: INT, by which windows move\n"
             "metrics: metacode of expressions of aggregates, or a tuple of it; a tuple with an element for each size\n"
             "dummyTable: a table with the columns of the rows that will come\n"
             "outputTable: the table that gets time, keys and results, by position; also another engine\n"
             "timeColumn: STRING, a temporal column, in whose order the rows of a key come; or DATE and time of the "
             "day\n"
             "useSystemTime: BOOL, whether the time of arrival counts in its place\n"
             "keyColumn: STRING, one name or several; without it all rows are of one key\n"
             "updateTime: INT, a divisor of step: shows an open window after so long, too; 0 after each append\n"
             "useWindowStartTime: BOOL, whether results bear the begin of their window, not its end\n"
             "roundTime: BOOL, whether the first window may begin at a multiple beyond a minute\n"
             "fill: 'none', 'null', 'ffill' or a value for windows without rows; or one for each metric\n"
             "forceTriggerTime: INT, rows of other keys close a window so long after its end\n"
             "closed: STRING, 'left' for windows without their end, 'right' without their begin\n"
             "outputElapsedMicroseconds: BOOL, adds a column after the keys: how long the append took\n"
             "subWindow: a pair of integers or durations, the part of each window that counts, from its begin\n"
             "acceptedDelay: INT, windows stay open so long, for rows out of order\n"
             "outputHandler: a function that gets the results in place of outputTable\n"
             "msgAsTable: BOOL, whether it gets them as a table or as a tuple of columns\n"
             "garbageSize, parallelism: INT, change no result",
         .units =
             "windowSize, step, updateTime, forceTriggerTime, subWindow and acceptedDelay in those of timeColumn; in "
             "milliseconds with useSystemTime",
         .nulls = "A row with a NULL time is dropped; NULL is a key.",
         .errors = "step does not divide windowSize; a metric is no aggregate (S03014); fill has another number of "
                   "elements (S03015); outputTable has other columns (S03042) or may not be written (S03043); there is "
                   "an engine of that name (S03001).",
         .complexity = "O(windowSize / step) per row.",
         .example =
             "t = table(1:0, `at`qty, [SECOND, INT]); r = table(10:0, `at`total, [SECOND, LONG]); engine = "
             "createTimeSeriesEngine(`bars, 60, 60, <sum(qty)>, t, r, `at); engine.append!(table(09:30:05 09:30:40 "
             "09:31:10 as at, 1 2 4 as qty)); dropStreamEngine(`bars); (r.at, r.total) -> ([09:31:00],[3])"},
        {.takesSharedTables = true});
    registry.alias("createTimeSeriesAggregator", "createTimeSeriesEngine");
}

}  // namespace pelorus
