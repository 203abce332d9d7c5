#include "postgres/catalog/shown_expressions.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include <fmt/format.h>

#include "postgres/catalog/object_numbers.h"
#include "postgres/catalog/sequence_names.h"
#include "postgres/functions/conversions.h"
#include "postgres/parse/expression_text.h"

namespace pelorus::postgres {

namespace {

Value text(std::string_view x) {
    return textValue(x);
}
Value number(int64_t x) {
    return Value::ofLong(x);
}

Oid typeOf(const SequenceEntry& sequence) {
    return sequence.bytes == 2 ? oid::kInt2 : sequence.bytes == 4 ? oid::kInt4 : oid::kInt8;
}

constexpr int64_t kClassCatalog = 1'259;  // the number of pg_class

}  // namespace

std::string shownExpression(const std::string& stored, const TableEntry& table) {
    nlohmann::json expression = parseExpression(stored);
    std::vector<std::pair<std::string, std::string>> names;
    for (size_t c = 0; c < table.schema.size(); ++c) names.emplace_back(table.storedNameOf(c), table.schema[c].name);
    renameColumns(expression, names);
    return expressionText(expression);
}

int64_t defaultNumber(std::string_view schema, std::string_view table, std::string_view column) {
    return tableNumber(schema, fmt::format("default {}.{}", table, column));
}

void collectDefaults(Context& context, CatalogRows& rows) {
    for (const ShownTable& table : shownTables(context)) {
        if (!table.entry) continue;
        for (size_t c = 0; c < table.columns.size(); ++c) {
            const ColumnDefault whenMissing = table.entry->defaultOf(c);
            if (whenMissing.expression.empty() || whenMissing.identity != ColumnDefault::Identity::None) continue;
            rows.push_back({number(defaultNumber(table.schema, table.name, table.columns[c].name)),
                            number(tableNumber(table.schema, table.name)), Value::ofShort(static_cast<int16_t>(c + 1)),
                            text(whenMissing.expression)});
        }
    }
}

void collectSequences(Context& context, CatalogRows& rows) {
    for (const auto& [schema, sequence] : shownSequences(context))
        rows.push_back({number(tableNumber(schema, sequence.name)), number(typeOf(sequence)), number(sequence.start),
                        number(sequence.increment), number(sequence.maximum), number(sequence.minimum), number(1),
                        Value::ofBool(sequence.cycles)});
}

void collectSequenceStates(Context& context, CatalogRows& rows) {
    for (const auto& [schema, sequence] : shownSequences(context)) {
        const bool isUnused = sequence.next == sequence.start && !sequence.isEnded;
        rows.push_back({text(schema), text(sequence.name), text("admin"), text(formatType(typeOf(sequence), -1)),
                        number(sequence.start), number(sequence.minimum), number(sequence.maximum),
                        number(sequence.increment), Value::ofBool(sequence.cycles), number(1),
                        isUnused ? Value() : number(sequence.next - sequence.increment)});
    }
}

void collectInformationSequences(Context& context, CatalogRows& rows) {
    for (const auto& [schema, sequence] : shownSequences(context)) {
        const auto bits = Value::ofInt(sequence.bytes * 8);
        rows.push_back({text("pelorus"), text(schema), text(sequence.name), text(formatType(typeOf(sequence), -1)),
                        bits, Value::ofInt(2), Value::ofInt(0), text(std::to_string(sequence.start)),
                        text(std::to_string(sequence.minimum)), text(std::to_string(sequence.maximum)),
                        text(std::to_string(sequence.increment)), text(sequence.cycles ? "YES" : "NO")});
    }
}

void collectDependencies(Context& context, CatalogRows& rows) {
    const std::vector<ShownTable> tables = shownTables(context);
    for (const auto& [schema, sequence] : shownSequences(context)) {
        const uint64_t owner = sequence.ownerTable;
        const auto table = std::find_if(tables.begin(), tables.end(), [&](const ShownTable& each) {
            return each.entry && owner != 0 && each.entry->id == owner;
        });
        if (table == tables.end()) continue;
        for (size_t c = 0; c < table->columns.size(); ++c) {
            if (table->entry->storedNameOf(c) != sequence.ownerColumn) continue;
            const bool isIdentity = table->entry->defaultOf(c).identity != ColumnDefault::Identity::None;
            rows.push_back({number(kClassCatalog), number(tableNumber(schema, sequence.name)), Value::ofInt(0),
                            number(kClassCatalog), number(tableNumber(table->schema, table->name)),
                            Value::ofInt(static_cast<int32_t>(c) + 1), text(isIdentity ? "i" : "a")});
        }
    }
}

}  // namespace pelorus::postgres
