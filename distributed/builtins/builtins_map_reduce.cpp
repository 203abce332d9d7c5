// Implements mr, imr, olsEx, and the data sources that are no partitions: repartitionDS, textChunkDS.
#include <fmt/format.h>

#include <filesystem>

#include "common/error.h"
#include "common/thread/mutex.h"
#include "distributed/builtins/distributed_builtins.h"
#include "distributed/map_reduce/map_reduce.h"
#include "runtime/code/rewrite.h"
#include "runtime/kernel/aggregate/least_squares.h"
#include "runtime/parquet/parquet_selection.h"
#include "runtime/partition/partition_scheme.h"
#include "runtime/registry/function_theme.h"
#include "runtime/registry/registry.h"
#include "runtime/serialize/received.h"
#include "runtime/value/cast.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"
#include "sql/physical/run_source.h"
#include "sql/remote/partial_query.h"

namespace pelorus {

namespace {

bool isGiven(const Value& v) {
    return !isOmitted(v) && !v.isVoid();
}

Ref<Function> functionOf(const Value& v, int argument, const char* name) {
    if (!isGiven(v)) return Ref<Function>();
    if (!v.isFunction())
        throw UserError(argument, fmt::format("{} must be a function, but it is {}.", name, typeString(v)));
    return Ref<Function>(&v.function());
}

Value callWith(const Function& f, Context& context, std::vector<Value> arguments) {
    return f.call(context, arguments);
}

Value mrKernel(Context& context, Arguments arguments) {
    MapReduce job;
    job.sources = dataSourcesOf(arguments[0]);
    job.map = functionOf(arguments[1], 1, "mapFunc");
    if (!job.map) throw UserError(1, "mapFunc must be a function.");
    job.reduce = functionOf(arguments[2], 2, "reduceFunc");
    Ref<Function> final = functionOf(arguments[3], 3, "finalFunc");
    job.parallel = !isGiven(arguments[4]) || isTrue(arguments[4]);
    Value result = mapReduce(job, context);
    return final ? callWith(*final, context, {result}) : result;
}

Value imrKernel(Context& context, Arguments arguments) {
    MapReduce job;
    job.sources = dataSourcesOf(arguments[0]);
    Ref<Function> map = functionOf(arguments[2], 2, "mapFunc");
    if (!map) throw UserError(2, "mapFunc must be a function.");
    job.map = map;
    Ref<Function> reduce = functionOf(arguments[3], 3, "reduceFunc");
    Ref<Function> final = functionOf(arguments[4], 4, "finalFunc");
    bool carryover = isGiven(arguments[6]) && isTrue(arguments[6]);
    const Value& terminate = arguments[5];
    if (!terminate.isFunction() && !terminate.isNumber()) {
        throw UserError(5, "terminateFunc must be a function of two results, or a number of iterations.");
    }
    // The data stays in memory between the iterations.
    std::vector<bool> wasCached;
    for (const Ref<DataSource>& ds : job.sources) {
        wasCached.push_back(ds->cached);
        ds->cached = true;
    }
    struct Uncache {
        const std::vector<Ref<DataSource>>& sources;
        const std::vector<bool>& was;
        ~Uncache() {
            for (size_t i = 0; i < sources.size(); ++i) {
                const MutexLock lock(sources[i]->mutex);
                sources[i]->cached = was[i];
                if (!was[i]) sources[i]->kept = Value();
            }
        }
    } uncache{job.sources, wasCached};
    std::vector<Value> carried(job.sources.size());
    Value previous = arguments[1];
    for (int64_t iteration = 1;; ++iteration) {
        context.checkCancelled();
        job.extra.clear();
        for (const Value& c : carried) {
            std::vector<Value> extra{previous};
            if (carryover) extra.push_back(c);
            job.extra.push_back(Value::of(makeRef<Tuple>(std::move(extra))));
        }
        // Carried-over results come back per source, so the answers are reduced here.
        job.reduce = carryover ? Ref<Function>() : reduce;
        Value combined = mapReduce(job, context);
        if (carryover) {
            std::vector<Value> answers = combined.tuple().elements;
            for (size_t i = 0; i < answers.size(); ++i) {
                auto elements = answers[i].tuple().elements;
                carried[i] = elements.back();
                elements.pop_back();
                answers[i] = elements.size() == 1 ? elements[0] : Value::of(makeRef<Tuple>(elements));
            }
            combined = Value::of(makeRef<Tuple>(answers));
            if (reduce) {
                Value left = answers[0];
                for (size_t i = 1; i < answers.size(); ++i) left = callWith(*reduce, context, {left, answers[i]});
                combined = left;
            }
        }
        Value current = final ? callWith(*final, context, {previous, combined}) : combined;
        bool done = terminate.isFunction() ? isTrue(callWith(terminate.function(), context, {previous, current}))
                                           : iteration >= terminate.asLong();
        previous = current;
        if (done) return previous;
    }
}

// Computes the moments of one data source: the map function of olsEx, which is one map-reduce job of built-ins.
Value olsPartKernel(Context&, Arguments arguments) {
    const Ref<MemoryTable> rows = tableToRead(arguments[0]);
    if (!rows) throw UserError(0, "A data source for olsEx must give a table.");
    auto column = [&](const Value& name) {
        const Value* c = rows->column(name.string());
        if (!c) throw UserError(fmt::format("The data sources have no column {}.", name.string()));
        if (!isNumeric(c->type()))
            throw UserError(fmt::format("The column {} is {}, but a regression needs numbers.", name.string(),
                                        typeName(c->type())));
        return Ref<Vector>(&c->vector());
    };
    std::vector<Ref<Vector>> x;
    for (int64_t i = 0; i < arguments[2].size(); ++i) x.push_back(column(arguments[2].at(i)));
    LeastSquares squares(static_cast<int>(x.size()));
    squares.add(*column(arguments[1]), x);
    return squares.save();
}

Value olsMergeKernel(Context&, Arguments arguments) {
    LeastSquares left = LeastSquares::load(arguments[0]);
    left.merge(LeastSquares::load(arguments[1]));
    return left.save();
}

Ref<Function> builtin(const char* name) {
    return Ref<Function>(const_cast<BuiltinFunction*>(&FunctionRegistry::instance().getForNode(name)));
}

Value olsExKernel(Context& context, Arguments arguments) {
    if (!arguments[1].isString()) throw UserError(1, "Y must be the name of a column.");
    if (!isLiteral(arguments[2].type())) throw UserError(2, "X must be the names of columns.");
    bool intercept = !isGiven(arguments[3]) || isTrue(arguments[3]);
    int64_t mode = isGiven(arguments[4]) ? arguments[4].asLong() : 0;
    if (mode < 0 || mode > 2) throw UserError(4, fmt::format("mode must be 0, 1 or 2, but it is {}.", mode));
    MapReduce job;
    job.sources = dataSourcesOf(arguments[0]);
    if (job.sources.empty()) throw UserError(0, "There are no data sources: the query selects no partition.");
    job.map = makeRef<PartialFunction>(builtin("olsPart"), std::vector<Value>{omitted(), arguments[1], arguments[2]});
    job.reduce = builtin("olsMerge");
    LeastSquares squares = LeastSquares::load(mapReduce(job, context));
    squares.tellOfNulls(context, "olsEx");
    std::vector<std::string> names;
    for (int64_t i = 0; i < arguments[2].size(); ++i) names.emplace_back(arguments[2].at(i).string());
    return fitResult(squares.fit(intercept), names, intercept, mode);
}

NodeRef columnName(const std::string& name) {
    return makeRef<Name>(name, SourcePosition{});
}
NodeRef literal(const Value& v) {
    return makeRef<Constant>(v, SourcePosition{});
}
NodeRef compare(Operator op, const std::string& column, const Value& v) {
    return makeRef<Binary>(op, columnName(column), literal(v), SourcePosition{});
}

// Returns a data source that runs a whole query on the node that loads it.
Ref<DataSource> wholeQuery(const Ref<Query>& query, Context& context) {
    Value table = tableValue(query->table, context);
    auto ds = makeRef<DataSource>();
    ds->query = query;
    auto names = freeNames(*query, table.table().columns(), context);
    if (PartitionedTable* partitioned = table.table().asPartitioned()) {
        ds->database = partitioned->databasePath();
        ds->table = table.table().name;
    } else {
        names.dictionary().set(Value::ofString("t"), table);
        ds->table = "t";
    }
    ds->names = names;
    Ref<Query> own = copyQuery(*query);
    own->table = columnName(ds->table);
    ds->query = own;
    return ds;
}

const Query& queryOf(const Value& v) {
    if (v.type() != Type::Code || v.as<Code>()->node->kind != NodeKind::Query) {
        throw UserError(0, "query must be the metacode of a select.");
    }
    return static_cast<const Query&>(*v.as<Code>()->node);
}

PartitionKind kindOf(const Value& v) {
    if (!v.isNumber()) throw UserError(2, "partitionType must be VALUE, RANGE, LIST or HASH.");
    return static_cast<PartitionKind>(v.asLong());
}

Value repartitionDSKernel(Context& context, Arguments arguments) {
    std::vector<Value> sources;
    auto add = [&](const Ref<DataSource>& ds) { sources.push_back(Value::ofSystem(Type::DataSource, ds)); };
    if (arguments[0].isTuple()) {
        for (const Value& element : arguments[0].tuple().elements)
            add(wholeQuery(copyQuery(queryOf(element)), context));
        return Value::of(makeRef<Tuple>(std::move(sources)));
    }
    const Query& query = queryOf(arguments[0]);
    if (!arguments[1].isString()) throw UserError(1, "column must be the name of a column.");
    std::string column(arguments[1].string());
    Value table = tableValue(query.table, context);
    if (table.table().findColumn(column) < 0) throw UserError(1, fmt::format("The table has no column {}.", column));
    std::optional<PartitionLevel> level;
    if (isGiven(arguments[2])) {
        level.emplace(kindOf(arguments[2]), arguments[3]);
    } else if (PartitionedTable* partitioned = table.table().asPartitioned()) {
        for (size_t l = 0; l < partitioned->partitionColumns().size(); ++l) {
            const bool isPlacedByIt =
                partitioned->partitionColumns()[l] == column && partitioned->partitionFunction(l) == nullptr;
            if (isPlacedByIt) level.emplace(partitioned->scheme().levels()[l]);
        }
    }
    if (!level) {
        throw UserError(
            2, fmt::format("{} is no partition column: partitionType and partitionScheme are needed.", column));
    }
    const Value& scheme = level->scheme();
    for (int p = 0; p < level->count(); ++p) {
        Ref<Query> part = copyQuery(query);
        switch (level->kind()) {
            case PartitionKind::Value:
                part->where.push_back(compare(Operator::Eq, column, scheme.at(p)));
                break;
            case PartitionKind::Range:
                part->where.push_back(compare(Operator::Ge, column, scheme.at(p)));
                part->where.push_back(compare(Operator::Lt, column, scheme.at(p + 1)));
                break;
            case PartitionKind::List:
                part->where.push_back(compare(Operator::In, column, scheme.at(p)));
                break;
            case PartitionKind::Hash:
                part->where.push_back(makeRef<Binary>(
                    Operator::Eq,
                    makeRef<Call>(
                        columnName("hashBucket"),
                        std::vector<Argument>{{"", columnName(column)}, {"", literal(Value::ofInt(level->count()))}},
                        Call::Style::Function, SourcePosition{}),
                    literal(Value::ofInt(p)), SourcePosition{}));
                break;
            default:
                throw UserError(2, "partitionType must be VALUE, RANGE, LIST or HASH.");
        }
        add(wholeQuery(part, context));
    }
    return Value::of(makeRef<Tuple>(std::move(sources)));
}

Value multiTableRepartitionDSKernel(Context& context, Arguments arguments) {
    if (!arguments[0].isTuple()) throw UserError(0, "query must be a tuple of queries as metacode.");
    std::vector<Value> sources;
    for (const Value& query : arguments[0].tuple().elements) {
        if (!isGiven(arguments[1])) {
            for (const Ref<DataSource>& ds : cutByPartition(queryOf(query), context, false))
                sources.push_back(Value::ofSystem(Type::DataSource, ds));
            continue;
        }
        std::vector<Value> one(arguments.begin(), arguments.end());
        one[0] = query;
        const Value parts = repartitionDSKernel(context, one);
        for (int64_t i = 0; i < parts.size(); ++i) sources.push_back(parts.at(i));
    }
    return Value::of(makeRef<Tuple>(std::move(sources)));
}

Value textChunkDSKernel(Context& context, Arguments arguments) {
    if (!arguments[0].isString()) throw UserError(0, "filename must be a string.");
    if (!arguments[1].isNumber() || arguments[1].asLong() < 1 || arguments[1].asLong() > 2048) {
        throw UserError(1, "chunkSize must be a number of MB from 1 to 2048.");
    }
    auto options = makeRef<Dictionary>(Type::String, Type::Any, true);
    constexpr const char* kNames[] = {"delimiter",      "schema",        "skipRows",
                                      "arrayDelimiter", "containHeader", "arrayMarker"};
    for (size_t i = 0; i < 6; ++i) {
        if (isGiven(arguments[i + 2])) options->set(Value::ofString(kNames[i]), arguments[i + 2]);
    }
    Value given = Value::of(options);
    std::vector<Value> cutArguments{arguments[0], Value::ofLong(arguments[1].asLong() << 20), given};
    Value cuts = FunctionRegistry::instance().getForNode("cutTextFile").call(context, cutArguments);
    // cutTextFile returns the ends of the chunks, options completed with the schema of the whole file, and their first
    // lines.
    std::vector<Value> sources;
    int64_t begin = cuts.at(0).at(0).asLong();
    for (int64_t i = 1; i < cuts.at(0).size(); ++i) {
        auto ds = makeRef<DataSource>();
        ds->file = arguments[0].string();
        ds->begin = begin;
        ds->end = cuts.at(0).at(i).asLong();
        auto own = cuts.at(1).dictionary().copy();
        own->set(Value::ofString("firstLine"), cuts.at(2).at(i - 1));
        ds->textOptions = Value::of(std::move(own));
        begin = ds->end;
        sources.push_back(Value::ofSystem(Type::DataSource, ds));
    }
    return Value::of(makeRef<Tuple>(std::move(sources)));
}

Value parquetDSKernel(Context& context, Arguments arguments) {
    const ParquetSelection selection(context, {arguments[0], arguments[1], Value(), Value(), Value()});
    std::vector<Value> sources;
    for (int group = 0; group < selection.rowGroupCount(); ++group) {
        auto options = makeRef<Dictionary>(Type::String, Type::Any, true);
        if (isGiven(arguments[1])) options->set(Value::ofString("schema"), arguments[1]);
        auto ds = makeRef<DataSource>();
        ds->kindOfFile = DataSource::FileKind::Parquet;
        ds->file = arguments[0].string();
        ds->begin = group;
        ds->end = group + 1;
        ds->textOptions = Value::of(std::move(options));
        sources.push_back(Value::ofSystem(Type::DataSource, ds));
    }
    return Value::of(makeRef<Tuple>(std::move(sources)));
}

}  // namespace

void registerMapUnits(FunctionRegistry& registry);

void registerMapReduceBuiltins(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Public, Effect::Writes);
    const FunctionTheme theme("map-reduce");
    registerMapUnits(registry);
    registry.add(
        "mr(ds, mapFunc, [reduceFunc], [finalFunc], [parallel=true])", mrKernel,
        {.summary = "Runs mapFunc on the data of every source, where it lies, and combines the answers.",
         .parameters = "ds: a tuple of data sources\nmapFunc: of the data of one source\n"
                       "reduceFunc: combines two answers; it must be associative\n"
                       "finalFunc: of what is left; without reduceFunc, of the tuple of all answers\n"
                       "parallel: whether a node works on several sources at once",
         .errors = "What mapFunc throws; a node that does not answer, by name.",
         .example =
             "t = table(1 2 3 as qty); mr(sqlDS(<select qty from t>), def(rows) { return sum(rows.qty) }, +) -> 6"});
    registry.add(
        "imr(ds, initValue, mapFunc, [reduceFunc], [finalFunc], terminateFunc, [carryover=false])", imrKernel,
        {.summary = "Repeats a map-reduce job: mapFunc gets the data and the last result, until terminateFunc of the "
                    "last two results is true, or so many times.",
         .parameters = "finalFunc: of the last result and the combined answers\n"
                       "carryover: mapFunc gets, and returns as last element of its answer, an object of its own",
         .example = "t = table(1 2 3 as x); imr(sqlDS(<select x from t>), 0.0, def(rows, last) { return last + "
                    "sum(rows.x) }, +, , 3) -> 18"});
    registry.add("olsEx(ds, Y, X, [intercept=true], [mode=0])", olsExKernel,
                 {.summary = "The ordinary least squares regression over data sources; Y and X name their columns.",
                  .parameters = "mode: as in ols, without residuals",
                  .nulls = "NULL counts as 0; a message tells how many rows hold one.",
                  .complexity = "O(rows · factors²) where the data lies",
                  .example = "t = table(1 2 3 as x, 3 5 7 as y); olsEx(sqlDS(<select x, y from t>), `y, `x) -> [1,2]"},
                 kReads);
    registry.add("olsPart(rows, Y, X)", olsPartKernel, {.summary = "The moments of a regression over rows."},
                 kForNodes);
    registry.add("olsMerge(X, Y)", olsMergeKernel, {.summary = "Two such moments as one."}, kForNodes);
    registry.add(
        "repartitionDS(query, [column], [partitionType], [partitionScheme], [local=true])", repartitionDSKernel,
        {.summary = "Data sources that cut a query by another column, or one per query of a tuple of queries.",
         .parameters =
             "query: metacode of a select, or a tuple of them with one source for each\n"
             "column: the name of the column to cut by\n"
             "partitionType: VALUE, RANGE, LIST or HASH; for a partition column that of the table when omitted\n"
             "partitionScheme: values, borders, lists of values or the number of parts, as for database()\n"
             "local: has no effect",
         .example = "ds = repartitionDS(<select sym, price from loadTable(\"dfs://TAQ\", \"trades\")>, `sym, "
                    "VALUE, `AAPL`MSFT)"},
        kReads);
    registry.add(
        "multiTableRepartitionDS(query, [column], [partitionType], [partitionScheme], [local=true])",
        multiTableRepartitionDSKernel,
        {.summary = "Data sources that cut several queries in one way: by their tables' partitions, or by "
                    "another column.",
         .parameters =
             "query: a tuple of metacode of selects\n"
             "column: the name of the column to cut by\n"
             "partitionType: VALUE, RANGE, LIST or HASH; for a partition column that of the table when omitted\n"
             "partitionScheme: values, borders, lists of values or the number of parts, as for database()\n"
             "local: has no effect",
         .errors = "The queries are no tuple of metacode.",
         .example = "a = <select sym, price from loadTable(\"dfs://TAQ\", \"trades\")>; b = <select sym, bid from "
                    "loadTable(\"dfs://TAQ\", \"quotes\")>; multiTableRepartitionDS((a, b), `sym, VALUE, `AAPL`MSFT)"},
        kReads);
    registry.add(
        "textChunkDS(filename, chunkSize, [delimiter], [schema], [skipRows=0], [arrayDelimiter], [containHeader], "
        "[arrayMarker])",
        textChunkDSKernel,
        {.summary = "Data sources over pieces of about chunkSize MB of a text file, cut at lines.",
         .parameters = "filename: the path of a text file\n"
                       "chunkSize: the size of a piece in MB, from 1 to 2048\n"
                       "delimiter: as that of loadText\n"
                       "schema: as that of loadText\n"
                       "skipRows: lines left out at the beginning\n"
                       "arrayDelimiter: as that of loadText\n"
                       "containHeader: whether the first line has the names; detected when omitted\n"
                       "arrayMarker: as that of loadText",
         .complexity = "Of a .gz file or .zip archive every piece is inflated from the beginning.",
         .example = "mr(textChunkDS(\"/data/quotes.csv\", 64), rows, +)"},
        {.effect = Effect::Stable, .facet = Facet::Files});
    registry.add("parquetDS(fileName, [schema])", parquetDSKernel,
                 {.summary = "Data sources over the row groups of Parquet files, one for each.",
                  .parameters = "fileName, schema: as those of loadParquet",
                  .errors = "A file is absent or no Parquet file; schema does not fit it.",
                  .complexity = "O(row groups): rows are read when a source is used",
                  .example = "mr(parquetDS(\"/data/quotes.parquet\"), rows, +)"},
                 {.effect = Effect::Stable, .facet = Facet::Files});
    registry.alias("parquet::parquetDS", "parquetDS");
}

}  // namespace pelorus
