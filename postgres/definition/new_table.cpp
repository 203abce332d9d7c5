#include "postgres/definition/new_table.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "database/service/database_service.h"
#include "postgres/definition/column_rules.h"
#include "postgres/definition/temporary_tables.h"
#include "postgres/parse/tree.h"
#include "postgres/sql_error.h"
#include "storage/table/row_facts.h"

namespace pelorus::postgres {

namespace {

using Json = nlohmann::json;

constexpr size_t kMaxColumns = 1'600;
constexpr std::pair<std::string_view, const char*> kSerials[] = {{"serial", "int4"},      {"serial4", "int4"},
                                                                 {"bigserial", "int8"},   {"serial8", "int8"},
                                                                 {"smallserial", "int2"}, {"serial2", "int2"}};

[[noreturn]] void refuse(const std::string& what, int place, std::string hint = "") {
    throw SqlError(sql_state::kFeatureNotSupported, what + " is not supported", place, std::move(hint));
}

bool isSameName(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

NewColumn& columnNamed(NewTable& table, const std::string& name, int place) {
    for (NewColumn& column : table.columns)
        if (column.name == name) return column;
    throw SqlError(sql_state::kUndefinedColumn, fmt::format("column \"{}\" named in key does not exist", name), place);
}

// A primary key: its columns are required, and what this protocol writes is checked against it.
void setKey(NewTable& table, const std::vector<std::string>& names, int place) {
    for (const NewColumn& column : table.columns)
        if (column.declared.keyPlace != 0)
            throw SqlError("42P16", fmt::format("multiple primary keys for table \"{}\" are not allowed", table.name),
                           place);
    int next = 0;
    for (const std::string& name : names) {
        DeclaredType& declared = columnNamed(table, name, place).declared;
        declared.isRequired = true;
        declared.keyPlace = ++next;
    }
}

// Adds the index of a constraint. One of the same columns is the same: the primary key's, under the name that it was
// given.
void addIndex(NewTable& table, const Json& constraint, const std::vector<std::string>& names, bool isPrimary) {
    const std::string given = textOf(constraint, "conname");
    const auto isTaken = [&](const std::string& name) {
        return std::any_of(table.indexes.begin(), table.indexes.end(),
                           [&](const NewIndex& index) { return index.name == name; });
    };
    const auto chosenName = [&] {
        if (given.empty())
            return isPrimary ? madeName(table.name, "", "pkey", isTaken)
                             : madeName(table.name, fmt::format("{}", fmt::join(names, "_")), "key", isTaken);
        if (isTaken(given))
            throw SqlError(sql_state::kDuplicateTable, fmt::format("relation \"{}\" already exists", given));
        return given;
    };
    for (NewIndex& index : table.indexes) {
        if (index.columns != names) continue;
        index.isPrimary |= isPrimary;
        if (!index.isNameMade || (given.empty() && !isPrimary)) return;
        index.name.clear();
        index.name = chosenName();
        index.isNameMade = given.empty();
        return;
    }
    table.indexes.push_back({chosenName(), names, isPrimary, given.empty()});
}

// A unique constraint of a row table, kept by an index.
void addUnique(NewTable& table, const Json& constraint, const std::vector<std::string>& names, int place) {
    if (!table.isRowTable) refuse("UNIQUE of a table of columns", place, "CREATE TABLE … USING rows has it.");
    for (const std::string& name : names) columnNamed(table, name, place);
    addIndex(table, constraint, names, false);
}

void setDefault(NewTable& table, NewColumn& column, const Json& expression) {
    if (!column.whenMissing.is_null() || column.isNumbered())
        throw SqlError(sql_state::kSyntaxError,
                       fmt::format("multiple default values specified for column \"{}\" of table \"{}\"", column.name,
                                   table.name));
    if (kindOf(expression) != "A_Const" || !flagOf(bodyOf(expression), "isnull")) column.whenMissing = expression;
}

void setIdentity(NewTable& table, NewColumn& column, const Json& constraint) {
    if (!column.whenMissing.is_null() || column.isNumbered())
        throw SqlError(
            sql_state::kSyntaxError,
            fmt::format("multiple identity specifications for column \"{}\" of table \"{}\"", column.name, table.name));
    const Json& when = constraint["generated_when"];
    const bool isAlways =
        when.is_string() ? when.get<std::string>() == "a" : when.is_number() && when.get<int>() == 'a';
    column.identity = isAlways ? ColumnDefault::Identity::Always : ColumnDefault::Identity::ByDefault;
    column.declared.isRequired = true;
    if (constraint.contains("options")) column.sequenceOptions = constraint["options"];
}

// A letter, which the library writes as a text or as a number.
char letterOf(const Json& body, const char* member) {
    const auto found = body.find(member);
    if (found == body.end()) return 0;
    if (found->is_number()) return static_cast<char>(found->get<int>());
    const std::string text = found->is_string() ? found->get<std::string>() : "";
    return text.empty() ? '\0' : text[0];
}

ForeignKey::Action actionOf(const Json& body, const char* member) {
    switch (letterOf(body, member)) {
        case 'r':
            return ForeignKey::Action::Restrict;
        case 'c':
            return ForeignKey::Action::Cascade;
        case 'n':
            return ForeignKey::Action::SetNull;
        case 'd':
            return ForeignKey::Action::SetDefault;
        default:
            return ForeignKey::Action::NoAction;
    }
}

void addForeignKey(NewTable& table, const Json& constraint, const NewColumn* column, int place) {
    if (!table.isRowTable) refuse("a foreign key of a table of columns", place, "CREATE TABLE … USING rows has it.");
    const char match = letterOf(constraint, "fk_matchtype");
    if (match != 's' && match != 0) refuse("MATCH FULL", place, "MATCH SIMPLE is.");
    if (flagOf(constraint, "skip_validation") && column == nullptr && !flagOf(constraint, "initially_valid"))
        refuse("NOT VALID", place, "Rows that are there are checked at once.");
    NewForeignKey key;
    key.name = textOf(constraint, "conname");
    key.place = place;
    key.columns = column != nullptr ? std::vector<std::string>{column->name} : namesOf(constraint["fk_attrs"]);
    key.parentSchema = textOf(constraint["pktable"], "schemaname");
    key.parentTable = textOf(constraint["pktable"], "relname");
    if (constraint.contains("pk_attrs")) key.parentColumns = namesOf(constraint["pk_attrs"]);
    key.onUpdate = actionOf(constraint, "fk_upd_action");
    key.onDelete = actionOf(constraint, "fk_del_action");
    if (constraint.contains("fk_del_set_cols")) key.setColumns = namesOf(constraint["fk_del_set_cols"]);
    key.isDeferrable = flagOf(constraint, "deferrable");
    key.isDeferred = flagOf(constraint, "initdeferred");
    table.foreignKeys.push_back(std::move(key));
}

// A word behind a constraint of a column that says when it is checked.
void setDeferral(NewTable& table, const std::string& kind, bool isBehindKey, int place) {
    if (kind == "CONSTR_ATTR_NOT_DEFERRABLE" || kind == "CONSTR_ATTR_IMMEDIATE") return;
    if (!isBehindKey) refuse("DEFERRABLE of a constraint other than a foreign key", place);
    table.foreignKeys.back().isDeferrable = true;
    if (kind == "CONSTR_ATTR_DEFERRED") table.foreignKeys.back().isDeferred = true;
}

void takeConstraint(NewTable& table, const Json& constraint, NewColumn* column) {
    const std::string kind = textOf(constraint, "contype");
    const int place = placeOf(constraint);
    if (kind == "CONSTR_NULL") return;
    if (kind != "CONSTR_FOREIGN" && flagOf(constraint, "deferrable"))
        refuse("DEFERRABLE of a constraint other than a foreign key", place);
    if (kind == "CONSTR_NOTNULL") {
        column->declared.isRequired = true;
    } else if (kind == "CONSTR_PRIMARY") {
        const auto names = column != nullptr ? std::vector<std::string>{column->name} : namesOf(constraint["keys"]);
        setKey(table, names, place);
        if (table.isRowTable) addIndex(table, constraint, names, true);
    } else if (kind == "CONSTR_DEFAULT") {
        setDefault(table, *column, constraint["raw_expr"]);
    } else if (kind == "CONSTR_IDENTITY") {
        setIdentity(table, *column, constraint);
    } else if (kind == "CONSTR_UNIQUE") {
        addUnique(table, constraint,
                  column != nullptr ? std::vector<std::string>{column->name} : namesOf(constraint["keys"]), place);
    } else if (kind == "CONSTR_CHECK") {
        if (!table.isRowTable) refuse("CHECK of a table of columns", place, "CREATE TABLE … USING rows has it.");
        table.checks.push_back({textOf(constraint, "conname"), constraint["raw_expr"]});
    } else if (kind == "CONSTR_FOREIGN") {
        addForeignKey(table, constraint, column, place);
    } else {
        refuse("a constraint of this kind", place);
    }
}

}  // namespace

void addColumn(NewTable& table, const Json& body) {
    NewColumn column;
    column.name = textOf(body, "colname");
    column.place = placeOf(body);
    Json typeName = body["typeName"];
    const std::vector<std::string> typeNames = namesOf(typeName["names"]);
    for (const auto& [serial, type] : kSerials) {
        if (typeNames.size() != 1 || typeNames[0] != serial) continue;
        typeName["names"] = Json::array({{{"String", {{"sval", type}}}}});
        column.isSerial = column.declared.isRequired = true;
    }
    const WrittenType written = writtenType(typeName);
    column.declared.shown = {written.type, written.modifier};
    if (column.declared.shown.type == oid::kBpchar && written.modifier < 0) column.declared.shown.modifier = 1 + 4;
    keptTypeOf(column.declared.shown, placeOf(body["typeName"]));
    if (std::any_of(table.columns.begin(), table.columns.end(),
                    [&](const NewColumn& other) { return isSameName(other.name, column.name); }))
        throw SqlError("42701", fmt::format("column \"{}\" specified more than once", column.name), column.place,
                       "Names that differ by the case of letters alone are one.");
    if (body.contains("collClause")) {
        const std::string collation = namesOf(body["collClause"]["collname"]).back();
        if (collation != "C" && collation != "POSIX" && collation != "default" && collation != "ucs_basic")
            refuse("collation " + collation, column.place);
    }
    table.columns.push_back(std::move(column));
    if (!body.contains("constraints")) return;
    bool isBehindKey = false;
    for (const Json& item : body["constraints"]) {
        const Json& constraint = bodyOf(item);
        const std::string kind = textOf(constraint, "contype");
        if (kind.starts_with("CONSTR_ATTR_")) {
            setDeferral(table, kind, isBehindKey, placeOf(constraint));
            continue;
        }
        takeConstraint(table, constraint, &table.columns.back());
        isBehindKey = kind == "CONSTR_FOREIGN";
    }
}

void addConstraint(NewTable& table, const Json& constraint) {
    takeConstraint(table, constraint, nullptr);
}

NewTable newTableOf(const Json& body, const std::string& otherwise) {
    const Json& relation = body["relation"];
    NewTable table;
    table.schema = writtenSchema(relation);
    table.name = textOf(relation, "relname");
    const std::string whenCommitted = textOf(body, "oncommit");
    if (whenCommitted == "ONCOMMIT_DROP" || whenCommitted == "ONCOMMIT_DELETE_ROWS")
        refuse(whenCommitted == "ONCOMMIT_DROP" ? "ON COMMIT DROP" : "ON COMMIT DELETE ROWS", placeOf(relation),
               "Drop the table, or delete its rows, by a statement.");
    if (body.contains("inhRelations")) refuse("INHERITS", placeOf(relation));
    if (body.contains("partspec"))
        refuse("PARTITION BY", placeOf(relation),
               "Create partitioned tables by a script; they are read and written here.");
    const std::string given = textOf(body, "accessMethod");
    const std::string& method = given.empty() && otherwise == "rows" ? otherwise : given;
    if (!method.empty() && method != "columns" && method != "rows")
        throw SqlError(sql_state::kUndefinedObject, fmt::format("access method \"{}\" does not exist", method), -1,
                       "USING rows makes a row table, USING columns, or nothing, one of columns.");
    table.isRowTable = method == "rows";
    if (!body.contains("tableElts")) refuse("a table without columns", placeOf(relation));
    for (const Json& element : body["tableElts"])
        if (kindOf(element) == "ColumnDef") addColumn(table, bodyOf(element));
    for (const Json& element : body["tableElts"]) {
        if (kindOf(element) == "Constraint") {
            takeConstraint(table, bodyOf(element), nullptr);
        } else if (kindOf(element) != "ColumnDef") {
            refuse("LIKE", placeOf(relation));
        }
    }
    if (table.columns.empty()) refuse("a table without columns", placeOf(relation));
    if (table.columns.size() > kMaxColumns) throw SqlError("54011", "tables can have at most 1600 columns");
    return table;
}

TableEntry entryOf(const NewTable& table) {
    TableEntry entry;
    entry.name = table.name;
    for (const NewColumn& column : table.columns) {
        const KeptType kept = keptTypeOf(column.declared.shown, column.place);
        entry.schema.push_back({.name = column.name, .type = kept.type, .scale = kept.scale});
        entry.declaredTypes[column.name] = savedForm(column.declared);
    }
    entry.compressMethods.assign(entry.schema.size(), "lz4");
    if (!table.isRowTable) return entry;
    RowTableFacts& facts = entry.rowTable.emplace();
    placeRowColumns(entry);
    for (const NewColumn& column : table.columns) {
        if (column.declared.isRequired) facts.required.push_back(column.name);
    }
    for (const NewIndex& index : table.indexes)
        facts.indexes.push_back({index.name, index.columns, true, index.isPrimary, true});
    return entry;
}

}  // namespace pelorus::postgres
