// The from clause: SelectTranslator's part that finds sources and joins them.
#include <algorithm>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "postgres/catalog/catalog_tables.h"
#include "postgres/catalog/table_names.h"
#include "postgres/parse/made_nodes.h"
#include "postgres/parse/tree.h"
#include "postgres/sql_error.h"
#include "postgres/translate/function_calls.h"
#include "postgres/translate/operator_calls.h"
#include "postgres/translate/select_translator.h"
#include "postgres/translate/table_functions.h"

namespace pelorus::postgres {

namespace {

using Json = nlohmann::json;

// Returns the name of the table of a column, empty for any other code.
std::string tableOf(const NodeRef& code) {
    if (code->kind != NodeKind::Member) return "";
    const auto& member = static_cast<const Member&>(*code);
    return member.object->kind == NodeKind::Name ? static_cast<const Name&>(*member.object).name : "";
}

bool isEquality(const Json& node) {
    return kindOf(node) == "A_Expr" && textOf(bodyOf(node), "kind") == "AEXPR_OP" &&
           wordOf(bodyOf(node)["name"].back()) == "=";
}

// Returns whether the engine joins columns of these kept types by equality.
bool areJoinable(const Typed& a, const Typed& b) {
    if (a.kept == b.kept && a.scale == b.scale) return true;
    const auto isWhole = [](Type type) { return type == Type::Short || type == Type::Int || type == Type::Long; };
    const auto isText = [](Type type) { return type == Type::String || type == Type::Symbol; };
    return (isWhole(a.kept) && isWhole(b.kept)) || (isText(a.kept) && isText(b.kept));
}

}  // namespace

std::vector<const Json*> SelectTranslator::conjuncts(const Json& condition) const {
    std::vector<const Json*> all, pending = {&condition};
    while (!pending.empty()) {
        const Json* node = pending.back();
        pending.pop_back();
        if (kindOf(*node) == "BoolExpr" && textOf(bodyOf(*node), "boolop") == "AND_EXPR") {
            const Json& parts = bodyOf(*node)["args"];
            for (size_t i = parts.size(); i-- > 0;) pending.push_back(&parts[i]);
        } else {
            all.push_back(node);
        }
    }
    return all;
}

void SelectTranslator::translateFrom(const Json& from, std::vector<const Json*>& conditions) {
    for (const Json& item : from) addSource(item, conditions);
}

void SelectTranslator::addSource(const Json& item, std::vector<const Json*>& conditions) {
    if (kindOf(item) == "JoinExpr") {
        addJoin(bodyOf(item), conditions);
        return;
    }
    joinSource(anySource(item), JoinSide::Inner, {}, conditions);
}

void SelectTranslator::addJoin(const Json& join, std::vector<const Json*>& conditions) {
    const Translation::Depth depth(translation_);
    const std::string type = textOf(join, "jointype");
    const JoinSide side = type == "JOIN_LEFT"    ? JoinSide::Left
                          : type == "JOIN_RIGHT" ? JoinSide::Right
                          : type == "JOIN_FULL"  ? JoinSide::Full
                                                 : JoinSide::Inner;
    if (side != JoinSide::Inner && !ranges_.empty()) {
        // What is before is joined with the result of the outer join.
        std::string rows;
        std::vector<RangeEntry> entries = rangesOfJoin(join, rows);
        joinRanges(std::move(entries), rows, JoinSide::Inner, {}, conditions);
        return;
    }
    const size_t first = ranges_.size();
    std::vector<const Json*> own;
    // Conditions of WHERE filter the result of an outer join: they join nothing below it.
    addSource(join["larg"], side == JoinSide::Inner ? conditions : own);
    if (side == JoinSide::Left) {
        // What filters the left side filters the result as well: each of its rows is there.
        conditions.insert(conditions.end(), own.begin(), own.end());
    } else if (!own.empty()) {
        filterJoins(own);
    }
    const size_t firstRight = ranges_.size();
    std::vector<const Json*> on;
    if (join.contains("quals")) on = conjuncts(join["quals"]);
    std::vector<std::string> shared;
    if (join.contains("usingClause")) shared = namesOf(join["usingClause"]);
    if (side == JoinSide::Inner && shared.empty() && !flagOf(join, "isNatural") && kindOf(join["rarg"]) == "JoinExpr") {
        conditions.insert(conditions.end(), on.begin(), on.end());
        addSource(join["rarg"], conditions);
        return;
    }
    if (kindOf(join["rarg"]) == "JoinExpr") {
        if (!shared.empty() || flagOf(join, "isNatural"))
            throw SqlError(sql_state::kFeatureNotSupported,
                           "USING with a join in parentheses on its right is not supported.", -1, "Write ON.");
        std::string rows;
        std::vector<RangeEntry> entries = rangesOfJoin(bodyOf(join["rarg"]), rows);
        joinRanges(std::move(entries), rows, side, std::move(on), conditions);
        return;
    }
    Source source = anySource(join["rarg"]);
    RangeEntry& entry = source.entry;
    if (flagOf(join, "isNatural"))
        for (size_t i = first; i < firstRight; ++i)
            for (const RangeColumn& column : ranges_[i].columns)
                if (!column.isMerged &&
                    std::any_of(entry.columns.begin(), entry.columns.end(),
                                [&](const RangeColumn& other) { return other.name == column.name; }))
                    shared.push_back(column.name);
    if (shared.empty()) {
        joinSource(std::move(source), side, std::move(on), conditions);
        return;
    }
    if (!source.reads.empty())
        throw SqlError(sql_state::kFeatureNotSupported, "LATERAL with USING is not supported.", -1, "Write ON.");
    JoinClause clause{JoinKind::Inner, nameNode(source.table), source.table, {}};
    ranges_.push_back(std::move(entry));
    joinByNames(shared, firstRight, side, clause, -1);
    clause.kind = side == JoinSide::Left    ? pelorus::JoinKind::Left
                  : side == JoinSide::Right ? pelorus::JoinKind::Right
                  : side == JoinSide::Full  ? pelorus::JoinKind::Full
                                            : pelorus::JoinKind::Inner;
    levels_[0].query->joins.push_back(std::move(clause));
}

std::vector<RangeEntry> SelectTranslator::rangesOfJoin(const Json& join, std::string& rows) {
    SelectTranslator inner(translation_, this, steps_);
    inner.pushLevel();
    std::vector<const Json*> conditions;
    inner.addJoin(join, conditions);
    for (const Json* node : conditions) {
        NodeRef code = inner.condition(*node, true);
        inner.level().query->where.push_back(std::move(code));
    }
    if (!inner.outerColumns_.empty())
        throw SqlError(sql_state::kFeatureNotSupported,
                       "A join in parentheses, or behind a comma, cannot read columns of the tables before it.",
                       inner.outerColumns_[0].value.place);
    std::vector<RangeEntry> entries = inner.ranges_;
    for (RangeEntry& entry : entries)
        for (RangeColumn& column : entry.columns) column.value = inner.exportedOnce(column.value, inner.levels_[0], -1);
    rows = inner.levels_[0].name;
    inner.finishLevels();
    return entries;
}

void SelectTranslator::joinSource(Source source, JoinSide side, std::vector<const Json*> on,
                                  std::vector<const Json*>& where) {
    // The engine joins by equal columns: any other outer join asks for the rows of each row.
    const bool hasKey = std::any_of(on.begin(), on.end(), [](const Json* node) {
        return isEquality(*node) && kindOf(bodyOf(*node)["lexpr"]) == "ColumnRef" &&
               kindOf(bodyOf(*node)["rexpr"]) == "ColumnRef";
    });
    if (!source.reads.empty() || (side == JoinSide::Left && !hasKey))
        return joinLateral(std::move(source), side, on, where);
    joinRanges({std::move(source.entry)}, source.table, side, std::move(on), where);
}

void SelectTranslator::joinByNames(const std::vector<std::string>& names, size_t firstRight, JoinSide side,
                                   JoinClause& clause, int place) {
    RangeEntry& right = ranges_[firstRight];
    for (const std::string& name : names) {
        RangeColumn* left = nullptr;
        for (size_t i = 0; i < firstRight; ++i)
            for (RangeColumn& column : ranges_[i].columns)
                if (!column.isMerged && column.name == name) {
                    if (left != nullptr)
                        throw SqlError(
                            sql_state::kAmbiguousColumn,
                            fmt::format("common column name \"{}\" appears more than once in left table", name), place);
                    left = &column;
                }
        const auto other = std::find_if(right.columns.begin(), right.columns.end(),
                                        [&](const RangeColumn& column) { return column.name == name; });
        if (left == nullptr || other == right.columns.end())
            throw SqlError(sql_state::kUndefinedColumn,
                           fmt::format("column \"{}\" specified in USING clause does not exist in {} table", name,
                                       left == nullptr ? "left" : "right"),
                           place);
        if (!areJoinable(left->value, other->value))
            throw SqlError(sql_state::kFeatureNotSupported, fmt::format("JOIN/USING types of \"{}\" differ", name),
                           place);
        NodeRef equal = binaryNode(Operator::Eq, left->value.code, other->value.code);
        // NULL is equal to NULL for the engine: rows with one are left out, where the join leaves them out at all.
        if (side == JoinSide::Left || side == JoinSide::Inner)
            equal = binaryNode(Operator::And, std::move(equal), isValidNode(other->value.code));
        clause.on = clause.on ? binaryNode(Operator::And, std::move(clause.on), std::move(equal)) : std::move(equal);
        if (side == JoinSide::Full) left->value = coalesced({left->value, other->value}, place, translation_.host());
        if (side == JoinSide::Right) left->value = other->value;
        other->isMerged = true;
    }
}

bool SelectTranslator::isNameFree(const RangeEntry& entry) const {
    return std::none_of(ranges_.begin(), ranges_.end(), [&](const RangeEntry& known) {
        return known.name == entry.name &&
               (known.schema.empty() || entry.schema.empty() || known.schema == entry.schema);
    });
}

std::optional<std::pair<Typed, Typed>> SelectTranslator::comparedColumns(const Json& node) {
    if (!isEquality(node) || kindOf(bodyOf(node)["lexpr"]) != "ColumnRef" ||
        kindOf(bodyOf(node)["rexpr"]) != "ColumnRef")
        return {};
    const auto find = [&](const Json& side) {
        const std::vector<std::string> names = namesOf(bodyOf(side)["fields"]);
        return findColumn(names.size() > 2 ? names[names.size() - 3] : "",
                          names.size() > 1 ? names[names.size() - 2] : "", names.back(), placeOf(bodyOf(side)));
    };
    std::optional<Typed> a = find(bodyOf(node)["lexpr"]), b = find(bodyOf(node)["rexpr"]);
    if (!a || !b) return {};
    return std::pair(std::move(*a), std::move(*b));
}

bool SelectTranslator::isOuterKey(const Typed& column) const {
    const std::string table = tableOf(column.code);
    const auto& joins = levels_[0].query->joins;
    return !table.empty() && std::any_of(joins.begin(), joins.end(), [&](const JoinClause& clause) {
        return clause.alias == table && clause.kind != JoinKind::Inner && clause.kind != JoinKind::Cross && clause.on &&
               sourceOf(clause.on).find(sourceOf(column.code)) != std::string::npos;
    });
}

void SelectTranslator::settleJoins() {
    Level joined = std::move(levels_[0]);
    for (RangeEntry& entry : ranges_)
        for (RangeColumn& column : entry.columns) column.value = exportedOnce(column.value, joined, -1);
    steps_.push_back({joined.name, joined.query, {}, {}});
    levels_.clear();
    pushLevel();
    level().query->table = nameNode(joined.name);
    level().query->tableAlias = joined.name;
}

void SelectTranslator::filterJoins(const std::vector<const Json*>& conditions) {
    for (const Json* node : conditions) {
        prepareSubqueries(*node);
        NodeRef code = condition(*node, true);
        level().query->where.push_back(std::move(code));
    }
    if (levels_.size() != 1)
        throw SqlError(sql_state::kFeatureNotSupported,
                       "A condition with a sub-query of its rows is not supported on the left of RIGHT and FULL JOIN.");
    settleJoins();
}

void SelectTranslator::joinRanges(std::vector<RangeEntry> entries, const std::string& table, JoinSide side,
                                  std::vector<const Json*> on, std::vector<const Json*>& where) {
    for (RangeEntry& entry : entries) {
        if (!isNameFree(entry))
            throw SqlError(sql_state::kDuplicateAlias,
                           fmt::format("table name \"{}\" specified more than once", entry.name));
        ranges_.push_back(std::move(entry));
    }
    const auto joinsOuterKey = [this](const Json* node) {
        const auto compared = comparedColumns(*node);
        return compared && (isOuterKey(compared->first) || isOuterKey(compared->second));
    };
    const bool mustSettle = levels_.size() == 1 && !levels_[0].query->joins.empty() &&
                            (std::any_of(on.begin(), on.end(), joinsOuterKey) ||
                             (side == JoinSide::Inner && std::any_of(where.begin(), where.end(), joinsOuterKey)));
    if (mustSettle) {
        std::vector<RangeEntry> added(std::make_move_iterator(ranges_.end() - static_cast<ptrdiff_t>(entries.size())),
                                      std::make_move_iterator(ranges_.end()));
        ranges_.resize(ranges_.size() - entries.size());
        settleJoins();
        std::move(added.begin(), added.end(), std::back_inserter(ranges_));
    }
    Query& query = *levels_[0].query;
    if (!query.table) {
        query.table = nameNode(table);
        query.tableAlias = table;
        where.insert(where.begin(), on.begin(), on.end());
        return;
    }
    plainPlace_ = "JOIN conditions";
    JoinClause clause{pelorus::JoinKind::Cross, nameNode(table), table, {}};
    bool hasKeys = false;
    const auto add = [&clause](NodeRef code) {
        clause.on = clause.on ? binaryNode(Operator::And, std::move(clause.on), std::move(code)) : std::move(code);
    };
    // An equality of a column of this source and one of those before; false for any other condition.
    const auto asKey = [&](const Json& node) {
        const auto compared = comparedColumns(node);
        if (!compared) return false;
        const Typed *a = &compared->first, *b = &compared->second;
        const std::string tableA = tableOf(a->code), tableB = tableOf(b->code);
        if (tableA.empty() || tableB.empty() || (tableA == table) == (tableB == table)) return false;
        if (tableA == table) std::swap(a, b);
        if (!areJoinable(*a, *b) || a->type == oid::kInterval) return false;
        add(binaryNode(Operator::Eq, a->code, b->code));
        // NULL is equal to NULL for the engine.
        if (side == JoinSide::Inner || side == JoinSide::Left) add(isValidNode(b->code));
        if (side == JoinSide::Right) add(isValidNode(a->code));
        // The engine keeps one of two equal columns.
        if (side == JoinSide::Inner && a->kept == b->kept && a->type == b->type)
            for (RangeEntry& entry : ranges_)
                for (RangeColumn& column : entry.columns)
                    if (sourceOf(column.value.code) == sourceOf(b->code)) column.value.code = a->code;
        hasKeys = true;
        return true;
    };
    std::vector<const Json*> rest;
    for (const Json* node : on)
        if (!asKey(*node)) rest.push_back(node);
    if (side == JoinSide::Inner) {
        std::erase_if(where, [&](const Json* node) { return asKey(*node); });
        where.insert(where.end(), rest.begin(), rest.end());
    } else {
        for (const Json* node : rest) {
            prepareSubqueries(*node);
            add(condition(*node, true));
        }
        if (!hasKeys)
            throw SqlError(sql_state::kFeatureNotSupported, "An outer join needs an equality of two columns.", -1,
                           "Columns of one type, one of each side.");
    }
    plainPlace_ = nullptr;
    if (hasKeys)
        clause.kind = side == JoinSide::Left    ? pelorus::JoinKind::Left
                      : side == JoinSide::Right ? pelorus::JoinKind::Right
                      : side == JoinSide::Full  ? pelorus::JoinKind::Full
                                                : pelorus::JoinKind::Inner;
    query.joins.push_back(std::move(clause));
}

SelectTranslator::Source SelectTranslator::anySource(const Json& item) {
    const std::string_view kind = kindOf(item);
    const Json& body = bodyOf(item);
    Source source;
    if (kind == "RangeVar")
        source = tableSource(body);
    else if (kind == "RangeSubselect")
        source = querySource(body);
    else if (kind == "RangeFunction")
        source = functionSource(body);
    else
        throw SqlError(sql_state::kFeatureNotSupported, fmt::format("{} is not supported in FROM.", kind),
                       placeOf(body));
    if (body.contains("alias")) renameRange(source.entry, body["alias"]);
    return source;
}

void SelectTranslator::renameRange(RangeEntry& entry, const Json& alias) const {
    entry.name = textOf(alias, "aliasname");
    entry.schema.clear();
    if (!alias.contains("colnames")) return;
    const std::vector<std::string> names = namesOf(alias["colnames"]);
    if (names.size() > entry.columns.size())
        throw SqlError(sql_state::kInvalidColumnReference,
                       fmt::format("table \"{}\" has {} columns available but {} columns specified", entry.name,
                                   entry.columns.size(), names.size()));
    for (size_t i = 0; i < names.size(); ++i) entry.columns[i].name = names[i];
}

RangeEntry SelectTranslator::rangeOfSelected(const Selected& selected, const std::string& alias) {
    RangeEntry entry{"", alias, selected.columns};
    for (RangeColumn& column : entry.columns) {
        const std::string name = static_cast<const Name&>(*column.value.code).name;
        column.value.code = columnNode(selected.step, name);
        column.value.constant.reset();
        column.isMerged = false;
    }
    return entry;
}

SelectTranslator::Source SelectTranslator::tableSource(const Json& item) {
    const std::string schema = textOf(item, "schemaname"), name = textOf(item, "relname");
    if (schema.empty()) {
        if (const auto* common = findCommonTable(name)) {
            // The same rows may be read twice: each reading has a name of its own.
            const std::string table = translation_.freshName("pgRows");
            steps_.push_back(
                {table,
                 {},
                 [step = common->second.step](const StepScope& scope, Context&) { return scope.get(step); },
                 name});
            Selected again = common->second;
            again.step = table;
            return {rangeOfSelected(again, name), table};
        }
    }
    const std::string table = translation_.freshName("pgTable");
    RangeEntry entry{schema, name, {}};
    if (const SystemTable* catalog = findSystemTable(schema, name)) {
        entry.schema = catalog->schema;
        translation_.noteSession();
        for (const CatalogColumn& column : catalog->columns) {
            Typed typed = typedCode(columnNode(table, column.name), column.type);
            entry.columns.push_back({column.name, std::move(typed), false});
        }
        steps_.push_back({table,
                          {},
                          [catalog](const StepScope&, Context& context) { return catalogRows(*catalog, context); },
                          name});
        return {std::move(entry), table};
    }
    if (const std::optional<ViewEntry> view = translation_.findView(schema, name)) return viewSource(*view);
    const FoundTable found = translation_.findTable(schema, name, placeOf(item));
    entry.schema = found.schema;
    for (size_t i = 0; i < found.columns.size(); ++i) {
        const ColumnSchema& column = found.columns[i];
        NodeRef code = columnNode(table, column.name);
        entry.columns.push_back({column.name, columnOfType(column, found.types[i].shown, std::move(code)), false});
        entry.columns.back().value.isEmptyNull = !found.isRowTable;
        if (found.types[i].keyPlace > 0) entry.key.push_back(i);
    }
    steps_.push_back({table,
                      {},
                      [open = found.open, columns = found.columns](const StepScope&, Context& context) {
                          return openAsFound(open, columns, context);
                      },
                      found.schema + "." + found.name,
                      nullptr,
                      true});
    return {std::move(entry), table};
}

void SelectTranslator::takeSteps(Source& source, std::vector<OuterColumn> reads, std::vector<PlanStep> steps,
                                 bool isLateral) {
    const bool isOwn = std::all_of(reads.begin(), reads.end(),
                                   [](const OuterColumn& column) { return column.value.code->kind == NodeKind::Name; });
    if (!isOwn) {
        if (!isLateral)
            throw SqlError(sql_state::kUndefinedTable,
                           "a sub-query of FROM cannot read columns of other tables of the same FROM",
                           reads[0].value.place, "Write LATERAL before it.");
        source.reads = std::move(reads);
        source.steps = std::move(steps);
        return;
    }
    // The values of the outer row have names while the steps run.
    for (const OuterColumn& column : reads)
        steps_.push_back({column.name,
                          {},
                          [name = static_cast<const Name&>(*column.value.code).name](const StepScope& scope, Context&) {
                              return scope.get(name);
                          },
                          "a value of the outer row"});
    std::move(steps.begin(), steps.end(), std::back_inserter(steps_));
}

SelectTranslator::Source SelectTranslator::querySource(const Json& item) {
    std::vector<PlanStep> steps;
    SelectTranslator inner(translation_, this, steps);
    const size_t before = at_;
    const Selected selected = inner.translate(bodyOf(item["subquery"]));
    at_ = before;
    Source source{rangeOfSelected(selected, ""), selected.step};
    takeSteps(source, inner.outerColumns_, std::move(steps), flagOf(item, "lateral"));
    return source;
}

// Returns unnest of several arrays as a query whose select list has each of them.
static nlohmann::json selectOfArrays(const nlohmann::json& call) {
    nlohmann::json targets = nlohmann::json::array();
    for (const auto& array : call["args"]) {
        nlohmann::json one = call;
        one["args"] = nlohmann::json::array({array});
        targets.push_back(selectTarget({{"FuncCall", std::move(one)}}, "unnest"));
    }
    return {{"lateral", true}, {"subquery", {{"SelectStmt", {{"targetList", std::move(targets)}}}}}};
}

SelectTranslator::Source SelectTranslator::functionSource(const Json& item) {
    const Json& call = item["functions"][0][kindOf(item["functions"][0])]["items"][0];
    if (item["functions"].size() > 1) throw SqlError(sql_state::kFeatureNotSupported, "ROWS FROM is not supported.");
    const bool isOfArrays = kindOf(call) == "FuncCall" && wordOf(bodyOf(call)["funcname"].back()) == "unnest" &&
                            bodyOf(call).contains("args") && bodyOf(call)["args"].size() > 1;
    if (isOfArrays) {
        if (flagOf(item, "ordinality"))
            throw SqlError(sql_state::kFeatureNotSupported, "unnest of several arrays has no ordinality.");
        Source source = querySource(selectOfArrays(bodyOf(call)));
        source.entry.name = "unnest";
        return source;
    }
    const std::string table = translation_.freshName("pgRows");
    const Json& body = bodyOf(call);
    const std::string name = kindOf(call) == "FuncCall" ? wordOf(body["funcname"].back()) : "current_schema";
    // The arguments are values of a query of one row.
    std::vector<Typed> arguments;
    std::vector<PlanStep> steps;
    SelectTranslator inner(translation_, this, steps);
    inner.pushLevel();
    inner.level().query->table = nameNode(kOneRowName);
    if (kindOf(call) == "FuncCall" && isTableFunction(name)) {
        if (body.contains("args")) arguments = inner.values(body["args"]);
    } else {
        arguments.push_back(inner.value(call));
    }
    TableFunctionPlan plan = planTableFunction(name, std::move(arguments), placeOf(body), translation_.host());
    std::vector<std::string> names;
    for (const Typed& argument : plan.arguments) {
        names.push_back(translation_.freshName("c"));
        inner.level().query->items.push_back({argument.code, {names.back()}, {}});
    }
    const std::string given = inner.level().name;
    inner.finishLevels();
    steps.push_back({table,
                     {},
                     [compute = plan.compute, given, isOrdinal = flagOf(item, "ordinality")](const StepScope& scope,
                                                                                             Context& context) {
                         return tableOfFunction(compute, scope.get(given), isOrdinal, context);
                     },
                     name});
    Source source{{"", name, {}}, table};
    RangeEntry& entry = source.entry;
    Typed column = typedCode(columnNode(table, kFunctionColumn), plan.type, -1, placeOf(body));
    column.kept = plan.kept;
    column.scale = plan.scale;
    const bool hasAlias = item.contains("alias");
    entry.columns.push_back({hasAlias ? textOf(item["alias"], "aliasname") : name, std::move(column), false});
    if (flagOf(item, "ordinality"))
        entry.columns.push_back({"ordinality", typedCode(columnNode(table, kOrdinalColumn), oid::kInt8), false});
    takeSteps(source, inner.outerColumns_, std::move(steps), true);
    return source;
}

}  // namespace pelorus::postgres
