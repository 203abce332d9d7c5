#include "sql/operators/window/group_values.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>

#include "common/check.h"
#include "common/thread/thread_pool.h"
#include "runtime/function/progress.h"
#include "runtime/kernel/aggregate/aggregate.h"
#include "runtime/kernel/rolling/calling_states.h"
#include "runtime/registry/time_reach.h"
#include "runtime/value/vector.h"
#include "sql/expression/called_functions.h"
#include "sql/plan/aggregate_plan.h"

namespace pelorus {

namespace {

constexpr int32_t kGroupPieceRows = 1 << 16;

bool isPlainVector(const Value& v) {
    return v.isTypedVector() && storageOf(v.type()) != Storage::Boxed && storageOf(v.type()) != Storage::None;
}

bool isString(const Vector& items) {
    return storageOf(items.type()) == Storage::String;
}

// Whether groups may be computed concurrently: built-in functions of their arguments only.
bool isParallel(const NodeRef& code, Context& context) {
    return callsOnly(code, context, [](const BuiltinFunction& function, const Call&) {
        const Signature& signature = function.signature();
        return signature.aggregate || signature.orderSensitive || signature.elementwise;
    });
}

// Returns a value for each row of the group, or null when the result has another shape.
Ref<Vector> itemsOfGroup(const Value& v, int64_t rows) {
    if (v.isScalar()) {
        if (storageOf(v.type()) == Storage::Boxed || isDecimal(v.type())) return Ref<Vector>();
        return Vector::filled(v.type(), rows, v);
    }
    return isPlainVector(v) && v.size() == rows ? Ref<Vector>(&v.vector()) : Ref<Vector>();
}

// Returns the vectors of all pieces as one; VOID where one is none.
Value concatenated(std::vector<Value>& parts) {
    int64_t rows = 0;
    for (const Value& part : parts) {
        if (!isPlainVector(part)) return Value();
        rows += part.size();
    }
    if (parts.size() == 1) return parts[0];
    Ref<Vector> all = Vector::make(parts[0].type(), 0, rows);
    all->setScale(parts[0].vector().scale());
    for (Value& part : parts) {
        all->append(part.vector(), 0, part.size());
        part = Value();
    }
    return Value::of(all);
}

// Concatenated values of an expression over the rows of all groups. The first group determines their type. Groups of
// one piece come in order, by one thread; pieces in any.
class CalledValues {
public:
    CalledValues(const Vector& first, int64_t rows, size_t pieces)
        : all_(Vector::make(first.type(), isString(first) ? 0 : rows)), strings_(isString(first) ? pieces : 0) {
        all_->setScale(first.scale());
        if (!isString(first)) out_ = all_->mutableRaw();
    }

    // Returns false when the type differs.
    bool put(size_t piece, int64_t firstRow, const Vector& items) {
        if (items.type() != all_->type() || items.scale() != all_->scale()) return false;
        if (out_) {
            const int64_t width = items.width();
            std::memcpy(out_ + firstRow * width, items.raw(), static_cast<size_t>(items.size() * width));
            return true;
        }
        // Strings have no fixed width.
        if (!strings_[piece]) strings_[piece] = Vector::make(items.type(), 0);
        strings_[piece]->append(items, 0, items.size());
        return true;
    }

    Value finish() {
        for (const Ref<Vector>& part : strings_) all_->append(*part, 0, part->size());
        return Value::of(all_);
    }

private:
    Ref<Vector> all_;
    char* out_ = nullptr;
    std::vector<Ref<Vector>> strings_;  // of each piece
};

Value slice(const Value& column, int64_t begin, int64_t count) {
    return column.isVector() ? Value::of(column.vector().slice(begin, count)) : column;
}

}  // namespace

std::vector<GroupPiece> groupPieces(std::span<const int32_t> begin) {
    std::vector<GroupPiece> pieces;
    for (size_t g = 0; g + 1 < begin.size();) {
        GroupPiece piece{g, g};
        while (piece.endGroup + 1 < begin.size() && begin[piece.endGroup] - begin[g] < kGroupPieceRows)
            ++piece.endGroup;
        pieces.push_back(piece);
        g = piece.endGroup;
    }
    return pieces;
}

GroupValues::GroupValues(const WindowNode& node, const MemoryTable& rows, const PartedRows& groups, Context& context)
    : node_(node),
      rows_(rows),
      groups_(groups),
      begin_(groups.groupBegin()),
      pieces_(groupPieces(begin_)),
      context_(context),
      columns_(static_cast<size_t>(rows.columnCount()) + node.calls.size()) {}

Value GroupValues::next(const WindowItem& item) {
    const ExpressionProgram& whole = item.whole.value;
    Value values;
    if (whole.plainColumn() >= 0) {
        values = column(whole.plainColumn());
    } else if (whole.isElementwise()) {
        values = whole.evaluate(context_, rows_);
        if (!values.isScalar() && values.size() == rows_.rowCount()) values = groups_.inGroups(values);
    } else {
        if (item.alongGroups) values = evaluate(*item.alongGroups);
        if (values.isVoid()) values = ofEachGroup(whole);
    }
    for (size_t c = 0; c < node_.calls.size(); ++c) {
        if (node_.calls[c].lastItem == next_) columns_[static_cast<size_t>(rows_.columnCount()) + c] = Value();
    }
    ++next_;
    return values;
}

// Returns a column of the input, or of a call; VOID where its call has no states for what it is given.
const Value& GroupValues::column(int number) {
    Value& known = columns_[static_cast<size_t>(number)];
    if (!known.isVoid()) return known;
    const int call = number - rows_.columnCount();
    known = call < 0 ? groups_.inGroups(rows_.column(number)) : called(node_.calls[static_cast<size_t>(call)]);
    return known;
}

// Evaluates an expression of one row each. VOID where a column that it reads is none.
Value GroupValues::evaluate(const ExpressionProgram& program) {
    std::vector<Value> columns;
    for (const int c : program.columns()) {
        columns.push_back(column(c));
        if (!isPlainVector(columns.back())) return Value();
    }
    return program.evaluate(context_, columns, rows_.rowCount());
}

Value GroupValues::called(const WindowCall& call) {
    std::vector<Value> arguments;
    for (const auto& argument : call.arguments) {
        arguments.push_back(argument ? evaluate(*argument) : omitted());
        const bool isColumn = argument && !argument->isConstant();
        if (isColumn && !isPlainVector(arguments.back())) return Value();
    }
    Value values = call.function->signature().aggregate ? aggregated(call, arguments) : stepped(call, arguments);
    // The items are bound over the type that the call declares.
    const bool isAsBound = isPlainVector(values) && values.type() == call.column.type &&
                           (!isDecimal(values.type()) || values.vector().scale() == call.column.scale);
    return isAsBound ? values : Value();
}

// Returns the aggregate of its group in each row.
Value GroupValues::aggregated(const WindowCall& call, std::span<const Value> arguments) {
    AggregatePlan plan;
    AggregateCall planned{call.function, {}, ""};
    for (const auto& argument : call.arguments) planned.arguments.push_back(*argument);
    plan.calls.push_back(std::move(planned));
    if (groupOf_.empty()) {
        groupOf_.resize(static_cast<size_t>(begin_.back()));
        for (size_t g = 0; g + 1 < begin_.size(); ++g)
            std::fill(groupOf_.begin() + begin_[g], groupOf_.begin() + begin_[g + 1], static_cast<int32_t>(g));
    }
    std::vector<Value> parts(pieces_.size());
    parallelFor(std::ssize(pieces_), [&](int64_t number) {
        context_.checkCancelled();
        const GroupPiece piece = pieces_[static_cast<size_t>(number)];
        const int32_t first = begin_[piece.firstGroup], count = begin_[piece.endGroup] - first;
        std::vector<Value> slices;
        for (const Value& a : arguments) slices.push_back(slice(a, first, count));
        std::vector<int32_t> groups(static_cast<size_t>(count));
        for (size_t i = 0; i < groups.size(); ++i) {
            groups[i] = groupOf_[static_cast<size_t>(first) + i] - static_cast<int32_t>(piece.firstGroup);
        }
        const std::unique_ptr<GroupedState> state = plan.newState(0);
        state->resize(static_cast<int64_t>(piece.endGroup - piece.firstGroup));
        state->add(slices, groups.data(), count);
        parts[static_cast<size_t>(number)] = state->results();
    });
    const Value results = concatenated(parts);
    if (results.isVoid()) return results;
    CHECK(results.size() + 1 == std::ssize(begin_)) << "an aggregate has one result for each group";
    return gatherElements(results, groupOf_.data(), std::ssize(groupOf_));
}

// Returns the values of a function that looks back, over each group. VOID where it has no states for these types and
// constants.
Value GroupValues::stepped(const WindowCall& call, std::span<const Value> arguments) {
    const Declaration& declared = call.function->declaration();
    std::vector<Value> constants;
    std::vector<Type> types;
    for (size_t a = 0; a < arguments.size(); ++a) {
        const bool isConstant = call.arguments[a] && call.arguments[a]->isConstant();
        constants.push_back(isConstant ? arguments[a] : Value());
        types.push_back(arguments[a].type());
    }
    // Only a call finds times that fall.
    if (declared.reach && isReachInTime(declared.reach(constants))) return Value();
    std::vector<Value> parts(pieces_.size());
    std::atomic<bool> hasStates{true};
    parallelFor(std::ssize(pieces_), [&](int64_t number) {
        context_.checkCancelled();
        const std::unique_ptr<RollingStates> states = withoutCalls(declared.rolling(types, constants));
        if (!states) hasStates = false;
        if (!hasStates) return;
        const GroupPiece piece = pieces_[static_cast<size_t>(number)];
        const std::span<const int32_t> bounds =
            std::span(begin_).subspan(piece.firstGroup, piece.endGroup - piece.firstGroup + 1);
        std::vector<Value> slices;
        for (size_t a = 0; a < arguments.size(); ++a) {
            const bool isColumn = call.arguments[a] && !call.arguments[a]->isConstant();
            slices.push_back(isColumn ? slice(arguments[a], bounds.front(), bounds.back() - bounds.front())
                                      : arguments[a]);
        }
        parts[static_cast<size_t>(number)] = states->stepGroups(slices, bounds);
    });
    return hasStates ? concatenated(parts) : Value();
}

// Calls an expression with slices of the columns that it reads, group by group, pieces of groups on all threads.
Value GroupValues::ofEachGroup(const ExpressionProgram& item) {
    std::vector<Value> columns;
    for (const int c : item.columns()) {
        columns.push_back(column(c));
        if (!isPlainVector(columns.back())) return Value();
    }
    auto itemsOf = [&](size_t g, Context& own) {
        const int64_t first = begin_[g], count = begin_[g + 1] - begin_[g];
        std::vector<Value> slices;
        for (const Value& column : columns) slices.push_back(slice(column, first, count));
        return itemsOfGroup(item.evaluate(own, slices, count), count);
    };
    const Ref<Vector> first = itemsOf(0, context_);
    if (!first) return Value();
    CalledValues values(*first, rows_.rowCount(), pieces_.size());
    std::atomic<bool> regular{true};
    ProgressPhase progress(context_.request->progress, "query", ProgressUnit::Tasks, std::ssize(pieces_));
    auto compute = [&](int64_t number) {
        if (!regular.load(std::memory_order_relaxed)) return;
        Context own = context_;
        own.callDepth = 0;
        own.checkCancelled();
        const GroupPiece& piece = pieces_[static_cast<size_t>(number)];
        for (size_t g = piece.firstGroup; g < piece.endGroup; ++g) {
            const Ref<Vector> items = g == 0 ? first : itemsOf(g, own);
            if (!items || !values.put(static_cast<size_t>(number), begin_[g], *items)) {
                regular.store(false, std::memory_order_relaxed);
                return;
            }
        }
        progress.add(1);
    };
    if (isParallel(item.code(), context_)) {
        parallelFor(std::ssize(pieces_), compute);
    } else {
        for (int64_t i = 0; i < std::ssize(pieces_); ++i) compute(i);
    }
    return regular ? values.finish() : Value();
}

}  // namespace pelorus
