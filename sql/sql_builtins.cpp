#include "sql/sql_builtins.h"

#include "common/error.h"
#include "interpreter/session/session.h"
#include "runtime/registry/function_theme.h"
#include "runtime/stream/row_sink.h"
#include "runtime/table/partitioned_columns.h"
#include "runtime/value/cast.h"
#include "sql/change/change.h"
#include "sql/change/remote_change.h"
#include "sql/execute.h"
#include "sql/execution/query_snapshot.h"
#include "sql/explain/plan_text.h"
#include "sql/physical/run_fragment.h"
#include "sql/query_monitor.h"

namespace pelorus {

static Value executeQueryKernel(Context& context, Arguments arguments) {
    if (arguments[0].type() != Type::Code || arguments[0].as<Code>()->node->kind != NodeKind::Query) {
        throw UserError(0, "query must be the metacode of a query.");
    }
    const OneSnapshot snapshot(OneSnapshot::Start::Apart);
    const auto& query = static_cast<const Query&>(*arguments[0].as<Code>()->node);
    QueryMonitor::Run monitored(query, context);
    try {
        Value result = executeQuery(query, context);
        monitored.ended(snapshot.hasRead());
        return result;
    } catch (const std::exception& error) {
        monitored.ended(snapshot.hasRead(), error.what());
        throw;
    }
}

static Value explainKernel(Context& context, Arguments arguments) {
    if (RowSink* sink = arguments[0].isTable() ? arguments[0].table().asSink() : nullptr) {
        if (const std::string text = sink->explain(context); !text.empty()) return Value::ofString(text);
    }
    if (arguments[0].type() != Type::Code || arguments[0].as<Code>()->node->kind != NodeKind::Query)
        throw UserError(0, "query must be the metacode of a query, or a stream engine.",
                        "As in explain(<select * from t>).");
    const auto& query = static_cast<const Query&>(*arguments[0].as<Code>()->node);
    const bool isRun = !isOmitted(arguments[1]) && isTrue(arguments[1]);
    return Value::ofString(isRun ? analyzedQuery(query, context) : planText(query, context));
}

// Returns the nodes of <[a, b]> or of <a>.
static NodeList expressionsOf(const Value& code, size_t count) {
    const auto constant = [](Value value) { return NodeRef(makeRef<Constant>(std::move(value), SourcePosition{})); };
    if (code.type() != Type::Code) {
        if (count == 1) return {constant(code)};
        NodeList nodes;
        for (int64_t i = 0; i < code.size(); ++i) nodes.push_back(constant(code.at(i)));
        return nodes;
    }
    const NodeRef& node = code.as<Code>()->node;
    if (count > 1 && node->kind == NodeKind::ListLiteral) return static_cast<const ListLiteral&>(*node).items;
    if (count > 1 && node->kind == NodeKind::TupleLiteral) return static_cast<const TupleLiteral&>(*node).items;
    return {node};
}

// update!(table, colNames, newValues, [filter])
static Value updateInPlaceKernel(Context& context, Arguments arguments) {
    if (!arguments[0].isTable()) throw UserError(0, "table must be a table.");
    std::vector<std::string> names;
    const Value& given = arguments[1];
    if (given.isString()) names.emplace_back(given.string());
    for (int64_t i = 0; !given.isScalar() && i < given.size(); ++i) {
        if (!given.at(i).isString()) break;
        names.emplace_back(given.at(i).string());
    }
    if (names.empty()) throw UserError(1, "colNames must be one or more names of columns.");
    PartitionedTable* partitioned = arguments[0].table().asPartitioned();
    if (partitioned != nullptr && names.size() == 1 && arguments[2].isVector() && arguments[3].isVoid()) {
        assignColumn(*partitioned, names[0], arguments[2]);
        return arguments[0];
    }
    auto query = makeRef<Query>(SourcePosition{});
    query->verb = QueryVerb::Update;
    query->table = makeRef<Constant>(arguments[0], SourcePosition{});
    const NodeList values = expressionsOf(arguments[2], names.size());
    if (values.size() != names.size()) {
        throw UserError(2, "There must be one new value for each of colNames.", "As in <[qty * 2, price / 2]>.");
    }
    for (size_t i = 0; i < names.size(); ++i) query->items.push_back({values[i], {names[i]}, nullptr});
    // One condition, or several of which each must hold.
    const bool several = arguments[3].isTuple();
    for (int64_t i = 0; i < (several ? arguments[3].size() : arguments[3].isVoid() ? 0 : 1); ++i) {
        query->where.push_back(expressionsOf(several ? arguments[3].at(i) : arguments[3], 1)[0]);
    }
    executeUpdate(*query, context);
    return arguments[0];
}

static Value matchedRowCountKernel(Context& context, Arguments) {
    const int64_t rows = context.session ? static_cast<const Session*>(context.session)->matchedRows : 0;
    return rows > INT32_MAX ? Value::ofLong(rows) : Value::ofInt(static_cast<int32_t>(rows));
}

void registerSqlBuiltins(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Public, Effect::Writes);
    const FunctionTheme theme("queries");
    registry.add(
        "matchedRowCount()", matchedRowCountKernel,
        {.summary = "How many rows the session's last update or delete found, or its last insert into added; 0 "
                    "before the first.",
         .example = "t = table(1 2 3 as a); delete from t where a > 1; matchedRowCount() -> 2"},
        kReads);
    registry.add(
        "explain(query, [analyze=false])", explainKernel,
        {.summary = "How a query would be computed, as text: what is done last stands first, with the columns "
                    "that it gives and their types above. No row is read, and nothing is changed. explain "
                    "analyze(query), the same as explain(query, true), runs the query and tells of each step how many "
                    "rows it gave, how many were expected, its own time, and what was read, left out and spilled. Of "
                    "a stream engine: how it computes each metric, with the parts that are slow marked.",
         .parameters =
             "query: metacode of a select or exec, or of an update, delete or insert, whose first line is the "
             "change; or a stream engine\n"
             "analyze: BOOL, whether the query is run; of an update, delete or insert only what it reads, and nothing "
             "is changed",
         .errors = "What the query may not say, as when it is run; a call after from that may change something, since "
                   "its columns are unknown.",
         .example = "t = table(1 2 3 as a); explain(<select a from t order by a limit 1>).split(\"\\n\")[1] -> "
                    "first 1 by a, then for those a"},
        {.effect = Effect::Volatile, .takesSharedTables = true});
    // A query that changes rows asks by itself whether it may, and the effects of code are found in its queries.
    registry.add(
        "executeQuery(query)", executeQueryKernel,
        {.summary = "The result of a query given as metacode, in the scope of the caller.",
         .example =
             "t = table(`A`B`A as sym, 1 2 3 as qty); executeQuery(<select sum(qty) as total from t>).total -> [6]"},
        {.effect = Effect::Volatile});
    registry.add(
        "update!(table, colNames, newValues, [filter])", updateInPlaceKernel,
        {.summary = "Replaces columns of a table in place, in the rows that the filter takes, and returns it; "
                    "a column that is not there is added.",
         .parameters = "table: a table\n"
                       "colNames: the name of a column, or several\n"
                       "newValues: metacode over the columns, as in <[qty * 2, price / 2]> for two of them\n"
                       "filter: metacode of the condition; all rows when omitted",
         .errors = "A new value has another length or type than its column.",
         .example =
             "t = table(`A`B as sym, 100 200 as qty); update!(t, `qty, <qty * 2>, <sym = `B>); t.qty -> [100,400]"});
    registerRunFragment(registry);
    registerRemoteChange(registry);
    registerJoins(registry);
    registerDataSources(registry);
}

}  // namespace pelorus
