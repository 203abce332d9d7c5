#include "sql/change/row_locks.h"

#include <numeric>
#include <utility>
#include <vector>

#include "common/error.h"
#include "runtime/code/expression.h"
#include "runtime/code/rewrite.h"
#include "runtime/function/principal.h"
#include "sql/bind/plan_select.h"
#include "sql/bind/qualified_names.h"
#include "sql/change/bound_change.h"
#include "sql/expression/constraint.h"
#include "sql/physical/run_query.h"
#include "sql/physical/run_source.h"
#include "sql/plan/row_source.h"

namespace pelorus {
namespace {

constexpr const char* kNumberColumn = "pgRowNumber";

// Scope in which the name of the table means rows in memory.
class RowsScope final : public Scope {
public:
    RowsScope(const Scope* outer, std::string name, Value rows)
        : outer_(outer), name_(std::move(name)), rows_(std::move(rows)) {}
    bool lookup(std::string_view name, Value& value) const override {
        if (name != name_) return outer_ != nullptr && outer_->lookup(name, value);
        value = rows_;
        return true;
    }

private:
    const Scope* outer_;
    const std::string name_;
    const Value rows_;
};

// Returns the positions of the rows that satisfy the conditions, in the order of the query.
std::vector<int32_t> matchingPositions(const Query& query, const Ref<MemoryTable>& rows, Context& context) {
    std::vector<int32_t> numbers(static_cast<size_t>(rows->rowCount()));
    std::iota(numbers.begin(), numbers.end(), 0);
    const Ref<MemoryTable> numbered = rows->copy();
    numbered->setColumn(kNumberColumn, Value::of(Vector::of(Type::Int, numbers)));
    Ref<Query> asked = copyQuery(query);
    asked->limit = {};
    asked->offset = {};
    asked->items.push_back({makeRef<Name>(kNumberColumn, SourcePosition()), {kNumberColumn}, {}});
    const RowsScope scope(context.scope, static_cast<const Name&>(*query.table).name, Value::of(Ref<Table>(numbered)));
    Context inner = context;
    inner.scope = &scope;
    const Value found = runQuery(*asked, inner);
    const Value& positions = *found.table().asMemory()->column(kNumberColumn);
    std::vector<int32_t> matched;
    for (int64_t i = 0; i < positions.size(); ++i)
        matched.push_back(static_cast<int32_t>(positions.vector().asLong(i)));
    return matched;
}

// The condition of one run: as it was bound once, or as the engine runs the query.
class Condition {
public:
    Condition(const Query& query, const Value& table, const RowLock& lock, Context& context)
        : query_(query), table_(table), lock_(lock), context_(context) {
        const bool isKept = lock.condition != nullptr && (query.orderBy.empty() || lock.order);
        if (isKept) run_ = lock.condition->prepareRun(table, context);
    }

    std::vector<ColumnConstraint> constraints() const {
        if (run_.bound) return run_.bound->change->constraints(run_.parameters, context_);
        const RowSource source = resolveSource(query_, context_);
        return constraintsOfRows(*resolveQualifiedNames(query_, source), table_.table().columns(), context_);
    }
    // Returns the positions of the rows that satisfy it, in the order of the query.
    std::vector<int32_t> positions(const Ref<MemoryTable>& rows) const {
        if (!run_.bound) return matchingPositions(query_, rows, context_);
        try {
            return ordered(*rows, run_.bound->change->positions(rows, run_.parameters, context_));
        } catch (const Error&) {
            context_.checkCancelled();
            return matchingPositions(query_, rows, context_);
        }
    }

private:
    std::vector<int32_t> ordered(const MemoryTable& rows, std::vector<int32_t> matched) const {
        if (!lock_.order || matched.size() < 2) return matched;
        const auto count = static_cast<int64_t>(matched.size());
        std::vector<int32_t> positions = lock_.order(*rows.gather(matched.data(), count));
        for (int32_t& position : positions) position = matched[static_cast<size_t>(position)];
        return positions;
    }

    const Query& query_;
    const Value& table_;
    const RowLock& lock_;
    Context& context_;
    KeptChange::Run run_;
};

void append(MemoryTable& to, const MemoryTable& rows, const std::vector<int32_t>& positions) {
    if (!positions.empty()) to.append(*rows.gather(positions.data(), static_cast<int64_t>(positions.size())));
}

}  // namespace

std::vector<ColumnConstraint> constraintsOfRows(const Query& query, const TableSchema& columns, Context& context) {
    if (query.updateSource) return {};
    NodeList conditions;
    for (const NodeRef& written : query.where) splitAnd(written, conditions);
    return constraintsOf(conditions, columns, context);
}

std::shared_ptr<const KeptChange> keptCondition(const Query& query) {
    const bool isPlain = !query.distinct && query.joins.empty() && query.unions.empty();
    if (!isPlain) return nullptr;
    Ref<Query> condition = copyQuery(query);
    condition->verb = QueryVerb::Delete;
    condition->items.clear();
    condition->orderBy.clear();
    condition->limit = {};
    condition->offset = {};
    return std::make_shared<const KeptChange>(std::move(condition));
}

Ref<MemoryTable> lockMatchingRows(const Query& query, const Value& table, const RowLock& lock, Transaction& transaction,
                                  Context& context) {
    auto* const access = dynamic_cast<RowAccess*>(&table.table());
    if (access == nullptr)
        throw UserError("<NotSupported>Rows of this table are not locked: it is no row table.", "Leave FOR … out.");
    // As in PostgreSQL: who holds rows keeps others from changing them.
    table.table().asPartitioned()->require(context.principal(), Right::Update);
    const Condition condition(query, table, lock, context);
    const RowAccess::Rows seen = access->rowsToChange(condition.constraints(), &transaction);
    const std::vector<int32_t> matched = condition.positions(seen.rows);
    const Ref<MemoryTable> result = seen.rows->slice(0, 0);
    for (size_t next = 0; next < matched.size() && result->rowCount() < lock.limit;) {
        const std::vector<int32_t> wanted(matched.begin() + static_cast<ptrdiff_t>(next), matched.end());
        const RowAccess::LockedRows locked =
            access->lockRows(seen, wanted, lock.strength, lock.policy, transaction, lock.limit - result->rowCount());
        next += locked.visited;
        append(*result, *seen.rows, locked.kept);
        const Ref<MemoryTable>& renewed = locked.renewed.rows;
        if (renewed && renewed->rowCount() > 0) append(*result, *renewed, condition.positions(renewed));
    }
    return result;
}

}  // namespace pelorus
