// Audited changes of databases and tables, under the user of the request that makes them: a view runs with the rights
// of its definer, but its caller answers for it.
#pragma once

#include <optional>
#include <string_view>

#include "common/io/audit.h"
#include "runtime/function/context.h"

namespace pelorus {

class Table;

class AuditedData {
public:
    // `operation` as in getAuditLog. Throws SystemError when the change cannot be audited, and must not be made.
    AuditedData(const Context& context, std::string_view operation, std::string_view database,
                std::string_view table = {}, std::string_view detail = {});
    // A change of a table; nothing is audited for a table in memory. Changes of rows are not synced: their table is,
    // or is not, by dataSync.
    AuditedData(const Context& context, std::string_view operation, Table& table, std::string_view detail = {},
                AuditedChange::Durability durability = AuditedChange::Durability::Synced);

    bool isAudited() const { return change_.has_value(); }
    void done(std::string_view detail = {}) {
        if (change_) change_->done(detail);
    }

private:
    std::optional<AuditedChange> change_;
};

}  // namespace pelorus
