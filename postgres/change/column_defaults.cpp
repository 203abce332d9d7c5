#include "postgres/change/column_defaults.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/check.h"
#include "database/service/database_service.h"
#include "postgres/catalog/sequence_names.h"
#include "postgres/parse/expression_text.h"
#include "postgres/parse/sequence_literals.h"
#include "postgres/parse/tree.h"
#include "postgres/sql_error.h"
#include "storage/catalog/sequences.h"

namespace pelorus::postgres {

namespace {

using Json = nlohmann::json;

constexpr int64_t kRowsBetweenChecks = 65'536;

}  // namespace

ColumnDefaults::ColumnDefaults(std::shared_ptr<const TargetTable> table, std::span<const size_t> places,
                               Translation& translation)
    : table_(std::move(table)) {
    for (const size_t place : places) {
        const TargetColumn& column = table_->columns[place];
        if (!column.whenMissing.empty()) bound_.push_back(bind(*table_, column, translation));
    }
}

ColumnDefaults::Bound ColumnDefaults::bind(const TargetTable& table, const TargetColumn& column,
                                           Translation& translation) {
    Bound bound;
    bound.column = &column;
    const Json expression = parseExpression(column.whenMissing);
    if (const auto name = numberedBy(expression)) {
        const SequenceEntry sequence = findSequence(*name, translation.session().searchPath, translation.context());
        bound.database = sequence.database;
        bound.sequence = sequence.name;
        return bound;
    }
    SelectTranslator translator(translation, nullptr, bound.steps);
    const AssignmentTarget target{table.name, column.schema.name, column.declared};
    const Json lists = Json::array({{{"List", {{"items", Json::array({expression})}}}}});
    SelectTranslator::Cells cells = translator.translateCells(lists, std::span(&target, 1));
    bound.cell = std::move(cells.cells.at(0));
    bound.step = std::move(cells.step);
    bound.isVolatile = callsAny(expression, {"random", "gen_random_uuid", "clock_timestamp", "nextval", "setval"});
    return bound;
}

Value ColumnDefaults::compute(const Bound& bound, const StepScope& outer, Context& context) {
    if (bound.cell.column.empty()) return bound.cell.constant;
    StepScope scope(&outer);
    runSteps(bound.steps, scope, context);
    const Value* values = scope.get(bound.step).table().asMemory()->column(bound.cell.column);
    CHECK(values != nullptr) << "the step computes the cell";
    return values->at(0);
}

void ColumnDefaults::fill(AssignedColumn& column, int64_t count, const StepScope& scope, Context& context) const {
    const auto bound =
        std::find_if(bound_.begin(), bound_.end(), [&](const Bound& each) { return each.column == &column.column(); });
    if (bound == bound_.end()) return column.addNulls(count);
    if (!bound->sequence.empty()) {
        const std::vector<int64_t> numbers = context.service<DatabaseService>()->sequences().take(
            bound->database, bound->sequence, count, context.request->sessionId);
        for (const int64_t number : numbers) column.add(Value::ofLong(number));
        return;
    }
    Value value;
    for (int64_t row = 0; row < count; ++row) {
        if (row % kRowsBetweenChecks == 0) context.checkCancelled();
        if (row == 0 || bound->isVolatile) value = compute(*bound, scope, context);
        column.add(value);
    }
}

std::shared_ptr<const ColumnDefaults> defaultsBeside(const std::shared_ptr<const TargetTable>& table,
                                                     std::span<const size_t> given, const SessionFacts& session,
                                                     Context& context) {
    std::vector<size_t> missing;
    for (size_t place = 0; place < table->columns.size(); ++place)
        if (std::find(given.begin(), given.end(), place) == given.end()) missing.push_back(place);
    Translation translation(session, context, {});
    return std::make_shared<const ColumnDefaults>(table, missing, translation);
}

}  // namespace pelorus::postgres
