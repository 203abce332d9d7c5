#include "postgres/definition/column_rules.h"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "postgres/catalog/sequence_names.h"
#include "postgres/change/check_functions.h"
#include "postgres/parse/expression_text.h"
#include "postgres/parse/sequence_literals.h"
#include "postgres/parse/tree.h"
#include "postgres/sql_error.h"
#include "postgres/translate/select_translator.h"

namespace pelorus::postgres {

namespace {

using Json = nlohmann::json;

constexpr size_t kMostNameBytes = 63;

// Cuts a text at a character of UTF-8.
std::string cutTo(const std::string& text, size_t bytes) {
    if (text.size() <= bytes) return text;
    while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) --bytes;
    return text.substr(0, bytes);
}

// Writes each sequence that is named with its schema.
void qualifySequences(Json& node, const SessionFacts& session, Context& context) {
    if (!node.is_structured()) return;
    const bool isCall = kindOf(node) == "FuncCall" && isSequenceFunction(namesOf((*node.begin())["funcname"]).back()) &&
                        node.begin()->contains("args");
    if (isCall) {
        Json& first = (*node.begin())["args"][0];
        if (const auto name = sequenceLiteral(first))
            first = parseExpression(
                fmt::format("'{}'::regclass", sequenceText(findSequence(*name, session.searchPath, context))));
        return;
    }
    for (Json& item : node) qualifySequences(item, session, context);
}

}  // namespace

std::string savedDefault(Json expression, const AssignmentTarget& target, const SessionFacts& session,
                         Context& context) {
    if (!columnsOf(expression).empty())
        throw SqlError(sql_state::kFeatureNotSupported, "cannot use column reference in DEFAULT expression",
                       placeOf(bodyOf(expression)));
    std::string text = expressionText(expression);  // throws for what it may not hold
    Translation translation(session, context, {});
    std::vector<PlanStep> steps;
    SelectTranslator translator(translation, nullptr, steps);
    translator.translateCells(Json::array({{{"List", {{"items", Json::array({expression})}}}}}), std::span(&target, 1));
    qualifySequences(expression, session, context);
    return expressionText(expression);
}

RowTableCheck savedCheck(Json expression, std::string name, const TableEntry& table, Context& context) {
    RowTableCheck check{std::move(name), "", {}};
    // By places, so that no renaming meets a name that another one has made.
    std::vector<std::pair<std::string, std::string>> names;
    for (const std::string& column : columnsOf(expression)) {
        const auto isIt = [&](const ColumnSchema& each) { return each.name == column; };
        const auto at = std::find_if(table.schema.begin(), table.schema.end(), isIt) - table.schema.begin();
        if (static_cast<size_t>(at) == table.schema.size())
            throw SqlError(sql_state::kUndefinedColumn, fmt::format("column \"{}\" does not exist", column));
        check.columns.push_back(table.storedNameOf(static_cast<size_t>(at)));
        names.emplace_back(column, check.columns.back());
    }
    renameColumns(expression, names);
    check.expression = expressionText(expression);
    std::vector<std::string> declared;
    for (size_t c = 0; c < table.schema.size(); ++c) declared.push_back(table.declaredTypeOf(c));
    requireCheck(check.expression, table.storedSchema(), declared, context);
    return check;
}

std::string madeName(const std::string& table, const std::string& column, std::string_view label,
                     const std::function<bool(const std::string& name)>& isTaken) {
    for (int number = 0;; ++number) {
        const std::string tail = number == 0 ? std::string(label) : fmt::format("{}{}", label, number);
        const size_t room = kMostNameBytes - tail.size() - 1 - (column.empty() ? 0 : 1);
        // The longer of both names is cut first.
        size_t first = table.size(), second = column.size();
        while (first + second > room) --(first > second ? first : second);
        std::string name = cutTo(table, first) + (column.empty() ? "" : "_" + cutTo(column, second)) + "_" + tail;
        if (!isTaken(name)) return name;
    }
}

bool hasConstraint(const TableEntry& table, const std::string& name) {
    if (!table.rowTable) return false;
    const RowTableFacts& facts = *table.rowTable;
    return std::any_of(facts.checks.begin(), facts.checks.end(),
                       [&](const RowTableCheck& check) { return check.name == name; }) ||
           std::any_of(facts.foreignKeys.begin(), facts.foreignKeys.end(),
                       [&](const ForeignKey& key) { return key.name == name; }) ||
           std::any_of(facts.indexes.begin(), facts.indexes.end(),
                       [&](const RowTableIndex& index) { return index.name == name; });
}

}  // namespace pelorus::postgres
