// replay, and replayDS, which cuts a query by time for it.
#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "interpreter/session/session.h"
#include "runtime/code/rewrite.h"
#include "runtime/partition/partition_scheme.h"
#include "runtime/table/column_advice.h"
#include "runtime/value/cast.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"
#include "sql/data_source.h"
#include "sql/operators/scan/filter.h"
#include "sql/physical/prepare_select.h"
#include "sql/plan/rules/prune.h"
#include "sql/plan/select_plan.h"
#include "sql/remote/partial_query.h"
#include "streaming/builtins/streaming_builtins.h"
#include "streaming/replay/replay.h"

namespace pelorus {

namespace {

constexpr int64_t kMostPartsAtOnce = 64;

bool isGiven(const Value& v) {
    return !isOmitted(v) && !v.isVoid();
}

bool isSource(const Value& v) {
    return v.isScalar() && v.type() == Type::DataSource;
}

// One input: a table, or data sources that are read one after the other.
bool partsOf(const Value& v, std::vector<Value>& parts) {
    if (v.isTable()) {
        if (v.table().asPartitioned()) {
            throw UserError(0, "A partitioned table can't be replayed as it is.",
                            "Cut it by time with replayDS(<select * from t>, dateColumn).");
        }
        parts = {v};
        return true;
    }
    if (isSource(v)) {
        parts = {v};
        return true;
    }
    if (!v.isTuple() || !std::all_of(v.tuple().elements.begin(), v.tuple().elements.end(), isSource)) return false;
    parts = v.tuple().elements;
    return true;
}

void takeInputs(const Value& given, Replay& job) {
    auto add = [&](const Value& v, Value key) {
        ReplayInput input;
        if (!partsOf(v, input.parts)) {
            throw UserError(
                0, fmt::format("inputTables must be tables in memory or data sources, but one is {}.", typeString(v)));
        }
        input.key = std::move(key);
        job.inputs.push_back(std::move(input));
    };
    std::vector<Value> one;
    if (given.isDictionary()) {
        job.asMessages = true;
        const Dictionary& d = given.dictionary();
        for (int64_t i = 0; i < d.size(); ++i) add(d.valueAt(i), d.keyAt(i));
    } else if (partsOf(given, one) || !given.isTuple()) {
        add(given, Value());
    } else {
        for (const Value& v : given.tuple().elements) add(v, Value());
    }
    if (job.inputs.empty()) throw UserError(0, "There is nothing to replay.");
}

Value outputTable(const Value& given, const Context& context) {
    Value table = given;
    if (given.isString()) {
        auto* shared = context.service<SharedObjects>();
        if (!shared || !shared->find(given.string(), table, context.principal()))
            throw UserError(1, fmt::format("There is no shared table {}.", given.string()), "share makes a table one.");
    }
    if (!table.isTable())
        throw UserError(
            1, fmt::format("outputTables must be tables or names of shared ones, but one is {}.", typeString(table)));
    if (PartitionedTable* partitioned = table.table().asPartitioned()) {
        partitioned->require(context.principal(), Right::Insert);
        return table;
    }
    if (!asMemoryTable(table) && !table.table().asSink())
        throw UserError(1, fmt::format("{} takes no rows.", typeString(table)));
    requireAccess(context, table, Right::Insert);
    return table;
}

// Returns the column of input i: one name for all, one for each, or by the key of a dictionary.
std::string columnFor(const Value& given, size_t i, const Value& key, int argument, const char* name) {
    if (!isGiven(given)) return {};
    Value one = given;
    if (given.isDictionary()) {
        one = given.dictionary().contains(key) ? given.dictionary().get(key) : Value();
    } else if (given.isVector()) {
        one = static_cast<int64_t>(i) < given.size() ? given.at(static_cast<int64_t>(i)) : Value();
    }
    if (!one.isString())
        throw UserError(argument, fmt::format("{} must name a column, or one for each of inputTables.", name));
    return std::string(one.string());
}

int64_t integerArgument(const Value& v, int argument, const char* name) {
    if (!v.isNumber() || !isIntegral(v.type()) || v.isNull())
        throw UserError(argument, fmt::format("{} must be an integer, but it is {}.", name, typeString(v)));
    return v.asLong();
}

// replay(inputTables, outputTables, [dateColumn], [timeColumn], [replayRate], [absoluteRate], [parallelLevel],
// [sortColumns], [preciseRate])
Value replayKernel(Context& context, Arguments a) {
    Replay job;
    takeInputs(a[0], job);
    if (a[1].isTuple() || (a[1].isVector() && isLiteral(a[1].type()))) {
        for (int64_t i = 0; i < a[1].size(); ++i) job.outputs.push_back(outputTable(a[1].at(i), context));
        if (job.asMessages || job.outputs.size() != job.inputs.size()) {
            throw UserError(1,
                            fmt::format("There are {} inputs, but {} outputs.", job.inputs.size(), job.outputs.size()),
                            "Give one output for all, or one for each input that has no key.");
        }
    } else {
        job.outputs.push_back(outputTable(a[1], context));
    }
    if (job.asMessages) {
        const TableSchema& columns = job.outputs[0].table().columns();
        if (columns.size() < 3 || !isTemporal(columns[0].type) || !isLiteral(columns[1].type) ||
            columns[2].type != Type::Blob) {
            throw UserError(
                1, "The output of tables with keys needs a time, a SYMBOL or STRING, and a BLOB column first.");
        }
    }
    for (size_t i = 0; i < job.inputs.size(); ++i) {
        ReplayInput& input = job.inputs[i];
        input.dateColumn = columnFor(a[2], i, input.key, 2, "dateColumn");
        input.timeColumn = columnFor(a[3], i, input.key, 3, "timeColumn");
        if (input.dateColumn.empty() && input.timeColumn.empty())
            throw UserError(2, "dateColumn or timeColumn must say which column holds the time.");
    }
    const int64_t rate = isGiven(a[4]) ? integerArgument(a[4], 4, "replayRate") : 0;
    if (rate > 0) {
        const bool isPrecise = isGiven(a[8]) && isTrue(a[8]);
        const bool isAbsolute = !isGiven(a[5]) || isTrue(a[5]);
        job.pace.rate = rate;
        job.pace.mode = isPrecise    ? ReplayPace::Mode::Precise
                        : isAbsolute ? ReplayPace::Mode::Rows
                                     : ReplayPace::Mode::Span;
    }
    if (isGiven(a[6])) {
        const int64_t level = integerArgument(a[6], 6, "parallelLevel");
        if (level < 1) throw UserError(6, "parallelLevel must be at least 1.");
        job.parallelLevel = static_cast<int>(std::min<int64_t>(level, kMostPartsAtOnce));
    }
    if (isGiven(a[7])) {
        if (!isLiteral(a[7].type()) || a[7].size() > 2) throw UserError(7, "sortColumns must be one or two names.");
        for (int64_t i = 0; i < a[7].size(); ++i)
            job.sortColumns.emplace_back(a[7].isScalar() ? a[7].string() : a[7].at(i).string());
    }
    replay(job, context);
    return {};
}

NodeRef nameNode(const std::string& name) {
    return makeRef<Name>(name, SourcePosition{});
}
NodeRef constantNode(Value v) {
    return makeRef<Constant>(std::move(v), SourcePosition{});
}

const ColumnSchema& timeColumn(const Table& table, const std::string& name, int argument, const char* what) {
    const int at = table.findColumn(name);
    if (at < 0) throw unknownColumn(name, table.columns(), argument);
    const ColumnSchema& column = table.columns()[static_cast<size_t>(at)];
    if (!isTemporal(column.type))
        throw UserError(argument, fmt::format("{} must be temporal, but {} is {}.", what, name, typeName(column.type)));
    return column;
}

bool isClock(Type type) {
    return type == Type::Second || type == Type::Minute || type == Type::Time || type == Type::NanoTime;
}

// Makes conditions that cut the times of a day: before the first border, between two, from the last on. Empty
// conditions mean all times.
std::vector<NodeList> clockConditions(const ColumnSchema& column, const Value& borders) {
    std::vector<NodeList> result(static_cast<size_t>(borders.size()) + 1);
    NodeRef clock = nameNode(column.name);
    if (isClock(borders.type()) && !isClock(column.type)) {
        clock = makeRef<Call>(nameNode("nanotime"), std::vector<Argument>{{"", clock}}, Call::Style::Function,
                              SourcePosition{});
    }
    for (int64_t i = 0; i < borders.size(); ++i) {
        const NodeRef border = constantNode(borders.at(i));
        result[static_cast<size_t>(i)].push_back(makeRef<Binary>(Operator::Lt, clock, border, SourcePosition{}));
        result[static_cast<size_t>(i) + 1].push_back(makeRef<Binary>(Operator::Ge, clock, border, SourcePosition{}));
    }
    return result;
}

// Returns the partitions of one level that hold rows, in the order of time.
std::vector<int> timeParts(const SelectPlan& plan, size_t level, Context& context) {
    const TableSnapshot& snapshot = *plan.source.snapshot;
    Filter filter(plan.filters, plan.source.columns(), context);
    std::vector<int> parts;
    for (const size_t p : prunePartitions(*plan.source.partitioned(), snapshot, filter.constraints()))
        parts.push_back(snapshot.partitions()[p].index.at(level));
    std::sort(parts.begin(), parts.end());
    parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
    const PartitionLevel& scheme = plan.source.partitioned()->scheme().levels()[level];
    if (scheme.kind() != PartitionKind::Value) return parts;
    const Value values = scheme.scheme();
    std::stable_sort(parts.begin(), parts.end(),
                     [&](int a, int b) { return values.at(a).asLong() < values.at(b).asLong(); });
    return parts;
}

// replayDS(sqlObj, [dateColumn], [timeColumn], [timeRepartitionSchema])
Value replayDSKernel(Context& context, Arguments a) {
    if (a[0].type() != Type::Code || a[0].as<Code>()->node->kind != NodeKind::Query) {
        throw UserError(0, fmt::format("sqlObj must be the metacode of a query, as in <select * from t>, but it is {}.",
                                       typeString(a[0])));
    }
    const SelectPlan plan = prepareSelect(static_cast<const Query&>(*a[0].as<Code>()->node), context);
    const PartitionedTable* table = plan.source.partitioned();
    if (!table || table->databasePath().empty())
        throw UserError(0, "sqlObj must select from a partitioned table of a database.",
                        "replay takes tables in memory as they are.");
    if (plan.query->grouping != GroupKind::None || plan.query->limit || plan.query->top || plan.query->distinct)
        throw UserError(0, "sqlObj must select rows, without groups, distinct, top or limit.");
    if (plan.source.partitions)
        throw UserError(0, "sqlObj of replayDS can't name its partitions itself.",
                        "Leave partition() and sample() out.");
    for (int i : {1, 2}) {
        if (isGiven(a[static_cast<size_t>(i)]) && !a[static_cast<size_t>(i)].isString())
            throw UserError(i, "dateColumn and timeColumn must be names of columns.");
    }
    const std::string date = isGiven(a[1]) ? std::string(a[1].string()) : table->columns()[0].name;
    timeColumn(*table, date, 1, "dateColumn");
    const auto& keys = table->partitionColumns();
    const auto level = static_cast<size_t>(std::find(keys.begin(), keys.end(), date) - keys.begin());
    if (level == keys.size())
        throw UserError(1, fmt::format("dateColumn must be a partition column, but {} is not.", date));
    const PartitionKind kind = table->scheme().levels()[level].kind();
    if (kind != PartitionKind::Value && kind != PartitionKind::Range)
        throw UserError(1, fmt::format("{} must be partitioned by VALUE or RANGE.", date));

    Ref<Query> query = copyQuery(*plan.query);
    query->table = nameNode(table->name);
    query->tableAlias.clear();
    query->orderBy.clear();
    query->orderBy.push_back({nameNode(date), true, false, true});
    std::vector<NodeList> clocks(1);
    if (isGiven(a[2])) {
        const ColumnSchema& time = timeColumn(*table, std::string(a[2].string()), 2, "timeColumn");
        query->orderBy.push_back({nameNode(time.name), true, false, true});
        if (isGiven(a[3])) {
            if (!a[3].isTypedVector() || !isTemporal(a[3].type()))
                throw UserError(3, "timeRepartitionSchema must be a temporal vector.");
            clocks = clockConditions(time, a[3]);
        }
    } else if (isGiven(a[3])) {
        throw UserError(3, "timeRepartitionSchema needs timeColumn.");
    }
    const Value names = freeNames(*query, table->columns(), context);
    std::vector<Value> sources;
    for (const int part : timeParts(plan, level, context)) {
        const Value key =
            kind == PartitionKind::Value ? table->scheme().levels()[level].scheme().at(part) : Value::ofInt(part);
        const NodeRef condition =
            makeRef<Call>(nameNode("partition"), std::vector<Argument>{{"", nameNode(date)}, {"", constantNode(key)}},
                          Call::Style::Function, SourcePosition{});
        for (const NodeList& clock : clocks) {
            auto ds = makeRef<DataSource>();
            Ref<Query> own = copyQuery(*query);
            own->where.push_back(condition);
            own->where.insert(own->where.end(), clock.begin(), clock.end());
            ds->query = own;
            ds->names = names;
            ds->database = table->databasePath();
            ds->table = table->name;
            sources.push_back(Value::ofSystem(Type::DataSource, ds));
        }
    }
    return Value::of(makeRef<Tuple>(std::move(sources)));
}

}  // namespace

void registerReplay(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Public, Effect::Writes);
    registry.add(
        "replay(inputTables, outputTables, [dateColumn], [timeColumn], [replayRate], [absoluteRate=true], "
        "[parallelLevel=1], [sortColumns], [preciseRate=false])",
        replayKernel,
        {.summary =
             "Writes the rows of tables or data sources to tables or stream engines in the order of their time, and "
             "returns when all are written.",
         .parameters =
             "inputTables: a table in memory or data sources; a tuple of such; or a dictionary of them by key\n"
             "outputTables: a table, a stream engine, a shared table's name, or a tuple with one for each input; a "
             "table "
             "in memory is changed under all its names. For a dictionary of inputs: the time, the key, the row as "
             "BLOB, then columns that "
             "inputs have under the same name and type\n"
             "dateColumn, timeColumn: the column that orders rows, or a DATE and a time of the day; one name, one for "
             "each input, or a dictionary by key\n"
             "replayRate: rows a second; without it, or below 1, as fast as it goes\n"
             "absoluteRate: false for replayRate times as fast as the rows' time passes, evenly\n"
             "parallelLevel: INT, data sources of one input that are loaded at once\n"
             "sortColumns: one or two columns that order rows of one time\n"
             "preciseRate: each row in its own time, replayRate times as fast",
         .errors = "Columns do not fit; there is no time column; a partitioned table is given without replayDS.",
         .example = "t = table(3 1 2 as id, 2024.01.02 2024.01.01 2024.01.03 as day); "
                    "o = table(0:0, `id`day, [INT, DATE]); replay(t, o, `day); o.id -> [1,3,2]"},
        {.takesSharedTables = true});
    registry.add(
        "replayDS(sqlObj, [dateColumn], [timeColumn], [timeRepartitionSchema])", replayDSKernel,
        {.summary = "Data sources of a query in the order of time: one for each time partition, or several with "
                    "timeRepartitionSchema.",
         .parameters = "sqlObj: metacode of a query of rows from a partitioned table\n"
                       "dateColumn: a temporal partition column, without it the first column; orders the rows\n"
                       "timeColumn: orders the rows of one date\n"
                       "timeRepartitionSchema: borders of times that cut each source",
         .errors = "dateColumn is no partition column, or is not partitioned by VALUE or RANGE.",
         .example =
             "replayDS(<select * from loadTable(\"dfs://TAQ\", \"quotes\") where date = 2024.01.02>, `date, `time)"},
        kReads);
}

}  // namespace pelorus
