#include "streaming/reactive/state_program.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "runtime/format/to_source.h"
#include "runtime/value/print.h"
#include "streaming/reactive/state_compiler.h"

namespace pelorus {

StateProgram::StateProgram(const NodeList& metrics, const TableSchema& input, Context& context) {
    StateCompiler compiler(input, context);
    for (const NodeRef& metric : metrics) {
        const std::vector<int> columns = compiler.add(metric);
        metrics_.push_back({toSource(*metric), compiler.stepCount()});
        resultsOfMetrics_.push_back(columns.size());
        resultColumns_.insert(resultColumns_.end(), columns.begin(), columns.end());
    }
    for (const int column : resultColumns_) results_.push_back(compiler.columns()[static_cast<size_t>(column)]);
    steps_ = compiler.takeSteps();
}

void StateProgram::resize(int64_t keys) {
    for (const auto& step : steps_) step->resize(keys);
}

std::vector<Value> StateProgram::step(Context& context, const MemoryTable& rows, const int32_t* keys) {
    StepColumns columns;
    for (int c = 0; c < rows.columnCount(); ++c) columns.push_back(rows.column(c));
    for (const auto& step : steps_) {
        context.checkCancelled();
        step->run(context, columns, keys, rows.rowCount());
    }
    std::vector<Value> results;
    for (const int column : resultColumns_) results.push_back(columns[static_cast<size_t>(column)]);
    return results;
}

void StateProgram::clear(const int32_t* keys, int64_t count) {
    for (const auto& step : steps_) step->clear(keys, count);
}

void StateProgram::keep(std::span<const int32_t> keys) {
    for (const auto& step : steps_) step->keep(keys);
}

int64_t StateProgram::memoryBytes() const {
    int64_t bytes = 0;
    for (const auto& step : steps_) bytes += step->memoryBytes();
    return bytes;
}

std::vector<std::string> StateProgram::describe() const {
    std::vector<std::string> lines;
    size_t next = 0;
    for (const Metric& metric : metrics_) {
        lines.push_back(metric.text);
        for (; next < metric.endStep; ++next) {
            const StateStep& step = *steps_[next];
            lines.push_back(fmt::format("  {}{}", step.describe(), step.isSlow() ? "  (slow)" : ""));
        }
    }
    return lines;
}

int64_t StateProgram::slowSteps() const {
    return std::count_if(steps_.begin(), steps_.end(), [](const auto& step) { return step->isSlow(); });
}

NodeList metricsOf(const Value& given, int argument, std::string_view name) {
    NodeList nodes;
    const auto add = [&](const Value& value) {
        if (value.type() != Type::Code || !value.isScalar())
            throw UserError(
                argument, fmt::format("{} must be metacode, or a tuple of it, but it is {}.", name, typeString(value)),
                "Write expressions as <avg(price)>, or several as <[avg(price), sum(qty)]>.");
        const NodeRef& node = value.as<Code>()->node;
        if (node->kind == NodeKind::ListLiteral) {
            const NodeList& items = static_cast<const ListLiteral&>(*node).items;
            nodes.insert(nodes.end(), items.begin(), items.end());
        } else if (node->kind == NodeKind::TupleLiteral) {
            const NodeList& items = static_cast<const TupleLiteral&>(*node).items;
            nodes.insert(nodes.end(), items.begin(), items.end());
        } else {
            nodes.push_back(node);
        }
    };
    if (given.isTuple()) {
        for (const Value& value : given.tuple().elements) add(value);
    } else if (given.isVector() && given.type() == Type::Code) {
        for (int64_t i = 0; i < given.size(); ++i) add(given.at(i));
    } else {
        add(given);
    }
    if (nodes.empty()) throw UserError(argument, fmt::format("{} is empty.", name));
    return nodes;
}

}  // namespace pelorus
