// Names of columns and tables: SelectTranslator's part that finds them, and carries columns through its levels.
#include <algorithm>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "postgres/parse/tree.h"
#include "postgres/sql_error.h"
#include "postgres/translate/select_translator.h"

namespace pelorus::postgres {

namespace {

bool isSameName(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

}  // namespace

const std::pair<std::string, Selected>* SelectTranslator::findCommonTable(const std::string& name) const {
    for (size_t i = commonTables_.size(); i-- > 0;)
        if (commonTables_[i].first == name) return &commonTables_[i];
    return outer_ == nullptr ? nullptr : outer_->findCommonTable(name);
}

std::optional<Typed> SelectTranslator::findColumn(const std::string& schema, const std::string& table,
                                                  const std::string& column, int place) {
    // The very name before one in other letters: columns of the engine are SecurityID, PostgreSQL folds names.
    for (const bool isExact : {true, false}) {
        const RangeColumn* found = nullptr;
        for (const RangeEntry& entry : ranges_) {
            if (!table.empty() && entry.name != table && (isExact || !isSameName(entry.name, table))) continue;
            if (!schema.empty() && !entry.schema.empty() && !isSameName(entry.schema, schema)) continue;
            for (const RangeColumn& candidate : entry.columns) {
                if (table.empty() && candidate.isMerged) continue;
                if (isExact ? candidate.name != column : !isSameName(candidate.name, column)) continue;
                if (found != nullptr)
                    throw SqlError(sql_state::kAmbiguousColumn,
                                   fmt::format("column reference \"{}\" is ambiguous", column), place);
                found = &candidate;
            }
        }
        if (found != nullptr) return found->value;
    }
    return {};
}

Typed SelectTranslator::outerColumn(const std::string& schema, const std::string& table, const std::string& column,
                                    int place) {
    if (outer_ != nullptr) {
        Typed typed;
        if (auto found = outer_->findColumn(schema, table, column, place))
            typed = outer_->exported(*found, 0, outer_->at_, place);
        else
            typed = outer_->outerColumn(schema, table, column, place);
        const std::string source = sourceOf(typed.code);
        for (const OuterColumn& known : outerColumns_)
            if (sourceOf(known.value.code) == source) {
                typed.code = nameNode(known.name);
                return typed;
            }
        const std::string name = translation_.freshName("pgOuter");
        outerColumns_.push_back({name, typed});
        typed.code = nameNode(name);
        typed.constant.reset();
        typed.isNullable = true;
        return typed;
    }
    if (!table.empty()) {
        const bool isKnown = std::any_of(ranges_.begin(), ranges_.end(),
                                         [&](const RangeEntry& entry) { return isSameName(entry.name, table); });
        if (!isKnown)
            throw SqlError(sql_state::kUndefinedTable, fmt::format("missing FROM-clause entry for table \"{}\"", table),
                           place);
        throw SqlError(sql_state::kUndefinedColumn, fmt::format("column {}.{} does not exist", table, column), place);
    }
    throw SqlError(sql_state::kUndefinedColumn, fmt::format("column \"{}\" does not exist", column), place);
}

// Returns whether a column has one value in each group, since the groups are by the primary key of its table.
bool SelectTranslator::isDeterminedByGroups(const std::string& source, const Level& level) const {
    if (!groupPresence_.empty()) return false;
    return std::any_of(ranges_.begin(), ranges_.end(), [&](const RangeEntry& entry) {
        const auto isIt = [&](const RangeColumn& column) { return sourceOf(column.value.code) == source; };
        return !entry.key.empty() && std::any_of(entry.columns.begin(), entry.columns.end(), isIt) &&
               std::all_of(entry.key.begin(), entry.key.end(), [&](size_t place) {
                   return level.exported.count(sourceOf(entry.columns[place].value.code)) > 0;
               });
    });
}

Typed SelectTranslator::exportedOnce(const Typed& value, Level& level, int place) {
    // What does not depend on the row needs no column.
    if (value.constant || value.parameter != 0 || value.code->kind == NodeKind::Name ||
        value.code->kind == NodeKind::Constant)
        return value;
    const std::string source = sourceOf(value.code);
    if (const auto known = level.exported.find(source); known != level.exported.end()) return known->second;
    if (level.isGrouped && !isDeterminedByGroups(source, level))
        throw SqlError(
            sql_state::kGroupingError,
            fmt::format("column \"{}\" must appear in the GROUP BY clause or be used in an aggregate function",
                        value.label.empty() ? source : value.label),
            place);
    const std::string name = translation_.freshName("c");
    level.query->items.push_back({level.isGrouped ? callNode("first", {value.code}) : value.code, {name}, {}});
    Typed result = value;
    result.code = columnNode(level.name, name);
    level.exported.emplace(source, result);
    return result;
}

Typed SelectTranslator::exported(Typed value, size_t from, size_t to, int place) {
    for (size_t i = from; i < to; ++i) value = exportedOnce(value, levels_[i], place);
    return value;
}

std::string SelectTranslator::canonical(const Json& node, bool isOwn) {
    if (node.is_object()) {
        // Names inside of a sub-query are its own.
        if (node.contains("subselect")) isOwn = false;
        if (isOwn && node.size() == 1 && node.contains("ColumnRef")) {
            const std::vector<std::string> names = namesOf(node["ColumnRef"]["fields"]);
            const std::string table = names.size() > 1 ? names[names.size() - 2] : "";
            const std::string schema = names.size() > 2 ? names[names.size() - 3] : "";
            if (auto found = findColumn(schema, table, names.back(), -1)) return "#" + sourceOf(found->code);
        }
        std::string text = "{";
        for (const auto& [key, child] : node.items())
            if (key != "location") text += key + ":" + canonical(child, isOwn) + ",";
        return text + "}";
    }
    if (node.is_array()) {
        std::string text = "[";
        for (const Json& child : node) text += canonical(child, isOwn) + ",";
        return text + "]";
    }
    return node.dump();
}

}  // namespace pelorus::postgres
