// Sources of the from clause that read columns of those before them: SelectTranslator's part that computes them for
// each row.
#include <algorithm>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "postgres/parse/tree.h"
#include "postgres/sql_error.h"
#include "postgres/steps/row_steps.h"
#include "postgres/translate/select_translator.h"

namespace pelorus::postgres {

namespace {

// Returns whether the only condition is the constant true.
bool isAlways(const std::vector<const nlohmann::json*>& on) {
    if (on.empty()) return true;
    if (on.size() > 1 || kindOf(*on[0]) != "A_Const") return false;
    const auto& body = bodyOf(*on[0]);
    return body.contains("boolval") && flagOf(body["boolval"], "boolval");
}

}  // namespace

std::string SelectTranslator::rowInput(const Typed& value, Level& below, int place) {
    const Typed given = exportedOnce(value, below, place);
    if (given.code->kind == NodeKind::Member) return static_cast<const Member&>(*given.code).name;
    return "=" + static_cast<const Name&>(*given.code).name;
}

// The condition of a left join decides which rows of the source there are, not which rows of the result.
void SelectTranslator::filterLateral(Source& source, const std::vector<const Json*>& on) {
    SelectTranslator filter(translation_, this, source.steps);
    filter.pushLevel();
    filter.level().query->table = nameNode(source.table);
    filter.level().query->tableAlias = source.table;
    filter.ranges_ = {source.entry};
    filter.plainPlace_ = "JOIN conditions";
    for (const Json* node : on) {
        filter.prepareSubqueries(*node);
        NodeRef code = filter.condition(*node, true);
        filter.level().query->where.push_back(std::move(code));
    }
    for (RangeColumn& column : source.entry.columns) {
        column.value = filter.exported(column.value, 0, filter.at_, -1);
        column.value = filter.exportedOnce(column.value, filter.level(), -1);
    }
    source.table = filter.level().name;
    filter.finishLevels();
    source.reads.insert(source.reads.end(), filter.outerColumns_.begin(), filter.outerColumns_.end());
}

void SelectTranslator::joinLateral(Source source, JoinSide side, const std::vector<const Json*>& on,
                                   std::vector<const Json*>& where) {
    const int place = source.reads.empty() ? -1 : source.reads[0].value.place;
    if (side == JoinSide::Right || side == JoinSide::Full)
        throw SqlError(sql_state::kInvalidColumnReference,
                       "the combining JOIN type must be INNER or LEFT for a LATERAL reference", place);
    if (levels_.size() != 1)
        throw SqlError(
            sql_state::kFeatureNotSupported,
            "LATERAL, or a left join without an equality of two columns, behind a condition with a sub-query is not "
            "supported.",
            place);
    if (!isNameFree(source.entry))
        throw SqlError(sql_state::kDuplicateAlias,
                       fmt::format("table name \"{}\" specified more than once", source.entry.name));
    const bool isLeft = side == JoinSide::Left;
    if (isLeft && !isAlways(on)) filterLateral(source, on);
    if (!isLeft) where.insert(where.begin(), on.begin(), on.end());

    std::vector<RowInput> inputs;
    for (const OuterColumn& read : source.reads)
        inputs.push_back({read.name, rowInput(read.value, levels_[0], read.value.place)});
    settleJoins();
    const std::string rows = static_cast<const Name&>(*level().query->table).name;
    std::vector<std::pair<std::string, std::string>> columns;  // of the source, and as which the result has them
    for (RangeColumn& column : source.entry.columns) {
        columns.emplace_back(static_cast<const Member&>(*column.value.code).name, translation_.freshName("c"));
        column.value.code = columnNode(rows, columns.back().second);
        column.value.constant.reset();
        column.value.isNullable = true;
    }
    const std::string step = translation_.freshName("pgLateral");
    steps_.push_back(
        {step,
         {},
         [steps = std::move(source.steps), inputs = std::move(inputs), rows, columns, table = source.table, isLeft](
             const StepScope& scope, Context& context) {
             return joinedWithRows(steps, inputs, scope.get(rows), {table, columns, isLeft}, scope, context);
         },
         "rows for each row"});
    level().query->table = nameNode(step);
    ranges_.push_back(std::move(source.entry));
}

}  // namespace pelorus::postgres
