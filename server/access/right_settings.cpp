#include "server/access/right_settings.h"

#include <fmt/format.h>

#include <charconv>

#include "common/error.h"

namespace pelorus {

std::string AccessObject::key() const {
    std::string key(1, static_cast<char>(kind));
    key += name;
    if (kind == Kind::Table) key += '\n' + std::to_string(table);
    return key;
}

AccessObject AccessObject::ofKey(std::string_view key) {
    AccessObject object;
    const bool isKind = !key.empty() && std::string_view("*cdptsvnfmk").find(key[0]) != std::string_view::npos;
    if (!isKind) throw SystemError("A stored right is for an object of an unknown kind.");
    object.kind = static_cast<Kind>(key[0]);
    key.remove_prefix(1);
    if (object.kind == Kind::Table) {
        const size_t end = key.rfind('\n');
        const std::string_view digits = end == std::string_view::npos ? "" : key.substr(end + 1);
        const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), object.table);
        if (parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size() || digits.empty())
            throw SystemError("A stored right is for a table without a number.");
        key = key.substr(0, end);
    }
    object.name = std::string(key);
    return object;
}

bool covers(const AccessObject& wide, const AccessObject& narrow, const CatalogOf& catalogOf) {
    using Kind = AccessObject::Kind;
    if (wide == narrow) return false;
    switch (wide.kind) {
        case Kind::Everything:
            return true;
        case Kind::Catalog:
            return (narrow.kind == Kind::Database || narrow.kind == Kind::Table) && catalogOf(narrow.name) == wide.name;
        case Kind::Database:
            return narrow.kind == Kind::Table && narrow.name == wide.name;
        case Kind::Prefix:
            return narrow.kind == Kind::Prefix && narrow.name.starts_with(wide.name);
        case Kind::ViewSpace:
            return narrow.kind == Kind::View && narrow.name.starts_with(wide.name + "::") &&
                   narrow.name.find("::", wide.name.size() + 2) == std::string::npos;
        case Kind::ToolSpace:
            return narrow.kind == Kind::Tool && narrow.name.starts_with(wide.name + "/");
        case Kind::Table:
        case Kind::SharedTable:
        case Kind::Folder:
        case Kind::View:
        case Kind::Tool:
            return false;
    }
    return false;
}

std::vector<AccessObject> applySetting(RightSettings& settings, RightVerb verb, RightSet rights,
                                       const AccessObject& object, const CatalogOf& catalogOf,
                                       const std::function<std::string(const AccessObject&)>& describe) {
    std::vector<AccessObject> lifted;
    for (const auto& [other, setting] : settings) {
        if (!covers(other, object, catalogOf)) continue;
        if (verb == RightVerb::Grant && (setting.denied & rights) != 0) {
            throw UserError(fmt::format("Invalid grant: grant [{}] and deny [{}] are in conflict.", describe(object),
                                        describe(other)),
                            "Revoke the denial of the wider object first.");
        }
        if (verb == RightVerb::Revoke) rights &= ~(setting.allowed | setting.denied);
    }
    for (auto it = settings.begin(); it != settings.end();) {
        if (it->first == object || covers(object, it->first, catalogOf)) {
            if (verb == RightVerb::Grant && it->first != object && (it->second.denied & rights) != 0)
                lifted.push_back(it->first);
            it->second.allowed &= ~rights;
            it->second.denied &= ~rights;
        }
        it = (it->second.allowed | it->second.denied) == 0 ? settings.erase(it) : std::next(it);
    }
    if (rights == 0 || verb == RightVerb::Revoke) return lifted;
    RightSetting& own = settings[object];
    (verb == RightVerb::Grant ? own.allowed : own.denied) |= rights;
    return lifted;
}

}  // namespace pelorus
