#include "postgres/catalog/view_names.h"

#include <algorithm>

#include "database/service/database_service.h"
#include "postgres/catalog/table_names.h"

namespace pelorus::postgres {

std::optional<ViewEntry> viewIn(const std::string& schema, const std::string& name, Context& context) {
    const std::optional<std::string> found = findSchema(schema, context);
    auto* service = context.service<DatabaseService>();
    if (!found || service == nullptr) return {};
    return service->views().find(databaseOfSchema(*found), name);
}

std::optional<ViewEntry> findView(const std::string& schema, const std::string& name, const SessionFacts& session,
                                  Context& context) {
    if (!schema.empty()) return viewIn(schema, name, context);
    for (const std::string& where : schemasOfPath(session, context)) {
        if (auto found = viewIn(where, name, context)) return found;
        const std::vector<std::string> tables = visibleTables(where, context);
        if (std::find(tables.begin(), tables.end(), name) != tables.end()) return {};
    }
    return {};
}

std::vector<ShownView> shownViews(Context& context) {
    std::vector<ShownView> shown;
    auto* service = context.service<DatabaseService>();
    if (service == nullptr) return shown;
    for (const std::string& schema : visibleSchemas(context))
        for (ViewEntry& entry : service->views().all(databaseOfSchema(schema)))
            shown.push_back({schema, std::move(entry)});
    return shown;
}

std::vector<ViewEntry> viewsReading(const std::string& database, const std::string& name, Context& context) {
    auto* service = context.service<DatabaseService>();
    if (service == nullptr) return {};
    std::vector<ViewEntry> views = service->views().all();
    const ViewSource wanted{database, name};
    std::erase_if(views, [&](const ViewEntry& view) {
        return std::find(view.reads.begin(), view.reads.end(), wanted) == view.reads.end();
    });
    return views;
}

}  // namespace pelorus::postgres
