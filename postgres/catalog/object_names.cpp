#include "postgres/catalog/object_names.h"

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "postgres/catalog/catalog_tables.h"
#include "postgres/catalog/object_numbers.h"
#include "postgres/catalog/sequence_names.h"
#include "postgres/catalog/shown_keys.h"
#include "postgres/catalog/table_names.h"
#include "postgres/catalog/view_names.h"
#include "postgres/functions/conversions.h"
#include "postgres/functions/row_builtins.h"
#include "postgres/sql_error.h"
#include "postgres/types/quoted_name.h"
#include "runtime/function/principal.h"
#include "runtime/value/vector.h"

namespace pelorus::postgres {

namespace {

using Names = std::unordered_map<int64_t, std::string>;

std::vector<std::string_view> splitPath(std::string_view path) {
    std::vector<std::string_view> schemas;
    while (!path.empty()) {
        const size_t comma = std::min(path.find(','), path.size());
        schemas.push_back(path.substr(0, comma));
        path.remove_prefix(std::min(comma + 1, path.size()));
    }
    return schemas;
}

// Tables and the indexes of their keys. A name without its schema is the one that the path finds first.
Names tableNames(std::string_view searchPath, Context& context) {
    std::vector<std::string_view> path = splitPath(searchPath);
    path.insert(path.begin(), "pg_catalog");
    Names names;
    std::unordered_map<std::string, size_t> firsts;  // of the path
    const auto placeOf = [&](std::string_view schema) {
        return static_cast<size_t>(std::find(path.begin(), path.end(), schema) - path.begin());
    };
    std::vector<std::pair<std::string, std::string>> all;
    for (const SystemTable& table : catalogTables()) all.emplace_back(table.schema, table.name);
    for (const std::string& schema : visibleSchemas(context))
        for (std::string& table : visibleTables(schema, context)) all.emplace_back(schema, std::move(table));
    for (const TableKey& key : tableKeys(context))
        if (key.hasIndex()) all.emplace_back(key.schema, key.name);
    for (const ShownSequence& sequence : shownSequences(context))
        all.emplace_back(sequence.schema, sequence.entry.name);
    for (const ShownView& view : shownViews(context)) all.emplace_back(view.schema, view.entry.name);
    for (const auto& [schema, name] : all) {
        const auto [first, isNew] = firsts.emplace(name, placeOf(schema));
        if (!isNew) first->second = std::min(first->second, placeOf(schema));
    }
    for (const auto& [schema, name] : all) {
        const size_t place = placeOf(schema);
        const bool isFound = place < path.size() && firsts.at(name) == place;
        names[tableNumber(schema, name)] = (isFound ? "" : quotedName(schema) + '.') + quotedName(name);
    }
    return names;
}

Names namesOf(Oid type, std::string_view searchPath, Context& context) {
    if (type == oid::kRegclass) return tableNames(searchPath, context);
    Names names;
    if (type == oid::kRegnamespace) {
        for (const char* schema : {"pg_catalog", "information_schema"}) names[schemaNumber(schema)] = schema;
        for (const std::string& schema : visibleSchemas(context)) names[schemaNumber(schema)] = quotedName(schema);
    } else if (type == oid::kRegrole) {
        for (const std::string& user : {std::string("admin"), context.principal().user()})
            names[roleNumber(user)] = quotedName(user);
    }
    return names;
}

std::string nameOf(int64_t number, Oid type, const Names& names) {
    if (number == 0) return "-";
    if (type == oid::kRegtype)
        return oidFacts(static_cast<Oid>(number)) != nullptr ? formatType(static_cast<Oid>(number), -1)
                                                             : std::to_string(number);
    const auto found = names.find(number);
    return found == names.end() ? std::to_string(number) : found->second;
}

// Returns the string of each number, one or a column of them.
template <class TextOf>
Value textsOfNumbers(const Value& numbers, const TextOf& textOf) {
    const auto one = [&](const Value& number) {
        return number.isNull() ? Value::nullOf(Type::String) : textOf(number.asLong());
    };
    if (numbers.isScalar()) return one(numbers);
    Ref<Vector> out = Vector::make(Type::String, 0, numbers.size());
    for (int64_t i = 0; i < numbers.size(); ++i) out->append(one(numbers.at(i)));
    return Value::of(out);
}

Value nameOfNumber(Context& context, Arguments arguments) {
    return namesOfNumbers(arguments[0], static_cast<Oid>(wholeArgument(arguments, 1)), textArgument(arguments, 2),
                          context);
}

// Returns the number of a name; NULL for a name in a column that nothing has, since rows that do not count are
// computed, too.
Value numberOfOne(const Value& name, Oid type, const SessionFacts& session, bool mayMiss, Context& context) {
    if (name.isNull()) return Value::nullOf(Type::Long);
    const std::string text(textOfValue(name));
    const bool isNumber =
        !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    try {
        return Value::ofLong(isNumber ? std::stoll(text) : numberOfName(type, text, session, context));
    } catch (const SqlError& error) {
        if (mayMiss) return Value::nullOf(Type::Long);
        throw UserError(withState(error));
    } catch (const std::out_of_range&) {
        throw UserError(
            withState(SqlError(sql_state::kOutOfRange, "value \"" + text + "\" is out of range for type oid")));
    }
}

Value numberOfNames(Context& context, Arguments arguments) {
    const auto type = static_cast<Oid>(wholeArgument(arguments, 1));
    SessionFacts session;
    session.searchPath.clear();
    for (const std::string_view schema : splitPath(textArgument(arguments, 2))) session.searchPath.emplace_back(schema);
    const Value& names = arguments[0];
    if (names.isScalar()) return numberOfOne(names, type, session, false, context);
    if (!names.isTypedVector() || storageOf(names.type()) != Storage::String)
        throw UserError(0, "Names are needed here.");
    Ref<Vector> out = Vector::make(Type::Long, 0, names.size());
    for (int64_t i = 0; i < names.size(); ++i) {
        context.checkCancelled();
        out->append(numberOfOne(names.at(i), type, session, true, context));
    }
    return Value::of(out);
}

template <class NumberOf, class TextOf>
Value definitions(const Value& numbers, const NumberOf& numberOf, const TextOf& textOf, Context& context) {
    std::unordered_map<int64_t, std::string> texts;
    for (const TableKey& key : tableKeys(context)) texts.emplace(numberOf(key), textOf(key));
    return textsOfNumbers(numbers, [&](int64_t number) {
        const auto found = texts.find(number);
        return found == texts.end() ? Value::nullOf(Type::String) : textValue(found->second);
    });
}

Value constraintText(Context& context, Arguments arguments) {
    return definitions(arguments[0], constraintNumber, constraintDefinition, context);
}

Value viewText(Context& context, Arguments arguments) {
    const std::vector<ShownView> views = shownViews(context);
    return textsOfNumbers(arguments[0], [&](int64_t number) {
        const auto found = std::find_if(views.begin(), views.end(), [&](const ShownView& view) {
            return tableNumber(view.schema, view.entry.name) == number;
        });
        return found == views.end() ? Value::nullOf(Type::String) : textValue(found->entry.query + ";");
    });
}

Value indexText(Context& context, Arguments arguments) {
    return definitions(arguments[0], indexNumber, indexDefinition, context);
}

void requireNumbers(const Value& numbers) {
    const bool isFine = numbers.isNull() || isIntegral(numbers.type());
    if (!isFine) throw UserError(0, "Whole numbers are needed here.");
}

template <Kernel kKernel>
Value checked(Context& context, Arguments arguments) {
    requireNumbers(arguments[0]);
    return kKernel(context, arguments);
}

}  // namespace

bool isShownAsName(Oid type) {
    return type == oid::kRegclass || type == oid::kRegtype || type == oid::kRegnamespace || type == oid::kRegrole;
}

Value namesOfNumbers(const Value& numbers, Oid type, std::string_view searchPath, Context& context) {
    const Names names = namesOf(type, searchPath, context);
    return textsOfNumbers(numbers, [&](int64_t number) { return textValue(nameOf(number, type, names)); });
}

void registerCatalogFunctions(FunctionRegistry& registry) {
    Declaration declaration;
    declaration.kind = FunctionKind::Elementwise;
    declaration.effect = Effect::Stable;
    declaration.facet = Facet::Node;
    declaration.gives = is(Type::String);
    const auto add = [&](const char* syntax, Kernel kernel, const char* summary) {
        registry.add(syntax, kernel, {.summary = summary}, declaration);
    };
    add("pgNameOfNumber(number, oid, searchPath)", checked<nameOfNumber>, "The name of a table, schema, role or type.");
    declaration.gives = is(Type::Long);
    add("pgNumberOfName(name, oid, searchPath)", numberOfNames, "The number of a table, schema, role or type.");
    declaration.gives = is(Type::String);
    add("pgConstraintText(number)", checked<constraintText>, "The definition of a constraint.");
    add("pgViewText(number)", checked<viewText>, "The query of a view.");
    add("pgIndexText(number)", checked<indexText>, "The definition of an index.");
}

}  // namespace pelorus::postgres
