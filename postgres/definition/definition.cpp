#include "postgres/definition/definition.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "common/error.h"
#include "database/service/database_service.h"
#include "database/service/secured_objects.h"
#include "postgres/catalog/catalog_tables.h"
#include "postgres/catalog/table_names.h"
#include "postgres/change/target_table.h"
#include "postgres/definition/alter_table.h"
#include "postgres/definition/create_table.h"
#include "postgres/definition/definition_scope.h"
#include "postgres/definition/drop_table.h"
#include "postgres/definition/rename.h"
#include "postgres/definition/sequence_definition.h"
#include "postgres/definition/view_definition.h"
#include "postgres/parse/tree.h"
#include "postgres/sql_error.h"
#include "runtime/append/row_access.h"
#include "runtime/registry/registry.h"
#include "runtime/table/audited_data.h"
#include "runtime/value/vector.h"
#include "storage/catalog/views.h"

namespace pelorus::postgres {

namespace {

using Json = nlohmann::json;

// Runs one statement.
class Definition {
public:
    Definition(const SessionFacts& session, Context& context) : scope_(session, context) {}

    Defined takeResult(std::string tag) { return {std::move(tag), std::move(scope_.notices)}; }

    void createTable(const Json& body) { postgres::createTable(body, scope_); }
    void alterTable(const Json& body) { postgres::alterTable(body, scope_); }
    void rename(const Json& body) { renameObject(body, scope_); }
    void createSequence(const Json& body) { postgres::createSequence(body, scope_); }
    void changeSequence(const Json& body) { postgres::changeSequence(body, scope_); }

    // Scripts that build a schema may bring functions which they need not call.
    void createFunction(const Json& body) {
        std::string language;
        for (const Json& option : body["options"])
            if (textOf(bodyOf(option), "defname") == "language") language = wordOf(bodyOf(option)["arg"]);
        if (language != "plpgsql") refuseDefinition("a function of the language " + language);
        scope_.note("0A000", fmt::format("the function \"{}\" is not kept: functions of PL/pgSQL cannot be called here",
                                         namesOf(body["funcname"]).back()));
    }

    void createSchema(const Json& body) {
        const std::string name = textOf(body, "schemaname");
        if (body.contains("schemaElts")) refuseDefinition("CREATE SCHEMA with elements");
        if (findSchema(name, scope_.context)) {
            const std::string message = fmt::format("schema \"{}\" already exists", name);
            if (!flagOf(body, "if_not_exists")) throw SqlError("42P06", message);
            return note("42P06", message + ", skipping");
        }
        // The name is one of a folder on the disk.
        if (name.find_first_of("/\\") != std::string::npos || name.starts_with('.'))
            throw SqlError("42602", fmt::format("invalid schema name \"{}\"", name), -1,
                           "A name has no slash, and no dot at its beginning.");
        if (name.starts_with("pg_")) throw SqlError("42939", fmt::format("unacceptable schema name \"{}\"", name));
        scope_.databases();
        createPlainDatabase(databaseOfSchema(name), scope_.context);
    }

    void drop(const Json& body) {
        const std::string kind = textOf(body, "removeType");
        if (kind == "OBJECT_TABLE") return dropTables(body, scope_);
        if (kind == "OBJECT_SEQUENCE") return dropSequences(body, scope_);
        if (kind == "OBJECT_INDEX") return dropIndexes(body, scope_);
        if (kind == "OBJECT_VIEW") return dropViews(body, scope_);
        for (const Json& object : body["objects"]) {
            const std::vector<std::string> names =
                kindOf(object) == "List" ? namesOf(bodyOf(object)["items"]) : std::vector<std::string>{wordOf(object)};
            const std::string name = names.back();
            if (kind == "OBJECT_SCHEMA") {
                dropSchema(name, flagOf(body, "missing_ok"), textOf(body, "behavior") == "DROP_CASCADE");
            } else if (flagOf(body, "missing_ok")) {
                note("00000", fmt::format("\"{}\" does not exist, skipping", name));
            } else {
                throw SqlError(sql_state::kUndefinedObject, fmt::format("\"{}\" does not exist", name));
            }
        }
    }

    void truncate(const Json& body) { truncateTables(body, scope_); }

    // Is kept as its text, which the other statements have no need of.
    void createView(const Statement& statement) { postgres::createView(statement, scope_); }

    void createIndex(const Json& body) {
        const Json& named = body["relation"];
        const auto target = findTarget(textOf(named, "schemaname"), textOf(named, "relname"), scope_.session,
                                       scope_.context, placeOf(named));
        if (target->isRowTable) return createRowIndex(body, *target);
        if (flagOf(body, "unique"))
            refuseDefinition("a unique index", "A primary key in CREATE TABLE is kept by what this protocol writes.");
        note("00000", "tables of columns have no indexes: bounds of their blocks find rows");
    }

private:
    void createRowIndex(const Json& body, const TargetTable& target) {
        const std::string method = textOf(body, "accessMethod");
        if (body.contains("whereClause")) refuseDefinition("CREATE INDEX with WHERE");
        if (!method.empty() && method != "btree") refuseDefinition("an index by " + method);
        std::vector<std::string> columns;
        std::string made = target.name;
        for (const Json& item : body["indexParams"]) {
            const Json& element = bodyOf(item);
            if (!element.contains("name")) refuseDefinition("an index of an expression");
            columns.push_back(target.column(textOf(element, "name"), -1).schema.name);
            made += "_" + columns.back();
        }
        const std::string given = textOf(body, "idxname");
        const Value table = target.open(scope_.context);
        PartitionedTable* stored = table.table().asPartitioned();
        stored->requireToAlter(scope_.context.principal(), Right::CreateObject);
        auto& rows = dynamic_cast<RowAccess&>(*stored);
        if (!given.empty() && scope_.exists(target.schema, given)) {
            const std::string message = fmt::format("relation \"{}\" already exists", given);
            if (!flagOf(body, "if_not_exists")) throw SqlError(sql_state::kDuplicateTable, message);
            return note("42P07", message + ", skipping");
        }
        if (given.empty()) return createUnnamed(rows, made + "_idx", columns, flagOf(body, "unique"));
        try {
            rows.createIndex(given, columns, flagOf(body, "unique"));
        } catch (const UserError& error) {
            if (!isKnownName(error) || !flagOf(body, "if_not_exists")) throw;
            note("42P07", fmt::format("relation \"{}\" already exists, skipping", given));
        }
    }

    static bool isKnownName(const UserError& error) {
        return std::string_view(error.what()).find("<DuplicateName>") != std::string_view::npos;
    }

    // Makes an index under a name, or the first one with a number behind it that the table has not.
    static void createUnnamed(RowAccess& rows, const std::string& name, const std::vector<std::string>& columns,
                              bool isUnique) {
        constexpr int kMaxNames = 1000;
        for (int number = 0;; ++number) {
            try {
                return rows.createIndex(number == 0 ? name : name + std::to_string(number), columns, isUnique);
            } catch (const UserError& error) {
                if (!isKnownName(error) || number == kMaxNames) throw;
            }
        }
    }

    void note(std::string state, std::string message) { scope_.note(std::move(state), std::move(message)); }

    void dropSchema(const std::string& name, bool mayMiss, bool withTables) {
        const auto found = findSchema(name, scope_.context);
        if (!found) {
            const std::string message = fmt::format("schema \"{}\" does not exist", name);
            if (!mayMiss) throw SqlError(sql_state::kInvalidSchemaName, message);
            return note("00000", message + ", skipping");
        }
        if (*found == "public") refuseDefinition("DROP of the schema public");
        const bool isEmpty = visibleTables(*found, scope_.context).empty() &&
                             scope_.databases().views().all(databaseOfSchema(*found)).empty();
        if (!withTables && !isEmpty)
            throw SqlError("2BP01", fmt::format("cannot drop schema {} because other objects depend on it", name), -1,
                           "Use DROP ... CASCADE to drop the dependent objects too.");
        callBuiltin(scope_.context, "dropDatabase", {Value::ofString(databaseOfSchema(*found))});
    }

    DefinitionScope scope_;
};

struct Kind {
    std::string_view node;
    void (Definition::*carryOut)(const Json& body);
};
constexpr Kind kKinds[] = {
    {"CreateStmt", &Definition::createTable},        {"CreateFunctionStmt", &Definition::createFunction},
    {"CreateSchemaStmt", &Definition::createSchema}, {"DropStmt", &Definition::drop},
    {"TruncateStmt", &Definition::truncate},         {"IndexStmt", &Definition::createIndex},
    {"AlterTableStmt", &Definition::alterTable},     {"RenameStmt", &Definition::rename},
    {"CreateSeqStmt", &Definition::createSequence},  {"AlterSeqStmt", &Definition::changeSequence},
};

const Kind* kindOfDefinition(const Statement& statement) {
    const std::string_view node = kindOf(*statement.tree);
    const auto* found =
        std::find_if(std::begin(kKinds), std::end(kKinds), [&](const Kind& kind) { return kind.node == node; });
    return found == std::end(kKinds) ? nullptr : found;
}

}  // namespace

bool isDefinition(const Statement& statement) {
    return kindOfDefinition(statement) != nullptr || kindOf(*statement.tree) == "ViewStmt";
}

Defined define(const Statement& statement, const SessionFacts& session, Context& context) {
    Definition definition(session, context);
    if (kindOf(*statement.tree) == "ViewStmt") {
        definition.createView(statement);
        return definition.takeResult(statement.tag);
    }
    (definition.*kindOfDefinition(statement)->carryOut)(bodyOf(*statement.tree));
    return definition.takeResult(statement.tag);
}

}  // namespace pelorus::postgres
