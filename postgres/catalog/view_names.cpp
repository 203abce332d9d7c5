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
    const bool isTemporary = schema == kTemporaryName && !session.temporarySchema.empty();
    if (!schema.empty()) return viewIn(isTemporary ? session.temporarySchema : schema, name, context);
    auto* const service = context.service<DatabaseService>();
    if (service == nullptr) return {};
    const std::vector<std::string> path = schemasOfPath(session, context);
    for (auto where = path.begin(); where != path.end(); ++where) {
        std::optional<ViewEntry> found = service->views().find(databaseOfSchema(*where), name);
        if (!found) continue;
        const bool isHidden = std::any_of(path.begin(), where, [&](const std::string& before) {
            const std::vector<std::string> tables = visibleTables(before, context);
            return std::find(tables.begin(), tables.end(), name) != tables.end();
        });
        return isHidden ? std::nullopt : std::move(found);
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
