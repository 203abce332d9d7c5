#include "server/access/effective_rights.h"

#include <algorithm>

namespace pelorus {
namespace {

void merge(RightSetting& to, const RightSetting& more) {
    to.allowed |= more.allowed;
    to.denied |= more.denied;
}

}  // namespace

EffectiveRights::EffectiveRights(std::string user, const RightSettings& settings,
                                 const std::map<std::string, std::string>& databaseCatalogs, int64_t maxResultBytes)
    : user_(std::move(user)), maxResultBytes_(maxResultBytes) {
    using Kind = AccessObject::Kind;
    for (const auto& [object, setting] : settings) {
        switch (object.kind) {
            case Kind::Everything:
                everything_ = setting;
                break;
            case Kind::Catalog:
                catalogs_[object.name] = setting;
                for (const auto& [database, catalog] : databaseCatalogs) {
                    if (catalog == object.name) merge(databases_[database], setting);
                }
                break;
            case Kind::Database:
                merge(databases_[object.name], setting);
                break;
            case Kind::Prefix:
                if ((setting.allowed & setOf(Right::CreateDatabase)) != 0) prefixes_.push_back(object.name);
                break;
            case Kind::Table:
                tables_[object.table] = setting;
                break;
            case Kind::SharedTable:
                shared_[object.name] = setting;
                break;
            case Kind::Folder:
                folders_[object.name] = setting;
                break;
            case Kind::View:
                views_[object.name] = setting;
                break;
            case Kind::ViewSpace:
                viewSpaces_[object.name] = setting;
                break;
            case Kind::Tool:
                tools_[object.name] = setting;
                break;
            case Kind::ToolSpace:
                toolSpaces_[object.name] = setting;
                break;
        }
    }
}

void EffectiveRights::add(RightSetting& to, const ByName& settings, std::string_view name) {
    if (settings.empty()) return;
    if (const auto found = settings.find(name); found != settings.end()) merge(to, found->second);
}

bool EffectiveRights::allows(Right right, const SecuredObject& object) const {
    using Kind = SecuredObject::Kind;
    RightSetting setting = everything_;
    switch (object.kind) {
        case Kind::Nothing:
            break;
        case Kind::Catalog:
            add(setting, catalogs_, object.name);
            break;
        case Kind::Database:
            add(setting, databases_, object.database);
            break;
        case Kind::Table:
            add(setting, databases_, object.database);
            if (const auto found = tables_.find(object.table); found != tables_.end()) merge(setting, found->second);
            break;
        case Kind::SharedTable:
            add(setting, shared_, object.name);
            break;
        case Kind::Folder:
            add(setting, folders_, object.name);
            break;
        case Kind::View:
            add(setting, views_, object.name);
            if (const size_t end = object.name.rfind("::"); end != std::string_view::npos)
                add(setting, viewSpaces_, object.name.substr(0, end));
            break;
        case Kind::ModelTool:
            add(setting, tools_, object.name);
            add(setting, toolSpaces_, object.name.substr(0, object.name.find('/')));
            break;
    }
    const RightSet asked = setOf(right);
    if ((setting.denied & asked) != 0) return false;
    if ((setting.allowed & asked) != 0) return true;
    if (right == Right::CreateDatabase) {
        return std::any_of(prefixes_.begin(), prefixes_.end(),
                           [&](const std::string& prefix) { return object.database.starts_with(prefix); });
    }
    if (!object.owner.empty() && object.owner == user_) return true;
    // A user who may manage a database creates and drops its tables.
    const bool isOfManager = right == Right::CreateObject || right == Right::DeleteObject;
    const RightSet manage = setOf(Right::Manage);
    return isOfManager && (setting.allowed & manage) != 0 && (setting.denied & manage) == 0;
}

}  // namespace pelorus
