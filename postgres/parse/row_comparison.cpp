#include "postgres/parse/row_comparison.h"

#include <string>
#include <string_view>

#include "postgres/parse/tree.h"
#include "postgres/sql_error.h"

namespace pelorus::postgres {

namespace {

using Json = nlohmann::json;

bool isRow(const Json& node) {
    return kindOf(node) == "RowExpr";
}

Json joined(std::string_view operation, Json parts) {
    if (parts.size() == 1 && operation != "NOT_EXPR") return parts[0];
    return {{"BoolExpr", {{"boolop", operation}, {"args", std::move(parts)}}}};
}

// Returns the comparison of two rows, value by value.
Json compared(const Json& left, const Json& right, const Json& name, std::string_view operation, int place) {
    const Json& own = bodyOf(left)["args"];
    const Json& other = bodyOf(right)["args"];
    if (!isRow(right)) throw SqlError(sql_state::kFeatureNotSupported, "a row compares with a row", place);
    if (own.size() != other.size())
        throw SqlError(sql_state::kSyntaxError, "unequal number of entries in row expressions", place);
    Json parts = Json::array();
    for (size_t i = 0; i < own.size(); ++i)
        parts.push_back(
            {{"A_Expr",
              {{"kind", "AEXPR_OP"}, {"name", name}, {"lexpr", own[i]}, {"rexpr", other[i]}, {"location", place}}}});
    return joined(operation, std::move(parts));
}

}  // namespace

std::optional<Json> comparedByValues(const Json& body) {
    const std::string kind = textOf(body, "kind");
    if (!body.contains("lexpr") || !isRow(body["lexpr"]) || (kind != "AEXPR_OP" && kind != "AEXPR_IN")) return {};
    const std::string name = wordOf(body["name"].back());
    const int place = placeOf(body);
    if (name != "=" && name != "<>")
        throw SqlError(sql_state::kFeatureNotSupported, "Rows compare by = and <> alone.", place);
    if (kind == "AEXPR_OP")
        return compared(body["lexpr"], body["rexpr"], body["name"], name == "=" ? "AND_EXPR" : "OR_EXPR", place);
    const Json equal = Json::array({{{"String", {{"sval", "="}}}}});
    Json rows = Json::array();
    for (const Json& item : bodyOf(body["rexpr"])["items"])
        rows.push_back(compared(body["lexpr"], item, equal, "AND_EXPR", place));
    Json any = joined("OR_EXPR", std::move(rows));
    return name == "=" ? any : joined("NOT_EXPR", Json::array({std::move(any)}));
}

}  // namespace pelorus::postgres
