#include "postgres/change/conflict_clause.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "common/check.h"
#include "database/service/database_service.h"
#include "postgres/change/assigned_column.h"
#include "postgres/change/update_values.h"
#include "postgres/functions/conversions.h"
#include "postgres/parse/made_nodes.h"
#include "postgres/parse/tree.h"
#include "postgres/sql_error.h"
#include "postgres/translate/select_translator.h"
#include "runtime/append/statement_transaction.h"
#include "runtime/function/principal.h"
#include "runtime/table/audited_data.h"
#include "runtime/value/vector.h"

namespace pelorus::postgres {

namespace {

using Json = nlohmann::json;

// Columns of proposed rows in a pair: no column of a table begins with a blank.
std::string proposed(const std::string& column) {
    return " " + column;
}

[[noreturn]] void refuse(const char* what) {
    throw SqlError(sql_state::kFeatureNotSupported, fmt::format("{} is not supported", what));
}

[[noreturn]] void refuseKey() {
    throw SqlError(sql_state::kInvalidColumnReference,
                   "there is no unique or exclusion constraint matching the ON CONFLICT specification");
}

// Returns the names of columns by their stored ones.
std::vector<std::string> shownNames(const TableEntry& entry, const std::vector<std::string>& stored) {
    std::vector<std::string> names;
    for (size_t c = 0; c < entry.schema.size(); ++c)
        if (std::find(stored.begin(), stored.end(), entry.storedNameOf(c)) != stored.end())
            names.push_back(entry.schema[c].name);
    return names;
}

std::vector<std::string> sorted(std::vector<std::string> names) {
    std::sort(names.begin(), names.end());
    return names;
}

// Returns the columns by which the clause finds conflicts.
std::vector<std::string> keyOf(const Json& infer, const TargetTable& target) {
    const std::vector<RowTableIndex>& indexes = target.entry->rowTable->indexes;
    const std::string constraint = textOf(infer, "conname");
    if (!constraint.empty()) {
        for (const RowTableIndex& index : indexes)
            if (index.name == constraint && index.isConstraint) return shownNames(*target.entry, index.columns);
        throw SqlError(sql_state::kUndefinedObject,
                       fmt::format("constraint \"{}\" for table \"{}\" does not exist", constraint, target.name));
    }
    if (infer.contains("whereClause")) refuse("ON CONFLICT with WHERE in its target");
    std::vector<std::string> columns;
    for (const Json& item : infer["indexElems"]) {
        const Json& element = bodyOf(item);
        if (!element.contains("name")) refuse("ON CONFLICT of an expression");
        const std::string name = target.column(textOf(element, "name"), placeOf(infer)).schema.name;
        if (std::find(columns.begin(), columns.end(), name) == columns.end()) columns.push_back(name);
    }
    const bool isKey = std::any_of(indexes.begin(), indexes.end(), [&](const RowTableIndex& index) {
        return index.isUnique && sorted(shownNames(*target.entry, index.columns)) == sorted(columns);
    });
    if (!isKey) refuseKey();
    return columns;
}

// Makes `excluded.x` a name of the pair's columns. A name without a table could be of either row.
void resolveExcluded(Json& node, const TargetTable& target) {
    if (!node.is_structured()) return;
    if (kindOf(node) == "SubLink") return;
    if (kindOf(node) == "ColumnRef") {
        Json& body = *node.begin();
        const std::vector<std::string> names = namesOf(body["fields"]);
        if (names.size() == 1 && names[0] != "*") {
            target.column(names[0], placeOf(body));  // throws where there is none
            throw SqlError(sql_state::kAmbiguousColumn, fmt::format("column reference \"{}\" is ambiguous", names[0]),
                           placeOf(body));
        }
        if (names.size() == 2 && names[0] == "excluded") {
            const std::string column = target.column(names[1], placeOf(body)).schema.name;
            body["fields"] = Json::array({{{"String", {{"sval", proposed(column)}}}}});
        }
        return;
    }
    for (Json& item : node) resolveExcluded(item, target);
}

}  // namespace

ConflictClause::ConflictClause(const Json& clause, std::shared_ptr<const TargetTable> target, const std::string& alias,
                               Translation& translation)
    : target_(std::move(target)), updates_(textOf(clause, "action") == "ONCONFLICT_UPDATE") {
    if (!target_->isRowTable || !target_->entry) refuse("ON CONFLICT of a table of columns");
    if (clause.contains("infer")) key_ = keyOf(clause["infer"], *target_);
    if (updates_) bindUpdate(clause, alias, translation);
}

void ConflictClause::requireTarget(const Json& clause) {
    if (clause.contains("infer") || textOf(clause, "action") != "ONCONFLICT_UPDATE") return;
    throw SqlError(sql_state::kSyntaxError, "ON CONFLICT DO UPDATE requires inference specification or constraint name",
                   -1, "For example, ON CONFLICT (column_name).");
}

void ConflictClause::bindUpdate(const Json& clause, const std::string& alias, Translation& translation) {
    pairs_ = translation.freshName("pgPairs");
    std::vector<RangeColumn> columns;
    for (const TargetColumn& column : target_->columns) {
        const auto add = [&](const std::string& name) {
            columns.push_back({name, columnOfType(column.schema, column.declared.shown, nameNode(name)), false});
        };
        add(column.schema.name);
        add(proposed(column.schema.name));
    }
    // The new values in the columns' types: what a select of the pairs gives, assigned.
    const std::vector<UpdateValue> values = updateValues(clause["targetList"], *target_);
    Json targets = Json::array();
    for (size_t i = 0; i < values.size(); ++i) {
        Json value = values[i].expression;
        resolveExcluded(value, *target_);
        value = typedAs(*values[i].column, std::move(value));
        targets.push_back(selectTarget(std::move(value), fmt::format("v{}", i)));
    }
    if (clause.contains("whereClause")) {
        Json condition = clause["whereClause"];
        resolveExcluded(condition, *target_);
        targets.push_back(selectTarget({{"BooleanTest", {{"arg", condition}, {"booltesttype", "IS_TRUE"}}}}, "met"));
    }
    const Json select = {
        {"targetList", std::move(targets)},
        {"fromClause", Json::array({{{"RangeVar", {{"relname", pairs_}, {"alias", {{"aliasname", alias}}}}}}})},
        {"op", "SETOP_NONE"}};
    SelectTranslator translator(translation, nullptr, steps_);
    translator.addTable(pairs_, {pairs_, std::move(columns)});
    const Selected selected = translator.translate(select);
    Ref<Query> converted = makeRef<Query>(SourcePosition());
    converted->table = nameNode(selected.step);
    for (size_t i = 0; i < selected.columns.size(); ++i) {
        const std::string name = translation.freshName("c");
        NodeRef code = selected.columns[i].value.code;
        if (i < values.size()) {
            const AssignmentTarget column{target_->name, values[i].column->schema.name, values[i].column->declared};
            code = assigned(selected.columns[i].value, column, translation.host()).code;
            assigned_.push_back({static_cast<size_t>(values[i].column - target_->columns.data()), name});
        } else {
            condition_ = name;
        }
        converted->items.push_back({std::move(code), {name}, {}});
    }
    steps_.push_back({translation.freshName("pgAssigned"), converted, {}, {}});
}

// What the rows of an insert meet.
struct ConflictClause::Met {
    std::vector<int32_t> inserted;       // positions of new rows
    std::vector<int32_t> changesBefore;  // of each of them: how many rows are updated before it
    RowAccess::RowUpdate update;         // of rows that are there
    Ref<MemoryTable> written;            // all of them as they will be, in the order of the rows
    std::exception_ptr error;            // of the row behind them, which none may follow
};

static std::exception_ptr metTwice() {
    return std::make_exception_ptr(
        SqlError(sql_state::kCardinality, "ON CONFLICT DO UPDATE command cannot affect row a second time", -1,
                 "Ensure that no rows proposed for insertion within the same command have duplicate constrained "
                 "values."));
}

// Returns whether the new values of a row give it another key. Two rows behind it may then have its old one: the second
// of them is refused by the index.
bool ConflictClause::movesKey(const MemoryTable& computed, int32_t pair, const MemoryTable& there, int32_t row) const {
    for (const Assigned& assigned : assigned_) {
        const TargetColumn& column = target_->columns[assigned.place];
        if (std::find(key_.begin(), key_.end(), column.schema.name) == key_.end()) continue;
        AssignedColumn writer(*target_, column);
        writer.add(computed.column(assigned.value)->at(pair));
        const Value after = writer.take().at(0);
        const Value before = there.column(static_cast<int>(assigned.place)).at(row);
        if (after.isNull() != before.isNull()) return true;
        const ShownType type = column.declared.shown;
        if (!after.isNull() && textForm(after, type.type, type.modifier) != textForm(before, type.type, type.modifier))
            return true;
    }
    return false;
}

ConflictClause::Met ConflictClause::meet(const Ref<MemoryTable>& rows, const RowAccess::Conflicts& conflicts,
                                         const StepScope& outer, Context& context) const {
    Met met;
    std::vector<int32_t> proposedRows, oldRows;  // of pairs
    for (int32_t row = 0; row < static_cast<int32_t>(conflicts.of.size()); ++row) {
        const auto at = static_cast<size_t>(row);
        if (conflicts.of[at] < 0) continue;
        proposedRows.push_back(row);
        oldRows.push_back(conflicts.of[at]);
    }
    const auto count = static_cast<int64_t>(proposedRows.size());
    const MemoryTable& there = *conflicts.there.rows;
    std::vector<std::string> names;
    std::vector<Value> columns;
    for (size_t c = 0; c < target_->columns.size(); ++c) {
        const std::string& name = target_->columns[c].schema.name;
        names.insert(names.end(), {name, proposed(name)});
        columns.push_back(gatherElements(there.column(static_cast<int>(c)), oldRows.data(), count));
        columns.push_back(gatherElements(rows->column(static_cast<int>(c)), proposedRows.data(), count));
    }
    Ref<MemoryTable> computed;
    if (count > 0) {
        StepScope scope(&outer);
        scope.set(pairs_, Value::of(Ref<Table>(makeRef<MemoryTable>(std::move(names), std::move(columns)))));
        runSteps(steps_, scope, context);
        computed = Ref<MemoryTable>(scope.get(steps_.back().name).table().asMemory());
    }
    std::vector<AssignedColumn> writers;
    for (const Assigned& assigned : assigned_) writers.emplace_back(*target_, target_->columns[assigned.place]);
    enum : char { kUntouched, kUpdated, kMoved };  // kMoved: updated, and its key is another one now
    std::vector<char> states(static_cast<size_t>(there.rowCount()), kUntouched);
    std::vector<int32_t> order;  // in `written`: new rows by position, then updated ones behind all rows
    int32_t pair = 0;
    for (int32_t row = 0; row < static_cast<int32_t>(conflicts.of.size()); ++row) {
        const auto at = static_cast<size_t>(row);
        if (row == conflicts.refused) met.error = conflicts.error;
        const bool isFree = conflicts.of[at] >= 0 && states[static_cast<size_t>(conflicts.of[at])] == kMoved;
        if (conflicts.of[at] < 0 || isFree) {
            if (!met.error && !isFree && conflicts.earlier[at] != row) met.error = metTwice();
            if (met.error) break;
            pair += isFree ? 1 : 0;
            met.inserted.push_back(row);
            met.changesBefore.push_back(static_cast<int32_t>(met.update.positions.size()));
            order.push_back(row);
            continue;
        }
        const int32_t own = pair++;
        const auto old = static_cast<size_t>(conflicts.of[at]);
        if (!met.error && states[old] != kUntouched) met.error = metTwice();
        if (met.error) break;
        if (!condition_.empty()) {
            const Value isMet = computed->column(condition_)->at(own);
            if (isMet.isNull() || isMet.integer() == 0) continue;
        }
        states[old] = movesKey(*computed, own, there, conflicts.of[at]) ? kMoved : kUpdated;
        order.push_back(static_cast<int32_t>(rows->rowCount()) + static_cast<int32_t>(met.update.positions.size()));
        met.update.positions.push_back(conflicts.of[at]);
        for (size_t i = 0; i < assigned_.size(); ++i) writers[i].add(computed->column(assigned_[i].value)->at(own));
    }
    // The new values at the places of their rows.
    const auto updated = static_cast<int64_t>(met.update.positions.size());
    Ref<MemoryTable> after = there.gather(met.update.positions.data(), updated);
    for (size_t i = 0; i < assigned_.size(); ++i) {
        const auto place = static_cast<int>(assigned_[i].place);
        const Value values = writers[i].take();
        after->mutableColumns()[assigned_[i].place] = values;
        Value column = there.column(place);
        column.makeUnique();
        for (int64_t k = 0; k < updated; ++k)
            column.vector().set(met.update.positions[static_cast<size_t>(k)], values.at(k));
        met.update.columns.emplace_back(place, std::move(column));
    }
    const Ref<MemoryTable> all = rows->copy();
    all->append(*after);
    met.written = all->gather(order.data(), static_cast<int64_t>(order.size()));
    return met;
}

int64_t ConflictClause::store(const Ref<MemoryTable>& rows, const StepScope& scope, const TakeRows& before,
                              std::vector<int32_t>& kept, Context& context) const {
    if (!updates_) {
        if (before) before(rows);
        kept = storeNewRows({target_, rows}, key_, context);
        return static_cast<int64_t>(kept.size());
    }
    const Value opened = target_->open(context);
    PartitionedTable& table = *opened.table().asPartitioned();
    table.require(context.principal(), Right::Insert);
    table.require(context.principal(), Right::Update);
    table.require(context.principal(), Right::Read);  // new values are made of what is there
    auto& access = dynamic_cast<RowAccess&>(table);
    AuditedData audited(context, "SQL_INSERT", table, std::string_view(), AuditedChange::Durability::Unsynced);
    for (;;) {
        context.checkCancelled();
        StatementTransaction transaction(access);
        const RowAccess::Conflicts conflicts = access.findConflicts(*rows, key_, *transaction.get());
        const Met met = meet(rows, conflicts, scope, context);
        if (before && !met.error) before(met.written);
        const RowAccess::NewRows inserted{*rows, met.inserted, key_, met.changesBefore, met.error != nullptr};
        if (!access.insertAndChange(inserted, conflicts.there, met.update, *transaction.get())) continue;
        // The rows before it are fine: the error of that one is the first.
        if (met.error) std::rethrow_exception(met.error);
        transaction.commit();
        audited.done(fmt::format("insertedRows={}, updatedRows={}", met.inserted.size(), met.update.positions.size()));
        kept.resize(static_cast<size_t>(met.written->rowCount()));
        std::iota(kept.begin(), kept.end(), 0);
        return met.written->rowCount();
    }
}

}  // namespace pelorus::postgres
