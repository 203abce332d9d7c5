#include "postgres/parse/made_nodes.h"

#include <utility>

namespace pelorus::postgres {

using Json = nlohmann::json;

Json columnReference(const std::vector<std::string>& names) {
    Json fields = Json::array();
    for (const std::string& name : names) fields.push_back({{"String", {{"sval", name}}}});
    return {{"ColumnRef", {{"fields", std::move(fields)}}}};
}

Json starReference(const std::string& table) {
    Json star = columnReference({table});
    star["ColumnRef"]["fields"].push_back({{"A_Star", Json::object()}});
    return star;
}

Json selectTarget(Json value, const std::string& name) {
    Json target = {{"val", std::move(value)}};
    if (!name.empty()) target["name"] = name;
    return {{"ResTarget", std::move(target)}};
}

}  // namespace pelorus::postgres
