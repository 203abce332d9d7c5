#include "postgres/change/target_table.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "database/service/database_service.h"
#include "postgres/catalog/catalog_tables.h"
#include "postgres/catalog/table_names.h"
#include "postgres/catalog/view_names.h"
#include "postgres/sql_error.h"
#include "storage/row_table/row_table.h"

namespace pelorus::postgres {

const TargetColumn& TargetTable::column(std::string_view column, int place) const {
    const auto isSame = [column](const TargetColumn& candidate) {
        const std::string& own = candidate.schema.name;
        return std::equal(own.begin(), own.end(), column.begin(), column.end(),
                          [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
    };
    for (const TargetColumn& candidate : columns)
        if (candidate.schema.name == column) return candidate;
    if (std::count_if(columns.begin(), columns.end(), isSame) == 1)
        return *std::find_if(columns.begin(), columns.end(), isSame);
    throw SqlError(sql_state::kUndefinedColumn,
                   fmt::format("column \"{}\" of relation \"{}\" does not exist", column, name), place);
}

void TargetTable::requireUnchanged(Context& context) const {
    if (!entry) return;
    const MetaCondition condition = isUnchanged(*entry);
    const std::optional<MetaEntry> now = context.service<DatabaseService>()->catalog().store().get(condition.key);
    if (!now || now->revision != condition.revision) throw StaleStatement();
}

void requireTable(const TableName& name, const SessionFacts& session, Context& context, int place) {
    if (findSystemTable(name.schema, name.name) != nullptr)
        throw SqlError("42809", fmt::format("cannot change the system catalog \"{}\"", name.name), place);
    if (findView(name.schema, name.name, session, context))
        throw SqlError(sql_state::kFeatureNotSupported, fmt::format("cannot change view \"{}\"", name.name), place,
                       "Change the tables that it reads.");
}

std::shared_ptr<const TargetTable> findTarget(const std::string& schema, const std::string& name,
                                              const SessionFacts& session, Context& context, int place) {
    requireTable({schema, name}, session, context, place);
    return targetOf(findTable(schema, name, session, context, place));
}

std::shared_ptr<const TargetTable> targetOf(FoundTable found) {
    auto target = std::make_shared<TargetTable>();
    target->schema = std::move(found.schema);
    target->name = std::move(found.name);
    target->database = std::move(found.database);
    target->isRowTable = found.isRowTable;
    const uint64_t revision = found.entry ? found.entry->revision : 0;
    target->open = [open = std::move(found.open), columns = found.columns, revision](Context& now) {
        Value table = openAsFound(open, columns, now);
        // The lock of the table is taken later.
        if (auto* rows = dynamic_cast<RowTable*>(&table.table())) rows->requireRevision(revision);
        return table;
    };
    target->entry = found.entry;
    for (size_t i = 0; i < found.columns.size(); ++i) {
        target->columns.push_back({found.columns[i], found.types[i]});
        if (found.entry) {
            const ColumnDefault own = found.entry->defaultOf(i);
            target->columns.back().whenMissing = own.expression;
            target->columns.back().identity = static_cast<TargetColumn::Identity>(own.identity);
        }
        // A row table refuses NULL itself, row by row, beside its other constraints.
        if (found.isRowTable) target->columns.back().declared.isRequired = false;
    }
    return target;
}

}  // namespace pelorus::postgres
