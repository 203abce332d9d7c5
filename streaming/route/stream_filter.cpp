#include "streaming/route/stream_filter.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "runtime/format/to_source.h"
#include "runtime/kernel/index/row_selection.h"
#include "runtime/value/cast.h"
#include "runtime/value/key_index.h"
#include "runtime/value/print.h"
#include "sql/expression/bind_expression.h"
#include "streaming/replay/row_message.h"

namespace pelorus {

namespace {

constexpr int kFilterArgument = 2;  // of streamFilter
constexpr int kMessageColumn = 2;

}  // namespace

StreamFilter::StreamFilter(Context& context, std::string name, EngineOptions options, FilterOptions filter)
    : StreamEngine(*context.services, std::move(name), std::move(options)), filter_(std::move(filter)) {
    const Type times = columns()[static_cast<size_t>(filter_.timeColumn)].type;
    for (const FilterRule& rule : filter_.rules) {
        std::vector<ExpressionProgram>& conditions = conditions_.emplace_back();
        for (const NodeRef& condition : rule.conditions)
            conditions.push_back(bindProgram(condition, columns(), context));
        for (const auto& [low, high] : rule.timeRanges) {
            const bool fits = filter_.takesMessages ? canCast(times, low.type()) : times == low.type();
            if (!fits || low.type() != high.type())
                throw UserError(kFilterArgument, fmt::format("timeRange is {}, but the times are {}.",
                                                             typeName(low.type()), typeName(times)));
        }
    }
}

StreamFilter::~StreamFilter() = default;

Ref<MemoryTable> StreamFilter::compute(Context& context, const Ref<MemoryTable>& rows) {
    for (size_t r = 0; r < filter_.rules.size(); ++r) {
        context.checkCancelled();
        const FilterRule& rule = filter_.rules[r];
        const std::vector<int32_t> chosen = chosenBy(context, r, *rows);
        if (chosen.empty()) continue;
        handOn(context, rule.taker,
               filter_.takesMessages ? rowsOfMessages(rule.message, rows->column(kMessageColumn).vector(), chosen)
                                     : rows->gather(chosen.data(), std::ssize(chosen)));
    }
    return {};
}

std::vector<int32_t> StreamFilter::chosenBy(Context& context, size_t number, const MemoryTable& rows) const {
    const FilterRule& rule = filter_.rules[number];
    const auto count = static_cast<size_t>(rows.rowCount());
    std::vector<int8_t> chosen(count, 1);
    if (!rule.timeRanges.empty()) keepInRanges(rule, rows.column(filter_.timeColumn), chosen);
    if (!rule.values.isVoid() && filter_.conditionColumn >= 0) {
        const Vector& column = rows.column(filter_.conditionColumn).vector();
        KeyIndex values(column.type());
        for (int64_t i = 0; i < rule.values.size(); ++i) values.insert(rule.values.at(i));
        std::vector<int32_t> places(count);
        values.findAll(column, places.data());
        for (size_t i = 0; i < count; ++i) chosen[i] = chosen[i] && places[i] >= 0;
    }
    for (const ExpressionProgram& condition : conditions_[number]) {
        std::vector<int8_t> holds(count);
        for (const int32_t row : rowsWhere(condition.evaluate(context, rows), rows.rowCount(), "condition"))
            holds[static_cast<size_t>(row)] = 1;
        for (size_t i = 0; i < count; ++i) chosen[i] = chosen[i] && holds[i];
    }
    std::vector<int32_t> positions(count);
    positions.resize(static_cast<size_t>(chosenPositions(chosen.data(), rows.rowCount(), positions.data())));
    return positions;
}

void StreamFilter::keepInRanges(const FilterRule& rule, const Value& times, std::vector<int8_t>& chosen) const {
    const Ref<Vector> own = cast(times.vector(), rule.timeRanges[0].first.type());
    for (size_t i = 0; i < chosen.size(); ++i) {
        const auto row = static_cast<int64_t>(i);
        chosen[i] =
            !own->isNullAt(row) && std::any_of(rule.timeRanges.begin(), rule.timeRanges.end(), [&](const auto& range) {
                return own->asLong(row) >= range.first.integer() && own->asLong(row) <= range.second.integer();
            });
    }
}

std::vector<EngineOutput> StreamFilter::outputs() const {
    std::vector<EngineOutput> takers;
    for (const FilterRule& rule : filter_.rules) takers.push_back(rule.taker);
    return takers;
}

std::string StreamFilter::describeRule(const FilterRule& rule) const {
    std::vector<std::string> parts;
    if (!rule.values.isVoid() && (filter_.conditionColumn >= 0)) {
        parts.push_back(fmt::format("{} in {}", columns()[static_cast<size_t>(filter_.conditionColumn)].name,
                                    toString(rule.values)));
    }
    for (const NodeRef& condition : rule.conditions) parts.push_back(toSource(*condition));
    for (const auto& [low, high] : rule.timeRanges) {
        parts.push_back(fmt::format("{} between {} and {}", columns()[static_cast<size_t>(filter_.timeColumn)].name,
                                    toString(low), toString(high)));
    }
    return parts.empty() ? "all rows" : fmt::format("{}", fmt::join(parts, ", "));
}

std::vector<std::string> StreamFilter::describe() {
    std::vector<std::string> lines{fmt::format("stream filter {}: {} rules", name, filter_.rules.size())};
    for (const FilterRule& rule : filter_.rules) {
        const std::string taker =
            rule.taker.handler ? std::string(rule.taker.handler->name()) : rule.taker.table.table().name;
        lines.push_back(fmt::format("  {} to {}", describeRule(rule), taker.empty() ? "a table" : taker));
    }
    return lines;
}

TableSchema StreamFilter::statColumns() const {
    return {{"numRows", Type::Long}, {"filters", Type::String}};
}

std::vector<Value> StreamFilter::statValues() {
    std::vector<std::string> rules;
    for (const FilterRule& rule : filter_.rules) rules.push_back(describeRule(rule));
    return {Value::ofLong(takenRows()), Value::ofString(fmt::format("{}", fmt::join(rules, "; ")))};
}

}  // namespace pelorus
