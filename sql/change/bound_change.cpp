#include "sql/change/bound_change.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "common/error.h"
#include "common/thread/cancellation.h"
#include "interpreter/expression/bind.h"
#include "runtime/code/name_uses.h"
#include "runtime/code/rewrite.h"
#include "runtime/format/to_source.h"
#include "runtime/function/principal.h"
#include "runtime/kernel/block/comparison.h"
#include "runtime/kernel/index/row_selection.h"
#include "runtime/table/assign_rows.h"
#include "runtime/table/audited_data.h"
#include "runtime/table/column_lookup.h"
#include "sql/bind/plan_select.h"
#include "sql/bind/qualified_names.h"
#include "sql/execution/query_snapshot.h"
#include "sql/expression/constraint.h"
#include "sql/plan/row_source.h"
#include "sql/rewrite/converted_constants.h"
#include "sql/rewrite/mistyped_dates.h"

namespace pelorus {
namespace {

// Decimals of other scales are other types. A statement is bound for so many, and by the engine for any more.
constexpr size_t kMaxBindings = 16;

// Returns whether the statement is a condition over rows of one table, and perhaps new values of their columns.
bool isPlain(const Query& query) {
    return query.verb != QueryVerb::Insert && query.table && query.table->kind == NodeKind::Name &&
           !query.updateSource && query.joins.empty() && query.groupBy.empty() && query.grouping == GroupKind::None &&
           !query.having && query.csort.empty() && query.with.empty() && query.unions.empty() && query.hint == 0 &&
           !query.map;
}

int scaleOf(const Value& value) {
    return isDecimal(value.type()) ? value.extra() : 0;
}

}  // namespace

// Adds the names that are neither columns nor functions. Returns false where one has no scalar value.
bool BoundChange::takeParameters(const Node& code, Context& context) {
    bool areScalars = true;
    forEachUse(code, [&](const Name& name, bool isCalled) {
        if (isCalled || findColumn(columns_, name.name) >= 0) return;
        const auto isSame = [&](const Parameter& known) { return known.name == name.name; };
        if (std::any_of(parameters_.begin(), parameters_.end(), isSame)) return;
        Value value;
        const bool isKnown = context.scope != nullptr && context.scope->lookup(name.name, value);
        if (!isKnown || !value.isScalar() || value.isFunction()) {
            areScalars = false;
            return;
        }
        parameters_.push_back({name.name, value.type(), scaleOf(value)});
    });
    return areScalars;
}

std::optional<BoundChange::RowValue> BoundChange::bindValue(const NodeRef& code, Context& context) const {
    if (code->kind == NodeKind::Constant) {
        RowValue value{.constant = static_cast<const Constant&>(*code).value};
        return value.constant.isScalar() && !value.constant.isFunction() ? std::optional(value) : std::nullopt;
    }
    NamedParameters named;
    for (size_t i = 0; i < parameters_.size(); ++i) {
        const Parameter& parameter = parameters_[i];
        if (code->kind == NodeKind::Name && static_cast<const Name&>(*code).name == parameter.name)
            return RowValue{.constant = {}, .parameter = static_cast<int>(i)};
        Value value;
        if (!context.scope->lookup(parameter.name, value)) return {};
        named[parameter.name] = boundParameter(static_cast<int>(i), value);
    }
    const BoundRef bound = bindForRuns(*code, columns_, named, context);
    if (!bound->isElementwise || bound->kind == Bound::Kind::Opaque) return {};
    RowValue value;
    value.columns = codeOver(code, columns_)->columns;
    value.program = std::make_shared<const BatchProgram>(bound, value.columns, parameters_.size());
    return value;
}

BoundChange::Fixed BoundChange::bindFixed(const NodeRef& code, Context& context) const {
    Fixed fixed{.code = code};
    if (code->kind != NodeKind::Binary) return fixed;
    const auto& comparison = static_cast<const Binary&>(*code);
    if (!isComparison(comparison.op) || comparison.op == Operator::Ne) return fixed;
    const auto columnOf = [&](const NodeRef& side) {
        return side->kind == NodeKind::Name ? findColumn(columns_, static_cast<const Name&>(*side).name) : -1;
    };
    const bool isMirrored = columnOf(comparison.left) < 0;
    const int column = columnOf(isMirrored ? comparison.right : comparison.left);
    const NodeRef& side = isMirrored ? comparison.left : comparison.right;
    if (column < 0 || columnOf(side) >= 0) return fixed;
    std::optional<RowValue> value = bindValue(side, context);
    if (!value || value->program) return fixed;
    fixed.column = column;
    fixed.op = isMirrored ? mirrored(comparison.op) : comparison.op;
    fixed.value = std::move(*value);
    return fixed;
}

std::shared_ptr<const BoundChange> BoundChange::bind(const Query& query, const TableSchema& columns, Context& context) {
    if (!isPlain(query)) return nullptr;
    try {
        auto change = std::make_shared<BoundChange>();
        change->columns_ = columns;
        change->erases_ = query.verb == QueryVerb::Delete;
        for (const NodeRef& condition : query.where)
            if (!change->takeParameters(*condition, context)) return nullptr;
        for (const SelectItem& item : query.items)
            if (!item.value || item.aliases.size() != 1 || !change->takeParameters(*item.value, context))
                return nullptr;
        NodeList parts;
        for (const NodeRef& written : query.where) {
            refuseMistypedDates(written, columns);
            std::optional<RowValue> condition = change->bindValue(written, context);
            if (!condition) return nullptr;
            change->conditions_.push_back(std::move(*condition));
            splitAnd(written, parts);
        }
        for (const NodeRef& part : parts) change->fixed_.push_back(change->bindFixed(part, context));
        for (const SelectItem& item : query.items) {
            const int column = findColumn(columns, item.aliases[0]);
            std::optional<RowValue> value = change->bindValue(item.value, context);
            if (column < 0 || !value) return nullptr;
            change->assigned_.push_back({column, columns[static_cast<size_t>(column)].name, std::move(*value)});
        }
        return change;
    } catch (const Error&) {
        context.checkCancelled();
        return nullptr;  // the engine reports it
    }
}

bool BoundChange::isOf(const TableSchema& columns) const {
    return std::equal(columns_.begin(), columns_.end(), columns.begin(), columns.end(),
                      [](const ColumnSchema& a, const ColumnSchema& b) {
                          return a.type == b.type && a.scale == b.scale && a.name == b.name;
                      });
}

std::optional<std::vector<Value>> BoundChange::parametersIn(const Context& context) const {
    std::vector<Value> values;
    values.reserve(parameters_.size());
    for (const Parameter& parameter : parameters_) {
        Value value;
        const bool isKnown = context.scope != nullptr && context.scope->lookup(parameter.name, value);
        const bool fits = isKnown && value.isScalar() && value.type() == parameter.type && !value.isFunction() &&
                          scaleOf(value) == parameter.scale;
        if (!fits) return {};
        values.push_back(std::move(value));
    }
    return values;
}

std::vector<ColumnConstraint> BoundChange::constraints(const std::vector<Value>& parameters, Context& context) const {
    std::vector<ColumnConstraint> constraints;
    for (const Fixed& fixed : fixed_) {
        if (fixed.column < 0) {
            for (ColumnConstraint& told : constraintsOf({fixed.code}, columns_, context))
                constraints.push_back(std::move(told));
            continue;
        }
        const Type type = columns_[static_cast<size_t>(fixed.column)].type;
        const int parameter = fixed.value.parameter;
        const Value& value = parameter < 0 ? fixed.value.constant : parameters[static_cast<size_t>(parameter)];
        if (auto told = constraintOfValue(fixed.column, type, fixed.op, value)) constraints.push_back(std::move(*told));
    }
    return constraints;
}

Value BoundChange::evaluate(const RowValue& value, const MemoryTable& rows, const std::vector<Value>& parameters,
                            Context& context) const {
    if (value.parameter >= 0) return parameters[static_cast<size_t>(value.parameter)];
    if (!value.program) return value.constant;
    std::vector<Value> columns;
    columns.reserve(value.columns.size());
    for (const int column : value.columns) columns.push_back(rows.column(column));
    return value.program->run(context, columns, rows.rowCount(), parameters);
}

// Leaves of the rows those that satisfy the condition, and returns which they were.
std::vector<int32_t> BoundChange::narrow(Ref<MemoryTable>& rows, const std::vector<Value>& parameters,
                                         Context& context) const {
    std::vector<int32_t> matched(static_cast<size_t>(rows->rowCount()));
    std::iota(matched.begin(), matched.end(), 0);
    for (const RowValue& condition : conditions_) {
        const std::vector<int32_t> kept =
            rowsWhere(evaluate(condition, *rows, parameters, context), rows->rowCount(), "where");
        if (kept.size() == matched.size()) continue;
        for (size_t i = 0; i < kept.size(); ++i) matched[i] = matched[static_cast<size_t>(kept[i])];
        matched.resize(kept.size());
        rows = rows->gather(kept.data(), static_cast<int64_t>(kept.size()));
    }
    return matched;
}

std::vector<int32_t> BoundChange::positions(const Ref<MemoryTable>& rows, const std::vector<Value>& parameters,
                                            Context& context) const {
    Ref<MemoryTable> left = rows;
    return narrow(left, parameters, context);
}

std::vector<int> BoundChange::readColumns() const {
    std::vector<int> columns;
    for (const RowValue& condition : conditions_)
        for (const int column : condition.columns)
            if (std::find(columns.begin(), columns.end(), column) == columns.end()) columns.push_back(column);
    return columns;
}

ComputedChange BoundChange::compute(const Ref<MemoryTable>& rows, const std::vector<Value>& parameters,
                                    Context& context) const {
    ComputedChange change;
    Ref<MemoryTable> left = rows;
    change.matched = narrow(left, parameters, context);
    change.count = static_cast<int64_t>(change.matched.size());
    change.update.erases = erases_;
    if (erases_) {
        change.met = rows;
        change.update.positions = change.matched;
        return change;
    }
    // Right sides see the old values: all are computed before any is stored.
    for (const Assigned& assigned : assigned_) {
        Value column = rows->column(assigned.column);
        column.makeUnique();
        assignRows(column, change.matched, evaluate(assigned.value, *left, parameters, context), assigned.name);
        change.update.columns.emplace_back(assigned.column, std::move(column));
    }
    change.met = rows->copy();
    for (const auto& [column, values] : change.update.columns)
        change.met->mutableColumns()[static_cast<size_t>(column)] = values;
    change.chooseChanged(*rows);
    return change;
}

KeptChange::Run KeptChange::prepareRun(const Value& table, Context& context) const {
    RowSource source;
    source.table = Ref<Table>(&table.table());
    const TableSchema& columns = table.table().columns();
    {
        const MutexLock guard(mutex_);
        // What was bound before the table's definition changed reads other columns now.
        std::erase_if(bound_, [&](const std::shared_ptr<const Bound>& known) { return !known->change->isOf(columns); });
        for (const std::shared_ptr<const Bound>& known : bound_)
            if (std::optional<std::vector<Value>> values = known->change->parametersIn(context))
                return {known, std::move(*values)};
        if (bound_.size() + failures_ >= kMaxBindings) return {};
    }
    auto made = std::make_shared<Bound>();
    made->resolved = withConvertedConstants(resolveQualifiedNames(*query_, source), source.columns());
    made->change = BoundChange::bind(*made->resolved, source.columns(), context);
    made->source = "script=[" + toSource(*query_) + ']';
    std::optional<std::vector<Value>> values;
    if (made->change) values = made->change->parametersIn(context);
    const MutexLock guard(mutex_);
    if (!values) {
        ++failures_;
        return {};
    }
    bound_.push_back(made);
    return {made, std::move(*values)};
}

std::optional<int64_t> KeptChange::run(const Value& opened,
                                       const std::function<void(const Ref<MemoryTable>& met)>& takesMet,
                                       Context& context) const {
    PartitionedTable* const table = opened.isTable() ? opened.table().asPartitioned() : nullptr;
    auto* const access = dynamic_cast<RowAccess*>(table);
    if (access == nullptr || !isPlain(*query_)) return {};
    const Run run = prepareRun(opened, context);
    if (!run.bound) return {};
    const BoundChange& own = *run.bound->change;
    const CancellationScope cancellation(&context.request->cancelled);
    const OneSnapshot snapshot;
    context.request->principal().requireChanges("An update, delete or insert");
    const bool isUpdate = query_->verb == QueryVerb::Update;
    table->require(context.principal(), isUpdate ? Right::Update : Right::Delete);
    AuditedData audited(context, isUpdate ? "SQL_UPDATE" : "SQL_DELETE", *table, run.bound->source,
                        AuditedChange::Durability::Unsynced);
    ChangeStatement change;
    change.table = table->name;
    change.fixed = [&] { return own.constraints(run.parameters, context); };
    change.compute = [&](const RowAccess::Rows& seen) {
        try {
            if (own.isOf(seen.rows->columns())) return own.compute(seen.rows, run.parameters, context);
        } catch (const Error&) {
            context.checkCancelled();
            // The engine reports the error, unless && or || skip it.
        }
        return computeRowChange(*run.bound->resolved, *table, seen, context);
    };
    change.takesMet = takesMet;
    const int64_t count = changeRowsBy(change, *access, context);
    if (audited.isAudited()) audited.done(fmt::format("{}={}", isUpdate ? "updatedRows" : "deletedRows", count));
    return count;
}

}  // namespace pelorus
