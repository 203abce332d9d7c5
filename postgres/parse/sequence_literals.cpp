#include "postgres/parse/sequence_literals.h"

#include <nlohmann/json.hpp>

#include "postgres/parse/tree.h"

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

}  // namespace pelorus::postgres
