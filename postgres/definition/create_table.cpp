#include "postgres/definition/create_table.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/error.h"
#include "database/service/database_service.h"
#include "postgres/catalog/sequence_names.h"
#include "postgres/catalog/table_names.h"
#include "postgres/definition/column_rules.h"
#include "postgres/definition/foreign_keys.h"
#include "postgres/definition/sequence_options.h"
#include "postgres/parse/expression_text.h"
#include "postgres/parse/tree.h"
#include "postgres/sql_error.h"
#include "runtime/append/table_transaction.h"
#include "runtime/function/principal.h"
#include "runtime/table/audited_data.h"
#include "storage/catalog/sequences.h"

namespace pelorus::postgres {

namespace {

using Json = nlohmann::json;

// The sequences that a table is made with: they go again when it is not made.
class MadeSequences {
public:
    explicit MadeSequences(Sequences& sequences) : sequences_(sequences) {}
    ~MadeSequences() {
        if (isKept_) return;
        for (const auto& [entry, column] : made_) {
            try {
                sequences_.drop(entry.database, entry.name);
            } catch (const Error&) {
                // It stays, and numbers nothing.
            }
        }
    }
    MadeSequences(const MadeSequences&) = delete;

    void add(SequenceEntry entry, std::string column) { made_.emplace_back(std::move(entry), std::move(column)); }
    void keepFor(uint64_t table) {
        isKept_ = true;
        for (const auto& [entry, column] : made_)
            sequences_.change(entry.database, entry.name, [&](SequenceEntry& sequence) {
                sequence.ownerTable = table;
                sequence.ownerColumn = column;
            });
    }

private:
    Sequences& sequences_;
    std::vector<std::pair<SequenceEntry, std::string>> made_;
    bool isKept_ = false;
};

}  // namespace

SequenceEntry makeSequence(const NewColumn& column, const std::string& table, const std::string& schema,
                           DefinitionScope& scope) {
    SequenceEntry sequence = sequenceOf(column.sequenceOptions, column.declared.shown.type);
    sequence.database = databaseOfSchema(schema);
    sequence.name =
        madeName(table, column.name, "seq", [&](const std::string& name) { return scope.exists(schema, name); });
    scope.databases().sequences().create(sequence);
    return sequence;
}

ColumnDefault numberedDefault(const NewColumn& column, const SequenceEntry& sequence) {
    return {expressionText(parseExpression(fmt::format("nextval('{}'::regclass)", sequenceText(sequence)))),
            column.identity};
}

std::string freeIndexName(const NewIndex& index, const TableEntry& entry, const std::string& schema,
                          const DefinitionScope& scope) {
    const auto isTaken = [&](const std::string& name) {
        if (scope.exists(schema, name) || name == entry.name) return true;
        const std::vector<RowTableCheck>& checks = entry.rowTable->checks;
        return std::any_of(checks.begin(), checks.end(), [&](const auto& check) { return check.name == name; });
    };
    if (!isTaken(index.name)) return index.name;
    if (!index.isNameMade)
        throw SqlError(sql_state::kDuplicateTable, fmt::format("relation \"{}\" already exists", index.name));
    if (index.isPrimary) return madeName(entry.name, "", "pkey", isTaken);
    return madeName(entry.name, fmt::format("{}", fmt::join(index.columns, "_")), "key", isTaken);
}

void addCheck(TableEntry& entry, const NewCheck& check, Context& context) {
    const auto isTaken = [&](const std::string& name) { return hasConstraint(entry, name); };
    std::string name = check.name;
    if (!name.empty() && isTaken(name))
        throw SqlError("42710", fmt::format("constraint \"{}\" for relation \"{}\" already exists", name, entry.name));
    if (name.empty()) {
        const std::vector<std::string> columns = columnsOf(check.expression);
        name = madeName(entry.name, columns.size() == 1 ? columns[0] : "", "check", isTaken);
    }
    entry.rowTable->checks.push_back(savedCheck(check.expression, std::move(name), entry, context));
}

void createTable(const Json& body, DefinitionScope& scope) {
    const auto& setting = scope.session.setting;
    const NewTable table = newTableOf(body, setting ? setting("default_table_access_method") : "columns");
    const std::string schema = scope.schemaFor(table.schema);
    if (scope.exists(schema, table.name)) {
        const std::string message = fmt::format("relation \"{}\" already exists", table.name);
        if (!flagOf(body, "if_not_exists")) throw SqlError(sql_state::kDuplicateTable, message);
        return scope.note("42P07", message + ", skipping");
    }
    TableEntry entry = entryOf(table);
    for (size_t i = 0; i < table.indexes.size(); ++i)
        entry.rowTable->indexes[i].name = freeIndexName(table.indexes[i], entry, schema, scope);
    for (const NewCheck& check : table.checks) addCheck(entry, check, scope.context);
    const auto locks = lockParents(table, schema, scope);
    entry.database = databaseOfSchema(schema);
    for (const NewForeignKey& key : table.foreignKeys) {
        ForeignKey made = foreignKeyOf(key, entry, schema, scope);
        entry.rowTable->foreignKeys.push_back(std::move(made));
    }
    for (const NewColumn& column : table.columns) {
        if (column.whenMissing.is_null()) continue;
        const AssignmentTarget target{table.name, column.name, column.declared};
        entry.defaults[column.name].expression = savedDefault(column.whenMissing, target, scope.session, scope.context);
    }
    DatabaseService& service = scope.databases();
    entry.database = scope.databaseToCreateIn(schema);
    entry.owner = scope.context.principal().user();
    MadeSequences sequences(service.sequences());
    for (const NewColumn& column : table.columns) {
        if (!column.isNumbered()) continue;
        const SequenceEntry sequence = makeSequence(column, table.name, schema, scope);
        entry.defaults[column.name] = numberedDefault(column, sequence);
        sequences.add(sequence, column.name);
    }
    const std::string path = entry.database;
    AuditedData change(scope.context, "CREATE_TABLE", path, table.name);
    TableEntry made;
    try {
        made = service.createTable(std::move(entry));
    } catch (const UserError&) {
        if (!service.catalog().findTable(path, table.name)) throw;
        throw SqlError(sql_state::kDuplicateTable, fmt::format("relation \"{}\" already exists", table.name));
    }
    sequences.keepFor(made.id);
    change.done();
}

}  // namespace pelorus::postgres
