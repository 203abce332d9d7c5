// ScriptNames provides the names at a place of a document, for completion.
#pragma once

#include "devtools/editing/session_names.h"
#include "devtools/lsp/workspace.h"

namespace pelorus {

// The names that the source text declares: variables, functions and shapes of values, the functions of used modules,
// the databases of the workspace; then those of the session in which scripts run. Analysis and workspace outlive the
// object, which serves one request.
class ScriptNames final : public SessionNames {
public:
    // `place` is an offset in the analysed source.
    ScriptNames(const ScriptAnalysis& analysis, size_t place, const Workspace& workspace)
        : analysis_(analysis),
          place_(place),
          scope_(analysis.scopeAt(place)),
          workspace_(workspace),
          session_(workspace.sessionNames()) {}

    NameKind kindOf(std::string_view name) const override;
    std::vector<NameInfo> names() const override;
    std::string signatureOf(std::string_view function) const override;
    std::vector<std::string> membersOf(std::string_view name) const override;
    std::string databaseOf(std::string_view name) const override;
    bool readsFiles() const override { return workspace_.readsFiles(); }
    std::vector<std::string> databases() const override { return workspace_.databases(); }
    std::vector<std::string> tablesOf(const std::string& database) const override {
        return workspace_.tablesOf(database);
    }
    std::vector<std::string> columnsOf(const std::string& database, const std::string& table) const override {
        return workspace_.columnsOf(database, table);
    }

private:
    const ValueShape* shapeOf(std::string_view name) const;
    bool isTableOfScript(std::string_view name) const;

    const ScriptAnalysis& analysis_;
    size_t place_;
    int scope_;
    const Workspace& workspace_;
    const std::shared_ptr<const SessionNames> session_;  // names of the open session; may be null
};

}  // namespace pelorus
