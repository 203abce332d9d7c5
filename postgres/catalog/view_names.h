// Finds the views that a statement names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "postgres/session_facts.h"
#include "runtime/function/context.h"
#include "storage/catalog/views.h"

namespace pelorus::postgres {

std::optional<ViewEntry> viewIn(const std::string& schema, const std::string& name, Context& context);

// Finds a view by name; without a schema along the search path, up to the first schema that has a table of the name.
std::optional<ViewEntry> findView(const std::string& schema, const std::string& name, const SessionFacts& session,
                                  Context& context);

// A view that catalogs show, with its schema.
struct ShownView {
    std::string schema;
    ViewEntry entry;
};
// Returns the views that the user may see: those of the schemas that it sees.
std::vector<ShownView> shownViews(Context& context);

// Returns the views of all databases that read a table or view.
std::vector<ViewEntry> viewsReading(const std::string& database, const std::string& name, Context& context);

}  // namespace pelorus::postgres
