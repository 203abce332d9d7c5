#include "postgres/catalog/object_numbers.h"

#include <fmt/format.h>

#include "postgres/catalog/catalog_tables.h"
#include "postgres/catalog/sequence_names.h"
#include "postgres/catalog/table_names.h"
#include "postgres/catalog/view_names.h"
#include "postgres/functions/array_text.h"
#include "postgres/sql_error.h"

namespace pelorus::postgres {

namespace {

// FNV-1a: the same on every machine.
int64_t hashed(std::string_view kind, std::string_view a, std::string_view b) {
    uint64_t hash = 14'695'981'039'346'656'037ULL;
    for (const std::string_view part : {kind, a, b}) {
        for (const char c : part) hash = (hash ^ static_cast<unsigned char>(c)) * 1'099'511'628'211ULL;
        hash = (hash ^ 0xFF) * 1'099'511'628'211ULL;
    }
    return kFirstOwnNumber + static_cast<int64_t>((hash ^ (hash >> 32)) & 0x3FFFFFFF);
}

}  // namespace

int64_t schemaNumber(std::string_view schema) {
    if (schema == "public") return kPublicSchema;
    if (schema == "pg_catalog") return kCatalogSchema;
    return hashed("schema", schema, "");
}

int64_t tableNumber(std::string_view schema, std::string_view table) {
    return hashed("table", schema, table);
}

int64_t roleNumber(std::string_view user) {
    return user == "admin" ? 10 : hashed("role", user, "");
}

int64_t numberOfName(Oid type, const std::string& name, const SessionFacts& session, Context& context) {
    // A name with a schema, in quotes or not.
    std::string schema, object;
    bool isQuoted = false;
    for (const char c : name) {
        if (c == '"') {
            isQuoted = !isQuoted;
        } else if (c == '.' && !isQuoted && schema.empty()) {
            schema = object;
            object.clear();
        } else {
            object += c;
        }
    }
    if (type == oid::kRegtype) {
        const OidFacts* facts = typeByName(object);
        if (facts == nullptr)
            throw SqlError(sql_state::kUndefinedObject, fmt::format("type \"{}\" does not exist", name));
        return facts->oid;
    }
    if (type == oid::kRegnamespace) return schemaNumber(object);
    if (type == oid::kRegrole) return roleNumber(object);
    if (type == oid::kRegproc) return hashed("function", object, "");
    if (const SystemTable* table = findSystemTable(schema, object)) return tableNumber(table->schema, table->name);
    if (const auto view = findView(schema, object, session, context))
        return tableNumber(schemaOfDatabase(view->database), view->name);
    try {
        const FoundTable found = findTable(schema, object, session, context, -1);
        return tableNumber(found.schema, found.name);
    } catch (const SqlError& error) {
        if (error.state() != sql_state::kUndefinedTable) throw;
        const std::vector<std::string> path = schema.empty() ? session.searchPath : std::vector<std::string>{schema};
        for (const std::string& where : path)
            if (const auto sequence = sequenceIn(where, object, context))
                return tableNumber(sequence->database.substr(std::string_view("dfs://").size()), sequence->name);
        throw;
    }
}

}  // namespace pelorus::postgres
