#include "streaming/window/time_series_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "common/error.h"
#include "common/time/local_clock.h"
#include "runtime/code/name_uses.h"
#include "runtime/format/to_source.h"
#include "runtime/registry/registry.h"
#include "runtime/table/column_lookup.h"
#include "runtime/value/cast.h"
#include "streaming/engine/engine_columns.h"
#include "streaming/engine/stream_engines.h"
#include "streaming/subscription/subscriptions.h"

namespace pelorus {

namespace {

constexpr int kTimeArgument = 6, kKeyArgument = 8;  // of createTimeSeriesEngine
constexpr int64_t kRowsBeforeDropping = 65'536;
constexpr int64_t kLeastUpdateMillis = 2000;

// Lets an engine do what is due, if it still is among the engines.
class EngineTick final : public StrandTask {
public:
    EngineTick(const Services& services, std::string name) : services_(services), name_(std::move(name)) {}
    void run(int) override {
        auto* engines = services_.find<StreamEngines>();
        if (engines && engines->has(name_)) engines->get(name_)->tick();
    }

private:
    const Services& services_;
    const std::string name_;
};

std::vector<int> columnsRead(const TimeSeriesOptions& series, const TableSchema& columns) {
    std::set<int> read;
    for (const NodeList& metrics : series.metrics) {
        for (const NodeRef& metric : metrics) {
            forEachName(*metric, [&](const Name& name) {
                const int column = findColumn(columns, name.name);
                if (column >= 0) read.insert(column);
            });
        }
    }
    // A table has a column at least, so that it has rows.
    if (read.empty()) read.insert(0);
    return {read.begin(), read.end()};
}

int64_t unitsPerSecond(Type type) {
    switch (type) {
        case Type::Second:
        case Type::DateTime:
        case Type::Minute:
            return 1;  // minutes have the multiples of seconds
        case Type::Time:
        case Type::Timestamp:
            return 1000;
        case Type::NanoTime:
        case Type::NanoTimestamp:
            return 1'000'000'000;
        default:
            return 0;
    }
}

// Returns the times of a column; null<int64_t> for NULL.
std::vector<int64_t> unitsOf(const Vector& column) {
    std::vector<int64_t> times(static_cast<size_t>(column.size()));
    if (widthOf(column.type()) == 8) {
        std::copy_n(column.data<int64_t>(), times.size(), times.begin());
    } else {
        std::transform(column.data<int32_t>(), column.data<int32_t>() + times.size(), times.begin(),
                       [](int32_t time) { return isNull(time) ? null<int64_t> : time; });
    }
    return times;
}

Value timesAs(Type type, const std::vector<int64_t>& times) {
    Ref<Vector> column = Vector::make(type, static_cast<int64_t>(times.size()));
    for (size_t i = 0; i < times.size(); ++i) {
        if (widthOf(type) == 8) {
            column->mutableData<int64_t>()[i] = times[i];
        } else {
            column->mutableData<int32_t>()[i] = static_cast<int32_t>(times[i]);
        }
    }
    return Value::of(column);
}

}  // namespace

TimeSeriesEngine::TimeSeriesEngine(Context& context, std::string name, EngineOptions options, TimeSeriesOptions series)
    : StreamEngine(*context.services, std::move(name), std::move(options)),
      series_(std::move(series)),
      timeColumns_(columnsNamed(columns(), series_.timeColumns, kTimeArgument)),
      keyColumns_(columnsNamed(columns(), series_.keyColumns, kKeyArgument)),
      numbers_(columnsAt(columns(), keyColumns_)),
      control_(series_.rules),
      usedColumns_(columnsRead(series_, columns())),
      kept_(MemoryTable::empty(columnsAt(columns(), usedColumns_))),
      tick_(std::make_shared<EngineTick>(*context.services, this->name)),
      strand_(std::make_shared<Strand>()) {
    for (const NodeList& metrics : series_.metrics) metrics_.emplace_back(metrics, kept_->columns(), context);
    if (mayUseSlots(series_.rules)) states_ = WindowStates::of(metrics_[0], columns(), context);
    if (states_) control_.useSlots();
    if (!series_.useSystemTime) timeType_ = timesOf(context, *MemoryTable::empty(columns()))->type();
    outputColumns_.push_back({"time", timeType_, 0, ""});
    for (const int c : keyColumns_) outputColumns_.push_back(columns()[static_cast<size_t>(c)]);
    if (series_.showsElapsed) outputColumns_.push_back({"elapsedMicroseconds", Type::Long, 0, ""});
    size_t results = 0;
    for (const WindowMetrics& metrics : metrics_) {
        for (const ColumnSchema& result : metrics.results()) {
            outputColumns_.push_back(result);
            outputColumns_.back().name = fmt::format("metric{}", results++);
            if (!series_.fills.empty()) lastResults_.push_back(filledColumn(result.type, result.scale, 0));
        }
    }
    if (series_.fills.size() > 1 && series_.fills.size() != results)
        throw UserError(
            15, fmt::format("fill has {} elements for {} metrics. RefId: S03015", series_.fills.size(), results));
    for (size_t r = 0; r < results && !series_.fills.empty(); ++r) {
        const WindowFill& fill = series_.fills.size() == 1 ? series_.fills[0] : series_.fills[r];
        const ColumnSchema& column = outputColumns_[outputColumns_.size() - results + r];
        if (fill.kind == WindowFill::Kind::Value) castFitting(fill.value, column.type, column.scale, "fill");
    }
    requireOutput(outputColumns_.size(),
                  series_.showsElapsed ? "time, keys, the elapsed time, metrics" : "time, keys, metrics");
}

TimeSeriesEngine::~TimeSeriesEngine() = default;

std::vector<std::string> TimeSeriesEngine::describe() {
    const std::string keys =
        series_.keyColumns.empty() ? "all rows" : fmt::format("{}", fmt::join(series_.keyColumns, ", "));
    std::vector<std::string> lines{fmt::format("time series engine {} by {}: windows of {}, every {}", name, keys,
                                               fmt::join(series_.rules.sizes, ", "), series_.rules.step)};
    for (const NodeList& metrics : series_.metrics) {
        for (const NodeRef& metric : metrics) {
            lines.push_back(fmt::format("  {} {}{}", states_ ? "add to a state:" : "query over the kept rows:",
                                        toSource(*metric), states_ ? "" : "  (slow)"));
        }
    }
    return lines;
}

Ref<MemoryTable> TimeSeriesEngine::stateByKey() {
    std::vector<int32_t> keys;
    std::vector<int64_t> first, rows;
    control_.forEachOpen([&](int32_t key, int64_t time, int64_t count) {
        keys.push_back(key);
        first.push_back(time);
        rows.push_back(count);
    });
    std::vector<std::string> names = series_.keyColumns;
    std::vector<Value> columns = numbers_.keysOf(keys);
    names.insert(names.end(), {"firstTime", "rows"});
    columns.push_back(timesAs(timeType_, first));
    columns.push_back(Value::of(Vector::of(Type::Long, rows)));
    return makeRef<MemoryTable>(std::move(names), std::move(columns));
}

Ref<Vector> TimeSeriesEngine::timesOf(Context& context, const MemoryTable& rows) const {
    if (series_.useSystemTime) {
        return Ref<Vector>(
            &filledColumn(Type::Timestamp, 0, rows.rowCount(), Value::scalar(Type::Timestamp, localMillis())).vector());
    }
    const Value& first = rows.column(timeColumns_[0]);
    if (timeColumns_.size() == 1) {
        if (!first.isTypedVector() || !isTemporal(first.type()))
            throw UserError(kTimeArgument, fmt::format("timeColumn must be temporal, but {} is {}.",
                                                       series_.timeColumns[0], typeName(first.type())));
        return Ref<Vector>(&first.vector());
    }
    std::vector<Value> both{first, rows.column(timeColumns_[1])};
    const Value times = FunctionRegistry::instance().get("concatDateTime").call(context, both);
    if (!times.isTypedVector()) throw UserError(kTimeArgument, "timeColumn must name a DATE and a time of the day.");
    return Ref<Vector>(&times.vector());
}

void TimeSeriesEngine::begin(int64_t first) {
    constexpr int64_t kMonthsPerYear = 12;
    const int64_t step = series_.rules.step;
    control_.begin(timeType_ == Type::Month
                       ? first / kMonthsPerYear * kMonthsPerYear + step
                       : firstWindowEnd(first, step, unitsPerSecond(timeType_), series_.roundTime));
}

Ref<MemoryTable> TimeSeriesEngine::compute(Context& context, const Ref<MemoryTable>& rows) {
    const auto started = std::chrono::steady_clock::now();
    const int64_t count = rows->rowCount();
    const Ref<Vector> given = timesOf(context, *rows);
    const std::vector<int64_t> times = unitsOf(*given);
    std::vector<Value> keyColumns;
    for (const int c : keyColumns_) keyColumns.push_back(rows->column(c));
    numbers_.number(keyColumns, count, keys_);
    if (!control_.hasBegun()) {
        const auto first = std::find_if(times.begin(), times.end(), [](int64_t time) { return !isNull(time); });
        if (first == times.end()) return {};
        begin(*first);
    }
    const auto firstRow = static_cast<int32_t>(kept_->rowCount());
    if (!states_) keep(*rows);
    control_.take(times.data(), keys_.data(), count, firstRow);
    if (states_) {
        states_->resize(control_.slotCount());
        states_->add(context, *rows, control_.rowSlots());
    }
    if (series_.rules.updateTime == 0) control_.endAppend();
    Ref<MemoryTable> results = shown(context, started);
    dropClosedRows();
    releaseSlots();
    planTick();
    return results;
}

Ref<MemoryTable> TimeSeriesEngine::computeDue(Context& context) {
    if (!control_.hasBegun()) return {};
    if (series_.useSystemTime) control_.closeUntil(localMillis());
    if (series_.rules.updateTime > 0) control_.showUpdates();
    Ref<MemoryTable> results = shown(context, std::chrono::steady_clock::now());
    releaseSlots();
    planTick();
    return results;
}

void TimeSeriesEngine::keep(const MemoryTable& rows) {
    std::vector<std::string> names;
    std::vector<Value> used;
    for (const int c : usedColumns_) {
        names.push_back(columns()[static_cast<size_t>(c)].name);
        used.push_back(rows.column(c));
    }
    kept_->append(MemoryTable(std::move(names), std::move(used)));
}

// Drops the rows of closed windows once they are most of the rows.
void TimeSeriesEngine::dropClosedRows() {
    if (kept_->rowCount() < std::max(kRowsBeforeDropping, 2 * openRows_)) return;
    const std::vector<int32_t> open = control_.renumberRows();
    Ref<MemoryTable> rows = kept_->gather(open.data(), std::ssize(open));
    kept_ = rows->copy();
    openRows_ = std::ssize(open);
}

// Empties the states of closed windows.
void TimeSeriesEngine::releaseSlots() {
    const std::vector<int32_t> closed = control_.releaseSlots();
    if (!closed.empty()) states_->clear(closed);
}

// Returns the results of shows from the states of their windows; NULL for those without rows.
std::vector<Value> TimeSeriesEngine::resultsOfSlots(Context& context) {
    std::vector<int32_t> slots, places;
    for (const WindowShow& show : control_.shows()) {
        places.push_back(show.isGap() ? -1 : static_cast<int32_t>(slots.size()));
        if (!show.isGap()) slots.push_back(show.slot);
    }
    std::vector<Value> results = states_->results(context, slots);
    if (slots.size() == places.size()) return results;
    for (Value& result : results) result = gatherElements(result, places.data(), std::ssize(places));
    return results;
}

std::vector<Value> TimeSeriesEngine::resultsOfShows(Context& context) {
    if (states_) return resultsOfSlots(context);
    const std::vector<WindowShow>& shows = control_.shows();
    std::vector<Value> results;
    for (size_t m = 0; m < metrics_.size(); ++m) {
        std::vector<int32_t> windows, rows;
        for (size_t i = 0; i < shows.size(); ++i) {
            const size_t first =
                metrics_.size() == 1 ? shows[i].begin : control_.beginOf(shows[i], series_.rules.sizes[m]);
            rows.insert(rows.end(), control_.shownRows().begin() + static_cast<ptrdiff_t>(first),
                        control_.shownRows().begin() + static_cast<ptrdiff_t>(shows[i].end));
            windows.resize(rows.size(), static_cast<int32_t>(i));
        }
        const Ref<MemoryTable> chosenRows = kept_->gather(rows.data(), std::ssize(rows));
        for (Value& result : metrics_[m].compute(context, *chosenRows, windows, std::ssize(shows)))
            results.push_back(std::move(result));
    }
    return results;
}

// Fills windows without rows with the values that `fill` says, and keeps the last row of each key.
void TimeSeriesEngine::fillGaps(std::vector<Value>& results) {
    const std::vector<WindowShow>& shows = control_.shows();
    for (size_t r = 0; r < results.size(); ++r) {
        const WindowFill& fill = series_.fills.size() == 1 ? series_.fills[0] : series_.fills[r];
        const ColumnSchema& column = outputColumns_[outputColumns_.size() - results.size() + r];
        // The last results, one for each key, the new ones, and the value to fill by.
        Value all = lastResults_[r];
        const int64_t known = all.size();
        appendElements(all, filledColumn(column.type, column.scale, numbers_.size() - known));
        appendElements(all, results[r]);
        appendElements(all, filledColumn(column.type, column.scale, 1,
                                         fill.kind == WindowFill::Kind::Value ? fill.value : Value()));
        std::vector<int32_t> lastOf(static_cast<size_t>(numbers_.size())), places(shows.size());
        for (size_t k = 0; k < lastOf.size(); ++k) lastOf[k] = static_cast<int32_t>(k);
        for (size_t i = 0; i < shows.size(); ++i) {
            const auto own = static_cast<int32_t>(numbers_.size() + static_cast<int64_t>(i));
            int32_t& last = lastOf[static_cast<size_t>(shows[i].key)];
            const bool isGap = shows[i].isGap();
            places[i] = !isGap                                ? own
                        : fill.kind == WindowFill::Kind::Last ? last
                                                              : static_cast<int32_t>(all.size()) - 1;
            last = places[i];
        }
        results[r] = gatherElements(all, places.data(), std::ssize(places));
        lastResults_[r] = gatherElements(all, lastOf.data(), std::ssize(lastOf));
    }
}

// Makes the output rows of the shows.
Ref<MemoryTable> TimeSeriesEngine::shown(Context& context, std::chrono::steady_clock::time_point begin) {
    const std::vector<WindowShow>& shows = control_.shows();
    if (shows.empty()) return {};
    std::vector<Value> results = resultsOfShows(context);
    if (!series_.fills.empty()) fillGaps(results);
    std::vector<int64_t> times;
    std::vector<int32_t> keys;
    for (const WindowShow& show : shows) {
        times.push_back(series_.showsStart ? show.right - series_.rules.sizes[0] : show.right);
        keys.push_back(show.key);
    }
    std::vector<Value> output{timesAs(timeType_, times)};
    for (Value& column : numbers_.keysOf(keys)) output.push_back(std::move(column));
    if (series_.showsElapsed) {
        const auto elapsed = std::chrono::steady_clock::now() - begin;
        const int64_t micros = std::chrono::duration_cast<std::chrono::microseconds>(elapsed).count();
        output.push_back(filledColumn(Type::Long, 0, std::ssize(shows), Value::ofLong(micros)));
    }
    output.insert(output.end(), results.begin(), results.end());
    control_.clearShows();
    std::vector<std::string> names;
    for (const ColumnSchema& column : outputColumns_) names.push_back(column.name);
    return makeRef<MemoryTable>(std::move(names), std::move(output));
}

// Asks to be woken when the next window ends by the clock, or rows have waited for long.
void TimeSeriesEngine::planTick() {
    auto* subscriptions = services().find<Subscriptions>();
    if (!subscriptions) return;
    int64_t millis = -1, right = 0;
    if (series_.useSystemTime && control_.nextEnd(right)) millis = std::max<int64_t>(right - localMillis(), 0);
    if (series_.rules.updateTime > 0 && control_.hasUnshown()) {
        const int64_t units = std::max<int64_t>(unitsPerSecond(timeType_), 1);
        const int64_t updateMillis = 2 * series_.rules.updateTime * 1000 / units;
        millis = std::max(updateMillis, kLeastUpdateMillis);
    }
    if (millis < 0) return;
    subscriptions->strands().postAt(Strands::Clock::now() + std::chrono::milliseconds(millis), strand_, tick_);
}

TableSchema TimeSeriesEngine::statColumns() const {
    return {{"windowTime", Type::String},    {"step", Type::Long},          {"useSystemTime", Type::Bool},
            {"garbageSize", Type::Long},     {"numGroups", Type::Int},      {"numRows", Type::Long},
            {"numMetrics", Type::Int},       {"metrics", Type::String},     {"snapshotDir", Type::String},
            {"snapshotInterval", Type::Int}, {"snapshotMsgId", Type::Long}, {"snapshotTimestamp", Type::Timestamp},
            {"numLateRows", Type::Long}};
}

std::vector<Value> TimeSeriesEngine::statValues() {
    std::vector<std::string> texts;
    for (const NodeList& metrics : series_.metrics) {
        for (const NodeRef& metric : metrics) texts.push_back(toSource(*metric));
    }
    return {Value::ofString(fmt::format("{}", fmt::join(series_.rules.sizes, ","))),
            Value::ofLong(series_.rules.step),
            Value::ofBool(series_.useSystemTime),
            Value::ofLong(kRowsBeforeDropping),
            Value::ofInt(static_cast<int32_t>(keyColumns_.empty() ? 0 : numbers_.size())),
            Value::ofLong(takenRows()),
            Value::ofInt(static_cast<int32_t>(texts.size())),
            Value::ofString(fmt::format("{}", fmt::join(texts, ", "))),
            Value::ofString(""),
            Value::nullOf(Type::Int),
            Value::ofLong(-1),
            Value::nullOf(Type::Timestamp),
            Value::ofLong(control_.lateRows())};
}

int64_t TimeSeriesEngine::memoryBytes() {
    constexpr int64_t kBytesOfElement = 8;
    return numbers_.memoryBytes() + control_.memoryBytes() + (states_ ? states_->memoryBytes() : 0) +
           kept_->rowCount() * kept_->columnCount() * kBytesOfElement;
}

}  // namespace pelorus
