#include "sql/operators/context/group_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <optional>

#include "common/check.h"
#include "common/thread/thread_pool.h"
#include "runtime/code/rewrite.h"
#include "runtime/kernel/aggregate/aggregate.h"
#include "runtime/kernel/rolling/calling_states.h"
#include "runtime/registry/time_reach.h"
#include "runtime/value/vector.h"
#include "sql/expression/bind_expression.h"
#include "sql/expression/called_functions.h"
#include "sql/plan/aggregate_plan.h"

namespace pelorus {

namespace {

constexpr int32_t kGroupPieceRows = 1 << 16;

bool looksBack(const BuiltinFunction& function) {
    return function.declaration().rolling && function.signature().orderSensitive;
}

// Returns one result for each group.
Value resultsOf(const AggregatePlan& plan, const MemoryTable& rows, const std::vector<int32_t>& begin,
                const std::vector<int32_t>& groupOf, Context& context) {
    std::vector<Value> arguments;
    for (const ExpressionProgram& e : plan.calls[0].arguments) arguments.push_back(e.evaluate(context, rows));
    const std::vector<GroupPiece> pieces = groupPieces(begin);
    std::vector<Value> parts(pieces.size());
    parallelFor(static_cast<int64_t>(pieces.size()), [&](int64_t number) {
        context.checkCancelled();
        const GroupPiece piece = pieces[static_cast<size_t>(number)];
        const int32_t first = begin[piece.firstGroup], count = begin[piece.endGroup] - first;
        std::vector<Value> slices;
        for (const Value& a : arguments) {
            slices.push_back(a.isScalar() ? a : Value::of(a.vector().slice(first, count)));
        }
        std::vector<int32_t> groups(static_cast<size_t>(count));
        for (size_t i = 0; i < groups.size(); ++i) {
            groups[i] = groupOf[static_cast<size_t>(first) + i] - static_cast<int32_t>(piece.firstGroup);
        }
        const std::unique_ptr<GroupedState> state = plan.newState(0);
        state->resize(static_cast<int64_t>(piece.endGroup - piece.firstGroup));
        state->add(slices, groups.data(), count);
        parts[static_cast<size_t>(number)] = state->results();
    });
    CHECK(!pieces.empty() && pieces.back().endGroup + 1 == begin.size()) << "the pieces end with the last group";
    for (size_t i = 1; i < parts.size(); ++i) parts[0].vector().append(parts[i].vector(), 0, parts[i].size());
    CHECK(parts[0].size() + 1 == std::ssize(begin)) << "an aggregate has one result for each group";
    return parts[0];
}

bool isPlainVector(const Value& v) {
    return v.isTypedVector() && storageOf(v.type()) != Storage::Boxed && storageOf(v.type()) != Storage::None;
}

// Whether groups may be told apart by bounds in the whole expression: each call is of one row, an aggregate with
// states, or a function that looks back with states. Nothing is computed for one that is not so.
bool canBeLowered(const NodeRef& item, Context& context) {
    bool can = true, isNeeded = false;
    rewrite(item, [&](const NodeRef& n) -> NodeRef {
        switch (n->kind) {
            case NodeKind::Call: {
                const auto& call = static_cast<const Call&>(*n);
                const Ref<Function> f = calledFunction(call, context);
                const auto* builtin = dynamic_cast<const BuiltinFunction*>(f.get());
                const bool isOfGroup = builtin && (builtin->hasStateFor(call.arguments.size()) || looksBack(*builtin));
                can = can && builtin && (isOfGroup || builtin->signature().elementwise);
                isNeeded = isNeeded || isOfGroup;
                return can ? NodeRef() : n;
            }
            case NodeKind::Name:
            case NodeKind::Constant:
            case NodeKind::Unary:
            case NodeKind::Binary:
            case NodeKind::Ternary:
            case NodeKind::Omitted:
            case NodeKind::Star:
                return NodeRef();
            default:
                can = false;
                return n;
        }
    });
    return can && isNeeded;
}

// Replaces calls of an expression by columns of their results.
class Lowering {
public:
    Lowering(MemoryTable& rows, const std::vector<int32_t>& begin, Context& context)
        : rows_(rows), begin_(begin), context_(context) {}

    // Returns null where a call cannot be replaced.
    NodeRef lowered(const NodeRef& item) {
        const NodeRef rest = rewrite(item, [&](const NodeRef& n) -> NodeRef {
            if (n->kind != NodeKind::Call || failed_) return NodeRef();
            const auto& call = static_cast<const Call&>(*n);
            const Ref<Function> f = calledFunction(call, context_);
            const auto* builtin = dynamic_cast<const BuiltinFunction*>(f.get());
            if (!builtin) return NodeRef();
            if (!builtin->signature().aggregate && !looksBack(*builtin)) return NodeRef();
            if (bindProgram(n, rows_.columns(), context_).isElementwise()) return n;  // such as max(x, y)
            const Value column = builtin->signature().aggregate ? aggregated(call, *builtin) : stepped(call, *builtin);
            failed_ = failed_ || !isPlainVector(column);
            if (failed_) return n;
            const std::string name = fmt::format(" group{}", rows_.columnCount());
            rows_.setColumn(name, column);
            return makeRef<Name>(name, n->position);
        });
        return failed_ ? NodeRef() : rest;
    }

private:
    // Binds the arguments, whose own calls are replaced first. Returns false where one has no value for each row.
    bool bindArguments(const Call& call, std::vector<std::optional<ExpressionProgram>>& programs) {
        for (const Argument& a : call.arguments) {
            if (!a.keyword.empty()) return false;
            if (a.value->kind == NodeKind::Omitted) {
                programs.emplace_back();
                continue;
            }
            const NodeRef own = a.value->kind == NodeKind::Star
                                    ? NodeRef(makeRef<Constant>(Value::ofInt(1), a.value->position))
                                    : a.value;
            const NodeRef value = lowered(own);
            if (!value) return false;
            const ExpressionProgram& e = programs.emplace_back(bindProgram(value, rows_.columns(), context_)).value();
            if (!e.isConstant() && !e.isElementwise()) return false;
            for (const int c : e.columns()) {
                if (!isPlainVector(rows_.column(c))) return false;
            }
        }
        return true;
    }

    // Returns the aggregate of its group in each row. VOID where it has no states.
    Value aggregated(const Call& call, const BuiltinFunction& function) {
        std::vector<std::optional<ExpressionProgram>> programs;
        if (!function.hasStateFor(call.arguments.size()) || !bindArguments(call, programs)) return Value();
        AggregatePlan plan;
        AggregateCall planned{&function, {}, ""};
        for (const std::optional<ExpressionProgram>& e : programs) {
            if (!e) return Value();
            const bool isScalar =
                e->code()->kind == NodeKind::Constant && static_cast<const Constant&>(*e->code()).value.isScalar();
            if (e->isConstant() && !isScalar) return Value();
            planned.arguments.push_back(*e);
        }
        plan.calls.push_back(std::move(planned));
        if (isDecimal(plan.newState(0)->results().type())) return Value();
        if (groupOf_.empty()) {
            groupOf_.resize(static_cast<size_t>(begin_.back()));
            for (size_t g = 0; g + 1 < begin_.size(); ++g)
                std::fill(groupOf_.begin() + begin_[g], groupOf_.begin() + begin_[g + 1], static_cast<int32_t>(g));
        }
        const Value results = resultsOf(plan, rows_, begin_, groupOf_, context_);
        if (!results.isVector() || results.isTuple()) return Value();
        return gatherElements(results, groupOf_.data(), std::ssize(groupOf_));
    }

    // Returns the values of a function that looks back, over each group. VOID where it has no states for these types
    // and constants.
    Value stepped(const Call& call, const BuiltinFunction& function) {
        std::vector<std::optional<ExpressionProgram>> programs;
        if (!bindArguments(call, programs)) return Value();
        std::vector<Value> arguments, constants;
        std::vector<Type> types;
        for (const std::optional<ExpressionProgram>& e : programs) {
            const bool isColumn = e && !e->isConstant();
            arguments.push_back(e ? e->evaluate(context_, rows_) : omitted());
            constants.push_back(isColumn || !e ? Value() : arguments.back());
            types.push_back(arguments.back().type());
            if (isColumn && !isPlainVector(arguments.back())) return Value();
        }
        if (arguments.empty() || !programs[0] || programs[0]->isConstant()) return Value();
        // Only a call finds times that fall.
        const Reach reach = function.declaration().reach;
        if (reach && isReachInTime(reach(constants))) return Value();
        const std::vector<GroupPiece> pieces = groupPieces(begin_);
        std::vector<Value> parts(pieces.size());
        std::atomic<bool> hasStates{true};
        parallelFor(std::ssize(pieces), [&](int64_t number) {
            context_.checkCancelled();
            const std::unique_ptr<RollingStates> states =
                withoutCalls(function.declaration().rolling(types, constants));
            if (!states) hasStates = false;
            if (!hasStates) return;
            const GroupPiece piece = pieces[static_cast<size_t>(number)];
            const std::span<const int32_t> bounds =
                std::span(begin_).subspan(piece.firstGroup, piece.endGroup - piece.firstGroup + 1);
            std::vector<Value> slices;
            for (size_t a = 0; a < arguments.size(); ++a) {
                const bool isColumn = programs[a] && !programs[a]->isConstant();
                slices.push_back(
                    isColumn ? Value::of(arguments[a].vector().slice(bounds.front(), bounds.back() - bounds.front()))
                             : arguments[a]);
            }
            parts[static_cast<size_t>(number)] = states->stepGroups(slices, bounds);
        });
        return hasStates ? concatenated(parts) : Value();
    }

    // Returns the vectors of all pieces as one; VOID where a function has several results.
    static Value concatenated(std::vector<Value>& parts) {
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

    MemoryTable& rows_;
    const std::vector<int32_t>& begin_;
    Context& context_;
    std::vector<int32_t> groupOf_;  // of each row, once a column needs it
    bool failed_ = false;
};

}  // namespace

std::vector<GroupPiece> groupPieces(const std::vector<int32_t>& begin) {
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

NodeRef withGroupColumns(const NodeRef& item, MemoryTable& rows, const std::vector<int32_t>& begin, Context& context) {
    if (begin.size() < 2 || !canBeLowered(item, context)) return NodeRef();
    CHECK(begin.back() == rows.rowCount()) << "each row is in a group";
    const NodeRef rest = Lowering(rows, begin, context).lowered(item);
    return rest && bindProgram(rest, rows.columns(), context).isElementwise() ? rest : NodeRef();
}

}  // namespace pelorus
