#include "server/builtins/right_objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "common/error.h"
#include "common/io/file_sandbox.h"
#include "database/service/database_handle.h"
#include "database/service/node_identity.h"
#include "interpreter/session/function_views.h"
#include "interpreter/session/shared_objects.h"
#include "runtime/function/function.h"
#include "server/access/access_control.h"
#include "server/builtins/server_services.h"
#include "server/mcp/mcp_catalog.h"

namespace pelorus {
namespace {

using Kind = AccessObject::Kind;
constexpr int kObjects = 2;  // the position of objs

UserError badObject(const RightKind& kind, const std::string& name, std::string_view expected) {
    return UserError(kObjects, fmt::format("{} cannot be granted for '{}'.", kind.name, name),
                     fmt::format("It applies to {}.", expected));
}

class Resolver {
public:
    Resolver(Context& context, const RightKind& kind)
        : kind_(kind),
          databases_(databasesOf(context)),
          state_(requireService<AccessControl>(context, "Users").state()),
          views_(context.service<FunctionViews>()),
          shared_(context.service<SharedObjects>()),
          node_(context.service<NodeIdentity>()),
          files_(context.service<FileSandbox>()) {}

    NamedObject resolve(const std::string& name) const {
        if (name == "*") return {};
        switch (kind_.scope) {
            case RightScope::Table:
                return table(name);
            case RightScope::Database:
                return database(name);
            case RightScope::Schema:
                return schema(name);
            case RightScope::Catalog:
                return catalog(name);
            case RightScope::Prefix:
                return prefix(name);
            case RightScope::Folder:
                return folder(name);
            case RightScope::View:
                return view(name);
            case RightScope::Tool:
                return tool(name);
            case RightScope::Everything:
            case RightScope::Limit:
                break;
        }
        throw badObject(kind_, name, "everything: leave the objects out");
    }

private:
    NamedObject table(const std::string& name) const {
        std::string path, table;
        if (const size_t slash = name.rfind('/'); name.starts_with("dfs://")) {
            if (slash < 6) throw badObject(kind_, name, "tables, as in dfs://database/table");
            path = name.substr(0, slash);
            table = name.substr(slash + 1);
        } else if (const size_t dot = name.rfind('.'); dot != std::string::npos) {
            path = databaseOfSchema(name.substr(0, dot));
            table = name.substr(dot + 1);
        } else {
            return sharedTable(name);
        }
        const auto database = databases_.catalog().findDatabase(path);
        const auto entry = database ? databases_.catalog().findTable(path, table) : std::nullopt;
        if (!entry) throw UserError(kObjects, fmt::format("The table [{}] does not exist.", name));
        return {{Kind::Table, path, entry->id}, database->owner};
    }

    // Names a shared table: "name" on every node; "node:name" or "name@node" on one.
    NamedObject sharedTable(const std::string& name) const {
        const size_t colon = name.find(':'), at = name.find('@');
        std::string node, table = name;
        if (colon != std::string::npos) {
            node = name.substr(0, colon);
            table = name.substr(colon + 1);
        } else if (at != std::string::npos) {
            table = name.substr(0, at);
            node = name.substr(at + 1);
        }
        if (table.empty() || table.find('\n') != std::string::npos)
            throw badObject(kind_, name, "stored tables and shared tables");
        if (node_ && node == node_->alias && node_->mode != NodeMode::Data) node.clear();
        const std::string owner = node.empty() && shared_ ? shared_->ownerOf(table) : "";
        return {{Kind::SharedTable, node.empty() ? table : node + ':' + table}, owner};
    }

    NamedObject database(const std::string& name) const {
        const std::string path = name.starts_with("dfs://") ? name : databaseOfSchema(name);
        const auto entry = databases_.catalog().findDatabase(path);
        if (!entry) throw UserError(kObjects, fmt::format("The database [{}] does not exist.", name));
        return {{Kind::Database, path}, entry->owner};
    }

    NamedObject schema(const std::string& name) const {
        if (name.ends_with(".*")) return catalog(name.substr(0, name.size() - 2));
        return database(name);
    }

    NamedObject catalog(const std::string& name) const {
        if (!databases_.catalog().store().get("catalog/" + name))
            throw UserError(kObjects, fmt::format("The catalog [{}] does not exist.", name),
                            "getAllCatalogs() lists the catalogs.");
        return {{Kind::Catalog, name}, ""};
    }

    NamedObject prefix(const std::string& name) const {
        if (!name.starts_with("dfs://") || !name.ends_with('*'))
            throw badObject(kind_, name, "everything, or to names of databases that begin alike, as in dfs://desk*");
        return {{Kind::Prefix, name.substr(0, name.size() - 1)}, ""};
    }

    NamedObject folder(const std::string& name) const {
        const std::vector<std::string> names = files_ ? files_->sharedNames() : std::vector<std::string>();
        if (std::find(names.begin(), names.end(), name) == names.end())
            throw badObject(kind_, name, fmt::format("the folders that users share: {}", fmt::join(names, ", ")));
        return {{Kind::Folder, name}, ""};
    }

    NamedObject view(std::string name) const {
        if (name.starts_with("::")) name = name.substr(2);
        const auto views = views_ ? views_->all() : std::vector<std::shared_ptr<const FunctionView>>();
        if (name.ends_with("::*")) {
            const std::string space = name.substr(0, name.size() - 3);
            const bool exists = std::any_of(views.begin(), views.end(), [&](const auto& view) {
                const size_t end = view->name.rfind("::");
                return end != std::string::npos && view->name.compare(0, end, space) == 0;
            });
            if (!exists)
                throw UserError(kObjects, fmt::format("There are no function views in the namespace {}.", space),
                                "getFunctionViews() shows them.");
            return {{Kind::ViewSpace, space}, ""};
        }
        const auto isPart = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == ':' || c >= 128; };
        if (name.empty() || !std::all_of(name.begin(), name.end(), isPart))
            throw badObject(kind_, name, "function views, as in f, module::f and module::*");
        const auto found =
            std::find_if(views.begin(), views.end(), [&](const auto& view) { return view->name == name; });
        if (found == views.end())
            throw UserError(kObjects, fmt::format("There is no function view {}.", name),
                            "getFunctionViews() shows them.");
        return {{Kind::View, name}, (*found)->owner};
    }

    NamedObject tool(const std::string& name) const {
        const size_t slash = name.find('/');
        const std::string_view list = std::string_view(name).substr(0, slash);
        const auto kind = list == "tools" ? McpEntry::Kind::Tool : McpEntry::Kind::Prompt;
        if (slash == std::string::npos || (list != "tools" && list != "prompts"))
            throw badObject(kind_, name, "tools/NAME, tools/*, prompts/NAME and prompts/*");
        if (name.ends_with("/*")) return {{Kind::ToolSpace, std::string(list)}, ""};
        MetaStore* store = databases_.metaStore(false);
        const std::optional<McpEntry> entry =
            store ? McpCatalog(*store).find(kind, name.substr(slash + 1), McpVersion::Draft) : std::nullopt;
        if (!entry)
            throw UserError(kObjects, fmt::format("There is no {}.", name),
                            "listMCPTools() and listMCPPrompts() show them.");
        return {{Kind::Tool, name}, entry->owner};
    }

    std::string databaseOfSchema(const std::string& name) const {
        const size_t dot = name.find('.');
        const std::string path =
            dot == std::string::npos ? "" : state_->databaseOf(name.substr(0, dot), name.substr(dot + 1));
        if (path.empty()) throw UserError(kObjects, fmt::format("The database or schema [{}] does not exist.", name));
        return path;
    }

    const RightKind& kind_;
    DatabaseService& databases_;
    const std::shared_ptr<const AccessState> state_;
    FunctionViews* const views_;
    const SharedObjects* const shared_;
    const NodeIdentity* const node_;
    const FileSandbox* const files_;
};

}  // namespace

std::vector<NamedObject> namedObjects(Context& context, const RightKind& kind, const Value& objects) {
    if (isOmitted(objects) || objects.isVoid()) return {{}};
    const Resolver resolver(context, kind);
    if (objects.isFunction()) return {resolver.resolve(std::string(objects.function().name()))};
    std::vector<NamedObject> all;
    for (const std::string& name : namesArgument(objects, kObjects, "objs")) all.push_back(resolver.resolve(name));
    if (all.empty()) throw UserError(kObjects, "objs names no object.", "Leave it out for everything.");
    return all;
}

std::function<std::string(const AccessObject&)> objectNames(Context& context) {
    auto tables = std::make_shared<std::map<uint64_t, std::string>>();
    for (const TableEntry& table : databasesOf(context).catalog().allTables()) (*tables)[table.id] = table.name;
    return [tables](const AccessObject& object) -> std::string {
        switch (object.kind) {
            case Kind::Everything:
                return "*";
            case Kind::Prefix:
                return object.name + '*';
            case Kind::ViewSpace:
                return object.name + "::*";
            case Kind::ToolSpace:
                return object.name + "/*";
            case Kind::Table: {
                const auto found = tables->find(object.table);
                return object.name + '/' + (found == tables->end() ? "?" : found->second);
            }
            default:
                return object.name;
        }
    };
}

}  // namespace pelorus
