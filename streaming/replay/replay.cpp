#include "streaming/replay/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>

#include "common/error.h"
#include "runtime/append/append_rows.h"
#include "runtime/kernel/sort/row_order.h"
#include "runtime/value/cast.h"
#include "runtime/value/print.h"
#include "streaming/replay/replay_source.h"
#include "streaming/replay/row_message.h"

namespace pelorus {

namespace {

constexpr double kNanosPerSecond = 1e9;
constexpr int64_t kRowsAtOnce = 65536;  // of an append at full speed

class Player {
public:
    Player(const Replay& replay, Context& context) : replay_(replay), context_(context) {
        for (const ReplayInput& input : replay.inputs) cursors_.emplace_back(input, replay.parallelLevel);
    }

    void run() {
        start_ = Clock::now();
        for (;;) {
            context_.checkCancelled();
            for (ReplaySource& cursor : cursors_) {
                while (cursor.size() == 0 && cursor.hasMore()) cursor.readMore(context_);
            }
            // The order of rows is known up to the last time of every input that has more to read.
            constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
            int64_t horizon = kNever;
            ReplaySource* limiting = nullptr;
            for (ReplaySource& cursor : cursors_) {
                if (cursors_.size() == 1 || !cursor.hasMore() || cursor.lastTime() >= horizon) continue;
                horizon = cursor.lastTime();
                limiting = &cursor;
            }
            std::vector<int64_t> counts;
            int64_t rows = 0;
            for (const ReplaySource& cursor : cursors_) {
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
            outputRows.push_back(gathered(counts, times, replay_.outputs[0].table(), order));
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
                outputRows.push_back(gathered(own, times, replay_.outputs[i].table(), ownOrder));
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
                write(replay_.outputs[o], *outputRows[o]->slice(written[o], share[o]));
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
        for (const ReplaySource& cursor : cursors_) {
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

    Ref<MemoryTable> gathered(const std::vector<int64_t>& counts, const Ref<Vector>& times, const Table& output,
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
                                     const Table& output) {
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
                values.push_back(Value::of(rowMessages(rows)));
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

    // Appends to the output itself, whoever else has it.
    void write(const Value& output, const MemoryTable& rows) {
        if (MemoryTable* memory = asMemoryTable(output)) {
            appendToMemory(*memory, rows);
        } else {
            Value target = output;
            appendToTable(context_, target, rows);
        }
        context_.checkCancelled();
    }

    // Waits until the row at `begin` is due; returns the end of the rows that are written with it.
    int64_t nextBatch(const Vector& times, int64_t begin) {
        const int64_t rows = times.size();
        const int64_t* time = times.data<int64_t>();
        // A row without a time is due at once.
        auto secondsSince = [&](int64_t first, int64_t i) {
            if (isNull(time[i]) || isNull(first)) return 0.0;
            return (static_cast<double>(time[i]) - static_cast<double>(first)) / kNanosPerSecond;
        };
        const ReplayPace& pace = replay_.pace;
        double perSecond = static_cast<double>(pace.rate);
        switch (pace.mode) {
            case ReplayPace::Mode::Full:
                return std::min(rows, begin + kRowsAtOnce);
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
                if (span <= 0) return std::min(rows, begin + kRowsAtOnce);
                perSecond *= static_cast<double>(rows) / span;
                break;
            }
            case ReplayPace::Mode::Rows:
                break;
        }
        waitUntil(due_);
        const double most = std::clamp(perSecond, 1.0, static_cast<double>(rows - begin));
        const auto batch = static_cast<int64_t>(most);
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
    std::vector<ReplaySource> cursors_;
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
