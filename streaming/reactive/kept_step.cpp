#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "common/type_table.h"
#include "interpreter/vm/vm.h"
#include "runtime/kernel/elementwise/duration.h"
#include "runtime/registry/time_reach.h"
#include "runtime/value/cast.h"
#include "streaming/reactive/state_step.h"

namespace pelorus {

namespace {

// A step that keeps the last rows of each key, one vector per column that the function reads.
class KeptStep final : public StateStep {
public:
    KeptStep(Ref<Function> function, int64_t reach, std::vector<StepArgument> arguments, std::string text)
        : function_(std::move(function)), reach_(reach), arguments_(std::move(arguments)), text_(std::move(text)) {
        for (const StepArgument& argument : arguments_)
            read_.insert(read_.end(), argument.columns.begin(), argument.columns.end());
        std::sort(read_.begin(), read_.end());
        read_.erase(std::unique(read_.begin(), read_.end()), read_.end());
        if (!isReachInTime(reach)) return;
        const TimeReach inTime = timeReachOf(reach);
        times_ = arguments_[static_cast<size_t>(inTime.times)].columns.at(0);
        window_ = arguments_[static_cast<size_t>(inTime.window)].constant;
    }

    void resize(int64_t keys) override { kept_.resize(static_cast<size_t>(keys)); }

    void run(Context& context, StepColumns& columns, const int32_t* keys, int64_t rows) override {
        if (rows == 0) return addTypes(context, columns);
        // The rows of each key, in their order.
        std::vector<int32_t> order(static_cast<size_t>(rows));
        for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int32_t>(i);
        std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return keys[a] < keys[b]; });
        StepColumns results;  // in that order
        std::vector<int32_t> place(order.size());
        for (size_t begin = 0; begin < order.size();) {
            const int32_t key = keys[order[begin]];
            size_t end = begin;
            while (end < order.size() && keys[order[end]] == key) ++end;
            addResults(results, ofKey(context, columns, key, {order.data() + begin, end - begin}));
            begin = end;
        }
        for (size_t i = 0; i < order.size(); ++i) place[static_cast<size_t>(order[i])] = static_cast<int32_t>(i);
        for (const Value& result : results) columns.push_back(gatherElements(result, place.data(), rows));
    }

    void clear(const int32_t* keys, int64_t count) override {
        for (int64_t i = 0; i < count; ++i) kept_[static_cast<size_t>(keys[i])].clear();
    }
    void keep(std::span<const int32_t> keys) override { keepGroups(kept_, keys); }
    int64_t memoryBytes() const override {
        constexpr int64_t kBytesOfElement = 8;
        int64_t rows = 0;
        for (const std::vector<Value>& kept : kept_) rows += kept.empty() ? 0 : kept[0].size();
        return rows * static_cast<int64_t>(read_.size()) * kBytesOfElement;
    }
    std::string describe() const override {
        return times_ < 0 ? fmt::format("kept {} rows: {}", reach_, text_)
                          : fmt::format("kept rows in time: {}", text_);
    }

    bool isSlow() const override { return true; }

private:
    void addCall(Context& context, StepColumns& to, const StepColumns& from, int64_t rows) const {
        std::vector<Value> call;
        for (const StepArgument& argument : arguments_) call.push_back(argument.of(from));
        addStepResult(to, callFunction(*function_, context, call), rows);
    }

    // Adds the results without rows: a call over some values shows their types, since one over none need not.
    void addTypes(Context& context, StepColumns& columns) {
        constexpr int64_t kMostRows = 1000;
        const int64_t rows = times_ < 0 ? std::min(reach_, kMostRows) + 1 : 2;
        StepColumns some(columns.size()), results;
        for (const int c : read_) some[static_cast<size_t>(c)] = madeUpColumn(columns[static_cast<size_t>(c)], rows);
        addCall(context, results, some, rows);
        types_.clear();
        for (const Value& result : results) {
            types_.push_back({"", columnType(result), result.extra(), ""});
            columns.push_back(lastOf(result, 0));
        }
    }

    // Returns the results for new rows of one key, and keeps the last rows.
    StepColumns ofKey(Context& context, const StepColumns& columns, int32_t key, std::span<const int32_t> fresh) {
        std::vector<Value>& kept = kept_[static_cast<size_t>(key)];
        const auto count = static_cast<int64_t>(fresh.size());
        StepColumns all(columns.size());
        int64_t rows = 0;
        for (size_t k = 0; k < read_.size(); ++k) {
            Value& column = all[static_cast<size_t>(read_[k])];
            const Value added = gatherElements(columns[static_cast<size_t>(read_[k])], fresh.data(), count);
            if (kept.empty()) {
                column = added;
            } else {
                column = kept[k];
                appendElements(column, added);
            }
            rows = column.size();
        }
        if (times_ >= 0) all[static_cast<size_t>(times_)] = rising(all[static_cast<size_t>(times_)]);
        StepColumns results;
        addCall(context, results, all, rows);
        // A call whose windows are all incomplete may give NULLs of another type.
        for (size_t i = 0; i < results.size(); ++i) results[i] = asStepColumn(lastOf(results[i], count), types_[i]);
        kept.clear();
        const int64_t later = times_ < 0 ? reach_ : rowsInTime(all[static_cast<size_t>(times_)].vector());
        for (const int c : read_) kept.push_back(lastOf(all[static_cast<size_t>(c)], std::min(rows, later)));
        return results;
    }

    // Returns the times, those that fall replaced by the latest before them.
    static Value rising(const Value& times) {
        const Vector& given = times.vector();
        int64_t latest = -1;
        Value result;
        for (int64_t i = 0; i < given.size(); ++i) {
            if (given.isNullAt(i)) continue;
            if (latest >= 0 && given.asLong(i) < given.asLong(latest)) {
                if (result.isVoid()) result = Value::of(given.copy());
                result.vector().set(i, given.at(latest));
            } else {
                latest = i;
            }
        }
        return result.isVoid() ? times : result;
    }

    // Returns how many of the last rows a later row may look back at: those in the window of the latest time, and one
    // that stands before it.
    int64_t rowsInTime(const Vector& times) const {
        int64_t latest = times.size() - 1;
        while (latest >= 0 && times.isNullAt(latest)) --latest;
        if (latest < 0) return times.size();
        int64_t first = 0;
        if (window_.type() == Type::Duration) {
            const Value open = temporalAdd(times.at(latest), -window_.integer(), window_.unit());
            const Value asTime = cast(open, times.type());
            while (first < latest && (times.isNullAt(first) || times.asLong(first) <= asTime.integer())) ++first;
        } else {
            const int64_t open = times.asLong(latest) - window_.asLong();
            while (first < latest && (times.isNullAt(first) || times.asLong(first) <= open)) ++first;
        }
        return times.size() - std::max<int64_t>(first - 1, 0);
    }

    static Value lastOf(const Value& column, int64_t count) {
        std::vector<int64_t> rows(static_cast<size_t>(count));
        for (int64_t i = 0; i < count; ++i) rows[static_cast<size_t>(i)] = column.size() - count + i;
        return gatherElements(column, rows.data(), count);
    }

    static void addResults(StepColumns& to, StepColumns from) {
        if (to.empty()) {
            to = std::move(from);
            return;
        }
        for (size_t i = 0; i < to.size(); ++i) appendElements(to[i], from[i]);
    }

    const Ref<Function> function_;
    const int64_t reach_;
    const std::vector<StepArgument> arguments_;
    const std::string text_;
    int times_ = -1;  // the column of times, where the window is one in time
    Value window_;
    std::vector<int> read_;                 // the columns that are kept
    TableSchema types_;                     // of the results
    std::vector<std::vector<Value>> kept_;  // by key; empty before its first row
};

}  // namespace

std::unique_ptr<StateStep> makeKeptStep(Ref<Function> function, int64_t reach, std::vector<StepArgument> arguments,
                                        std::string text) {
    return std::make_unique<KeptStep>(std::move(function), reach, std::move(arguments), std::move(text));
}

}  // namespace pelorus
