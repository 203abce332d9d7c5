#include "postgres/change/update_values.h"

#include <algorithm>

#include <fmt/format.h>

#include "postgres/parse/expression_text.h"
#include "postgres/parse/tree.h"
#include "postgres/sql_error.h"
#include "postgres/typing/typed.h"

namespace pelorus::postgres {

using Json = nlohmann::json;

// Returns the column of `set (a, b) = (select …)` at a place: a sub-query of one column, NULL where it has no row.
static Json columnOfQuery(const Json& several, size_t at, int place) {
    const auto count = static_cast<size_t>(numberOf(several, "ncolumns"));
    const Json& query = bodyOf(several["source"])["subselect"];
    const Json& select = bodyOf(query);
    const Json nothing = Json::array();
    const Json& targets = select.contains("targetList") ? select["targetList"] : nothing;
    const auto isStar = [](const Json& target) {
        const Json& value = bodyOf(target)["val"];
        return kindOf(value) == "ColumnRef" && kindOf(bodyOf(value)["fields"].back()) == "A_Star";
    };
    const bool isCounted = !targets.empty() && std::none_of(targets.begin(), targets.end(), isStar);
    if (isCounted && targets.size() != count)
        throw SqlError(sql_state::kSyntaxError, "number of columns does not match number of values", place);
    Json names = Json::array();
    for (size_t i = 0; i < count; ++i) names.push_back({{"String", {{"sval", fmt::format("c{}", i + 1)}}}});
    const Json column = {{"ColumnRef", {{"fields", Json::array({names[at]})}}}};
    const Json outer = {
        {"targetList", Json::array({{{"ResTarget", {{"val", column}}}}})},
        {"fromClause",
         Json::array(
             {{{"RangeSubselect", {{"subquery", query}, {"alias", {{"aliasname", "pgSet"}, {"colnames", names}}}}}}})},
        {"op", "SETOP_NONE"}};
    return {
        {"SubLink", {{"subLinkType", "EXPR_SUBLINK"}, {"subselect", {{"SelectStmt", outer}}}, {"location", place}}}};
}

// Returns the value at a place of `(a, b) = (x, y)`, or the value itself.
static Json valueAt(const Json& given) {
    const Json& value = given["val"];
    if (kindOf(value) != "MultiAssignRef") return value;
    const Json& several = bodyOf(value);
    const auto at = static_cast<size_t>(numberOf(several, "colno")) - 1;
    if (kindOf(several["source"]) == "SubLink" && at < static_cast<size_t>(numberOf(several, "ncolumns")))
        return columnOfQuery(several, at, placeOf(given));
    if (kindOf(several["source"]) != "RowExpr")
        throw SqlError(sql_state::kFeatureNotSupported,
                       "source for a multiple-column UPDATE item must be a sub-SELECT or ROW() expression",
                       placeOf(given));
    const Json& items = bodyOf(several["source"])["args"];
    if (items.size() != static_cast<size_t>(numberOf(several, "ncolumns")) || at >= items.size())
        throw SqlError(sql_state::kSyntaxError, "number of columns does not match number of values", placeOf(given));
    return items[at];
}

std::vector<UpdateValue> updateValues(const Json& targetList, const TargetTable& target) {
    std::vector<UpdateValue> values;
    for (const Json& item : targetList) {
        const Json& given = bodyOf(item);
        if (given.contains("indirection"))
            throw SqlError(sql_state::kFeatureNotSupported, "parts of columns are not assigned to", placeOf(given));
        const TargetColumn& column = target.column(textOf(given, "name"), placeOf(given));
        const auto isSame = [&](const UpdateValue& other) { return other.column == &column; };
        if (std::any_of(values.begin(), values.end(), isSame))
            throw SqlError(sql_state::kSyntaxError,
                           fmt::format("multiple assignments to same column \"{}\"", column.schema.name));
        Json value = valueAt(given);
        const bool isDefault = kindOf(value) == "SetToDefault";
        if (column.identity == TargetColumn::Identity::Always && !isDefault) {
            SqlError error("428C9", fmt::format("column \"{}\" can only be updated to DEFAULT", column.schema.name));
            error.setDetail(
                fmt::format("Column \"{}\" is an identity column defined as GENERATED ALWAYS.", column.schema.name));
            throw error;
        }
        if (isDefault && column.whenMissing.empty())
            value = {{"A_Const", {{"isnull", true}}}};
        else if (isDefault)
            value = parseExpression(column.whenMissing);
        values.push_back({&column, std::move(value)});
    }
    return values;
}

Json typedAs(const TargetColumn& column, Json value) {
    const Oid type = column.declared.shown.type;
    const bool isLiteral = kindOf(value) == "A_Const" && !isTextType(type) &&
                           (bodyOf(value).contains("sval") || flagOf(bodyOf(value), "isnull"));
    if (!isLiteral && kindOf(value) != "ParamRef") return value;
    const std::string name(oidFacts(isTextType(type) ? oid::kText : type)->name);
    const Json names = Json::array({{{"String", {{"sval", "pg_catalog"}}}}, {{"String", {{"sval", name}}}}});
    return {{"TypeCast", {{"arg", std::move(value)}, {"typeName", {{"names", names}}}}}};
}

}  // namespace pelorus::postgres
