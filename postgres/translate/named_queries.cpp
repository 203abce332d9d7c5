// Queries that are read under a name: SelectTranslator's part that translates those of WITH RECURSIVE, which read their
// own rows, and views.
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "database/service/database_service.h"
#include "postgres/catalog/table_names.h"
#include "postgres/parse/tree.h"
#include "postgres/sql_error.h"
#include "postgres/steps/recursive_rows.h"
#include "postgres/translate/function_calls.h"
#include "postgres/translate/select_translator.h"

namespace pelorus::postgres {

namespace {

using Json = nlohmann::json;

[[noreturn]] void refuseRecursion(const std::string& name, std::string_view why, int place) {
    throw SqlError("42P19", fmt::format("recursive query \"{}\" {}", name, why), place);
}

// Throws unless the query is the union of one that begins and one that goes on, as the standard wants it.
void requireRecursion(const Json& table, const std::string& name) {
    const Json& query = bodyOf(table["ctequery"]);
    const int place = placeOf(table);
    if (textOf(query, "op") != "SETOP_UNION")
        refuseRecursion(name, "does not have the form non-recursive-term UNION [ALL] recursive-term", place);
    for (const char* member : {"sortClause", "limitCount", "limitOffset", "withClause"})
        if (query.contains(member))
            throw SqlError(sql_state::kFeatureNotSupported,
                           "ORDER BY, LIMIT and WITH cannot stand in a recursive query", place);
    if (table.contains("search_clause") || table.contains("cycle_clause"))
        throw SqlError(sql_state::kFeatureNotSupported, "SEARCH and CYCLE are not supported.", place);
}

// Throws StaleStatement where the view is another one by now.
void requireUnchanged(const ViewEntry& view, Context& context) {
    auto* service = context.service<DatabaseService>();
    const auto now = service == nullptr ? std::nullopt : service->views().find(view.database, view.name);
    if (!now || now->revision != view.revision) throw StaleStatement();
}

}  // namespace

Selected SelectTranslator::translateRecursive(const Json& table) {
    const std::string name = textOf(table, "ctename");
    requireRecursion(table, name);
    const Json& query = bodyOf(table["ctequery"]);
    const int place = placeOf(table);
    const auto requireOwn = [place](const SelectTranslator& part) {
        if (!part.outerColumns_.empty())
            throw SqlError(sql_state::kFeatureNotSupported,
                           "A query of WITH that reads columns of the query around it is not supported.", place);
    };
    SelectTranslator first(translation_, this, steps_);
    first.commonTables_ = commonTables_;
    const Selected base = first.translate(query["larg"]);
    requireOwn(first);
    Selected rows = stacked({base}, "UNION");
    std::vector<std::string> names;
    if (table.contains("aliascolnames")) names = namesOf(table["aliascolnames"]);
    for (size_t i = 0; i < names.size() && i < rows.columns.size(); ++i) rows.columns[i].name = names[i];

    RecursiveRows recursion{rows.step, translation_.freshName("pgWorking"), {}, flagOf(query, "all"), {}};
    SelectTranslator again(translation_, this, recursion.steps);
    again.commonTables_ = commonTables_;
    again.commonTables_.emplace_back(name, Selected{recursion.working, rows.columns});
    if (query["rarg"].contains("targetList") && again.hasAggregates(query["rarg"]["targetList"]))
        throw SqlError("42P19", "aggregate functions are not allowed in a recursive query's recursive term", place);
    const Selected next = again.translate(query["rarg"]);
    requireOwn(again);
    if (next.columns.size() != rows.columns.size())
        throw SqlError(sql_state::kSyntaxError, "each UNION query must have the same number of columns", place);
    Ref<Query> converted = makeRef<Query>(SourcePosition());
    converted->table = nameNode(next.step);
    for (size_t i = 0; i < next.columns.size(); ++i) {
        const Typed& own = rows.columns[i].value;
        std::vector<Typed> both = {own, next.columns[i].value};
        convertAll(both, "UNION", place, translation_.host());
        if (both[0].type != own.type || both[0].kept != own.kept || both[0].scale != own.scale)
            throw SqlError(
                sql_state::kDatatypeMismatch,
                fmt::format("recursive query \"{}\" column {} has type {} in non-recursive term but type {} overall",
                            name, i + 1, displayOf(own), displayOf(both[0])),
                place, "Cast the output of the non-recursive term to the correct type.");
        converted->items.push_back({both[1].code, {static_cast<const Name&>(*own.code).name}, {}});
    }
    recursion.next = translation_.freshName("pgNext");
    recursion.steps.push_back({recursion.next, converted, {}, {}});
    rows.step = translation_.freshName("pgRecursive");
    steps_.push_back({rows.step,
                      {},
                      [recursion = std::move(recursion)](const StepScope& scope, Context& context) {
                          return recursiveRows(recursion, scope, context);
                      },
                      "rows of a recursion"});
    return rows;
}

SelectTranslator::Source SelectTranslator::viewSource(const ViewEntry& view) {
    const Translation::Depth depth(translation_);
    // Who runs the statement later must find the same view, by whatever search path.
    translation_.noteSession();
    translation_.noteRead({schemaOfDatabase(view.database), view.name});
    steps_.push_back({translation_.freshName("pgView"),
                      {},
                      [view](const StepScope&, Context& context) {
                          requireUnchanged(view, context);
                          return Value();
                      },
                      "the view " + view.name});
    const Translation::WithinView within(translation_, view);
    std::vector<PlanStep> steps;
    SelectTranslator inner(translation_, nullptr, steps);
    const Selected selected = inner.translate(bodyOf(within.query()));
    Source source{rangeOfSelected(selected, view.name), selected.step};
    source.entry.schema = schemaOfDatabase(view.database);
    std::vector<RangeColumn>& columns = source.entry.columns;
    for (size_t i = 0; i < view.columns.size(); ++i) {
        const ViewedColumn& column = view.columns[i];
        if (i >= columns.size() || columns[i].name != column.written)
            throw SqlError("55000",
                           fmt::format("the columns of the tables that view \"{}\" reads are others now", view.name),
                           -1, "Make the view anew, with CREATE OR REPLACE VIEW or after DROP VIEW.");
        columns[i].name = column.name;
    }
    // A star means more than it did: the view has the columns that it was made with.
    columns.resize(view.columns.size());
    std::move(steps.begin(), steps.end(), std::back_inserter(steps_));
    return source;
}

}  // namespace pelorus::postgres
