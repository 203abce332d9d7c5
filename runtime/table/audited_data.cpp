#include "runtime/table/audited_data.h"

#include "runtime/function/principal.h"
#include "runtime/table/table.h"

namespace pelorus {
namespace {

AuditEvent eventOf(const Context& context, std::string_view operation, std::string_view database,
                   std::string_view table, std::string_view detail) {
    return {.kind = AuditKind::Data,
            .operation = operation,
            .user = context.request->principal().user(),
            .detail = detail,
            .database = database,
            .table = table};
}

}  // namespace

AuditedData::AuditedData(const Context& context, std::string_view operation, std::string_view database,
                         std::string_view table, std::string_view detail) {
    if (isAuditing()) change_.emplace(eventOf(context, operation, database, table, detail));
}

AuditedData::AuditedData(const Context& context, std::string_view operation, Table& table, std::string_view detail,
                         AuditedChange::Durability durability) {
    if (!isAuditing()) return;
    PartitionedTable* partitioned = table.asPartitioned();
    if (partitioned == nullptr || partitioned->databasePath().empty()) return;
    change_.emplace(eventOf(context, operation, partitioned->databasePath(), table.name, detail), durability);
}

}  // namespace pelorus
