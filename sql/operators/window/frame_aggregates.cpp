// Aggregates of the frames of windows: sums and extremes of ranges, states that go on row by row, and states of the
// rows of each frame.
#include <algorithm>
#include <atomic>
#include <string>
#include <tuple>
#include <type_traits>

#include "common/check.h"
#include "common/thread/cancellation.h"
#include "common/thread/thread_pool.h"
#include "runtime/kernel/aggregate/aggregate.h"
#include "runtime/kernel/rolling/calling_states.h"
#include "runtime/table/table.h"
#include "runtime/value/cast.h"
#include "sql/operators/window/window_kernels.h"

namespace pelorus {

namespace {

// Rows of frames that one task copies for states, at most, unless one frame has more.
constexpr int64_t kTaskRows = int64_t{1} << 16;

// Functions f whose cum… form is f of all rows so far, and whose m… form is f of the last ones.
bool hasOwnForms(std::string_view name) {
    constexpr std::string_view kNames[] = {"sum",  "avg", "count", "max",   "min",  "std",  "var",  "stdp", "varp",
                                           "sum2", "med", "prod",  "covar", "corr", "beta", "wavg", "wsum"};
    return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

const BuiltinFunction* formOf(const BoundWindow& window, const char* prefix) {
    const std::string name(window.aggregate().name());
    return hasOwnForms(name) ? FunctionRegistry::instance().find(prefix + name) : nullptr;
}

std::unique_ptr<GroupedState> newState(const BoundWindow& window, std::span<const Value> arguments) {
    std::vector<Type> types;
    for (const Value& argument : arguments) types.push_back(argument.type());
    std::unique_ptr<GroupedState> state = window.aggregate().makeState()(types);
    for (const Value& argument : arguments) {
        if (isDecimal(argument.type()))
            state->setScale(argument.isScalar() ? argument.extra() : argument.vector().scale());
    }
    return state;
}

std::vector<Value> asVectors(std::span<const Value> arguments, int64_t rows) {
    std::vector<Value> vectors;
    for (const Value& a : arguments) vectors.push_back(a.isScalar() ? Value::of(Vector::filled(a.type(), rows, a)) : a);
    return vectors;
}

// Computes a function that looks back over every group. VOID where it cannot.
Value overGroups(const BuiltinFunction& function, std::span<const Value> vectors, std::vector<Value> constants,
                 std::span<const int32_t> groupBegin) {
    if (!function.declaration().rolling) return Value();
    std::vector<Type> types;
    for (const Value& v : vectors) types.push_back(v.type());
    for (const Value& c : constants) types.push_back(c.type());
    constants.insert(constants.begin(), vectors.size(), Value());
    const std::unique_ptr<RollingStates> states = withoutCalls(function.declaration().rolling(types, constants));
    return states ? states->stepGroups(vectors, groupBegin) : Value();
}

// Calls the function with the rows of one group after the other.
Value calledByGroup(const BuiltinFunction& function, std::span<const Value> vectors,
                    std::span<const int32_t> groupBegin, Context& context) {
    Value all;
    for (size_t g = 0; g + 1 < groupBegin.size(); ++g) {
        context.checkCancelled();
        std::vector<Value> slices;
        for (const Value& v : vectors)
            slices.push_back(Value::of(v.vector().slice(groupBegin[g], groupBegin[g + 1] - groupBegin[g])));
        Value values = function.call(context, slices);
        if (all.isVoid()) {
            all = std::move(values);
            all.makeUnique();
        } else {
            appendElements(all, values);
        }
    }
    return all;
}

// The frame of a row ends where the cumulative form has its value.
Value atEnds(const Value& values, std::span<const RowSpan> frames) {
    std::vector<int32_t> positions(frames.size());
    for (size_t i = 0; i < positions.size(); ++i)
        positions[i] = frames[i].end > frames[i].begin ? frames[i].end - 1 : -1;
    return gatherElements(values, positions.data(), std::ssize(positions));
}

Value runningValues(const BoundWindow& window, const WindowRows& rows, std::span<const RowSpan> frames,
                    std::span<const Value> arguments, Context& context) {
    const BuiltinFunction* running = formOf(window, "cum");
    if (!running) return Value();
    const bool isCount = window.aggregate().declaration().role == Role::Count;
    const bool isPlain = std::all_of(arguments.begin(), arguments.end(), [&](const Value& a) {
        return (a.isScalar() || a.isTypedVector()) && (isCount || (!isDecimal(a.type()) && !isLiteral(a.type())));
    });
    if (!isPlain) return Value();
    const std::vector<Value> vectors = asVectors(arguments, rows.count());
    Value values = overGroups(*running, vectors, {}, rows.groupBegin);
    const Role role = window.aggregate().declaration().role;
    const bool isOfAnyType = role == Role::Min || role == Role::Max || role == Role::Count;
    if (values.isVoid() && isOfAnyType) values = calledByGroup(*running, vectors, rows.groupBegin, context);
    if (values.isVoid()) return values;
    values = atEnds(values, frames);
    if (!isCount) return values;
    values.makeUnique();  // cumcount is NULL before the first value
    auto* const counts = values.vector().mutableData<int32_t>();
    for (int64_t i = 0; i < values.size(); ++i) counts[i] = isNull(counts[i]) ? 0 : counts[i];
    return values;
}

// Computes frames of the last rows by the m… form: states that take rows in and out.
Value movingValues(const BoundWindow& window, const WindowRows& rows, std::span<const Value> arguments) {
    const Window& node = *window.node;
    const bool isMoving = node.hasFrame && node.unit == FrameUnit::Rows && node.low == FrameBound::Preceding &&
                          node.high == FrameBound::CurrentRow && window.lowRows >= 0 && window.lowRows < INT32_MAX - 1;
    const BuiltinFunction* moving = isMoving ? formOf(window, "m") : nullptr;
    const bool isPlain = std::all_of(arguments.begin(), arguments.end(), [](const Value& a) {
        return a.isTypedVector() && isNumeric(a.type()) && !isDecimal(a.type());
    });
    if (!moving || !isPlain) return Value();
    return overGroups(*moving, arguments, {Value::ofLong(window.lowRows + 1), Value::ofInt(1)}, rows.groupBegin);
}

// Frames of a task, as numbers of the different ones.
struct Piece {
    size_t begin, end;
};

int64_t rowsOf(const RowSpan& frame) {
    return frame.end - frame.begin;
}

// Returns the spans of rows that a frame has.
std::span<const RowSpan> spansOf(const RowSpan& frame) {
    return {&frame, 1};
}
std::span<const RowSpan> spansOf(const FrameParts& frame) {
    return frame;
}

// Adds the rows of the frames to states. Frames that follow each other without gaps are one slice.
template <class Frame>
Value addedFrames(const BoundWindow& window, std::span<const Frame> frames, std::span<const Value> arguments) {
    const std::unique_ptr<GroupedState> state = newState(window, arguments);
    state->resize(std::ssize(frames));
    bool isSlice = true;
    int32_t begin = -1, end = 0;
    std::vector<int32_t> numbers, positions;
    for (size_t f = 0; f < frames.size(); ++f) {
        for (const RowSpan span : spansOf(frames[f])) {
            if (span.begin == span.end) continue;
            if (begin < 0) begin = end = span.begin;
            isSlice = isSlice && span.begin == end;
            end = span.end;
            numbers.insert(numbers.end(), static_cast<size_t>(rowsOf(span)), static_cast<int32_t>(f));
        }
    }
    const auto count = std::ssize(numbers);
    if (count == 0) return state->results();
    if (!isSlice) {
        for (const Frame& frame : frames) {
            for (const RowSpan span : spansOf(frame)) {
                for (int32_t row = span.begin; row < span.end; ++row) positions.push_back(row);
            }
        }
    }
    std::vector<Value> own;
    for (const Value& a : arguments) {
        if (a.isScalar()) {
            own.push_back(a);
        } else {
            own.push_back(isSlice ? Value::of(a.vector().slice(begin, count))
                                  : gatherElements(a, positions.data(), count));
        }
    }
    state->add(own, numbers.data(), count);
    return state->results();
}

// Frames that have each row so many times on average cost more by a state each than by rows that are taken in and out.
constexpr int64_t kManyTimes = 16;

// Returns the rows from the first frame to the last, empty ones aside.
RowSpan spanOf(std::span<const RowSpan> frames) {
    RowSpan span{INT32_MAX, 0};
    for (const RowSpan& frame : frames) {
        if (frame.begin == frame.end) continue;
        span.begin = std::min(span.begin, frame.begin);
        span.end = std::max(span.end, frame.end);
    }
    return span.end == 0 ? RowSpan{} : span;
}

// Returns the results of frames within the rows of a span, by a state that takes rows in and out. VOID where the
// aggregate has none.
Value slidThrough(const BoundWindow& window, std::span<const RowSpan> frames, RowSpan span,
                  std::span<const Value> arguments) {
    std::vector<int32_t> begins, ends;
    for (const RowSpan& frame : frames) {
        const bool isEmpty = frame.begin == frame.end;
        begins.push_back(isEmpty ? 0 : frame.begin - span.begin);
        ends.push_back(isEmpty ? 0 : frame.end - span.begin);
    }
    std::vector<Value> slices;
    for (const Value& a : arguments) {
        if (!a.isTypedVector()) return Value();
        slices.push_back(Value::of(a.vector().slice(span.begin, rowsOf(span))));
    }
    return newState(window, arguments)->ofWindows(slices, begins, ends);
}

// Computes frames that slide along the rows, in pieces of many of them. VOID where the aggregate cannot, and where a
// state each costs less.
Value slidingFrames(const BoundWindow& window, std::span<const RowSpan> frames, std::span<const Value> arguments) {
    int64_t rows = 0;
    for (const RowSpan& frame : frames) rows += rowsOf(frame);
    if (frames.empty() || rows < kManyTimes * rowsOf(spanOf(frames))) return Value();
    const int64_t average = rows / std::ssize(frames);
    // A piece takes the rows of its first frame in anew.
    const int64_t each = std::max(kTaskRows, 8 * average);
    std::vector<Value> parts(static_cast<size_t>((std::ssize(frames) + each - 1) / each));
    std::atomic<bool> canSlide{true};
    parallelFor(std::ssize(parts), [&](int64_t number) {
        checkCancelled();
        if (!canSlide) return;
        const std::span<const RowSpan> own =
            frames.subspan(static_cast<size_t>(number * each),
                           static_cast<size_t>(std::min(each, std::ssize(frames) - number * each)));
        parts[static_cast<size_t>(number)] = slidThrough(window, own, spanOf(own), arguments);
        if (parts[static_cast<size_t>(number)].isVoid()) canSlide = false;
    });
    if (!canSlide) return Value();
    Value all = newState(window, arguments)->results();
    for (const Value& part : parts) appendElements(all, part);
    return all;
}

template <class Frame>
Value statesOfFrames(const BoundWindow& window, std::span<const Frame> frames, std::span<const Value> arguments) {
    if constexpr (std::is_same_v<Frame, RowSpan>) {
        if (Value values = slidingFrames(window, frames, arguments); !values.isVoid()) return values;
    }
    std::vector<Piece> pieces;
    int64_t rows = kTaskRows;
    for (size_t f = 0; f < frames.size(); ++f) {
        if (rows >= kTaskRows) {
            pieces.push_back({f, f});
            rows = 0;
        }
        ++pieces.back().end;
        rows += 1 + rowsOf(frames[f]);
    }
    std::vector<Value> parts(pieces.size());
    parallelFor(std::ssize(pieces), [&](int64_t number) {
        checkCancelled();
        const Piece piece = pieces[static_cast<size_t>(number)];
        parts[static_cast<size_t>(number)] =
            addedFrames(window, frames.subspan(piece.begin, piece.end - piece.begin), arguments);
    });
    Value all = newState(window, arguments)->results();
    for (const Value& part : parts) appendElements(all, part);
    CHECK(all.size() == std::ssize(frames)) << "an aggregate has one result for each frame";
    return all;
}

// Adds the rows of a group to one state, as its frames grow from its first row on; each takes the results so far.
Value growingStates(const BoundWindow& window, std::span<const RowSpan> frames, std::span<const Value> arguments) {
    if (Value values = slidThrough(window, frames, spanOf(frames), arguments); !values.isVoid()) return values;
    const std::unique_ptr<GroupedState> state = newState(window, arguments);
    state->resize(1);
    Value all = newState(window, arguments)->results();
    int32_t reached = frames[0].begin;
    for (const RowSpan frame : frames) {
        checkCancelled();
        if (frame.end > reached) {
            std::vector<Value> rows;
            for (const Value& a : arguments)
                rows.push_back(a.isScalar() ? a : Value::of(a.vector().slice(reached, frame.end - reached)));
            const std::vector<int32_t> groups(static_cast<size_t>(frame.end - reached), 0);
            state->add(rows, groups.data(), std::ssize(groups));
            reached = frame.end;
        }
        appendElements(all, state->results());
    }
    return all;
}

// Computes frames that begin with their group by states. Which way depends on the group alone.
Value statesOfRunning(const BoundWindow& window, std::span<const RowSpan> frames, std::span<const int32_t> groupBegin,
                      std::span<const Value> arguments) {
    constexpr int32_t kFewRows = 64;
    Value all = newState(window, arguments)->results();
    size_t first = 0;  // of the frames that wait to be computed together
    const auto computeUpTo = [&](size_t end) {
        if (first < end) appendElements(all, statesOfFrames(window, frames.subspan(first, end - first), arguments));
        first = end;
    };
    size_t next = 0;
    for (size_t g = 0; g + 1 < groupBegin.size(); ++g) {
        const size_t begin = next;
        while (next < frames.size() && frames[next].begin < groupBegin[g + 1]) ++next;
        if (groupBegin[g + 1] - groupBegin[g] <= kFewRows || begin == next) continue;
        computeUpTo(begin);
        appendElements(all, growingStates(window, frames.subspan(begin, next - begin), arguments));
        first = next;
    }
    computeUpTo(frames.size());
    CHECK(all.size() == std::ssize(frames)) << "an aggregate has one result for each frame";
    return all;
}

// Returns the sums, extremes or counts of what two parts of a frame have together; NULL counts as nothing.
Value together(Role role, const Value& a, const Value& b) {
    const auto combined = [&](auto zero) {
        using T = decltype(zero);
        Ref<Vector> result = Vector::make(a.type(), a.size());
        const T* const x = a.vector().data<T>();
        const T* const y = b.vector().data<T>();
        T* const out = result->mutableData<T>();
        for (int64_t i = 0; i < a.size(); ++i) {
            if (isNull(x[i]) || isNull(y[i])) {
                out[i] = isNull(x[i]) ? y[i] : x[i];
            } else if (role == Role::Min || role == Role::Max) {
                out[i] = (role == Role::Min) == (x[i] < y[i]) ? x[i] : y[i];
            } else if constexpr (std::is_floating_point_v<T>) {
                out[i] = x[i] + y[i];
            } else {
                if (__builtin_add_overflow(x[i], y[i], &out[i])) out[i] = null<T>;
            }
        }
        return Value::of(result);
    };
    if (a.type() == Type::Int) return combined(int32_t{});
    return a.type() == Type::Double ? combined(double{}) : combined(int64_t{});
}

// Computes an aggregate of ranges over the parts of each frame. VOID where it is none of ranges.
Value rangesOfParts(Role role, const Vector& items, std::span<const FrameParts> frames,
                    std::span<const int32_t> groupBegin) {
    if (role == Role::First || role == Role::Last) return Value();
    Value all;
    for (size_t p = 0; p < std::tuple_size_v<FrameParts>; ++p) {
        std::vector<RowSpan> spans;
        for (const FrameParts& frame : frames) spans.push_back(frame[p]);
        const Value values = rangeAggregate(role, items, spans, groupBegin);
        if (values.isVoid()) return values;
        all = all.isVoid() ? values : together(role, all, values);
    }
    return all;
}

// Returns the quotients of sums and counts; NULL for none.
Value means(const Value& sums, const Value& counts) {
    const Ref<Vector> total = cast(sums.vector(), Type::Double);
    Ref<Vector> result = Vector::make(Type::Double, sums.size());
    for (int64_t i = 0; i < sums.size(); ++i) {
        const double sum = total->data<double>()[i];
        result->mutableData<double>()[i] =
            isNull(sum) ? null<double> : sum / static_cast<double>(counts.vector().data<int32_t>()[i]);
    }
    return Value::of(result);
}

// Frames without those that equal the one before, and for each row which it has.
std::vector<RowSpan> withoutRepeated(std::span<const RowSpan> frames, std::vector<int32_t>& numbers) {
    std::vector<RowSpan> different;
    numbers.resize(frames.size());
    for (size_t i = 0; i < frames.size(); ++i) {
        const bool isRepeated = i > 0 && frames[i].begin == frames[i - 1].begin && frames[i].end == frames[i - 1].end;
        if (!isRepeated) different.push_back(frames[i]);
        numbers[i] = static_cast<int32_t>(different.size()) - 1;
    }
    return different;
}

}  // namespace

bool isRunning(const Window& window) {
    if (!window.hasFrame) return !window.orderBy.empty();
    return window.low == FrameBound::UnboundedPreceding && window.high != FrameBound::UnboundedFollowing &&
           window.exclusion == FrameExclusion::None;
}

bool hasRunningForm(const BoundWindow& window) {
    return window.kind == BoundWindow::Kind::Aggregate && formOf(window, "cum") != nullptr;
}

Value aggregatesOfFrames(const BoundWindow& window, const WindowRows& rows, std::span<const RowSpan> frames,
                         std::span<const Value> arguments, Context& context) {
    window.aggregate().requireTaken(arguments);
    const Type type = newState(window, arguments)->results().type();
    if (isRunning(*window.node)) {
        Value values = runningValues(window, rows, frames, arguments, context);
        if (!values.isVoid()) return values;
    }
    const Role role = window.aggregate().declaration().role;
    Value values;
    std::vector<int32_t> numbers;
    const std::vector<RowSpan> different = withoutRepeated(frames, numbers);
    if (arguments.size() == 1 && arguments[0].isTypedVector() && role != Role::None)
        values = rangeAggregate(role, arguments[0].vector(), different, rows.groupBegin);
    if (values.isVoid()) values = movingValues(window, rows, arguments);
    if (values.isVoid() && isRunning(*window.node))
        values = statesOfRunning(window, different, rows.groupBegin, arguments);
    if (values.isVoid()) values = statesOfFrames(window, std::span<const RowSpan>(different), arguments);
    if (values.type() != type) values = cast(values, type);
    if (values.size() == std::ssize(frames)) return values;
    return gatherElements(values, numbers.data(), std::ssize(numbers));
}

Value aggregatesOfParts(const BoundWindow& window, const WindowRows& rows, std::span<const FrameParts> frames,
                        std::span<const Value> arguments) {
    window.aggregate().requireTaken(arguments);
    const Type type = newState(window, arguments)->results().type();
    const Role role = window.aggregate().declaration().role;
    Value values;
    if (arguments.size() == 1 && arguments[0].isTypedVector()) {
        const Vector& items = arguments[0].vector();
        values = rangesOfParts(role == Role::Mean ? Role::Sum : role, items, frames, rows.groupBegin);
        if (role == Role::Mean && !values.isVoid())
            values = means(values, rangesOfParts(Role::Count, items, frames, rows.groupBegin));
    }
    if (values.isVoid()) values = statesOfFrames(window, frames, arguments);
    return values.type() == type ? values : cast(values, type);
}

}  // namespace pelorus
