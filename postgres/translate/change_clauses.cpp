// The clauses of insert, update and delete, and `for update` of select, which locks rows before it returns them:
// SelectTranslator's part.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include <fmt/format.h>

#include "postgres/parse/literal_rows.h"
#include "postgres/parse/tree.h"
#include "postgres/sql_error.h"
#include "postgres/steps/picked_rows.h"
#include "postgres/translate/select_translator.h"
#include "postgres/typing/literals.h"
#include "runtime/code/expression.h"
#include "runtime/code/rewrite.h"
#include "sql/change/bound_change.h"
#include "sql/change/row_locks.h"

namespace pelorus::postgres {

namespace {

using Json = nlohmann::json;

// Returns whether a parameter of one type can be written to a column of the other as it is.
bool isDirect(Oid given, Oid wanted) {
    return given == wanted || (isNumberType(given) && isNumberType(wanted)) ||
           (isTextType(given) && isTextType(wanted));
}

RowLockStrength strengthOf(const std::string& word) {
    if (word == "LCS_FORKEYSHARE") return RowLockStrength::KeyShare;
    if (word == "LCS_FORSHARE") return RowLockStrength::Share;
    if (word == "LCS_FORNOKEYUPDATE") return RowLockStrength::NoKeyUpdate;
    return RowLockStrength::Update;
}

const char* wordsOf(RowLockStrength strength) {
    switch (strength) {
        case RowLockStrength::KeyShare:
            return "FOR KEY SHARE";
        case RowLockStrength::Share:
            return "FOR SHARE";
        case RowLockStrength::NoKeyUpdate:
            return "FOR NO KEY UPDATE";
        case RowLockStrength::Update:
            break;
    }
    return "FOR UPDATE";
}

// Returns what the clauses together ask for: the strongest, and the most impatient.
RowLock lockOf(const Json& clauses) {
    RowLock lock{.strength = RowLockStrength::KeyShare, .policy = RowLockPolicy::Wait};
    for (const Json& item : clauses) {
        const Json& clause = bodyOf(item);
        lock.strength = std::max(lock.strength, strengthOf(textOf(clause, "strength")));
        const std::string policy = textOf(clause, "waitPolicy");
        if (policy == "LockWaitError") lock.policy = RowLockPolicy::Refuse;
        if (policy == "LockWaitSkip" && lock.policy == RowLockPolicy::Wait) lock.policy = RowLockPolicy::Skip;
    }
    return lock;
}

PickedRows::Columns columnsOf(const MemoryTable& rows) {
    return [&rows](const std::string& name) { return *rows.column(name); };
}

// Returns the number that a limit has in this run; the most where there is none.
int64_t numberIn(const NodeRef& node, const StepScope& scope, int64_t otherwise) {
    if (!node) return otherwise;
    Value value;
    if (node->kind == NodeKind::Constant) {
        value = static_cast<const Constant&>(*node).value;
    } else if (node->kind != NodeKind::Name || !scope.lookup(static_cast<const Name&>(*node).name, value)) {
        return otherwise;
    }
    return value.isScalar() && !value.isNull() ? value.asLong() : otherwise;
}

// Returns how many rows are locked at most: those before the first one that is returned, too.
int64_t limitOf(const Query& query, const StepScope& scope) {
    const int64_t limit = numberIn(query.limit, scope, INT64_MAX);
    const int64_t offset = numberIn(query.offset, scope, query.offset ? INT64_MAX : 0);
    return limit > INT64_MAX - offset ? INT64_MAX : limit + offset;
}

}  // namespace

SelectTranslator::Cell SelectTranslator::cellOf(const Json& node, const AssignmentTarget& target) {
    Cell cell;
    cell.isDefault = kindOf(node) == "SetToDefault";
    if (cell.isDefault) return cell;
    const ConversionHost& host = translation_.host();
    prepareSubqueries(node);
    Typed typed = value(node);
    if (kindOf(node) == "ParamRef") {
        const Oid wanted = target.declared.shown.type;
        const bool isOpen = typed.parameter != 0;
        if (isOpen) host.decideParameter(typed.parameter, wanted);
        if (isOpen || isDirect(typed.type, wanted)) {
            cell.parameter = static_cast<int>(numberOf(bodyOf(node), "number"));
            return cell;
        }
    }
    return assignedCell(std::move(typed), target);
}

SelectTranslator::Cell SelectTranslator::cellOf(const RowLiteral& literal, const AssignmentTarget& target) {
    if (literal.kind != RowLiteral::Kind::Default) return assignedCell(typedLiteral(literal), target);
    Cell cell;
    cell.isDefault = true;
    return cell;
}

SelectTranslator::Cell SelectTranslator::assignedCell(Typed typed, const AssignmentTarget& target) {
    Cell cell;
    typed = assigned(std::move(typed), target, translation_.host());
    if (typed.constant) {
        cell.constant = *typed.constant;
        return cell;
    }
    cell.column = translation_.freshName("c");
    level().query->items.push_back({typed.code, {cell.column}, {}});
    return cell;
}

SelectTranslator::Cells SelectTranslator::translateCells(const Json& lists, std::span<const AssignmentTarget> targets,
                                                         const LiteralRows* rows) {
    pushLevel();
    level().query->table = nameNode(kOneRowName);
    plainPlace_ = "VALUES";
    Cells cells;
    for (const Json& list : lists) {
        const Json& items = bodyOf(list)["items"];
        if (cells.width == 0) cells.width = items.size();
        if (items.size() != cells.width)
            throw SqlError(sql_state::kSyntaxError, "VALUES lists must all be the same length");
        if (items.size() > targets.size())
            throw SqlError(sql_state::kSyntaxError, "INSERT has more expressions than target columns",
                           placeOf(bodyOf(items[targets.size()])));
        for (size_t i = 0; i < items.size(); ++i) cells.cells.push_back(cellOf(items[i], targets[i]));
    }
    if (rows != nullptr) {
        if (rows->width != cells.width)
            throw SqlError(sql_state::kSyntaxError, "VALUES lists must all be the same length");
        cells.cells.reserve(cells.cells.size() + rows->cells.size());
        for (size_t i = 0; i < rows->cells.size(); ++i)
            cells.cells.push_back(cellOf(rows->cells[i], targets[i % rows->width]));
    }
    plainPlace_ = nullptr;
    cells.step = levels_.back().name;
    const bool isComputed =
        std::any_of(cells.cells.begin(), cells.cells.end(), [](const Cell& cell) { return !cell.column.empty(); });
    if (!isComputed) cells.step.clear();
    if (isComputed) finishLevels();
    return cells;
}

Ref<Query> SelectTranslator::translateChange(const Json& statement, std::span<const AssignmentTarget> targets) {
    if (statement.contains("withClause")) translateWith(statement["withClause"]);
    pushLevel();
    std::vector<const Json*> conditions;
    if (statement.contains("whereClause")) conditions = conjuncts(statement["whereClause"]);
    const Json relation = {{"RangeVar", statement["relation"]}};
    joinSource(anySource(relation), JoinSide::Inner, {}, conditions);
    plainPlace_ = "WHERE";
    for (const Json* item : conditions) {
        prepareSubqueries(*item);
        NodeRef code = condition(*item, true);
        level().query->where.push_back(std::move(code));
    }
    plainPlace_ = "UPDATE";
    for (size_t i = 0; i < targets.size(); ++i) {
        const Json& node = bodyOf(statement["targetList"][i])["val"];
        Typed typed = typedNull();
        if (kindOf(node) != "SetToDefault") {
            prepareSubqueries(node);
            typed = value(node);
        }
        typed = assigned(std::move(typed), targets[i], translation_.host());
        level().query->items.push_back({storedCode(typed, targets[i]), {targets[i].column}, {}});
    }
    plainPlace_ = nullptr;
    return levels_.size() == 1 && levels_[0].after.empty() ? levels_[0].query : Ref<Query>();
}

Selected SelectTranslator::translateLocking(const Json& select) {
    const RowLock lock = lockOf(select["lockingClause"]);
    const auto refuse = [&](const char* with) {
        throw SqlError(sql_state::kFeatureNotSupported,
                       fmt::format("{} is not allowed with {}", wordsOf(lock.strength), with));
    };
    const std::string operation = textOf(select, "op");
    if (!operation.empty() && operation != "SETOP_NONE") refuse("UNION/INTERSECT/EXCEPT");
    if (select.contains("valuesLists")) refuse("VALUES");
    if (select.contains("distinctClause")) refuse("DISTINCT clause");
    if (select.contains("groupClause")) refuse("GROUP BY clause");
    if (select.contains("havingClause")) refuse("HAVING clause");
    const Json nothing = Json::array();
    const Json& targets = select.contains("targetList") ? select["targetList"] : nothing;
    if (hasAggregates(targets)) refuse("aggregate functions");
    if (hasWindows(targets)) refuse("window functions");
    if (!select.contains("fromClause")) return translateSelect(select);  // there is nothing to lock
    const Json& from = select["fromClause"];
    if (from.size() != 1 || kindOf(from[0]) != "RangeVar") {
        throw SqlError(sql_state::kFeatureNotSupported,
                       fmt::format("{} of a join or sub-query is not supported", wordsOf(lock.strength)), -1,
                       "Lock the rows of one row table at a time.");
    }
    const Json& relation = bodyOf(from[0]);
    const std::string schema = textOf(relation, "schemaname"), name = textOf(relation, "relname");
    const bool isCommon = schema.empty() && findCommonTable(name) != nullptr;
    if (isCommon || !translation_.findTable(schema, name, placeOf(relation)).isRowTable) {
        throw SqlError(sql_state::kFeatureNotSupported,
                       "Rows of these tables are not locked: leave FOR UPDATE and FOR SHARE out.");
    }
    Selected selected = translateSelect(select);
    if (levels_.size() != 1 || !levels_[0].after.empty()) {
        throw SqlError(sql_state::kFeatureNotSupported,
                       fmt::format("{} with a sub-query that reads columns of the locked row is not supported",
                                   wordsOf(lock.strength)));
    }
    translation_.noteLocks();
    PlanStep last = std::move(steps_.back());
    steps_.pop_back();
    const Ref<Query> query = last.query;
    const std::string table = static_cast<const Name&>(*query->table).name;
    const std::string locked = translation_.freshName("pgLocked");
    const std::shared_ptr<const KeptChange> condition = keptCondition(*query);
    const std::shared_ptr<const PickedRows> picked = PickedRows::of(*query, table);
    steps_.push_back({locked,
                      {},
                      [query, table, lock, condition, picked](const StepScope& scope, Context& context) {
                          Transaction* const transaction = TransactionScope::current();
                          if (transaction == nullptr)
                              throw SqlError(sql_state::kFeatureNotSupported, "rows are not locked by this statement");
                          RowLock wanted = lock;
                          wanted.limit = limitOf(*query, scope);
                          wanted.condition = condition.get();
                          if (picked && picked->isOrdered())
                              wanted.order = [&](const MemoryTable& rows) {
                                  return picked->order(columnsOf(rows), rows.rowCount());
                              };
                          return Value::of(
                              Ref<Table>(lockMatchingRows(*query, scope.get(table), wanted, *transaction, context)));
                      },
                      fmt::format("{} {}", wordsOf(lock.strength), name)});
    // Rows that were locked satisfy the condition.
    last.query = copyQuery(*query);
    last.query->where.clear();
    last.query->table = nameNode(locked);
    if (last.query->tableAlias.empty()) last.query->tableAlias = table;
    if (picked) last.picks = {locked, picked};
    steps_.push_back(std::move(last));
    return selected;
}

}  // namespace pelorus::postgres
