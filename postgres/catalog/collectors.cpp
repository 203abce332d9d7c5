#include "postgres/catalog/collectors.h"

#include <algorithm>

#include <fmt/format.h>

#include "postgres/catalog/object_numbers.h"
#include "postgres/catalog/sequence_names.h"
#include "postgres/catalog/shown_keys.h"
#include "postgres/catalog/table_names.h"
#include "postgres/catalog/view_names.h"
#include "postgres/functions/conversions.h"
#include "runtime/function/principal.h"
#include "runtime/table/table.h"

namespace pelorus::postgres {

namespace {

constexpr int64_t kAdminRole = 10;
constexpr size_t kHasIndexPlace = 13;     // of relhasindex among the columns of pg_class
constexpr size_t kPersistencePlace = 15;  // of relpersistence
constexpr size_t kHasTriggersPlace = 20;  // of relhastriggers, by which psql knows of foreign keys

Value text(std::string_view x) {
    return textValue(x);
}
Value number(int64_t x) {
    return Value::ofLong(x);
}
Value whole(int64_t x) {
    return Value::ofInt(static_cast<int32_t>(x));
}
Value small(int64_t x) {
    return Value::ofShort(static_cast<int16_t>(x));
}
Value flag(bool x) {
    return Value::ofBool(x);
}
Value real(double x) {
    return Value::ofFloat(static_cast<float>(x));
}

}  // namespace

std::vector<ShownTable> shownTables(Context& context) {
    std::vector<ShownTable> tables;
    const SessionFacts nobody;
    for (const std::string& schema : visibleSchemas(context))
        for (const std::string& name : visibleTables(schema, context)) {
            context.checkCancelled();
            try {
                FoundTable found = findTable(schema, name, nobody, context, -1);
                tables.push_back(
                    {schema, name, std::move(found.columns), std::move(found.types), std::move(found.entry)});
            } catch (const UserError&) {
                // Dropped meanwhile, or without the right to its rows: not shown.
            }
        }
    return tables;
}

void collectNamespaces(Context& context, CatalogRows& rows) {
    const auto add = [&](int64_t oid, std::string_view name) {
        rows.push_back({number(oid), text(name), number(kAdminRole), Value()});
    };
    add(kCatalogSchema, "pg_catalog");
    add(schemaNumber("information_schema"), "information_schema");
    for (const std::string& schema : visibleSchemas(context)) add(schemaNumber(schema), schema);
}

namespace {

CatalogRow classRow(int64_t oid, std::string_view name, int64_t schema, char kind, size_t columns) {
    return {number(oid),
            text(name),
            number(schema),
            number(0),
            number(0),
            number(kAdminRole),
            number(kind == 'r'   ? 2
                   : kind == 'i' ? 403
                                 : 0),
            number(oid),
            number(0),
            whole(0),
            real(-1),
            whole(0),
            number(0),
            flag(false),
            flag(false),
            text("p"),
            text(std::string(1, kind)),
            small(static_cast<int64_t>(columns)),
            small(0),
            flag(false),
            flag(false),
            flag(false),
            flag(false),
            flag(false),
            flag(true),
            text("d"),
            flag(false),
            number(0),
            number(0),
            number(0),
            Value(),
            Value(),
            Value()};
}

}  // namespace

void collectClasses(Context& context, CatalogRows& rows) {
    for (const SystemTable& table : catalogTables())
        rows.push_back(classRow(tableNumber(table.schema, table.name), table.name, schemaNumber(table.schema),
                                table.schema == "pg_catalog" ? 'r' : 'v', table.columns.size()));
    for (const ShownTable& table : shownTables(context)) {
        rows.push_back(classRow(tableNumber(table.schema, table.name), table.name, schemaNumber(table.schema), 'r',
                                table.columns.size()));
        const size_t own = rows.size() - 1;
        if (table.schema.starts_with("pg_temp_")) rows[own][kPersistencePlace] = text("t");
        if (table.entry && table.entry->rowTable &&
            !(table.entry->rowTable->foreignKeys.empty() && table.entry->rowTable->referredBy.empty()))
            rows[own][kHasTriggersPlace] = flag(true);
        for (const TableKey& key : keysOf(table)) {
            if (!key.hasIndex()) continue;
            rows[own][kHasIndexPlace] = flag(true);
            rows.push_back(classRow(indexNumber(key), key.name, schemaNumber(key.schema), 'i', key.columns.size()));
        }
    }
    for (const ShownView& view : shownViews(context))
        rows.push_back(classRow(tableNumber(view.schema, view.entry.name), view.entry.name, schemaNumber(view.schema),
                                'v', view.entry.columns.size()));
    for (const ShownSequence& sequence : shownSequences(context))
        rows.push_back(classRow(tableNumber(sequence.schema, sequence.entry.name), sequence.entry.name,
                                schemaNumber(sequence.schema), 'S', 3));
}

namespace {

// An identity column has numbers, and no default.
bool hasDefault(const ColumnDefault& whenMissing) {
    return !whenMissing.expression.empty() && whenMissing.identity == ColumnDefault::Identity::None;
}

std::string_view identityLetter(const ColumnDefault& whenMissing) {
    return whenMissing.identity == ColumnDefault::Identity::Always      ? "a"
           : whenMissing.identity == ColumnDefault::Identity::ByDefault ? "d"
                                                                        : "";
}

ColumnDefault defaultOf(const ShownTable& table, size_t column) {
    return table.entry ? table.entry->defaultOf(column) : ColumnDefault();
}

DeclaredType typeOf(const ViewedColumn& column) {
    return {{column.type, column.modifier}, false};
}

CatalogRow attributeRow(int64_t table, std::string_view name, const DeclaredType& declared, size_t place,
                        const ColumnDefault& whenMissing = {}) {
    const auto [type, modifier] = declared.shown;
    const OidFacts* facts = oidFacts(type);
    return {number(table),
            text(name),
            number(type),
            whole(-1),
            small(facts->length),
            small(static_cast<int64_t>(place)),
            whole(facts->category == 'A' ? 1 : 0),
            whole(-1),
            whole(modifier),
            flag(facts->length > 0 && facts->length <= 8),
            text(facts->length > 4 ? "d" : "i"),
            text(facts->length < 0 ? "x" : "p"),
            text(""),
            flag(declared.isRequired),
            flag(hasDefault(whenMissing)),
            flag(false),
            text(identityLetter(whenMissing)),
            text(""),
            flag(false),
            flag(true),
            whole(0),
            number(facts->category == 'S' ? 100 : 0),
            Value(),
            Value(),
            Value(),
            Value()};
}

}  // namespace

void collectAttributes(Context& context, CatalogRows& rows) {
    for (const SystemTable& table : catalogTables())
        for (size_t i = 0; i < table.columns.size(); ++i)
            rows.push_back(attributeRow(tableNumber(table.schema, table.name), table.columns[i].name,
                                        {{table.columns[i].type, -1}, false}, i + 1));
    for (const ShownTable& table : shownTables(context)) {
        for (size_t i = 0; i < table.columns.size(); ++i)
            rows.push_back(attributeRow(tableNumber(table.schema, table.name), table.columns[i].name, table.types[i],
                                        i + 1, defaultOf(table, i)));
        for (const TableKey& key : keysOf(table))
            for (size_t i = 0; key.hasIndex() && i < key.columns.size(); ++i)
                rows.push_back(attributeRow(indexNumber(key), key.columns[i],
                                            table.types[static_cast<size_t>(key.places[i]) - 1], i + 1));
    }
    for (const ShownView& view : shownViews(context))
        for (size_t i = 0; i < view.entry.columns.size(); ++i)
            rows.push_back(attributeRow(tableNumber(view.schema, view.entry.name), view.entry.columns[i].name,
                                        typeOf(view.entry.columns[i]), i + 1));
}

void collectTypes(Context&, CatalogRows& rows) {
    for (const OidFacts& facts : allTypes()) {
        const bool isArray = facts.category == 'A' && facts.name[0] == '_';
        rows.push_back({number(facts.oid),
                        text(facts.name),
                        number(kCatalogSchema),
                        number(kAdminRole),
                        small(facts.length),
                        flag(facts.length > 0 && facts.length <= 8),
                        text(facts.category == 'P' || facts.category == 'X' ? "p" : "b"),
                        text(std::string(1, facts.category)),
                        flag(facts.oid == oid::kText || facts.oid == oid::kFloat8 || facts.oid == oid::kBool ||
                             facts.oid == oid::kTimestamptz),
                        flag(true),
                        text(","),
                        number(0),
                        number(facts.element),
                        number(facts.array),
                        text(isArray ? "array_in" : fmt::format("{}in", facts.name)),
                        text(isArray ? "array_out" : fmt::format("{}out", facts.name)),
                        text(isArray ? "array_recv" : fmt::format("{}recv", facts.name)),
                        text(isArray ? "array_send" : fmt::format("{}send", facts.name)),
                        text("-"),
                        text("-"),
                        text("-"),
                        text("i"),
                        text("p"),
                        flag(false),
                        number(0),
                        whole(-1),
                        whole(0),
                        number(facts.category == 'S' ? 100 : 0),
                        Value(),
                        Value(),
                        Value()});
    }
}

void collectDatabases(Context&, CatalogRows& rows) {
    rows.push_back({number(kDatabaseNumber), text("pelorus"), number(kAdminRole), whole(6), text("c"), flag(false),
                    flag(true), whole(-1), number(0), number(0), number(1'663), text("C"), text("C"), Value(), Value(),
                    Value()});
}

void collectRoles(Context& context, CatalogRows& rows) {
    const std::string user = context.principal().user();
    const auto add = [&](const std::string& name, bool isAdmin) {
        rows.push_back({number(roleNumber(name)), text(name), flag(isAdmin), flag(true), flag(isAdmin), flag(isAdmin),
                        flag(true), flag(false), whole(-1), text("********"), Value(), flag(false), Value()});
    };
    add("admin", true);
    if (user != "admin") add(user, context.principal().administers());
}

namespace {

bool hasIndex(const ShownTable& table) {
    const std::vector<TableKey> keys = keysOf(table);
    return std::any_of(keys.begin(), keys.end(), [](const TableKey& key) { return key.hasIndex(); });
}

}  // namespace

void collectTables(Context& context, CatalogRows& rows) {
    for (const ShownTable& table : shownTables(context))
        rows.push_back({text(table.schema), text(table.name), text("admin"), Value(), flag(hasIndex(table)),
                        flag(false), flag(false), flag(false)});
}

namespace {

// The settings that drivers look up; the session's own are shown by SHOW.

}  // namespace

void collectSettings(Context&, CatalogRows& rows) {
    constexpr std::pair<std::string_view, std::string_view> kSettings[] = {
        {"max_index_keys", "32"},
        {"server_version", "15.0"},
        {"server_version_num", "150000"},
        {"server_encoding", "UTF8"},
        {"block_size", "8192"},
        {"max_identifier_length", "63"},
        {"integer_datetimes", "on"},
        {"lc_collate", "C"},
        {"lc_ctype", "C"},
        {"standard_conforming_strings", "on"},
    };
    for (const auto& [name, setting] : kSettings)
        rows.push_back({text(name), text(setting), Value(), text("Preset Options"), Value(), Value(), text("internal"),
                        text("string"), text("default"), Value(), Value(), Value(), text(setting), text(setting),
                        Value(), Value(), flag(false)});
}

void collectMethods(Context&, CatalogRows& rows) {
    rows.push_back({number(2), text("heap"), text("heap_tableam_handler"), text("t")});
    rows.push_back({number(403), text("btree"), text("bthandler"), text("i")});
}

void collectSchemata(Context& context, CatalogRows& rows) {
    std::vector<std::string> schemas = visibleSchemas(context);
    schemas.insert(schemas.end(), {"pg_catalog", "information_schema"});
    for (const std::string& schema : schemas)
        rows.push_back({text("pelorus"), text(schema), text("admin"), Value(), Value(), Value(), Value()});
}

namespace {

CatalogRow tableRow(std::string_view schema, std::string_view name, std::string_view kind) {
    return {text("pelorus"), text(schema), text(name), text(kind), Value(),    Value(),
            Value(),         Value(),      Value(),    text("NO"), text("NO"), Value()};
}

}  // namespace

void collectInformationTables(Context& context, CatalogRows& rows) {
    for (const SystemTable& table : catalogTables())
        rows.push_back(tableRow(table.schema, table.name, table.schema == "pg_catalog" ? "BASE TABLE" : "VIEW"));
    for (const ShownTable& table : shownTables(context))
        rows.push_back(tableRow(table.schema, table.name, "BASE TABLE"));
    for (const ShownView& view : shownViews(context)) rows.push_back(tableRow(view.schema, view.entry.name, "VIEW"));
}

namespace {

CatalogRow columnRow(std::string_view schema, std::string_view table, std::string_view name, size_t place,
                     const DeclaredType& declared, const ColumnDefault& whenMissing = {}) {
    const ShownType type = declared.shown;
    const OidFacts* facts = oidFacts(type.type);
    const bool isText = facts->category == 'S', isNumber = facts->category == 'N';
    const bool isNumeric = type.type == oid::kNumeric;
    const bool isLimited = type.modifier > 0 && (type.type == oid::kVarchar || type.type == oid::kBpchar);
    const Value precision = !isNumber   ? Value()
                            : isNumeric ? (type.modifier < 0 ? Value() : whole(numericPrecision(type.modifier)))
                                        : whole(facts->length == 2   ? 16
                                                : facts->length == 4 ? (type.type == oid::kFloat4 ? 24 : 32)
                                                                     : (type.type == oid::kFloat8 ? 53 : 64));
    const Value scale = !isNumber || type.type == oid::kFloat4 || type.type == oid::kFloat8 ? Value()
                        : isNumeric ? (type.modifier < 0 ? Value() : whole(numericScale(type.modifier)))
                                    : whole(0);
    const std::string_view shown = facts->category == 'A' ? "ARRAY" : facts->display;
    return {text("pelorus"),
            text(schema),
            text(table),
            text(name),
            whole(static_cast<int64_t>(place)),
            hasDefault(whenMissing) ? text(whenMissing.expression) : Value(),
            text(declared.isRequired ? "NO" : "YES"),
            text(shown),
            isLimited ? whole(type.modifier - 4) : Value(),
            isText ? whole(isLimited ? 4 * (type.modifier - 4) : 1'073'741'824) : Value(),
            precision,
            isNumber ? whole(isNumeric ? 10 : 2) : Value(),
            scale,
            facts->category == 'D' && type.type != oid::kDate ? whole(6)
            : facts->category == 'D'                          ? whole(0)
                                                              : Value(),
            Value(),
            Value(),
            Value(),
            text("pelorus"),
            text("pg_catalog"),
            text(facts->name),
            text(fmt::format("{}", place)),
            text("NO"),
            text(identityLetter(whenMissing).empty() ? "NO" : "YES"),
            text("NEVER"),
            Value(),
            text("YES")};
}

}  // namespace

void collectInformationColumns(Context& context, CatalogRows& rows) {
    for (const SystemTable& table : catalogTables())
        for (size_t i = 0; i < table.columns.size(); ++i)
            rows.push_back(columnRow(table.schema, table.name, table.columns[i].name, i + 1,
                                     {{table.columns[i].type, -1}, false}));
    for (const ShownTable& table : shownTables(context))
        for (size_t i = 0; i < table.columns.size(); ++i)
            rows.push_back(
                columnRow(table.schema, table.name, table.columns[i].name, i + 1, table.types[i], defaultOf(table, i)));
    for (const ShownView& view : shownViews(context))
        for (size_t i = 0; i < view.entry.columns.size(); ++i)
            rows.push_back(columnRow(view.schema, view.entry.name, view.entry.columns[i].name, i + 1,
                                     typeOf(view.entry.columns[i])));
}

void collectViews(Context& context, CatalogRows& rows) {
    for (const ShownView& view : shownViews(context))
        rows.push_back({text(view.schema), text(view.entry.name), text("admin"), text(view.entry.query)});
}

void collectInformationViews(Context& context, CatalogRows& rows) {
    for (const ShownView& view : shownViews(context))
        rows.push_back({text("pelorus"), text(view.schema), text(view.entry.name), text(view.entry.query)});
}

}  // namespace pelorus::postgres
