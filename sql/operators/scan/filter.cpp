#include "sql/operators/scan/filter.h"

#include <algorithm>
#include <bit>

#include "common/error.h"
#include "runtime/value/cast.h"
#include "sql/expression/bind_expression.h"

namespace pelorus {

constexpr size_t kMaxConditions = 64;  // bits of a mask; the last condition takes the rest

Filter::Filter(const NodeList& conditions, const TableSchema& columns, Context& context) : columns_(columns) {
    for (const NodeRef& node : conditions) {
        if (conditions_.size() == kMaxConditions) {
            Condition& last = conditions_.back();
            last.node = makeRef<Binary>(Operator::And, last.node, node, node->position);
            if (std::exchange(last.constrained, false)) constraints_.pop_back();
            continue;
        }
        Condition c;
        c.node = node;
        c.constrained = constraintOf(*node, columns, context, c.constraint);
        if (c.constrained) {
            constraints_.push_back(c.constraint);
        } else {
            for (ColumnConstraint& implied : constraintsOf({node}, columns, context))
                constraints_.push_back(std::move(implied));
        }
        conditions_.push_back(std::move(c));
    }
}

const ExpressionProgram& Filter::combined(uint64_t open, Context& context) {
    const MutexLock lock(mutex_);
    for (const auto& [mask, expression] : combined_) {
        if (mask == open) return *expression;
    }
    NodeRef all;
    for (size_t i = 0; i < conditions_.size(); ++i) {
        if (!(open >> i & 1)) continue;
        const NodeRef& node = conditions_[i].node;
        all = all ? NodeRef(makeRef<Binary>(Operator::And, all, node, node->position)) : node;
    }
    combined_.emplace_back(open, std::make_unique<ExpressionProgram>(bindProgram(all, columns_, context)));
    return *combined_.back().second;
}

std::vector<int> Filter::columns(Context& context) {
    if (conditions_.empty()) return {};
    return combined(~uint64_t{0} >> (64 - conditions_.size()), context).columns();
}

void Filter::select(Batch& batch, Context& context) {
    uint64_t open = 0;
    for (size_t i = 0; i < conditions_.size(); ++i) {
        const Condition& c = conditions_[i];
        const Selects s = c.constrained ? decide(c.constraint, batch.bounds(c.constraint.column)) : Selects::Some;
        if (s == Selects::None) return batch.keepNone();
        if (s == Selects::Some) open |= uint64_t{1} << i;
    }
    if (open == 0) return;
    if (std::has_single_bit(open) || combined(open, context).isCheap())
        return narrow(batch, combined(open, context), context);
    // Conditions on strings and calls cost much: one after the other, on the rows that the cheap ones and those before
    // selected.
    uint64_t programs = 0;
    for (uint64_t rest = open; rest != 0; rest &= rest - 1) {
        const uint64_t one = rest & -rest;
        if (combined(one, context).isCheap()) programs |= one;
    }
    if (programs != 0) narrow(batch, combined(programs, context), context);
    for (uint64_t rest = open & ~programs; rest != 0 && batch.rows() > 0; rest &= rest - 1)
        narrow(batch, combined(rest & -rest, context), context);
}

void Filter::narrow(Batch& batch, const ExpressionProgram& condition, Context& context) {
    const Value given = batch.evaluate(condition, context);
    if (given.isScalar()) {
        if (!isTrue(given)) batch.keepNone();
        return;
    }
    if (!given.isVector() || given.size() != batch.rows() || !isNumeric(given.type()))
        throw UserError("A condition must give one BOOL per row. RefId: S02035");
    batch.keep(cast(given.vector(), Type::Bool));
}

bool Filter::push(Batch& batch, Context& worker, Consumer& next) {
    select(batch, worker);
    return batch.rows() == 0 || next.push(batch, worker);
}

std::vector<int> readColumns(Filter& filter, const std::vector<const ExpressionProgram*>& expressions,
                             Context& context) {
    std::vector<int> columns = filter.columns(context);
    for (const ExpressionProgram* e : expressions)
        columns.insert(columns.end(), e->columns().begin(), e->columns().end());
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    return columns;
}

}  // namespace pelorus
