#include "postgres/change/update_values.h"

#include <algorithm>

#include <fmt/format.h>

#include "postgres/parse/expression_text.h"
#include "postgres/parse/tree.h"
#include "postgres/sql_error.h"

namespace pelorus::postgres {

using Json = nlohmann::json;

// Returns the value at a place of `(a, b) = (x, y)`, or the value itself.
static Json valueAt(const Json& given) {
    const Json& value = given["val"];
    if (kindOf(value) != "MultiAssignRef") return value;
    const Json& several = bodyOf(value);
    if (kindOf(several["source"]) != "RowExpr")
        throw SqlError(sql_state::kFeatureNotSupported, "columns that are set to a sub-query are not supported",
                       placeOf(given));
    const Json& items = bodyOf(several["source"])["args"];
    const auto at = static_cast<size_t>(numberOf(several, "colno")) - 1;
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

}  // namespace pelorus::postgres
