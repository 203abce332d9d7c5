#include "postgres/translate/catalog_calls.h"

#include <algorithm>
#include <cctype>

#include "postgres/catalog/catalog_tables.h"
#include "postgres/catalog/object_numbers.h"
#include "postgres/catalog/sequence_names.h"
#include "postgres/catalog/shown_keys.h"
#include "postgres/catalog/table_names.h"
#include "postgres/catalog/view_names.h"
#include "postgres/functions/conversions.h"
#include "postgres/sql_error.h"
#include "postgres/translate/function_calls.h"
#include "runtime/function/principal.h"
#include "runtime/value/vector.h"

namespace pelorus::postgres {

namespace {

// A function whose answer is the same whatever it is asked, since we have none of what it reports.
struct Fixed {
    std::string_view name;
    Oid type;
    const char* text;  // null: NULL
};
constexpr Fixed kFixed[] = {
    {"obj_description", oid::kText, nullptr},
    {"col_description", oid::kText, nullptr},
    {"shobj_description", oid::kText, nullptr},
    {"pg_get_ruledef", oid::kText, nullptr},
    {"pg_get_triggerdef", oid::kText, nullptr},
    {"pg_get_functiondef", oid::kText, nullptr},
    {"pg_get_function_result", oid::kText, nullptr},
    {"pg_get_function_arguments", oid::kText, nullptr},
    {"pg_get_function_identity_arguments", oid::kText, nullptr},
    {"pg_get_function_sqlbody", oid::kText, nullptr},
    {"pg_get_partkeydef", oid::kText, nullptr},
    {"pg_get_statisticsobjdef_columns", oid::kText, nullptr},
    {"pg_tablespace_location", oid::kText, ""},
    {"pg_relation_filepath", oid::kText, nullptr},
    {"pg_encoding_to_char", oid::kName, "UTF8"},
    {"pg_size_pretty", oid::kText, "0 bytes"},
    {"pg_total_relation_size", oid::kInt8, "0"},
    {"pg_relation_size", oid::kInt8, "0"},
    {"pg_table_size", oid::kInt8, "0"},
    {"pg_indexes_size", oid::kInt8, "0"},
    {"pg_database_size", oid::kInt8, "0"},
    {"pg_stat_get_numscans", oid::kInt8, "0"},
    {"pg_type_is_visible", oid::kBool, "t"},
    {"pg_function_is_visible", oid::kBool, "t"},
    {"pg_operator_is_visible", oid::kBool, "t"},
    {"pg_opclass_is_visible", oid::kBool, "t"},
    {"pg_collation_is_visible", oid::kBool, "t"},
    {"pg_relation_is_publishable", oid::kBool, "f"},
    {"pg_is_other_temp_schema", oid::kBool, "f"},
    {"has_database_privilege", oid::kBool, "t"},
    {"has_function_privilege", oid::kBool, "t"},
    {"has_sequence_privilege", oid::kBool, "f"},
    {"pg_has_role", oid::kBool, "t"},
};

Typed one(const std::vector<Typed>& arguments, size_t i, Oid type, Translation& translation) {
    return convert(arguments[i], type, -1, Conversion::Explicit, translation.host());
}

// Numbers of the tables that names without a schema find.
NodeRef visibleTableNumbers(Translation& translation) {
    Ref<Vector> numbers = Vector::make(Type::Long, 0);
    for (const SystemTable& table : catalogTables())
        if (table.schema == "pg_catalog") numbers->append(Value::ofLong(tableNumber(table.schema, table.name)));
    const std::vector<std::string> schemas = visibleSchemas(translation.context());
    for (const std::string& schema : translation.session().searchPath) {
        if (std::find(schemas.begin(), schemas.end(), schema) == schemas.end()) continue;
        for (const std::string& table : visibleTables(schema, translation.context()))
            numbers->append(Value::ofLong(tableNumber(schema, table)));
    }
    const std::vector<std::string>& path = translation.session().searchPath;
    for (const ShownView& view : shownViews(translation.context()))
        if (std::find(path.begin(), path.end(), view.schema) != path.end())
            numbers->append(Value::ofLong(tableNumber(view.schema, view.entry.name)));
    for (const TableKey& key : tableKeys(translation.context()))
        if (std::find(path.begin(), path.end(), key.schema) != path.end())
            numbers->append(Value::ofLong(indexNumber(key)));
    for (const ShownSequence& sequence : shownSequences(translation.context()))
        if (std::find(path.begin(), path.end(), sequence.schema) != path.end())
            numbers->append(Value::ofLong(tableNumber(sequence.schema, sequence.entry.name)));
    return constantNode(Value::of(numbers));
}

// Numbers of all tables, or schemas, that the user sees: whose rows may be read.
NodeRef seenNumbers(bool areSchemas, Translation& translation) {
    Ref<Vector> numbers = Vector::make(Type::Long, 0);
    const auto add = [&](int64_t number) { numbers->append(Value::ofLong(number)); };
    for (const SystemTable& table : catalogTables()) add(tableNumber(table.schema, table.name));
    if (areSchemas) {
        numbers = Vector::make(Type::Long, 0);
        add(kCatalogSchema);
        add(schemaNumber("information_schema"));
    }
    for (const std::string& schema : visibleSchemas(translation.context())) {
        if (areSchemas) {
            add(schemaNumber(schema));
            continue;
        }
        for (const std::string& table : visibleTables(schema, translation.context())) add(tableNumber(schema, table));
    }
    return constantNode(Value::of(numbers));
}

// has_table_privilege([user,] table, [column,] privilege) and the like: who sees a table may read it; other rights are
// known of administrators alone.
Typed privilege(bool isOfSchema, size_t withoutUser, const std::vector<Typed>& arguments, int place,
                Translation& translation) {
    const Typed wanted = one(arguments, arguments.size() - 1, oid::kText, translation);
    std::string word = wanted.constant && !wanted.isNullConstant() ? std::string(textOfValue(*wanted.constant)) : "";
    std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::tolower(c); });
    if (!word.starts_with("select") && !word.starts_with("usage"))
        return typedConstant(Value::ofBool(translation.context().principal().administers()), oid::kBool);
    // The object is the first argument that is a number, or a name of one.
    for (size_t i = 0; i + 1 < arguments.size(); ++i) {
        const Oid type = isOfSchema ? oid::kRegnamespace : oid::kRegclass;
        if (!isOidType(arguments[i].type) && !isTextType(arguments[i].type)) continue;
        if (isTextType(arguments[i].type) && i == 0 && arguments.size() > withoutUser) continue;  // a user
        if (isTextType(arguments[i].type) && !arguments[i].literal) break;
        const Typed number = isOidType(arguments[i].type)
                                 ? arguments[i]
                                 : convert(arguments[i], type, -1, Conversion::Explicit, translation.host());
        return typedCode(
            binaryNode(Operator::In, callNode("long", {number.code}), seenNumbers(isOfSchema, translation)), oid::kBool,
            -1, place);
    }
    return typedConstant(Value::ofBool(translation.context().principal().administers()), oid::kBool);
}

// The name of a role; those that the user does not see are unknown.
Typed roleName(const Typed& number, Translation& translation, int place) {
    NodeRef code = constantNode(textValue("unknown"));
    for (const std::string& user : {translation.session().user, std::string("admin")})
        code = callNode("iif", {binaryNode(Operator::Eq, number.code, constantNode(Value::ofLong(roleNumber(user)))),
                                constantNode(textValue(user)), std::move(code)});
    return typedCode(std::move(code), oid::kName, -1, place);
}

// Functions of arrays, which tools use over the catalog.
std::optional<Typed> arrayCall(const std::string& name, const std::vector<Typed>& arguments, int place,
                               Translation& translation) {
    const auto isArray = [&](size_t i) {
        const OidFacts* facts = i < arguments.size() ? oidFacts(arguments[i].type) : nullptr;
        return facts != nullptr && facts->category == 'A';
    };
    const auto call = [&](const char* builtin, NodeList codes, Oid type) {
        return typedCode(callNode(builtin, std::move(codes)), type, -1, place);
    };
    if ((name == "array_length" || name == "array_upper") && arguments.size() == 2 && isArray(0))
        return call("pgArrayLength", {arguments[0].code, one(arguments, 1, oid::kInt4, translation).code}, oid::kInt4);
    if (name == "array_lower" && arguments.size() == 2 && isArray(0))
        return call("pgArrayLower", {arguments[0].code, one(arguments, 1, oid::kInt4, translation).code}, oid::kInt4);
    if (name == "cardinality" && arguments.size() == 1 && isArray(0))
        return call("pgCardinality", {arguments[0].code}, oid::kInt4);
    if (name == "array_position" && arguments.size() == 2 && isArray(0)) {
        const Typed item =
            convert(arguments[1], oidFacts(arguments[0].type)->element, -1, Conversion::Explicit, translation.host());
        return call("pgArrayPosition",
                    {arguments[0].code, item.code, constantNode(Value::ofLong(static_cast<int64_t>(item.type)))},
                    oid::kInt4);
    }
    if (name == "array_to_string" && (arguments.size() == 2 || arguments.size() == 3) &&
        (isArray(0) || arguments[0].isUnknown())) {
        NodeList codes = {arguments[0].code};
        for (size_t i = 1; i < arguments.size(); ++i) codes.push_back(one(arguments, i, oid::kText, translation).code);
        return call("pgArrayToString", std::move(codes), oid::kText);
    }
    if (name == "string_to_array" && arguments.size() == 2)
        return call("pgStringToArray",
                    {one(arguments, 0, oid::kText, translation).code, one(arguments, 1, oid::kText, translation).code},
                    oid::kTextArray);
    if (name == "parse_ident" && arguments.size() == 1)
        return call("pgParseIdent", {one(arguments, 0, oid::kText, translation).code}, oid::kTextArray);
    return {};
}

// to_regclass('t'): the number of a table, NULL where there is none.
std::optional<Typed> numberByName(Oid type, const Typed& name, Translation& translation) {
    if (!name.literal && !(name.constant && !name.isNullConstant())) return {};
    const std::string text = name.literal ? *name.literal : std::string(textOfValue(*name.constant));
    try {
        return typedConstant(Value::ofLong(translation.host().numberOfName(type, text)), type);
    } catch (const SqlError&) {
        return typedConstant(Value(), type);
    }
}

}  // namespace

std::optional<Typed> catalogCall(const std::string& name, const std::vector<Typed>& arguments, int place,
                                 Translation& translation) {
    for (const Fixed& fixed : kFixed) {
        if (fixed.name != name) continue;
        for (size_t i = 0; i < arguments.size(); ++i)
            if (arguments[i].parameter != 0) one(arguments, i, oid::kText, translation);
        return typedConstant(fixed.text == nullptr ? Value() : parseLiteral(fixed.text, fixed.type, -1, place),
                             fixed.type);
    }
    if ((name == "has_table_privilege" || name == "has_any_column_privilege" || name == "has_column_privilege" ||
         name == "has_schema_privilege") &&
        arguments.size() >= 2)
        return privilege(name == "has_schema_privilege", name == "has_column_privilege" ? 3 : 2, arguments, place,
                         translation);
    if (auto array = arrayCall(name, arguments, place, translation)) return array;
    if (name == "pg_table_is_visible" && arguments.size() == 1) {
        const Typed number = one(arguments, 0, oid::kOid, translation);
        Typed result =
            typedCode(binaryNode(Operator::In, number.code, visibleTableNumbers(translation)), oid::kBool, -1, place);
        result.isNullable = false;
        return result;
    }
    if (name == "pg_get_userbyid" && arguments.size() == 1)
        return roleName(one(arguments, 0, oid::kOid, translation), translation, place);
    if (name == "format_type" && arguments.size() == 2)
        return typedCode(callNode("pgFormatType", {one(arguments, 0, oid::kOid, translation).code,
                                                   one(arguments, 1, oid::kInt4, translation).code}),
                         oid::kText, -1, place);
    // What the catalog has of an expression is its text.
    if (name == "pg_get_expr" && (arguments.size() == 2 || arguments.size() == 3))
        return convert(arguments[0], oid::kText, -1, Conversion::Explicit, translation.host());
    if (name == "pg_get_serial_sequence" && arguments.size() == 2)
        return typedCode(
            callNode("pgSerialSequence",
                     {one(arguments, 0, oid::kText, translation).code, one(arguments, 1, oid::kText, translation).code,
                      constantNode(textValue(joinedSearchPath(translation.session())))}),
            oid::kText, -1, place);
    if (name == "pg_get_constraintdef" && (arguments.size() == 1 || arguments.size() == 2))
        return typedCode(callNode("pgConstraintText", {one(arguments, 0, oid::kOid, translation).code}), oid::kText, -1,
                         place);
    if (name == "pg_get_viewdef" && (arguments.size() == 1 || arguments.size() == 2))
        return typedCode(callNode("pgViewText", {one(arguments, 0, oid::kOid, translation).code}), oid::kText, -1,
                         place);
    if (name == "pg_get_indexdef" && (arguments.size() == 1 || arguments.size() == 3))
        return typedCode(callNode("pgIndexText", {one(arguments, 0, oid::kOid, translation).code}), oid::kText, -1,
                         place);
    if (name == "to_regclass" && arguments.size() == 1) return numberByName(oid::kRegclass, arguments[0], translation);
    if (name == "to_regtype" && arguments.size() == 1)
        return typedCode(callNode("pgTypeNumber", {one(arguments, 0, oid::kText, translation).code}), oid::kRegtype, -1,
                         place);
    if (name == "pg_typeof" && arguments.size() == 1)
        return typedConstant(textValue(displayOf(arguments[0])), oid::kText);
    if (name == "pg_postmaster_start_time" && arguments.empty())
        return typedCode(nameNode(kNowName), oid::kTimestamptz, -1, place);
    return {};
}

}  // namespace pelorus::postgres
