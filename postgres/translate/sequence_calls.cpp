// nextval and the like: SelectTranslator's part that translates them.
#include "postgres/translate/sequence_calls.h"

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "postgres/functions/conversions.h"
#include "postgres/parse/tree.h"
#include "postgres/sql_error.h"
#include "postgres/translate/select_translator.h"

namespace pelorus::postgres {

bool isSequenceFunction(std::string_view name) {
    return name == "nextval" || name == "currval" || name == "lastval" || name == "setval";
}

std::optional<std::string> sequenceLiteral(const nlohmann::json& expression) {
    const nlohmann::json* node = &expression;
    if (kindOf(*node) == "TypeCast") {
        const std::string type = namesOf(bodyOf(*node)["typeName"]["names"]).back();
        if (type != "regclass" && type != "text") return {};
        node = &bodyOf(*node)["arg"];
        if (kindOf(*node) == "TypeCast") return sequenceLiteral(*node);
    }
    if (kindOf(*node) != "A_Const" || !bodyOf(*node).contains("sval")) return {};
    return textOf(bodyOf(*node)["sval"], "sval");
}

std::optional<std::string> numberedBy(const nlohmann::json& expression) {
    const nlohmann::json* node = &expression;
    if (kindOf(*node) == "TypeCast") node = &bodyOf(*node)["arg"];
    const nlohmann::json& body = bodyOf(*node);
    const bool isCall = kindOf(*node) == "FuncCall" && namesOf(body["funcname"]).back() == "nextval" &&
                        body.contains("args") && body["args"].size() == 1;
    return isCall ? sequenceLiteral(body["args"][0]) : std::nullopt;
}

// Calls get a column of the rows, which says how many there are: each row has a number of its own. The column also
// keeps the engine from computing a call while it plans.
Typed SelectTranslator::sequenceValue(const std::string& name, const Json& arguments, int place) {
    translation_.noteSession();
    const size_t wanted = name == "lastval" ? 0 : name == "setval" ? 2 : 1;
    const bool isLongSetval = name == "setval" && arguments.size() == 3;
    if (arguments.size() != wanted && !isLongSetval)
        throw SqlError(sql_state::kUndefinedFunction,
                       fmt::format("function {} with {} arguments does not exist", name, arguments.size()), place);
    if (at_ != 0 || levels_[0].isGrouped)
        throw SqlError(sql_state::kFeatureNotSupported,
                       fmt::format("{} behind groups, windows or sub-queries is not supported", name), place);
    NodeRef rows = nameNode("one");
    if (!ranges_.empty()) {
        if (ranges_[0].columns.empty())
            throw SqlError(sql_state::kFeatureNotSupported, fmt::format("{} here is not supported", name), place);
        rows = ranges_[0].columns[0].value.code;
    }
    NodeList given{std::move(rows)};
    std::string path;
    for (const std::string& schema : translation_.session().searchPath) path += (path.empty() ? "" : "\n") + schema;
    given.push_back(constantNode(textValue(path)));
    for (size_t i = 0; i < arguments.size(); ++i) {
        const auto literal = i == 0 ? sequenceLiteral(arguments[i]) : std::nullopt;
        const Oid type = i == 0 ? oid::kText : i == 1 ? oid::kInt8 : oid::kBool;
        given.push_back(literal
                            ? constantNode(textValue(*literal))
                            : convert(value(arguments[i]), type, -1, Conversion::Implicit, translation_.host()).code);
    }
    const char* const builtin = name == "nextval"   ? "pgNextval"
                                : name == "currval" ? "pgCurrval"
                                : name == "lastval" ? "pgLastval"
                                                    : "pgSetval";
    return typedCode(callNode(builtin, std::move(given)), oid::kInt8, -1, place);
}

}  // namespace pelorus::postgres
