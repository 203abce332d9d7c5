// The clauses of insert, update and delete: SelectTranslator's part that translates cells and assignments.
#include <algorithm>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "postgres/parse/tree.h"
#include "postgres/sql_error.h"
#include "postgres/translate/select_translator.h"

namespace pelorus::postgres {

namespace {

// Returns whether a parameter of one type can be written to a column of the other as it is.
bool isDirect(Oid given, Oid wanted) {
    return given == wanted || (isNumberType(given) && isNumberType(wanted)) ||
           (isTextType(given) && isTextType(wanted));
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
    typed = assigned(std::move(typed), target, host);
    if (typed.constant) {
        cell.constant = *typed.constant;
        return cell;
    }
    cell.column = translation_.freshName("c");
    level().query->items.push_back({typed.code, {cell.column}, {}});
    return cell;
}

SelectTranslator::Cells SelectTranslator::translateCells(const Json& lists, std::span<const AssignmentTarget> targets) {
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
    plainPlace_ = nullptr;
    cells.step = levels_.back().name;
    const bool isComputed =
        std::any_of(cells.cells.begin(), cells.cells.end(), [](const Cell& cell) { return !cell.column.empty(); });
    if (!isComputed) cells.step.clear();
    if (isComputed) finishLevels();
    return cells;
}

Ref<Query> SelectTranslator::translateChange(const Json& statement, std::span<const AssignmentTarget> targets) {
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
    if (levels_.size() != 1 || !levels_[0].after.empty())
        throw SqlError(sql_state::kFeatureNotSupported,
                       "a sub-query of a change that reads columns of the changed row is not supported");
    return levels_[0].query;
}

}  // namespace pelorus::postgres
