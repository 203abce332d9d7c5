#include "streaming/replay/replay_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "common/error.h"
#include "common/thread/thread_pool.h"
#include "runtime/value/cast.h"
#include "runtime/value/print.h"
#include "sql/data_source.h"

namespace pelorus {

namespace {

const Value& columnOf(const MemoryTable& rows, const std::string& name) {
    const Value* column = rows.column(name);
    if (!column) throw UserError(fmt::format("The rows to replay have no column {}.", name));
    if (!column->isTypedVector()) throw UserError(fmt::format("The column {} can't order rows by time.", name));
    return *column;
}

// Returns the time of each row, as NANOTIMESTAMP, as NANOTIME for times of the day, or as LONG for numbers.
Ref<Vector> timesOf(const MemoryTable& rows, const ReplayInput& input) {
    const bool isPair = !input.dateColumn.empty() && !input.timeColumn.empty() && input.dateColumn != input.timeColumn;
    const Value& first = columnOf(rows, input.dateColumn.empty() ? input.timeColumn : input.dateColumn);
    if (!isPair) {
        if (!isTemporal(first.type())) return cast(first.vector(), Type::Long);
        const bool isClock = !canCast(first.type(), Type::NanoTimestamp) || first.type() == Type::Second ||
                             first.type() == Type::Minute || first.type() == Type::Time ||
                             first.type() == Type::NanoTime;
        return cast(first.vector(), isClock ? Type::NanoTime : Type::NanoTimestamp);
    }
    const Value& clock = columnOf(rows, input.timeColumn);
    if (first.type() != Type::Date)
        throw UserError(fmt::format("dateColumn must be DATE next to a timeColumn, but {} is {}.", input.dateColumn,
                                    typeName(first.type())));
    if (clock.type() != Type::Second && clock.type() != Type::Time && clock.type() != Type::NanoTime)
        throw UserError(fmt::format("timeColumn must be SECOND, TIME or NANOTIME next to a dateColumn, but {} is {}.",
                                    input.timeColumn, typeName(clock.type())));
    const Ref<Vector> days = cast(first.vector(), Type::NanoTimestamp), clocks = cast(clock.vector(), Type::NanoTime);
    Ref<Vector> times = Vector::make(Type::NanoTimestamp, days->size());
    auto* out = times->mutableData<int64_t>();
    for (int64_t i = 0; i < days->size(); ++i) {
        const int64_t day = days->data<int64_t>()[i], time = clocks->data<int64_t>()[i];
        out[i] = isNull(day) || isNull(time) ? null<int64_t> : day + time;
    }
    return times;
}

Ref<MemoryTable> loaded(const Value& part, Context& context) {
    const Value value = part.isTable() ? part : part.as<DataSource>()->load(context);
    Ref<MemoryTable> table = tableToRead(value);
    if (!table) throw UserError(0, "A data source to replay must give a table.", "replayDS makes them of a query.");
    return table;
}

}  // namespace

void ReplaySource::readMore(Context& context) {
    const size_t count = std::min(input_.parts.size() - next_, static_cast<size_t>(partsAtOnce_));
    std::vector<Ref<MemoryTable>> parts(count);
    std::vector<std::exception_ptr> failures(count);
    parallelFor(static_cast<int64_t>(count), [&](int64_t i) {
        const auto at = static_cast<size_t>(i);
        try {
            parts[at] = loaded(input_.parts[next_ + at], context);
        } catch (...) {
            failures[at] = std::current_exception();
        }
    });
    next_ += count;
    for (size_t i = 0; i < count; ++i) {
        if (failures[i]) std::rethrow_exception(failures[i]);
        if (size() == 0) {
            rows_ = parts[i]->copy();
        } else {
            rows_->append(*parts[i]);
        }
    }
    times_ = timesOf(*rows_, input_);
}

int64_t ReplaySource::before(int64_t horizon) const {
    const int64_t* times = times_ ? times_->data<int64_t>() : nullptr;
    int64_t count = 0;
    while (count < size() && times[count] < horizon) ++count;
    return count;
}

void ReplaySource::drop(int64_t count) {
    if (count == 0) return;
    if (count == size() && !hasMore()) {
        rows_ = rows_->slice(count, 0);
        times_ = times_->slice(count, 0);
        return;
    }
    rows_ = rows_->slice(count, size() - count)->copy();
    times_ = times_->slice(count, rows_->rowCount())->copy();
}

}  // namespace pelorus
