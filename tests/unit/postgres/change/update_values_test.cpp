#include "postgres/change/update_values.h"

#include "postgres/parse/tree.h"
#include "tests/unit/postgres/changes.h"

using namespace pelorus;
using namespace pelorus::postgres;

namespace {

TargetTable target() {
    TargetTable table;
    table.name = "t";
    table.isRowTable = true;
    table.columns.push_back({{"a", Type::Int}, {{oid::kInt4}}});
    table.columns.push_back({{"b", Type::String}, {{oid::kText}}, "'x'"});
    table.columns.push_back({{"n", Type::Int}, {{oid::kInt4}}, "", TargetColumn::Identity::Always});
    return table;
}

// The columns that a statement sets with the kinds of their values, or its SQLSTATE.
std::string valuesOf(const std::string& assignments) {
    const TargetTable table = target();
    try {
        const auto statement = parseStatements("update t set " + assignments).at(0);
        std::string shown;
        for (const UpdateValue& value : updateValues(bodyOf(*statement->tree)["targetList"], table))
            shown += value.column->schema.name + " " + std::string(kindOf(value.expression)) + ";";
        return shown;
    } catch (const SqlError& error) {
        return error.state();
    }
}

}  // namespace

TEST_CASE("the assignments of an update are columns with values") {
    CHECK(valuesOf("a = 1, b = default") == "a A_Const;b A_Const;");
    CHECK(valuesOf("(a, b) = (a + 1, 'x')") == "a A_Expr;b A_Const;");
    CHECK(valuesOf("(a, b) = (select 1, 'x')") == "a SubLink;b SubLink;");
    CHECK(valuesOf("(a, b) = (select * from u)") == "a SubLink;b SubLink;");
    CHECK(valuesOf("n = default") == "n A_Const;");
}

TEST_CASE("assignments that PostgreSQL refuses are refused") {
    CHECK(valuesOf("a = 1, a = 2") == "42601");
    CHECK(valuesOf("(a, b) = (select 1)") == "42601");
    CHECK(valuesOf("(a, b) = (1, 2, 3)") == "42601");
    CHECK(valuesOf("n = 1") == "428C9");
    CHECK(valuesOf("c = 1") == "42703");
}

TEST_CASE("literals and parameters have the type of their column before they are computed with") {
    const TargetTable table = target();
    const auto kind = [&](size_t column, const nlohmann::json& value) {
        return std::string(kindOf(typedAs(table.columns[column], value)));
    };
    const nlohmann::json text = {{"A_Const", {{"sval", {{"sval", "1"}}}}}};
    const nlohmann::json parameter = {{"ParamRef", {{"number", 1}}}};
    CHECK(kind(0, text) == "TypeCast");
    CHECK(kind(1, text) == "A_Const");
    CHECK(kind(0, parameter) == "TypeCast");
    CHECK(kind(1, parameter) == "TypeCast");
}
