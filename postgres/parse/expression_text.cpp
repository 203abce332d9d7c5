#include "postgres/parse/expression_text.h"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "postgres/parse/parsed_statement.h"
#include "postgres/parse/tree.h"
#include "postgres/sql_error.h"
#include "postgres/types/quoted_name.h"

namespace pelorus::postgres {

namespace {

using Json = nlohmann::json;

[[noreturn]] void refuse(std::string_view what, const Json& body) {
    throw SqlError(sql_state::kFeatureNotSupported,
                   fmt::format("{} in the definition of a table is not supported", what), placeOf(body));
}

std::string doubled(std::string_view text, char quote) {
    std::string result(1, quote);
    for (const char c : text) {
        if (c == quote) result += c;
        result += c;
    }
    return result + quote;
}

// A backslash needs the form that reads it as itself, whatever the settings of the session.
std::string stringText(const std::string& text) {
    if (text.find('\\') == std::string::npos) return doubled(text, '\'');
    std::string escaped;
    for (const char c : text) escaped += c == '\\' ? std::string("\\\\") : std::string(1, c);
    return " E" + doubled(escaped, '\'');
}

std::string qualifiedText(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ".") + (name == "*" ? name : quotedName(name));
    return text;
}

std::string textOfNode(const Json& node);

std::string listText(const Json& body, const char* member) {
    std::string text;
    if (!body.contains(member)) return text;
    for (const Json& item : body[member]) text += (text.empty() ? "" : ", ") + textOfNode(item);
    return text;
}

std::string constantText(const Json& body) {
    if (flagOf(body, "isnull")) return "NULL";
    if (body.contains("ival")) return std::to_string(numberOf(body["ival"], "ival"));
    if (body.contains("fval")) return textOf(body["fval"], "fval");
    if (body.contains("sval")) return stringText(textOf(body["sval"], "sval"));
    if (body.contains("boolval")) return flagOf(body["boolval"], "boolval") ? "true" : "false";
    refuse("a bit string", body);
}

// Every name is written with its schema as the parser gave it: `pg_catalog.int4`.
std::string typeText(const Json& typeName) {
    std::string text = qualifiedText(namesOf(typeName["names"]));
    const std::string modifiers = listText(typeName, "typmods");
    if (!modifiers.empty()) text += "(" + modifiers + ")";
    if (typeName.contains("arrayBounds"))
        for (size_t i = 0; i < typeName["arrayBounds"].size(); ++i) text += "[]";
    return text;
}

std::string operatorText(const Json& body) {
    const std::string kind = textOf(body, "kind");
    const std::string name = body.contains("name") ? wordOf(body["name"].back()) : "";
    const auto left = [&] { return textOfNode(body["lexpr"]); };
    const auto right = [&] { return textOfNode(body["rexpr"]); };
    if (kind == "AEXPR_OP") {
        if (!body.contains("lexpr")) return fmt::format("({} {})", name, right());
        return fmt::format("({} {} {})", left(), name, right());
    }
    if (kind == "AEXPR_OP_ANY") return fmt::format("({} {} ANY ({}))", left(), name, right());
    if (kind == "AEXPR_OP_ALL") return fmt::format("({} {} ALL ({}))", left(), name, right());
    if (kind == "AEXPR_DISTINCT") return fmt::format("({} IS DISTINCT FROM {})", left(), right());
    if (kind == "AEXPR_NOT_DISTINCT") return fmt::format("({} IS NOT DISTINCT FROM {})", left(), right());
    if (kind == "AEXPR_NULLIF") return fmt::format("NULLIF({}, {})", left(), right());
    if (kind == "AEXPR_IN")
        return fmt::format("({} {} ({}))", left(), name == "=" ? "IN" : "NOT IN",
                           listText(bodyOf(body["rexpr"]), "items"));
    const bool isNot = !name.empty() && name[0] == '!';
    if (kind == "AEXPR_LIKE" || kind == "AEXPR_ILIKE") {
        const char* const word = kind == "AEXPR_LIKE" ? "LIKE" : "ILIKE";
        std::string pattern, escape;
        const Json& call = bodyOf(body["rexpr"]);
        if (kindOf(body["rexpr"]) == "FuncCall" && wordOf(call["funcname"].back()) == "like_escape") {
            pattern = textOfNode(call["args"][0]);
            escape = " ESCAPE " + textOfNode(call["args"][1]);
        } else {
            pattern = right();
        }
        return fmt::format("({} {}{} {}{})", left(), isNot ? "NOT " : "", word, pattern, escape);
    }
    if (kind.find("BETWEEN") != std::string::npos) {
        const Json& bounds = bodyOf(body["rexpr"])["items"];
        return fmt::format("({} {}BETWEEN {}{} AND {})", left(), kind.starts_with("AEXPR_NOT") ? "NOT " : "",
                           kind.ends_with("_SYM") ? "SYMMETRIC " : "", textOfNode(bounds[0]), textOfNode(bounds[1]));
    }
    refuse("an operator of this kind", body);
}

std::string callText(const Json& body) {
    for (const char* clause : {"over", "agg_filter", "agg_order", "agg_within_group"})
        if (body.contains(clause)) refuse("an aggregate or window function", body);
    if (flagOf(body, "agg_star") || flagOf(body, "agg_distinct")) refuse("an aggregate function", body);
    return qualifiedText(namesOf(body["funcname"])) + "(" + listText(body, "args") + ")";
}

std::string caseText(const Json& body) {
    std::string text = "CASE";
    if (body.contains("arg")) text += " " + textOfNode(body["arg"]);
    for (const Json& item : body["args"]) {
        const Json& when = bodyOf(item);
        text += fmt::format(" WHEN {} THEN {}", textOfNode(when["expr"]), textOfNode(when["result"]));
    }
    if (body.contains("defresult")) text += " ELSE " + textOfNode(body["defresult"]);
    return text + " END";
}

std::string truthText(const Json& body) {
    const std::string operation = textOf(body, "boolop");
    if (operation == "NOT_EXPR") return "(NOT " + textOfNode(body["args"][0]) + ")";
    std::string text;
    for (const Json& item : body["args"])
        text += (text.empty() ? "" : operation == "AND_EXPR" ? " AND " : " OR ") + textOfNode(item);
    return "(" + text + ")";
}

// IS_NOT_TRUE is IS NOT TRUE.
std::string testText(const Json& body) {
    std::string test = textOf(body, "booltesttype");
    std::replace(test.begin(), test.end(), '_', ' ');
    return fmt::format("({} {})", textOfNode(body["arg"]), test);
}

std::string sessionText(const Json& body) {
    std::string op = textOf(body, "op").substr(std::string_view("SVFOP_").size());
    const bool hasPrecision = op.ends_with("_N");
    if (hasPrecision) op.erase(op.size() - 2);
    return hasPrecision ? fmt::format("{}({})", op, numberOf(body, "typmod")) : op;
}

std::string textOfNode(const Json& node) {
    const std::string_view kind = kindOf(node);
    const Json& body = bodyOf(node);
    if (kind == "A_Const") return constantText(body);
    if (kind == "ColumnRef") return qualifiedText(namesOf(body["fields"]));
    if (kind == "A_Expr") return operatorText(body);
    if (kind == "BoolExpr") return truthText(body);
    if (kind == "NullTest")
        return fmt::format("({} IS {}NULL)", textOfNode(body["arg"]),
                           textOf(body, "nulltesttype") == "IS_NULL" ? "" : "NOT ");
    if (kind == "BooleanTest") return testText(body);
    if (kind == "CaseExpr") return caseText(body);
    if (kind == "TypeCast") {
        // A sign before a cast belongs to the value.
        return fmt::format("({})::{}", textOfNode(body["arg"]), typeText(body["typeName"]));
    }
    if (kind == "FuncCall") return callText(body);
    if (kind == "CoalesceExpr") return "COALESCE(" + listText(body, "args") + ")";
    if (kind == "MinMaxExpr")
        return (textOf(body, "op") == "IS_LEAST" ? "LEAST(" : "GREATEST(") + listText(body, "args") + ")";
    if (kind == "SQLValueFunction") return sessionText(body);
    if (kind == "A_ArrayExpr") return "ARRAY[" + listText(body, "elements") + "]";
    if (kind == "NamedArgExpr") return quotedName(textOf(body, "name")) + " => " + textOfNode(body["arg"]);
    if (kind == "CollateClause")
        return fmt::format("({} COLLATE {})", textOfNode(body["arg"]), qualifiedText(namesOf(body["collname"])));
    if (kind == "SubLink") refuse("a sub-query", body);
    if (kind == "ParamRef") refuse("a parameter", body);
    refuse(kind, body);
}

// Calls `visit` for each node of the tree that is of the kind.
void visitKind(Json& node, std::string_view kind, const std::function<void(Json& body)>& visit) {
    if (!node.is_structured()) return;
    if (kindOf(node) == kind && node.begin()->is_object()) visit(*node.begin());
    for (Json& item : node) visitKind(item, kind, visit);
}

}  // namespace

std::string expressionText(const Json& expression) {
    return textOfNode(expression);
}

Json parseExpression(std::string_view text) {
    const auto statements = parseStatements("select " + std::string(text));
    const bool isOne = statements.size() == 1 && bodyOf(*statements[0]->tree).contains("targetList") &&
                       bodyOf(*statements[0]->tree)["targetList"].size() == 1;
    if (!isOne) throw SqlError(sql_state::kSyntaxError, fmt::format("\"{}\" is no expression", text));
    return bodyOf(bodyOf(*statements[0]->tree)["targetList"][0])["val"];
}

std::vector<std::string> columnsOf(const Json& expression) {
    std::vector<std::string> columns;
    Json copy = expression;
    visitKind(copy, "ColumnRef", [&](Json& body) {
        const std::string name = namesOf(body["fields"]).back();
        if (std::find(columns.begin(), columns.end(), name) == columns.end()) columns.push_back(name);
    });
    return columns;
}

void renameColumns(Json& expression, const std::vector<std::pair<std::string, std::string>>& names) {
    visitKind(expression, "ColumnRef", [&](Json& body) {
        Json last = body["fields"].back();
        if (kindOf(last) != "String") return;
        const std::string name = wordOf(last);
        for (const auto& [from, to] : names) {
            if (from != name) continue;
            last["String"]["sval"] = to;
            break;
        }
        body["fields"] = Json::array({std::move(last)});
    });
}

bool callsAny(const Json& expression, const std::vector<std::string_view>& functions) {
    bool calls = false;
    Json copy = expression;
    visitKind(copy, "FuncCall", [&](Json& body) {
        const std::string name = namesOf(body["funcname"]).back();
        calls |= std::find(functions.begin(), functions.end(), name) != functions.end();
    });
    return calls;
}

}  // namespace pelorus::postgres
