#include "postgres/catalog/table_names.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "common/thread/mutex.h"
#include "database/service/database_service.h"
#include "database/service/secured_objects.h"
#include "interpreter/session/shared_objects.h"
#include "postgres/sql_error.h"
#include "runtime/append/row_access.h"
#include "runtime/function/handle_maker.h"
#include "runtime/function/principal.h"
#include "runtime/registry/registry.h"
#include "storage/table/local_table.h"

namespace pelorus::postgres {

namespace {

constexpr std::string_view kPublic = "public";
constexpr std::string_view kPrefix = "dfs://";

bool isSameName(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

// Returns the name of the list that is meant: the very one, or the only one that differs by case alone.
std::optional<std::string> chosen(const std::vector<std::string>& names, std::string_view wanted) {
    const std::string* found = nullptr;
    for (const std::string& name : names) {
        if (name == wanted) return name;
        if (!isSameName(name, wanted)) continue;
        if (found != nullptr) return {};
        found = &name;
    }
    return found == nullptr ? std::nullopt : std::optional<std::string>(*found);
}

// Returns the tables of a database that the user may see.
std::vector<std::string> storedTables(const std::string& schema, Context& context) {
    std::vector<std::string> tables;
    if (context.service<DatabaseService>() == nullptr) return tables;
    const std::string path = databaseOfSchema(schema);
    Catalog& catalog = context.service<DatabaseService>()->catalog();
    for (const std::string& name : catalog.tableNames(path)) {
        const std::optional<TableEntry> table = catalog.findTable(path, name);
        if (table && maySee(context, *table)) tables.push_back(name);
    }
    return tables;
}

std::vector<std::string> sharedTables(Context& context) {
    std::vector<std::string> tables;
    const auto* shared = context.service<SharedObjects>();
    if (shared == nullptr) return tables;
    for (const std::string& name : shared->names()) {
        Value value;
        if (!shared->find(name, value) || !value.isTable()) continue;
        if (shared->allows(value.table(), Right::Read, context.principal())) tables.push_back(name);
    }
    return tables;
}

std::optional<FoundTable> findShared(const std::string& wanted, Context& context) {
    const auto* shared = context.service<SharedObjects>();
    if (shared == nullptr) return {};
    const std::optional<std::string> name = chosen(sharedTables(context), wanted);
    if (!name) return {};
    const auto open = [name = *name](Context& now) {
        Value value;
        if (!now.service<SharedObjects>()->find(name, value, now.principal()) || !value.isTable())
            throw SqlError(sql_state::kUndefinedTable, fmt::format("relation \"{}\" does not exist", name));
        return value;
    };
    const Value table = open(context);
    FoundTable found{std::string(kPublic), *name, table.table().columns(), {}, {}, open};
    for (const ColumnSchema& column : found.columns) found.types.push_back(declaredTypeOf(column, {}));
    return found;
}

// The handle of a row table that the runs of one statement share for as long as the table's entry stays. Thread-safe.
class KeptHandle {
public:
    // Returns the handle for this user; VOID where it has to be opened.
    Value get(const Context& context) const {
        const MutexLock guard(mutex_);
        if (handle_.isVoid()) return {};
        const auto& table = dynamic_cast<const CatalogTable&>(handle_.table());
        const bool isOwn = table.maker() != nullptr && table.maker()->user() == context.principal().user();
        return isOwn && table.isCurrent() ? handle_ : Value();
    }
    void keep(const Value& handle) {
        const bool isKept = dynamic_cast<RowAccess*>(&handle.table()) != nullptr &&
                            dynamic_cast<CatalogTable*>(&handle.table()) != nullptr;
        const MutexLock guard(mutex_);
        handle_ = isKept ? handle : Value();
    }

private:
    mutable Mutex mutex_;
    Value handle_ GUARDED_BY(mutex_);
};

std::optional<FoundTable> findStored(const std::string& schema, const std::string& wanted, Context& context) {
    const std::optional<std::string> database = findSchema(schema, context);
    if (!database || context.service<DatabaseService>() == nullptr) return {};
    const std::optional<std::string> name = chosen(storedTables(*database, context), wanted);
    if (!name) return {};
    const std::string path = databaseOfSchema(*database);
    const auto open = [path, name = *name, kept = std::make_shared<KeptHandle>()](Context& now) {
        if (Value handle = kept->get(now); !handle.isVoid()) return handle;
        Value arguments[] = {Value::ofString(path), Value::ofString(name), Value(), Value()};
        try {
            Value handle = FunctionRegistry::instance().get("loadTable").call(now, arguments);
            if (auto* rows = dynamic_cast<RowAccess*>(&handle.table())) rows->showEmptyTexts();
            kept->keep(handle);
            return handle;
        } catch (const UserError&) {
            if (now.service<DatabaseService>()->catalog().findTable(path, name)) throw;
            throw SqlError(sql_state::kUndefinedTable, fmt::format("relation \"{}\" does not exist", name));
        }
    };
    const Value table = open(context);
    FoundTable found{*database, *name, table.table().columns(), {}, path, open};
    found.isRowTable = dynamic_cast<RowAccess*>(&table.table()) != nullptr;
    const std::optional<TableEntry> entry = context.service<DatabaseService>()->catalog().findTable(path, *name);
    const bool isSame = entry && entry->schema.size() == found.columns.size();
    for (size_t i = 0; i < found.columns.size(); ++i)
        found.types.push_back(declaredTypeOf(found.columns[i], isSame ? entry->declaredTypeOf(i) : std::string()));
    if (isSame) found.entry = std::make_shared<const TableEntry>(*entry);
    return found;
}

bool isSameColumns(const TableSchema& one, const TableSchema& other) {
    const auto isSame = [](const ColumnSchema& a, const ColumnSchema& b) {
        return a.type == b.type && a.scale == b.scale && a.name == b.name;
    };
    return std::equal(one.begin(), one.end(), other.begin(), other.end(), isSame);
}

}  // namespace

// Returns whether nothing that comes before a schema, as a statement writes it, may have the table of that name.
static bool isFirstFound(const std::string& written, const std::string& schema, const SessionFacts& session,
                         Catalog& catalog) {
    if (!written.empty()) return written == schema;
    const std::vector<std::string> databases = catalog.databasePaths();
    for (const std::string& where : session.searchPath) {
        const std::string folded = where == "$user" ? session.user : where;
        if (folded == schema) return true;
        const bool isThere = std::any_of(databases.begin(), databases.end(), [&](const std::string& path) {
            return isSameName(path, databaseOfSchema(folded));
        });
        if (isThere || isSameName(folded, kPublic)) return false;
    }
    return false;
}

bool isStillFound(const FoundTable& found, const std::string& schema, const std::string& name,
                  const SessionFacts& session, Context& context) {
    if (found.entry && name == found.name && context.service<DatabaseService>() != nullptr) {
        Catalog& catalog = context.service<DatabaseService>()->catalog();
        const MetaCondition unchanged = isUnchanged(*found.entry);
        const std::optional<MetaEntry> now = catalog.store().get(unchanged.key);
        const bool isSame = now && now->revision == unchanged.revision && maySee(context, *found.entry);
        const bool isHidden = found.schema == kPublic && findShared(name, context).has_value();
        if (isSame && !isHidden && isFirstFound(schema, found.schema, session, catalog)) return true;
    }
    return isSameTable(found, findTable(schema, name, session, context, -1));
}

bool areStillFound(const std::vector<TableFinding>& findings, const SessionFacts& session, Context& context) {
    try {
        return std::all_of(findings.begin(), findings.end(), [&](const TableFinding& finding) {
            return isStillFound(finding.found, finding.written.schema, finding.written.name, session, context);
        });
    } catch (const Error&) {
        return false;
    }
}

bool isSameTable(const FoundTable& a, const FoundTable& b) {
    return a.schema == b.schema && a.name == b.name && a.database == b.database &&
           isSameColumns(a.columns, b.columns) && a.types == b.types;
}

Value openAsFound(const std::function<Value(Context& context)>& open, const TableSchema& columns, Context& context) {
    Value table = open(context);
    if (!isSameColumns(table.table().columns(), columns)) throw StaleStatement();
    return table;
}

std::vector<std::string> visibleSchemas(Context& context) {
    std::vector<std::string> schemas = {std::string(kPublic)};
    if (context.service<DatabaseService>() == nullptr) return schemas;
    // Who may read one table of a database sees the schema that it is in.
    Catalog& catalog = context.service<DatabaseService>()->catalog();
    for (const std::string& path : catalog.databasePaths()) {
        const std::optional<DatabaseEntry> entry = catalog.findDatabase(path);
        if (path.starts_with(kPrefix) && path != databaseOfSchema(kPublic) && entry && maySee(context, *entry))
            schemas.push_back(path.substr(kPrefix.size()));
    }
    return schemas;
}

std::optional<std::string> findSchema(const std::string& name, Context& context) {
    return chosen(visibleSchemas(context), name);
}

std::vector<std::string> schemasOfPath(const SessionFacts& session, Context& context) {
    const std::vector<std::string> visible = visibleSchemas(context);
    std::vector<std::string> schemas;
    for (const std::string& name : session.searchPath)
        if (std::optional<std::string> schema = chosen(visible, name)) schemas.push_back(std::move(*schema));
    return schemas;
}

std::string schemaOfDatabase(std::string_view path) {
    return std::string(path.starts_with(kPrefix) ? path.substr(kPrefix.size()) : path);
}

std::string databaseOfSchema(std::string_view schema) {
    return std::string(kPrefix) + std::string(schema);
}

std::vector<std::string> visibleTables(const std::string& schema, Context& context) {
    std::vector<std::string> tables = storedTables(schema, context);
    if (schema != kPublic) return tables;
    for (std::string& name : sharedTables(context)) tables.push_back(std::move(name));
    std::sort(tables.begin(), tables.end());
    tables.erase(std::unique(tables.begin(), tables.end()), tables.end());
    return tables;
}

FoundTable findTable(const std::string& schema, const std::string& name, const SessionFacts& session, Context& context,
                     int place) {
    const auto find = [&](const std::string& where) {
        std::optional<FoundTable> found;
        if (isSameName(where, kPublic)) found = findShared(name, context);
        return found ? found : findStored(where, name, context);
    };
    if (schema == kTemporaryName && !session.temporarySchema.empty())
        return findTable(session.temporarySchema, name, session, context, place);
    if (!schema.empty()) {
        if (auto found = find(schema)) return std::move(*found);
        if (!findSchema(schema, context))
            throw SqlError(sql_state::kUndefinedTable, fmt::format("relation \"{}.{}\" does not exist", schema, name),
                           place, "A schema is a database: dfs://market is market.");
        throw SqlError(sql_state::kUndefinedTable, fmt::format("relation \"{}.{}\" does not exist", schema, name),
                       place);
    }
    for (const std::string& where : session.searchPath) {
        const std::string folded = where == "$user" ? session.user : where;
        if (auto found = find(folded)) return std::move(*found);
    }
    throw SqlError(sql_state::kUndefinedTable, fmt::format("relation \"{}\" does not exist", name), place,
                   "Write the database before it, as in market.trades, or set search_path.");
}

}  // namespace pelorus::postgres
