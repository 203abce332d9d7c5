#include "sql/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>

#include "common/error.h"
#include "runtime/append/append_rows.h"
#include "runtime/kernel/sort/row_order.h"
#include "runtime/serialize/value_codec.h"
#include "runtime/value/cast.h"
#include "runtime/value/print.h"
#include "sql/data_source.h"

namespace pelorus {

namespace {

constexpr double kNanosPerSecond = 1e9;

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

// Cursor over one input, read part by part. The rows in `rows` have not been written yet.
class Cursor {
public:
    explicit Cursor(const ReplayInput& input) : input_(input) {}

    const ReplayInput& input() const { return input_; }
    bool hasMore() const { return next_ < input_.parts.size(); }
    const Ref<MemoryTable>& rows() const { return rows_; }
    const Ref<Vector>& times() const { return times_; }
    int64_t size() const { return rows_ ? rows_->rowCount() : 0; }

    void readMore(Context& context) {
        const Value& part = input_.parts[next_++];
        const Value loaded = part.isTable() ? part : part.as<DataSource>()->load(context);
        const Ref<MemoryTable> table = tableToRead(loaded);
        if (!table) throw UserError(0, "A data source to replay must give a table.", "replayDS makes them of a query.");
        Ref<MemoryTable> more = table->copy();
        if (size() == 0) {
            rows_ = more;
        } else {
            rows_->append(*more);
        }
        times_ = timesOf(*rows_, input_);
    }
    // Returns the number of rows up to the first that is not before `horizon`.
    int64_t before(int64_t horizon) const {
        const int64_t* times = times_ ? times_->data<int64_t>() : nullptr;
        int64_t count = 0;
        while (count < size() && times[count] < horizon) ++count;
        return count;
    }
    int64_t lastTime() const { return times_->data<int64_t>()[size() - 1]; }
    void drop(int64_t count) {
        if (count == 0) return;
        rows_ = rows_->slice(count, size() - count)->copy();
        times_ = times_->slice(count, rows_->rowCount())->copy();
    }

private:
    const ReplayInput& input_;
    size_t next_ = 0;
    Ref<MemoryTable> rows_;
    Ref<Vector> times_;
};

class Player {
public:
    Player(const Replay& replay, Context& context) : replay_(replay), context_(context) {
        for (const ReplayInput& input : replay.inputs) cursors_.emplace_back(input);
    }

    void run() {
        start_ = Clock::now();
        for (;;) {
            context_.checkCancelled();
            for (Cursor& cursor : cursors_) {
                while (cursor.size() == 0 && cursor.hasMore()) cursor.readMore(context_);
            }
            // The order of rows is known up to the last time of every input that has more to read.
            constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
            int64_t horizon = kNever;
            Cursor* limiting = nullptr;
            for (Cursor& cursor : cursors_) {
                if (cursors_.size() == 1 || !cursor.hasMore() || cursor.lastTime() >= horizon) continue;
                horizon = cursor.lastTime();
                limiting = &cursor;
            }
            std::vector<int64_t> counts;
            int64_t rows = 0;
            for (const Cursor& cursor : cursors_) {
                counts.push_back(limiting ? cursor.before(horizon) : cursor.size());
                rows += counts.back();
            }
            if (rows > 0) {
                play(counts, rows);
            } else {
                if (!limiting) break;
                limiting->readMore(context_);
            }
        }
        waitUntil(due_);
    }

private:
    using Clock = std::chrono::steady_clock;

    // Writes the first rows of the inputs, merged by time.
    void play(const std::vector<int64_t>& counts, int64_t rows) {
        Ref<Vector> times;
        std::vector<int32_t> inputOf;
        for (size_t i = 0; i < cursors_.size(); ++i) {
            if (counts[i] == 0) continue;
            const Vector& own = *cursors_[i].times();
            if (!times) times = Vector::make(own.type(), 0, rows);
            if (own.type() != times->type())
                throw UserError(
                    "The time columns of the inputs are not of one kind: dates mixed with times or numbers.");
            times->append(own, 0, counts[i]);
            inputOf.insert(inputOf.end(), static_cast<size_t>(counts[i]), static_cast<int32_t>(i));
        }
        std::vector<OrderKey> keys{{Value::of(times), true, false, true}};
        for (const std::string& name : replay_.sortColumns)
            keys.push_back({sortColumn(name, counts), true, false, true});
        const std::vector<int32_t> order = sortPositions(keys, rows);
        const Ref<Vector> sortedTimes = times->gather(order.data(), rows);

        // The rows of each output in order, and to which output each row goes.
        std::vector<Ref<MemoryTable>> outputRows;
        std::vector<int32_t> outputOf(static_cast<size_t>(rows), 0);
        if (replay_.outputs.size() == 1) {
            outputRows.push_back(gathered(counts, times, *replay_.outputs[0], order));
        } else {
            for (size_t i = 0; i < cursors_.size(); ++i) {
                std::vector<int64_t> own(counts.size(), 0);
                own[i] = counts[i];
                std::vector<int32_t> ownOrder;
                const auto begin = static_cast<int32_t>(
                    std::find(inputOf.begin(), inputOf.end(), static_cast<int32_t>(i)) - inputOf.begin());
                for (const int32_t p : order) {
                    if (inputOf[static_cast<size_t>(p)] == static_cast<int32_t>(i)) ownOrder.push_back(p - begin);
                }
                outputRows.push_back(gathered(own, times, *replay_.outputs[i], ownOrder));
            }
            for (size_t k = 0; k < order.size(); ++k) outputOf[k] = inputOf[static_cast<size_t>(order[k])];
        }
        std::vector<int64_t> written(outputRows.size(), 0);
        for (int64_t begin = 0; begin < rows;) {
            const int64_t end = nextBatch(*sortedTimes, begin);
            std::vector<int64_t> share(outputRows.size(), 0);
            for (int64_t k = begin; k < end; ++k) ++share[static_cast<size_t>(outputOf[static_cast<size_t>(k)])];
            for (size_t o = 0; o < share.size(); ++o) {
                if (share[o] == 0) continue;
                appendToMemory(*replay_.outputs[o], *outputRows[o]->slice(written[o], share[o]));
                written[o] += share[o];
            }
            begin = end;
        }
        for (size_t i = 0; i < cursors_.size(); ++i) cursors_[i].drop(counts[i]);
    }

    // Returns a column of the inputs; NULL for inputs without it.
    Value sortColumn(const std::string& name, const std::vector<int64_t>& counts) {
        Type type = Type::Void;
        uint8_t scale = 0;
        for (const Cursor& cursor : cursors_) {
            const Value* column = cursor.rows() ? cursor.rows()->column(name) : nullptr;
            if (!column || !column->isTypedVector() || type != Type::Void) continue;
            type = column->type();
            scale = column->vector().scale();
        }
        if (type == Type::Void) throw UserError(7, fmt::format("No input has a column {} to sort by.", name));
        Value all = filledColumn(type, scale, 0);
        for (size_t i = 0; i < cursors_.size(); ++i) {
            if (counts[i] == 0) continue;
            const Value* column = cursors_[i].rows()->column(name);
            Value own = column ? castForStorage(*column, type, name, scale) : filledColumn(type, scale, counts[i]);
            if (column) own = Value::of(own.vector().slice(0, counts[i]));
            appendElements(all, own);
        }
        return all;
    }

    Ref<MemoryTable> gathered(const std::vector<int64_t>& counts, const Ref<Vector>& times, const MemoryTable& output,
                              const std::vector<int32_t>& order) {
        Ref<MemoryTable> all = MemoryTable::empty(output.columns());
        int64_t begin = 0;
        for (size_t i = 0; i < cursors_.size(); ++i) {
            if (counts[i] == 0) continue;
            const Ref<MemoryTable> own = cursors_[i].rows()->slice(0, counts[i]);
            all->append(replay_.asMessages
                            ? *messages(*own, *times->slice(begin, counts[i]), cursors_[i].input(), output)
                            : *own);
            begin += counts[i];
        }
        return all->gather(order.data(), static_cast<int64_t>(order.size()));
    }

    static Ref<MemoryTable> messages(const MemoryTable& rows, const Vector& times, const ReplayInput& input,
                                     const MemoryTable& output) {
        const TableSchema& columns = output.columns();
        const int64_t count = rows.rowCount();
        std::vector<std::string> names;
        std::vector<Value> values;
        for (size_t c = 0; c < columns.size(); ++c) {
            names.push_back(columns[c].name);
            if (c == 0) {
                values.push_back(cast(Value::of(times.copy()), columns[c].type));
            } else if (c == 1) {
                const std::string key = input.key.isString() ? std::string(input.key.string()) : toString(input.key);
                values.push_back(
                    Value::of(Vector::filled(columns[c].type, count, Value::ofString(key, columns[c].type))));
            } else if (c == 2) {
                Ref<Vector> bytes = Vector::make(Type::Blob, count);
                for (int64_t i = 0; i < count; ++i) bytes->setString(i, encodedRow(rows, i));
                values.push_back(Value::of(bytes));
            } else {
                const Value* own = rows.column(columns[c].name);
                const Type type = columns[c].type;
                const bool isShared = own && (own->type() == type || (isLiteral(own->type()) && isLiteral(type)));
                values.push_back(isShared ? castForStorage(*own, type, columns[c].name, columns[c].scale)
                                          : filledColumn(type, columns[c].scale, count));
            }
        }
        return makeRef<MemoryTable>(std::move(names), std::move(values));
    }

    static std::string encodedRow(const MemoryTable& rows, int64_t row) {
        std::vector<Value> items;
        for (int c = 0; c < rows.columnCount(); ++c) items.push_back(rows.column(c).at(row));
        std::string bytes;
        encodeValue(Value::of(makeRef<Tuple>(std::move(items))), Peer::Client, bytes);
        return bytes;
    }

    // Waits until the row at `begin` is due; returns the end of the rows that are written with it.
    int64_t nextBatch(const Vector& times, int64_t begin) {
        const int64_t rows = times.size();
        const int64_t* time = times.data<int64_t>();
        auto secondsSince = [&](int64_t first, int64_t i) {
            return static_cast<double>(time[i] - first) / kNanosPerSecond;
        };
        const ReplayPace& pace = replay_.pace;
        double perSecond = static_cast<double>(pace.rate);
        switch (pace.mode) {
            case ReplayPace::Mode::Full:
                return rows;
            case ReplayPace::Mode::Precise: {
                requireTimes(times);
                if (!began_) firstTime_ = time[begin];
                began_ = true;
                auto dueAt = [&](int64_t i) { return secondsSince(firstTime_, i) / perSecond; };
                waitUntil(dueAt(begin));
                const double now = std::chrono::duration<double>(Clock::now() - start_).count();
                int64_t end = begin + 1;
                while (end < rows && dueAt(end) <= now) ++end;
                return end;
            }
            case ReplayPace::Mode::Span: {
                requireTimes(times);
                const double span = secondsSince(time[0], rows - 1);
                if (span <= 0) return rows;
                perSecond *= static_cast<double>(rows) / span;
                break;
            }
            case ReplayPace::Mode::Rows:
                break;
        }
        waitUntil(due_);
        const int64_t batch = std::min(rows - begin, std::max<int64_t>(1, static_cast<int64_t>(perSecond)));
        due_ += static_cast<double>(batch) / perSecond;
        return begin + batch;
    }

    static void requireTimes(const Vector& times) {
        if (!isTemporal(times.type()))
            throw UserError("A pace by the rows' own time needs a temporal column.", "Leave absoluteRate out.");
    }

    void waitUntil(double seconds) {
        constexpr auto kLongest = std::chrono::milliseconds(50);  // so that a cancelled request ends soon
        const auto until = start_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
        for (auto now = Clock::now(); now < until; now = Clock::now()) {
            context_.checkCancelled();
            std::this_thread::sleep_for(std::min<Clock::duration>(until - now, kLongest));
        }
    }

    const Replay& replay_;
    Context& context_;
    std::vector<Cursor> cursors_;
    Clock::time_point start_;
    double due_ = 0;  // seconds after the start at which the next rows are written
    bool began_ = false;
    int64_t firstTime_ = 0;
};

}  // namespace

void replay(const Replay& replay, Context& context) {
    Player(replay, context).run();
}

}  // namespace pelorus
