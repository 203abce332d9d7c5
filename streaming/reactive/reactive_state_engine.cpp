#include "streaming/reactive/reactive_state_engine.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "runtime/format/to_source.h"
#include "runtime/kernel/index/row_selection.h"
#include "sql/expression/bind_expression.h"
#include "streaming/engine/engine_columns.h"

namespace pelorus {

namespace {

constexpr int kKeyArgument = 4;            // of createReactiveStateEngine
constexpr int64_t kLeastPurgedShare = 10;  // a purge takes place for a tenth of the keys

NodeList withFilter(NodeList metrics, const NodeRef& filter) {
    if (filter) metrics.push_back(filter);
    return metrics;
}

}  // namespace

ReactiveStateEngine::ReactiveStateEngine(Context& context, std::string name, EngineOptions options,
                                         ReactiveOptions reactive)
    : StreamEngine(*context.services, std::move(name), std::move(options)),
      reactive_(std::move(reactive)),
      keyColumns_(columnsNamed(columns(), reactive_.keyColumns, kKeyArgument)),
      numbers_(columnsAt(columns(), keyColumns_)),
      program_(withFilter(reactive_.metrics, reactive_.filter), columns(), context),
      lastPurge_(std::chrono::steady_clock::now()) {
    outputColumns_ = columnsAt(columns(), keyColumns_);
    if (reactive_.showsElapsed) {
        outputColumns_.push_back({"elapsedMicroseconds", Type::Long, 0, ""});
        outputColumns_.push_back({"batchSize", Type::Int, 0, ""});
    }
    const size_t results = program_.results().size() - (reactive_.filter ? 1 : 0);
    for (size_t i = 0; i < results; ++i) {
        outputColumns_.push_back(program_.results()[i]);
        outputColumns_.back().name = fmt::format("metric{}", i);
    }
    if (reactive_.filter && (program_.resultsOfMetrics().back() != 1 || program_.results().back().type != Type::Bool))
        throw UserError(5, "filter must be a condition.");
    requireOutput(outputColumns_.size(),
                  reactive_.showsElapsed ? "keys, two for the elapsed time, metrics" : "keys and metrics");
    // Results bear the names of the output, which the filter of a purge knows.
    const TableSchema given = this->StreamEngine::outputColumns();
    for (size_t i = 0; i < given.size() && i < outputColumns_.size(); ++i) outputColumns_[i].name = given[i].name;
    if (reactive_.purgeFilter) {
        purgeFilter_ = std::make_unique<ExpressionProgram>(bindProgram(reactive_.purgeFilter, outputColumns_, context));
        lastResults_ = MemoryTable::empty(outputColumns_);
    }
    if (keyColumns_.empty()) program_.resize(1);
}

ReactiveStateEngine::~ReactiveStateEngine() = default;

Ref<MemoryTable> ReactiveStateEngine::compute(Context& context, const Ref<MemoryTable>& rows) {
    const auto begin = std::chrono::steady_clock::now();
    if (purgeFilter_ && begin - lastPurge_ >= reactive_.purgeInterval) purge(context);
    const int64_t count = rows->rowCount();
    std::vector<Value> output;
    for (const int c : keyColumns_) output.push_back(rows->column(c));
    const int64_t before = numbers_.size();
    numbers_.number(output, count, keys_);
    if (numbers_.size() > before) program_.resize(numbers_.size());
    rows_.resize(static_cast<size_t>(numbers_.size()));
    for (const int32_t key : keys_) ++rows_[static_cast<size_t>(key)];
    std::vector<Value> results = program_.step(context, *rows, keys_.data());
    Value condition;
    if (reactive_.filter) {
        condition = results.back();
        results.pop_back();
    }
    if (reactive_.showsElapsed) {
        const auto elapsed = std::chrono::steady_clock::now() - begin;
        const int64_t micros = std::chrono::duration_cast<std::chrono::microseconds>(elapsed).count();
        output.push_back(filledColumn(Type::Long, 0, count, Value::ofLong(micros)));
        output.push_back(filledColumn(Type::Int, 0, count, Value::ofInt(static_cast<int32_t>(count))));
    }
    output.insert(output.end(), results.begin(), results.end());
    std::vector<std::string> names;
    for (const ColumnSchema& column : outputColumns_) names.push_back(column.name);
    auto table = makeRef<MemoryTable>(std::move(names), std::move(output));
    if (purgeFilter_) notePurge(*table, keys_);
    if (!reactive_.filter) return table;
    const std::vector<int32_t> kept = rowsWhere(condition, count, "filter");
    return table->gather(kept.data(), static_cast<int64_t>(kept.size()));
}

// Keeps the last results of each key.
void ReactiveStateEngine::notePurge(const MemoryTable& results, const std::vector<int32_t>& keys) {
    const int64_t known = lastResults_->rowCount();
    std::vector<int32_t> places(static_cast<size_t>(numbers_.size()), -1);
    for (size_t k = 0; k < static_cast<size_t>(known); ++k) places[k] = static_cast<int32_t>(k);
    for (size_t i = 0; i < keys.size(); ++i)
        places[static_cast<size_t>(keys[i])] = static_cast<int32_t>(known + static_cast<int64_t>(i));
    Ref<MemoryTable> all = lastResults_->copy();
    all->append(results);
    lastResults_ = all->gather(places.data(), std::ssize(places));
    isKnown_.resize(places.size());
    for (const int32_t key : keys) isKnown_[static_cast<size_t>(key)] = 1;
}

void ReactiveStateEngine::purge(Context& context) {
    lastPurge_ = std::chrono::steady_clock::now();
    const int64_t count = lastResults_->rowCount();
    if (count == 0) return;
    std::vector<int32_t> purged = rowsWhere(purgeFilter_->evaluate(context, *lastResults_), count, "keyPurgeFilter");
    std::erase_if(purged, [&](int32_t key) { return !isKnown_[static_cast<size_t>(key)]; });
    const int64_t present = std::count(isKnown_.begin(), isKnown_.end(), 1);
    if (std::ssize(purged) * kLeastPurgedShare < present) return;
    program_.clear(purged.data(), std::ssize(purged));
    for (const int32_t key : purged) isKnown_[static_cast<size_t>(key)] = rows_[static_cast<size_t>(key)] = 0;
    dropPurged();
}

// Gives back the places of purged keys once they are most of the keys.
void ReactiveStateEngine::dropPurged() {
    if (keyColumns_.empty()) return;
    std::vector<int32_t> kept;
    for (size_t k = 0; k < isKnown_.size(); ++k) {
        if (isKnown_[k]) kept.push_back(static_cast<int32_t>(k));
    }
    if (std::ssize(kept) * 2 > numbers_.size()) return;
    numbers_.keep(kept);
    program_.keep(kept);
    keepGroups(rows_, kept);
    lastResults_ = lastResults_->gather(kept.data(), std::ssize(kept));
    isKnown_.assign(kept.size(), 1);
}

TableSchema ReactiveStateEngine::statColumns() const {
    return {{"numGroups", Type::Int},
            {"numRows", Type::Long},
            {"numMetrics", Type::Int},
            {"snapshotDir", Type::String},
            {"snapshotInterval", Type::Int},
            {"snapshotMsgId", Type::Long},
            {"snapshotTimestamp", Type::Timestamp}};
}

std::vector<Value> ReactiveStateEngine::statValues() {
    const int64_t known = purgeFilter_ ? std::count(isKnown_.begin(), isKnown_.end(), 1) : numbers_.size();
    return {Value::ofInt(static_cast<int32_t>(keyColumns_.empty() ? 0 : known)),
            Value::ofLong(takenRows()),
            Value::ofInt(static_cast<int32_t>(reactive_.metrics.size())),
            Value::ofString(""),
            Value::nullOf(Type::Int),
            Value::ofLong(-1),
            Value::nullOf(Type::Timestamp)};
}

std::vector<std::string> ReactiveStateEngine::describe() {
    const std::string keys =
        reactive_.keyColumns.empty() ? "all rows" : fmt::format("{}", fmt::join(reactive_.keyColumns, ", "));
    std::vector<std::string> lines{fmt::format("reactive state engine {} by {}: {} metrics, {} steps, {} slow", name,
                                               keys, reactive_.metrics.size(), program_.stepCount(),
                                               program_.slowSteps())};
    const std::vector<std::string> own = program_.describe();
    lines.insert(lines.end(), own.begin(), own.end());
    if (reactive_.filter) lines.push_back("rows with a result: " + toSource(*reactive_.filter));
    if (reactive_.purgeFilter) lines.push_back("keys that start anew: " + toSource(*reactive_.purgeFilter));
    return lines;
}

Ref<MemoryTable> ReactiveStateEngine::stateByKey() {
    std::vector<int32_t> present;
    for (size_t key = 0; key < rows_.size(); ++key) {
        if (rows_[key] > 0) present.push_back(static_cast<int32_t>(key));
    }
    std::vector<std::string> names = reactive_.keyColumns;
    std::vector<Value> columns = numbers_.keysOf(present);
    names.push_back("rows");
    columns.push_back(gatherElements(Value::of(Vector::of(Type::Long, rows_)), present.data(), std::ssize(present)));
    return makeRef<MemoryTable>(std::move(names), std::move(columns));
}

int64_t ReactiveStateEngine::memoryBytes() {
    return numbers_.memoryBytes() + program_.memoryBytes();
}

}  // namespace pelorus
