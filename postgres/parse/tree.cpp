#include "postgres/parse/tree.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <vector>

#include "postgres/sql_error.h"

namespace pelorus::postgres {

using Json = nlohmann::json;

std::string_view kindOf(const Json& node) {
    return node.is_object() && !node.empty() ? std::string_view(node.begin().key()) : std::string_view();
}

const Json& bodyOf(const Json& node) {
    static const Json kNothing = Json::object();
    return node.is_object() && !node.empty() && node.begin().value().is_object() ? node.begin().value() : kNothing;
}

std::string textOf(const Json& body, const char* member) {
    const auto found = body.find(member);
    return found != body.end() && found->is_string() ? found->get<std::string>() : std::string();
}

int64_t numberOf(const Json& body, const char* member) {
    const auto found = body.find(member);
    return found != body.end() && found->is_number() ? found->get<int64_t>() : 0;
}

bool flagOf(const Json& body, const char* member) {
    const auto found = body.find(member);
    return found != body.end() && found->is_boolean() && found->get<bool>();
}

int placeOf(const Json& body) {
    const auto found = body.find("location");
    return found != body.end() && found->is_number() ? found->get<int>() : 0;
}

namespace {

std::string constantWord(const Json& constant) {
    if (constant.contains("ival")) return std::to_string(numberOf(constant["ival"], "ival"));
    if (constant.contains("fval")) return textOf(constant["fval"], "fval");
    if (constant.contains("sval")) return textOf(constant["sval"], "sval");
    if (constant.contains("boolval")) return flagOf(constant["boolval"], "boolval") ? "on" : "off";
    return "";
}

}  // namespace

std::string wordOf(const Json& node) {
    const std::string_view kind = kindOf(node);
    const Json& body = bodyOf(node);
    if (kind == "A_Const") return constantWord(body);
    if (kind == "String") return textOf(body, "sval");
    if (kind == "Integer") return std::to_string(numberOf(body, "ival"));
    if (kind == "Float") return textOf(body, "fval");
    if (kind == "Boolean") return flagOf(body, "boolval") ? "on" : "off";
    if (kind == "A_Star") return "*";
    if (kind == "TypeCast") return wordOf(body["arg"]);
    const auto joined = [](const std::vector<std::string>& names) {
        std::string whole;
        for (const std::string& name : names) whole += (whole.empty() ? "" : ".") + name;
        return whole;
    };
    if (kind == "TypeName") return joined(namesOf(body["names"]));
    if (kind == "ColumnRef") return joined(namesOf(body["fields"]));
    if (kind == "List") {
        std::string whole;
        for (const Json& item : body["items"]) whole += (whole.empty() ? "" : ",") + wordOf(item);
        return whole;
    }
    throw SqlError(sql_state::kSyntaxError, "A constant or a name is expected here.", placeOf(body));
}

std::vector<std::string> namesOf(const Json& list) {
    std::vector<std::string> names;
    for (const Json& item : list) names.push_back(wordOf(item));
    return names;
}

WrittenType writtenType(const Json& typeName) {
    std::vector<std::string> names =
        typeName.contains("names") ? namesOf(typeName["names"]) : std::vector<std::string>();
    std::string name = names.empty() ? "" : names.back();
    if (typeName.contains("arrayBounds")) name += "[]";
    const OidFacts* facts = typeByName(name);
    if (facts == nullptr)
        throw SqlError(sql_state::kUndefinedObject, "type \"" + name + "\" does not exist", placeOf(typeName));
    WrittenType written{facts->oid, -1};
    if (!typeName.contains("typmods")) return written;
    std::vector<int> modifiers;
    for (const Json& item : typeName["typmods"])
        modifiers.push_back(static_cast<int>(std::min(std::strtol(wordOf(item).c_str(), nullptr, 10), 100'000L)));
    if (facts->oid == oid::kNumeric) {
        const int precision = modifiers.empty() ? 0 : modifiers[0];
        const int scale = modifiers.size() > 1 ? modifiers[1] : 0;
        if (precision < 1 || precision > 1000)
            throw SqlError(sql_state::kInvalidParameter,
                           "NUMERIC precision " + std::to_string(precision) + " must be between 1 and 1000",
                           placeOf(typeName));
        if (precision > 38 || scale > 38)
            throw SqlError(sql_state::kFeatureNotSupported, "numeric has at most 38 digits here", placeOf(typeName));
        written.modifier = numericModifier(precision, scale);
    } else if ((facts->oid == oid::kVarchar || facts->oid == oid::kBpchar) && !modifiers.empty()) {
        if (modifiers[0] < 1)
            throw SqlError(sql_state::kInvalidParameter, "length for type " + name + " must be at least 1",
                           placeOf(typeName));
        written.modifier = modifiers[0] + 4;
    }
    return written;
}

}  // namespace pelorus::postgres
