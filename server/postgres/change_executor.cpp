#include "server/postgres/change_executor.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include <fmt/format.h>

#include "common/thread/cancellation.h"
#include "postgres/change/key_check.h"
#include "postgres/change/open_transaction.h"
#include "postgres/change/store_rows.h"
#include "postgres/definition/definition.h"
#include "postgres/definition/foreign_keys.h"
#include "postgres/definition/query_table.h"
#include "postgres/parse/tree.h"
#include "postgres/sql_error.h"
#include "postgres/translate/prepared_query.h"
#include "runtime/append/row_access.h"
#include "runtime/append/table_transaction.h"
#include "runtime/function/principal.h"
#include "runtime/memory/budget.h"

namespace pelorus::postgres {
namespace {

constexpr std::string_view kSeenLater =
    "rows that this transaction has inserted are seen after its end: a statement that reads their table is not "
    "supported before";
constexpr int kAccessShare = 1;   // the weakest mode of `lock table`
constexpr int64_t kKeptPart = 4;  // fraction of the memory that the rows of a transaction may take

bool changesRows(const Statement& statement) {
    return statement.tag == "INSERT" || statement.tag == "UPDATE" || statement.tag == "DELETE";
}

}  // namespace

void ChangeExecutor::prepare(PreparedStatement& prepared, std::span<const Oid> givenTypes, Context& context) const {
    const Statement& statement = *prepared.statement;
    if (changesRows(statement)) {
        prepared.change = prepareChange(statement, givenTypes, session_.facts(), context);
        prepared.parameterTypes = prepared.change->parameterTypes();
        prepared.columns = prepared.change->columns();
        prepared.hasRows = !prepared.columns.empty();
        return;
    }
    if (isDefinition(statement)) return;
    if (const auto table = queryTableOf(statement)) {
        prepared.parameterTypes = prepareQuery(*table->query, givenTypes, session_.facts(), context)->parameterTypes();
        return;
    }
    throw SqlError(sql_state::kFeatureNotSupported,
                   statement.tag.empty() ? "this statement is not supported" : statement.tag + " is not supported", -1,
                   "Scripts of Pelorus define and change all that it has.");
}

void ChangeExecutor::requireWritable(std::string_view tag) const {
    if (session_.settings.get("transaction_read_only") == "on")
        throw SqlError("25006", "cannot execute " + std::string(tag) + " in a read-only transaction");
}

void ChangeExecutor::refuseInBlock(const Statement& statement) const {
    if (!session_.transaction.isOpen()) return;
    throw SqlError(
        sql_state::kFeatureNotSupported, statement.tag + " inside a transaction block is not supported", -1,
        "For a table of columns it is a transaction of its own: run it outside of a block (autocommit). INSERT "
        "and COPY are kept until COMMIT.");
}

void ChangeExecutor::beforeOther(const std::vector<TableName>& tables, Context& context) {
    if (session_.kept.isEmpty()) return;
    if (!session_.transaction.isOpen()) return commit(context);
    for (const TableName& table : tables)
        if (session_.kept.has(table.schema, table.name))
            throw SqlError(sql_state::kFeatureNotSupported, std::string(kSeenLater), -1, "Commit first.");
}

bool ChangeExecutor::isOpen() const {
    return !session_.kept.isEmpty() || session_.rows.get() != nullptr;
}

void ChangeExecutor::lockRows(Context& context) {
    requireWritable("SELECT FOR UPDATE");
    session_.openRows(context);
}

void ChangeExecutor::lockTables(const Statement& statement, Context& context) {
    if (!session_.transaction.isOpen()) throw SqlError("25P01", "LOCK TABLE can only be used in transaction blocks");
    const nlohmann::json& body = bodyOf(*statement.tree);
    const int mode = static_cast<int>(numberOf(body, "mode"));
    for (const nlohmann::json& item : body["relations"]) {
        const nlohmann::json& relation = bodyOf(item);
        const auto target = findTarget(textOf(relation, "schemaname"), textOf(relation, "relname"), session_.facts(),
                                       context, placeOf(relation));
        const Value table = target->open(context);
        if (!target->isRowTable) {
            // Readers of tables of columns are never in anybody's way.
            if (mode == kAccessShare) continue;
            throw SqlError(sql_state::kFeatureNotSupported,
                           "\"" + target->name + "\" is no row table: it is locked in ACCESS SHARE MODE alone");
        }
        PartitionedTable& partitioned = *table.table().asPartitioned();
        partitioned.require(context.principal(), mode == kAccessShare ? Right::Read : Right::Update);
        dynamic_cast<RowAccess&>(partitioned).lockTable(mode, !flagOf(body, "nowait"), session_.openRows(context));
    }
}

StatementResult ChangeExecutor::setConstraints(const Statement& statement, Context& context) {
    StatementResult result{.rows = {}, .tag = statement.tag, .remarks = {}};
    for (const std::string& name : statement.values) requireDeferrable(name, statement.isDeferred, context);
    if (session_.transaction.isOpen()) {
        session_.openRows(context).deferChecks(statement.values, statement.isDeferred);
    } else {
        result.remarks.push_back({"25P01", "SET CONSTRAINTS can only be used in transaction blocks", true});
    }
    return result;
}

void ChangeExecutor::commit(Context& context) {
    const OpenTransaction::Statement last(session_.rows);
    if (session_.kept.isEmpty()) return session_.rows.commit();
    // One record has both.
    session_.kept.commit(context, session_.rows.get());
    session_.rows.rollback();  // it has ended
}

// Returns whether a statement is a transaction of its own.
bool ChangeExecutor::isOwn(bool isAlone) const {
    return isAlone && !session_.transaction.isOpen() && !isOpen();
}

void ChangeExecutor::insert(const std::shared_ptr<const TargetTable>& target, const Ref<MemoryTable>& rows,
                            bool isAlone, Context& context) {
    const CancellationScope cancellation(&context.request->cancelled);
    if (isOwn(isAlone)) {
        const OpenTransaction::Statement statement(session_.rows);
        storeRows({{target, rows}}, context);
        return;
    }
    if (target->isRowTable) {
        const OpenTransaction::Statement statement(session_.rows);
        return insertRows({target, rows}, session_.openRows(context), context);
    }
    if (!session_.kept.has(target->schema, target->name)) requireInsert(*target, context);
    requireFreeKeys({target, rows}, context);
    session_.kept.add(target, rows);
    if (memory::limitBytes() > 0 && session_.kept.bytes() > memory::limitBytes() / kKeptPart)
        throw SqlError("53400", "the rows that a transaction inserts take more than a quarter of the memory", -1,
                       "Commit more often.");
}

// A definition is not taken back: clients that make their table within the transaction that fills it are told.
StatementResult ChangeExecutor::runDefinition(const Statement& statement, Context& context) {
    StatementResult result{.rows = {}, .tag = statement.tag, .remarks = {}};
    if (!session_.transaction.isOpen() && isOpen()) commit(context);
    // It would wait for the end of this transaction, or have half of its rows.
    const bool makesTable =
        statement.tag == "CREATE TABLE" || statement.tag == "CREATE SCHEMA" || statement.tag == "CREATE SEQUENCE";
    if ((!session_.kept.isEmpty() && !statement.tag.starts_with("CREATE")) ||
        (session_.rows.hasChanges() && !makesTable))
        throw SqlError("25001", statement.tag + " cannot run after rows were changed in the same transaction", -1,
                       "Commit first.");
    Defined defined = define(statement, session_.facts(), context);
    result.tag = std::move(defined.tag);
    for (DefinitionNotice& notice : defined.notices)
        result.remarks.push_back({std::move(notice.state), std::move(notice.message), false});
    if (session_.transaction.isOpen())
        result.remarks.push_back({"00000", statement.tag + " is not taken back by ROLLBACK", false});
    return result;
}

// The table is made and filled at once, as by any definition: its rows are stored by a transaction of their own, though
// the query sees what this one has changed. Where it cannot be filled it goes again.
StatementResult ChangeExecutor::runQueryTable(const QueryTable& table, const PreparedStatement& prepared,
                                              std::span<const Value> parameters, Context& context) {
    const auto query = prepareQuery(*table.query, prepared.parameterTypes, session_.facts(), context);
    StatementResult result;
    try {
        result = runDefinition(*creationOf(table, query->columns()), context);
    } catch (const SqlError& error) {
        throw SqlError(error.state(), error.what(), -1, error.hint());  // its place is in a text that nobody wrote
    }
    const bool wasThere = std::any_of(result.remarks.begin(), result.remarks.end(),
                                      [](const Remark& remark) { return remark.state == "42P07"; });
    result.tag = "CREATE TABLE AS";
    if (wasThere || !table.hasRows) return result;
    try {
        const auto filling = prepareChange(*fillingOf(table), prepared.parameterTypes, session_.facts(), context);
        if (!filling->readTables().empty()) beforeOther(filling->readTables(), context);
        const Ref<MemoryTable> rows = filling->rows(parameters, context);
        const CancellationScope cancellation(&context.request->cancelled);
        const TransactionScope none(nullptr);  // the rows are in no open transaction
        storeRows({{filling->target(), rows}}, context);
        result.tag = fmt::format("SELECT {}", rows->rowCount());
    } catch (const std::exception&) {
        define(*removalOf(table), session_.facts(), context);
        throw;
    }
    return result;
}

StatementResult ChangeExecutor::run(const PreparedStatement& prepared, std::span<const Value> parameters, bool isAlone,
                                    Context& context) {
    const Statement& statement = *prepared.statement;
    requireWritable(statement.tag.empty() ? "this statement" : statement.tag);
    StatementResult result{.rows = {}, .tag = statement.tag, .remarks = {}};
    if (!prepared.change) {
        if (const auto table = queryTableOf(statement)) return runQueryTable(*table, prepared, parameters, context);
        return runDefinition(statement, context);
    }
    const PreparedChange& change = *prepared.change;
    int64_t count = 0;
    if (change.isInsert() && !change.meetsKnownKeys()) {
        if (!change.readTables().empty()) beforeOther(change.readTables(), context);
        if (change.locksRows()) session_.openRows(context);
        const Ref<MemoryTable> rows = change.rows(parameters, context);
        count = rows->rowCount();
        if (prepared.hasRows) result.rows = change.returned(rows, parameters, context);
        insert(change.target(), rows, isAlone, context);
    } else {
        if (!change.target()->isRowTable) {
            refuseInBlock(statement);
            if (isOpen()) commit(context);
        } else if (!isOwn(isAlone) || change.locksRows()) {
            session_.openRows(context);
        }
        PreparedChange::Done done = change.run(parameters, context);
        count = done.count;
        result.rows = std::move(done.returned);
    }
    result.tag = change.tagFor(count);
    return result;
}

}  // namespace pelorus::postgres
