// EmbeddedNames provides the names of a session in this process, for completion and highlighting.
#pragma once

#include "devtools/editing/session_names.h"
#include "interpreter/session/session.h"

namespace pelorus {

class EmbeddedNames final : public SessionNames {
public:
    // The session must live as long as this object; no code of it runs while a function is called.
    EmbeddedNames(const Session& session, const Services& services) : session_(session), services_(services) {}

    NameKind kindOf(std::string_view name) const override;
    std::vector<NameInfo> names() const override;
    std::string signatureOf(std::string_view function) const override;
    std::vector<std::string> membersOf(std::string_view name) const override;
    bool isTaken(std::string_view name, const Takes& takes) const override;
    std::string databaseOf(std::string_view name) const override;
    std::vector<std::string> databases() const override;
    std::vector<std::string> tablesOf(const std::string& database) const override;
    std::vector<std::string> columnsOf(const std::string& database, const std::string& table) const override;

private:
    const Session& session_;
    const Services& services_;
};

}  // namespace pelorus
