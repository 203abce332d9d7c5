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

    // The first rows of the inputs in the order in which they are written: numbers in the sequence of the first input's
    // rows, then those of the second, and so on.
    struct Merged {
        std::vector<int64_t> counts;   // of rows of each input
        std::vector<int32_t> offsets;  // of the first row of each input, then the number of all
        std::vector<int32_t> order;
        Ref<Vector> times;  // in that order; null at full speed, which does not ask for them
    };

    // Writes the first rows of the inputs, merged by time.
    void play(const std::vector<int64_t>& counts, int64_t rows) {
        const Merged merged = mergedRows(counts, rows);
        for (int64_t begin = 0; begin < rows;) {
            const int64_t end = replay_.pace.mode == ReplayPace::Mode::Full ? std::min(rows, begin + kRowsAtOnce)
                                                                            : nextBatch(*merged.times, begin);
            writeBatch(merged, begin, end);
            begin = end;
        }
        for (size_t i = 0; i < cursors_.size(); ++i) cursors_[i].drop(counts[i]);
    }

    Merged mergedRows(const std::vector<int64_t>& counts, int64_t rows) {
        Merged merged{counts, {0}, {}, {}};
        const Vector* first = nullptr;
        for (size_t i = 0; i < cursors_.size(); ++i) {
            merged.offsets.push_back(merged.offsets.back() + static_cast<int32_t>(counts[i]));
            if (counts[i] == 0) continue;
            const Vector& own = *cursors_[i].times();
            if (!first) first = &own;
            if (own.type() != first->type())
                throw UserError(
                    "The time columns of the inputs are not of one kind: dates mixed with times or numbers.");
        }
        const bool canMerge = replay_.sortColumns.empty() && areAscending(counts);
        const bool needsTimes = replay_.pace.mode != ReplayPace::Mode::Full;
        Ref<Vector> times;
        if (!canMerge || needsTimes) {
            times = Vector::make(first->type(), 0, rows);
            for (size_t i = 0; i < cursors_.size(); ++i) {
                if (counts[i] > 0) times->append(*cursors_[i].times(), 0, counts[i]);
            }
        }
        if (canMerge) {
            merged.order = mergedByTime(merged, rows);
        } else {
            std::vector<OrderKey> keys{{Value::of(times), true, false, true}};
            for (const std::string& name : replay_.sortColumns)
                keys.push_back({sortColumn(name, counts), true, false, true});
            merged.order = sortPositions(keys, rows);
        }
        if (needsTimes) merged.times = times->gather(merged.order.data(), rows);
        return merged;
    }

    bool areAscending(const std::vector<int64_t>& counts) const {
        for (size_t i = 0; i < cursors_.size(); ++i) {
            if (counts[i] == 0) continue;
            const int64_t* times = cursors_[i].times()->data<int64_t>();
            if (!std::is_sorted(times, times + counts[i])) return false;
        }
        return true;
    }

    // Merges runs: those rows of the input with the earliest row that come before the earliest one of the others. Of
    // rows of one time those of the first input come first.
    std::vector<int32_t> mergedByTime(const Merged& merged, int64_t rows) const {
        std::vector<int32_t> order;
        order.reserve(static_cast<size_t>(rows));
        std::vector<const int64_t*> heads, ends;
        std::vector<int32_t> next(merged.offsets.begin(), merged.offsets.end() - 1);
        for (size_t i = 0; i < cursors_.size(); ++i) {
            heads.push_back(merged.counts[i] > 0 ? cursors_[i].times()->data<int64_t>() : nullptr);
            ends.push_back(heads.back() + merged.counts[i]);
        }
        while (std::ssize(order) < rows) {
            size_t own = heads.size(), other = heads.size();  // the inputs with the earliest row, and with the next one
            for (size_t i = 0; i < heads.size(); ++i) {
                if (heads[i] == ends[i]) continue;
                if (own == heads.size() || *heads[i] < *heads[own]) {
                    other = own;
                    own = i;
                } else if (other == heads.size() || *heads[i] < *heads[other]) {
                    other = i;
                }
            }
            const auto isDue = [&](int64_t time) {
                return other == heads.size() || time < *heads[other] || (time == *heads[other] && own < other);
            };
            do {
                order.push_back(next[own]++);
                ++heads[own];
            } while (heads[own] != ends[own] && isDue(*heads[own]));
        }
        return order;
    }

    // Writes rows of the merged order: to the one output together, else those of each input to its own.
    void writeBatch(const Merged& merged, int64_t begin, int64_t end) {
        std::vector<std::vector<int32_t>> own(cursors_.size());  // rows of each input
        std::vector<int32_t> inputs(static_cast<size_t>(end - begin));
        for (int64_t k = begin; k < end; ++k) {
            const int32_t row = merged.order[static_cast<size_t>(k)];
            int32_t input = 0;
            while (row >= merged.offsets[static_cast<size_t>(input) + 1]) ++input;
            inputs[static_cast<size_t>(k - begin)] = input;
            own[static_cast<size_t>(input)].push_back(row - merged.offsets[static_cast<size_t>(input)]);
        }
        const bool isOneOutput = replay_.outputs.size() == 1;
        std::vector<int32_t> places;  // where the next row of each input is among those of all
        Ref<MemoryTable> all;
        for (size_t i = 0; i < own.size(); ++i) {
            places.push_back(all ? static_cast<int32_t>(all->rowCount()) : 0);
            if (own[i].empty()) continue;
            const Table& output = replay_.outputs[isOneOutput ? 0 : i].table();
            const Ref<MemoryTable> rows = rowsOf(i, own[i], output);
            if (!isOneOutput || std::ssize(own[i]) == end - begin) {
                write(replay_.outputs[isOneOutput ? 0 : i], *rows);
                continue;
            }
            if (!all) all = MemoryTable::empty(output.columns(), end - begin);
            all->append(*rows);
        }
        if (!all) return;
        for (int32_t& input : inputs) input = places[static_cast<size_t>(input)]++;
        write(replay_.outputs[0], *all->gather(inputs.data(), end - begin));
    }

    // Returns rows of an input, or the messages that they are in the output.
    Ref<MemoryTable> rowsOf(size_t input, const std::vector<int32_t>& numbers, const Table& output) const {
        const ReplaySource& source = cursors_[input];
        const auto count = static_cast<int64_t>(numbers.size());
        const bool areAdjacent =
            std::is_sorted(numbers.begin(), numbers.end()) && numbers.back() - numbers[0] + 1 == count;
        const Ref<MemoryTable> rows =
            areAdjacent ? source.rows()->slice(numbers[0], count) : source.rows()->gather(numbers.data(), count);
        if (!replay_.asMessages) return rows;
        const Ref<Vector> times =
            areAdjacent ? source.times()->slice(numbers[0], count) : source.times()->gather(numbers.data(), count);
        return messages(*rows, *times, source.input(), output);
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

    // Waits until the row at `begin` is due; returns the end of the rows that are written with it. REQUIRES: a pace.
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
                break;  // play() asks for no times then
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
