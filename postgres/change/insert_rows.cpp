#include "postgres/change/insert_rows.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "common/check.h"
#include "postgres/change/assigned_column.h"
#include "postgres/change/column_defaults.h"
#include "postgres/functions/stored_text.h"
#include "postgres/parse/tree.h"
#include "postgres/sql_error.h"
#include "postgres/translate/select_translator.h"

namespace pelorus::postgres {

namespace {

using Json = nlohmann::json;
using Target = std::shared_ptr<const TargetTable>;
using Defaults = std::shared_ptr<const ColumnDefaults>;
using Identity = TargetColumn::Identity;

constexpr int64_t kRowsBetweenChecks = 65'536;

size_t placeOfColumn(const TargetTable& table, const TargetColumn& column) {
    return static_cast<size_t>(&column - table.columns.data());
}

// The columns that an insert names, in its order; all where it names none.
std::vector<size_t> namedColumns(const Json& body, const TargetTable& table) {
    std::vector<size_t> places;
    if (!body.contains("cols")) {
        for (size_t i = 0; i < table.columns.size(); ++i) places.push_back(i);
        return places;
    }
    for (const Json& item : body["cols"]) {
        const Json& target = bodyOf(item);
        if (target.contains("indirection"))
            throw SqlError(sql_state::kFeatureNotSupported, "parts of columns are not assigned to", placeOf(target));
        const size_t place = placeOfColumn(table, table.column(textOf(target, "name"), placeOf(target)));
        if (std::find(places.begin(), places.end(), place) != places.end())
            throw SqlError("42701", fmt::format("column \"{}\" specified more than once", textOf(target, "name")),
                           placeOf(target));
        places.push_back(place);
    }
    return places;
}

// Puts columns together to rows of the table: defaults where none was given.
Ref<MemoryTable> rowsOf(const TargetTable& table, const ColumnDefaults& defaults, std::vector<Value> given,
                        int64_t count, const StepScope& scope, Context& context) {
    std::vector<std::string> names;
    for (size_t i = 0; i < table.columns.size(); ++i) {
        names.push_back(table.columns[i].schema.name);
        if (!given[i].isVoid()) continue;
        if (table.columns[i].whenMissing.empty()) {
            const ColumnSchema& column = table.columns[i].schema;
            if (table.columns[i].declared.isRequired && count > 0) refuseNull(column.name, table.name);
            given[i] = filledColumn(column.type, column.scale, count);
            continue;
        }
        AssignedColumn writer(table, table.columns[i]);
        defaults.fill(writer, count, scope, context);
        given[i] = writer.take();
    }
    return makeRef<MemoryTable>(std::move(names), std::move(given));
}

// The rows of `insert … values`.
PreparedChange::MakeRows rowsOfCells(Target table, Defaults defaults, std::vector<size_t> places,
                                     SelectTranslator::Cells cells) {
    return [=](const StepScope& scope, Context& context) {
        const size_t count = cells.width == 0 ? 0 : cells.cells.size() / cells.width;
        std::vector<Value> columns(table->columns.size());
        Ref<MemoryTable> computed;
        if (!cells.step.empty()) computed = Ref<MemoryTable>(scope.get(cells.step).table().asMemory());
        // Not by a search for each name: there may be one for each cell.
        std::unordered_map<std::string_view, Value> computedCells;
        for (int c = 0; computed && c < computed->columnCount(); ++c)
            computedCells.emplace(computed->columns()[static_cast<size_t>(c)].name, computed->column(c));
        for (size_t i = 0; i < cells.width; ++i) {
            AssignedColumn writer(*table, table->columns[places[i]]);
            for (size_t row = 0; row < count; ++row) {
                if (row % kRowsBetweenChecks == 0) context.checkCancelled();
                const SelectTranslator::Cell& cell = cells.cells[row * cells.width + i];
                if (cell.isDefault) {
                    defaults->fill(writer, 1, scope, context);
                } else if (cell.parameter != 0) {
                    writer.add(scope.get(parameterName(cell.parameter)));
                } else if (cell.column.empty()) {
                    writer.add(cell.constant);
                } else {
                    const auto column = computedCells.find(cell.column);
                    CHECK(column != computedCells.end()) << "the step computes the cell";
                    writer.add(column->second.at(0));
                }
            }
            columns[places[i]] = writer.take();
        }
        return rowsOf(*table, *defaults, std::move(columns), static_cast<int64_t>(count), scope, context);
    };
}

// The rows of `insert … select`: those of a step, whose columns have these names.
PreparedChange::MakeRows rowsOfStep(Target table, Defaults defaults, std::vector<size_t> places, std::string step,
                                    std::vector<std::string> names) {
    return [=](const StepScope& scope, Context& context) {
        const Value value = scope.get(step);
        const MemoryTable& rows = *value.table().asMemory();
        std::vector<Value> columns(table->columns.size());
        for (size_t i = 0; i < names.size(); ++i) {
            context.checkCancelled();
            AssignedColumn writer(*table, table->columns[places[i]]);
            writer.addAll(*rows.column(names[i]));
            columns[places[i]] = writer.take();
        }
        return rowsOf(*table, *defaults, std::move(columns), rows.rowCount(), scope, context);
    };
}

// Makes the defaults of the columns that the insert does not name, and of those for which DEFAULT is written.
Defaults defaultsOf(const Target& table, const std::vector<size_t>& places, const SelectTranslator::Cells& cells,
                    Translation& translation) {
    std::vector<size_t> wanted;
    for (size_t place = 0; place < table->columns.size(); ++place) {
        const auto named = std::find(places.begin(), places.end(), place) - places.begin();
        const auto column = static_cast<size_t>(named);
        bool isWanted = column >= places.size();
        for (size_t i = column; !isWanted && i < cells.cells.size(); i += cells.width)
            isWanted = cells.cells[i].isDefault;
        if (isWanted) wanted.push_back(place);
    }
    return std::make_shared<const ColumnDefaults>(table, wanted, translation);
}

// What `overriding … value` says of the values that are given for an identity column.
enum class Overriding { None, System, User };

Overriding overridingOf(const Json& body) {
    const std::string word = textOf(body, "override");
    return word == "OVERRIDING_SYSTEM_VALUE" ? Overriding::System
           : word == "OVERRIDING_USER_VALUE" ? Overriding::User
                                             : Overriding::None;
}

void refuseIdentity(const TargetColumn& column) {
    SqlError error("428C9", fmt::format("cannot insert a non-DEFAULT value into column \"{}\"", column.schema.name), -1,
                   "Use OVERRIDING SYSTEM VALUE to override.");
    error.setDetail(
        fmt::format("Column \"{}\" is an identity column defined as GENERATED ALWAYS.", column.schema.name));
    throw error;
}

// Applies the rules of identity columns to the values that are given.
void applyIdentity(const TargetTable& table, const std::vector<size_t>& places, Overriding overriding,
                   SelectTranslator::Cells& cells) {
    for (size_t i = 0; i < cells.cells.size(); ++i) {
        const TargetColumn& column = table.columns[places[i % cells.width]];
        if (column.identity == Identity::None || cells.cells[i].isDefault) continue;
        if (overriding == Overriding::User) {
            cells.cells[i] = {};
            cells.cells[i].isDefault = true;
        } else if (column.identity == Identity::Always && overriding == Overriding::None) {
            refuseIdentity(column);
        }
    }
}

}  // namespace

void bindRows(const Json& body, const LiteralRows* rows, Translation& translation, PreparedChange::Parts& parts) {
    const Target& target = parts.target;
    std::vector<size_t> places = namedColumns(body, *target);
    std::vector<AssignmentTarget> assignments;
    for (const size_t place : places) {
        const TargetColumn& column = target->columns[place];
        assignments.push_back({target->name, column.schema.name, column.declared});
    }
    if (!body.contains("selectStmt")) {
        const Defaults defaults = defaultsOf(target, {}, {}, translation);
        parts.makeRows = [target, defaults](const StepScope& scope, Context& context) {
            return rowsOf(*target, *defaults, std::vector<Value>(target->columns.size()), 1, scope, context);
        };
        return;
    }
    const Json& select = bodyOf(body["selectStmt"]);
    const auto requireAll = [&](size_t given) {
        if (given < places.size() && body.contains("cols"))
            throw SqlError(sql_state::kSyntaxError, "INSERT has more target columns than expressions",
                           placeOf(bodyOf(body["cols"][given])));
    };
    const Overriding overriding = overridingOf(body);
    SelectTranslator translator(translation, nullptr, parts.steps);
    const bool isPlainValues = select.contains("valuesLists") && !select.contains("sortClause") &&
                               !select.contains("limitCount") && !select.contains("limitOffset") &&
                               !select.contains("withClause");
    if (isPlainValues) {
        SelectTranslator::Cells cells = translator.translateCells(select["valuesLists"], assignments, rows);
        requireAll(cells.width);
        places.resize(cells.width);
        applyIdentity(*target, places, overriding, cells);
        const Defaults defaults = defaultsOf(target, places, cells, translation);
        parts.makeRows = rowsOfCells(target, defaults, places, std::move(cells));
        return;
    }
    const Selected selected = translator.translate(select);
    if (selected.columns.size() > places.size())
        throw SqlError(sql_state::kSyntaxError, "INSERT has more expressions than target columns");
    requireAll(selected.columns.size());
    Ref<Query> converted = makeRef<Query>(SourcePosition());
    converted->table = nameNode(selected.step);
    std::vector<std::string> names;
    std::vector<size_t> given;
    for (size_t i = 0; i < selected.columns.size(); ++i) {
        const TargetColumn& column = target->columns[places[i]];
        if (column.identity != Identity::None && overriding == Overriding::User) continue;
        if (column.identity == Identity::Always && overriding == Overriding::None) refuseIdentity(column);
        const Typed value = assigned(selected.columns[i].value, assignments[i], translation.host());
        names.push_back(translation.freshName("c"));
        given.push_back(places[i]);
        converted->items.push_back({value.code, {names.back()}, {}});
    }
    if (names.empty())
        throw SqlError(sql_state::kFeatureNotSupported, "an insert whose select gives no value that is taken");
    const std::string step = translation.freshName("pgInserted");
    parts.steps.push_back({step, converted, {}, {}});
    const Defaults defaults = defaultsOf(target, given, {}, translation);
    parts.makeRows = rowsOfStep(target, defaults, given, step, std::move(names));
}

}  // namespace pelorus::postgres
