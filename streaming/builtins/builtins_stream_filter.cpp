// streamFilter.
#include <fmt/format.h>

#include "common/error.h"
#include "runtime/table/column_lookup.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"
#include "streaming/builtins/engine_arguments.h"
#include "streaming/builtins/given.h"
#include "streaming/builtins/streaming_builtins.h"
#include "streaming/reactive/state_program.h"
#include "streaming/route/stream_filter.h"

namespace pelorus {

namespace {

constexpr int kFilter = 2, kSchema = 3;

std::pair<Value, Value> rangeOf(const Value& given) {
    if (given.form() != Form::Pair || given.at(0).isNull() || given.at(1).isNull())
        throw UserError(kFilter, fmt::format("timeRange must be a pair of times, but it is {}.", typeString(given)),
                        "As 09:30:00:11:30:00; several as a tuple of pairs.");
    return {given.at(0), given.at(1)};
}

// Reads what a rule says of rows that are not messages.
void readCondition(FilterRule& rule, const Value& condition) {
    const bool isCode = condition.type() == Type::Code;
    if (isCode || (condition.isTuple() && condition.size() > 0 && condition.at(0).type() == Type::Code)) {
        rule.conditions = metricsOf(condition, kFilter, "condition");
        return;
    }
    const bool areStrings = isLiteral(condition.type()) && (condition.isScalar() || condition.isTypedVector());
    if (!areStrings)
        throw UserError(kFilter, fmt::format("condition must be one or more strings, or metacode, but it is {}.",
                                             typeString(condition)));
    rule.values = condition.isScalar() ? Value::of(Vector::filled(Type::String, 1, condition)) : condition;
}

// Reads the key of messages, and the columns of their rows.
void readMessage(FilterRule& rule, const Value& condition, const Dictionary& schemas) {
    const bool isKey = condition.isString() && schemas.contains(condition);
    const Value schema = isKey ? schemas.get(condition) : Value();
    if (!schema.isTable())
        throw UserError(kFilter, fmt::format("condition must be a key of msgSchema, but it is {}. RefId: S03013",
                                             toString(condition)));
    rule.message = schema.table().columns();
    rule.values = Value::of(Vector::filled(Type::String, 1, condition));
}

FilterRule ruleOf(const Context& context, const Value& given, const Dictionary* schemas) {
    if (!given.isDictionary())
        throw UserError(
            kFilter, fmt::format("filter must be a dictionary or a tuple of them, but it is {}.", typeString(given)));
    const Dictionary& entries = given.dictionary();
    FilterRule rule;
    bool hasHandler = false;
    for (int64_t i = 0; i < entries.size(); ++i) {
        const std::string key = toString(entries.keyAt(i));
        const Value value = entries.valueAt(i);
        if (key == "handler") {
            rule.taker = takerGiven(context, value, kFilter, "handler");
            hasHandler = true;
        } else if (key == "timeRange") {
            const bool isOne = value.form() == Form::Pair;
            for (int64_t r = 0; r < (isOne ? 1 : value.size()); ++r)
                rule.timeRanges.push_back(rangeOf(isOne ? value : value.at(r)));
        } else if (key == "condition") {
            if (!schemas) readCondition(rule, value);
        } else {
            throw UserError(kFilter,
                            fmt::format("filter has no entry {}: only condition, handler and timeRange.", key));
        }
    }
    if (schemas) readMessage(rule, entries.get(Value::ofString("condition")), *schemas);
    if (!hasHandler) throw UserError(kFilter, "filter needs a handler: a table, or a function of one argument.");
    return rule;
}

// streamFilter(name, dummyTable, filter, [msgSchema], [timeColumn], [conditionColumn])
Value filterKernel(Context& context, Arguments a) {
    std::string name = engineNameGiven(context, a);
    EngineOptions options = engineOptionsGiven(context, a, 1, "StreamFilter");
    FilterOptions filter;
    const bool takesMessages = isGiven(a, kSchema);
    if (takesMessages && !a[kSchema].isDictionary())
        throw UserError(kSchema, "msgSchema must be a dictionary from keys to tables. RefId: S03013");
    const auto columnAt = [&](size_t i, std::string_view parameter, int otherwise) {
        if (!isGiven(a, i)) return otherwise;
        const std::string column = textGiven(a, i, parameter);
        const int at = findColumn(options.input, column);
        if (at < 0) throw UserError(static_cast<int>(i), fmt::format("dummyTable has no column {}.", column));
        return at;
    };
    filter.timeColumn = columnAt(4, "timeColumn", 0);
    filter.conditionColumn = columnAt(5, "conditionColumn", takesMessages ? 1 : -1);
    filter.takesMessages = takesMessages;
    const TableSchema& input = options.input;
    if (takesMessages && (input.size() < 3 || !isLiteral(input[1].type) || !isLiteral(input[2].type)))
        throw UserError(1,
                        "dummyTable must have a time, a key and a BLOB first, as a replay gives them. RefId: S03013");
    if (filter.conditionColumn >= 0 && !isLiteral(input[static_cast<size_t>(filter.conditionColumn)].type))
        throw UserError(5, "conditionColumn must be a STRING or SYMBOL column.");
    const Dictionary* schemas = takesMessages ? &a[kSchema].dictionary() : nullptr;
    if (a[kFilter].isTuple()) {
        for (const Value& rule : a[kFilter].tuple().elements) filter.rules.push_back(ruleOf(context, rule, schemas));
    } else {
        filter.rules.push_back(ruleOf(context, a[kFilter], schemas));
    }
    return addEngine(context, makeRef<StreamFilter>(context, std::move(name), std::move(options), std::move(filter)));
}

}  // namespace

void registerStreamFilters(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Public, Effect::Writes);
    registry.add(
        "streamFilter(name, dummyTable, filter, [msgSchema], [timeColumn], [conditionColumn])", filterKernel,
        {.summary =
             "Makes a stream engine that hands rows on: for each rule in turn, the rows of an append that fulfil "
             "it go to its table or function. Rows of several tables that a replay wrote into one as messages "
             "are taken apart. Returns the engine, a table that takes rows.",
         .parameters =
             "name: STRING, a letter followed by letters, digits, _\n"
             "dummyTable: a table with the columns of the rows that will come\n"
             "filter: a dictionary, or a tuple of them, with handler: a table or a function of one table; condition: "
             "strings of conditionColumn, or metacode of conditions; of messages their key; timeRange: a pair of "
             "times, or a tuple of pairs, both ends in it. Without condition and timeRange all rows are taken\n"
             "msgSchema: a dictionary from the keys of messages to tables with their columns; only for messages\n"
             "timeColumn: STRING, the column that timeRange is about; the first one without it\n"
             "conditionColumn: STRING, the column that strings are compared with; without it they are not",
         .nulls = "A row without a time is in no range.",
         .errors = "condition is no key of msgSchema, or the columns are not those of messages (S03013); timeRange has "
                   "another type than the column, which for messages may be a time of the day; a handler may not be "
                   "written (S03043); there is an engine of that name (S03001).",
         .complexity = "O(rules) per row.",
         .example =
             "t = table(1:0, `sym`x, [SYMBOL, INT]); big = table(9:0, `sym`x, [SYMBOL, INT]); eng = streamFilter(`big, "
             "t, dict(`condition`handler, (<x > 2>, big))); eng.append!(table(`a`b as sym, 1 5 as x)); "
             "dropStreamEngine(`big); big.x -> [5]"},
        {.takesSharedTables = true});
}

}  // namespace pelorus
