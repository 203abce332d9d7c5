// NamesSnapshot holds the names of a session as they were at one moment, for completion while its scripts run.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "devtools/editing/session_names.h"

namespace pelorus {

// A copy of the names, with their kinds and the columns of tables. Immutable.
class NamesSnapshot final : public SessionNames {
public:
    struct Name {
        NameKind kind = NameKind::Variable;
        std::vector<std::string> members;  // columns of a table
    };
    using Names = std::map<std::string, Name, std::less<>>;

    explicit NamesSnapshot(Names names) : names_(std::move(names)) {}

    NameKind kindOf(std::string_view name) const override {
        const auto found = names_.find(name);
        return found == names_.end() ? NameKind::Unknown : found->second.kind;
    }
    std::vector<NameInfo> names() const override {
        std::vector<NameInfo> infos;
        for (const auto& [name, known] : names_) infos.push_back({name, known.kind});
        return infos;
    }
    std::vector<std::string> membersOf(std::string_view name) const override {
        const auto found = names_.find(name);
        return found == names_.end() ? std::vector<std::string>() : found->second.members;
    }

private:
    const Names names_;
};

}  // namespace pelorus
