#include "postgres/change/store_rows.h"

#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "database/service/append_together.h"
#include "postgres/change/key_check.h"
#include "postgres/sql_error.h"
#include "runtime/append/append_rows.h"
#include "runtime/append/row_access.h"
#include "runtime/append/rows_outside_scheme.h"
#include "runtime/append/statement_transaction.h"
#include "runtime/function/principal.h"
#include "runtime/table/audited_data.h"
#include "runtime/table/table_access.h"
#include "runtime/table/table_keys.h"

namespace pelorus::postgres {

namespace {

void appendStored(const std::vector<RowsOfTarget>& parts, const std::vector<RowsOfTable>& stored, Context& context,
                  Transaction* with) {
    std::deque<AuditedData> audited;
    for (const RowsOfTable& part : stored) {
        part.table->require(context.principal(), Right::Insert);
    }
    // Keys are looked for among what is committed now, whatever the transaction sees.
    std::optional<TransactionScope> newest(std::in_place, nullptr);
    const KeyCheck keys(parts, context);
    newest.reset();
    for (const RowsOfTable& part : stored)
        audited.emplace_back(context, "SQL_INSERT", *part.table, std::string_view(),
                             AuditedChange::Durability::Unsynced);
    try {
        appendTogether(stored, with);
    } catch (const RowsOutsideScheme& error) {
        throw SqlError("23514", "no partition takes " + error.first() + "; nothing was stored", -1,
                       "schema(table) shows the partitions.");
    } catch (const UserError& error) {
        const bool isOutside = std::string_view(error.what()).find("S01016") != std::string_view::npos;
        if (!isOutside) throwByState(error);
        throw SqlError("23514", error.what(), -1, error.hint());
    }
    for (size_t i = 0; i < stored.size(); ++i)
        audited[i].done(fmt::format("insertedRows={}", stored[i].rows->rowCount()));
}

void appendToShared(const RowsOfTarget& part, Value opened, Context& context) {
    Table& table = opened.table();
    requireAccess(context, table, Right::Insert);
    MemoryTable* memory = table.asMemory();
    const bool isKeyed = memory != nullptr && memory->keys() != nullptr;
    const OptionalLock guard(isKeyed ? memory->lock.get() : nullptr);
    if (isKeyed) requireNewKeys(*memory, *part.rows, part.target->name);
    appendToTable(context, opened, *part.rows);
}

}  // namespace

void requireInsert(const TargetTable& target, Context& context) {
    const Value opened = target.open(context);
    if (const PartitionedTable* partitioned = opened.table().asPartitioned())
        return partitioned->require(context.principal(), Right::Insert);
    requireAccess(context, opened, Right::Insert);
}

void insertRows(const RowsOfTarget& part, Transaction& transaction, Context& context) {
    const Value opened = part.target->open(context);
    PartitionedTable& table = *opened.table().asPartitioned();
    table.require(context.principal(), Right::Insert);
    AuditedData audited(context, "SQL_INSERT", table, std::string_view(), AuditedChange::Durability::Unsynced);
    try {
        dynamic_cast<RowAccess&>(table).insertRows(*part.rows, transaction);
    } catch (const UserError& error) {
        throwByState(error);
    }
    audited.done(fmt::format("insertedRows={}", part.rows->rowCount()));
}

std::vector<int32_t> storeNewRows(const RowsOfTarget& part, const std::vector<std::string>& key, Context& context) {
    const Value opened = part.target->open(context);
    PartitionedTable& table = *opened.table().asPartitioned();
    table.require(context.principal(), Right::Insert);
    AuditedData audited(context, "SQL_INSERT", table, std::string_view(), AuditedChange::Durability::Unsynced);
    std::vector<int32_t> stored =
        dynamic_cast<RowAccess&>(table).insertNew(*part.rows, key, TransactionScope::current());
    audited.done(fmt::format("insertedRows={}", stored.size()));
    return stored;
}

void storeRows(const std::vector<RowsOfTarget>& parts, Context& context, Transaction* with) {
    std::vector<RowsOfTarget> keyed;
    std::vector<RowsOfTable> stored;
    std::vector<std::pair<const RowsOfTarget*, Value>> shared;
    for (const RowsOfTarget& part : parts) {
        if (part.rows->rowCount() == 0) continue;
        Value opened = part.target->open(context);
        PartitionedTable* partitioned = opened.table().asPartitioned();
        if (part.target->isRowTable) {
            StatementTransaction transaction(dynamic_cast<RowAccess&>(*partitioned));
            insertRows(part, *transaction.get(), context);
            transaction.commit();
        } else if (partitioned != nullptr && !partitioned->databasePath().empty()) {
            stored.push_back({Ref<PartitionedTable>(partitioned), part.rows});
            keyed.push_back(part);
        } else {
            shared.emplace_back(&part, std::move(opened));
        }
    }
    if (!stored.empty()) {
        appendStored(keyed, stored, context, with);
    } else if (with != nullptr) {
        with->commit();
    }
    for (auto& [part, table] : shared) appendToShared(*part, std::move(table), context);
}

}  // namespace pelorus::postgres
