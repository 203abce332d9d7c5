#include "postgres/translate/select_translator.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "postgres/parse/tree.h"
#include "postgres/sql_error.h"
#include "postgres/steps/set_operations.h"
#include "postgres/translate/function_calls.h"
#include "postgres/translate/row_sets.h"

namespace pelorus::postgres {

SelectTranslator::SelectTranslator(Translation& translation, SelectTranslator* outer, std::vector<PlanStep>& steps)
    : translation_(translation), outer_(outer), steps_(steps) {}

static bool hasGroupingSets(const nlohmann::json& select) {
    if (!select.contains("groupClause")) return false;
    const auto& groups = select["groupClause"];
    return std::any_of(groups.begin(), groups.end(),
                       [](const nlohmann::json& item) { return kindOf(item) == "GroupingSet"; });
}

Selected SelectTranslator::translate(const Json& select) {
    const Translation::Depth depth(translation_);
    if (select.contains("withClause")) translateWith(select["withClause"]);
    if (select.contains("lockingClause")) return translateLocking(select);
    if (select.contains("valuesLists")) return withOrder(translateValues(select), select);
    const std::string operation = textOf(select, "op");
    if (!operation.empty() && operation != "SETOP_NONE") return withOrder(translateSetOperation(select), select);
    if (hasGroupingSets(select)) return translateGroupingSets(select);
    return translateSelect(select);
}

// Returns whether a query of WITH names itself as a table.
static bool readsItself(const nlohmann::json& table) {
    const std::string name = textOf(table, "ctename");
    std::vector<const nlohmann::json*> pending = {&table["ctequery"]};
    while (!pending.empty()) {
        const nlohmann::json& node = *pending.back();
        pending.pop_back();
        if (!node.is_structured()) continue;
        if (node.is_object() && node.contains("relname") && !node.contains("schemaname") &&
            textOf(node, "relname") == name)
            return true;
        for (const nlohmann::json& child : node) pending.push_back(&child);
    }
    return false;
}

void SelectTranslator::translateWith(const Json& clause) {
    for (const Json& item : clause["ctes"]) {
        const Json& table = bodyOf(item);
        if (kindOf(table["ctequery"]) != "SelectStmt")
            throw SqlError(sql_state::kFeatureNotSupported, "WITH takes queries only.", placeOf(table));
        if (flagOf(clause, "recursive") && readsItself(table)) {
            commonTables_.emplace_back(textOf(table, "ctename"), translateRecursive(table));
            continue;
        }
        SelectTranslator inner(translation_, this, steps_);
        inner.commonTables_ = commonTables_;
        Selected selected = inner.translate(bodyOf(table["ctequery"]));
        if (!inner.outerColumns_.empty())
            throw SqlError(sql_state::kFeatureNotSupported,
                           "A query of WITH that reads columns of the query around it is not supported.",
                           placeOf(table));
        if (table.contains("aliascolnames")) {
            const std::vector<std::string> names = namesOf(table["aliascolnames"]);
            for (size_t i = 0; i < names.size() && i < selected.columns.size(); ++i)
                selected.columns[i].name = names[i];
        }
        commonTables_.emplace_back(textOf(table, "ctename"), std::move(selected));
    }
}

void SelectTranslator::pushLevel() {
    Level next;
    next.name = translation_.freshName("pgRows");
    next.query = makeRef<Query>(SourcePosition());
    if (!levels_.empty()) next.query->table = nameNode(levels_.back().name);
    levels_.push_back(std::move(next));
    at_ = levels_.size() - 1;
}

void SelectTranslator::finishLevels() {
    for (Level& level : levels_) {
        // A query without elements is asked for its number of rows alone.
        if (level.query->items.empty()) level.query->items.push_back({constantNode(Value::ofInt(1)), {"c0"}, {}});
        steps_.push_back({level.name, level.query, {}, {}});
        std::move(level.after.begin(), level.after.end(), std::back_inserter(steps_));
    }
}

Selected SelectTranslator::translateSelect(const Json& select) {
    pushLevel();
    if (select.contains("windowClause"))
        for (const Json& item : select["windowClause"]) windowDefinitions_.push_back(&bodyOf(item));
    std::vector<const Json*> conditions;
    if (select.contains("whereClause")) conditions = conjuncts(select["whereClause"]);
    const bool hasFrom = select.contains("fromClause");
    if (hasFrom)
        translateFrom(select["fromClause"], conditions);
    else
        level().query->table = nameNode(kOneRowName);
    plainPlace_ = "WHERE";
    // Conditions without sub-queries first: what these compute for each row, they compute for the rows that are left.
    std::stable_partition(conditions.begin(), conditions.end(),
                          [this](const Json* item) { return !hasSubqueries(*item); });
    for (const Json* item : conditions) {
        prepareSubqueries(*item);
        NodeRef code = condition(*item, true);
        level().query->where.push_back(std::move(code));
    }
    plainPlace_ = nullptr;
    const Json nothing = Json::array();
    const Json& targets = select.contains("targetList") ? select["targetList"] : nothing;
    const Json& sorts = select.contains("sortClause") ? select["sortClause"] : nothing;
    const bool isGrouped = select.contains("groupClause") || select.contains("havingClause") ||
                           hasAggregates(targets) || hasAggregates(sorts);
    if (isGrouped) translateGroups(select);
    prepareSubqueries(targets);
    prepareSubqueries(sorts);
    // The columns of window functions are computed below the select list.
    if (hasWindows(targets) || hasWindows(sorts)) pushLevel();
    std::vector<RangeColumn> columns = selectList(select);
    if (std::any_of(columns.begin(), columns.end(), [](const RangeColumn& column) { return column.element != 0; }))
        expandSets(columns);
    const bool isDistinct = select.contains("distinctClause");
    if (isDistinct && !select["distinctClause"][0].empty())
        distinctOn(select, columns);
    else if (isDistinct)
        level().query->distinct = true;
    Selected selected;
    Query& last = *levels_.back().query;
    orderBy(select, columns, last);
    for (RangeColumn& column : columns) {
        const std::string name = translation_.freshName("c");
        last.items.push_back({column.value.code, {name}, {}});
        column.value.constant.reset();
        column.value.code = nameNode(name);
    }
    for (OrderItem& item : last.orderBy) {
        // The elements of the list that the order names by their place.
        if (item.value->kind != NodeKind::Constant) continue;
        const auto& marker = static_cast<const Constant&>(*item.value);
        if (marker.spelling == "column") item.value = columns[static_cast<size_t>(marker.value.integer())].value.code;
    }
    limitRows(select, last);
    finishLevels();
    selected.step = levels_.back().name;
    selected.columns = std::move(columns);
    return selected;
}

std::string SelectTranslator::labelOf(const Json& target) const {
    if (target.contains("name")) return textOf(target, "name");
    const Json* node = &target["val"];
    while (true) {
        const std::string_view kind = kindOf(*node);
        const Json& body = bodyOf(*node);
        if (kind == "ColumnRef") return wordOf(body["fields"].back());
        if (kind == "FuncCall") return wordOf(body["funcname"].back());
        if (kind == "TypeCast") {
            const std::string_view inner = kindOf(body["arg"]);
            if (inner == "ColumnRef" || inner == "FuncCall" || inner == "TypeCast" || inner == "A_Indirection" ||
                inner == "CaseExpr" || inner == "SubLink") {
                node = &body["arg"];
                if (inner == "CaseExpr") return "case";
                continue;
            }
            return wordOf(body["typeName"]["names"].back());
        }
        if (kind == "A_Indirection") {
            if (kindOf(body["indirection"].back()) == "String") return wordOf(body["indirection"].back());
            node = &body["arg"];
            continue;
        }
        if (kind == "CaseExpr") {
            const bool hasElse = body.contains("defresult") &&
                                 (kindOf(body["defresult"]) == "ColumnRef" || kindOf(body["defresult"]) == "FuncCall");
            return hasElse
                       ? wordOf(
                             bodyOf(body["defresult"])[kindOf(body["defresult"]) == "ColumnRef" ? "fields" : "funcname"]
                                 .back())
                       : "case";
        }
        if (kind == "CoalesceExpr") return "coalesce";
        if (kind == "GroupingFunc") return "grouping";
        if (kind == "MinMaxExpr") return textOf(body, "op") == "IS_LEAST" ? "least" : "greatest";
        if (kind == "A_ArrayExpr") return "array";
        if (kind == "RowExpr") return "row";
        if (kind == "A_Expr" && textOf(body, "kind") == "AEXPR_NULLIF") return "nullif";
        if (kind == "SQLValueFunction") {
            std::string word = textOf(body, "op").substr(6);
            std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::tolower(c); });
            return word.ends_with("_n") ? word.substr(0, word.size() - 2) : word;
        }
        if (kind == "SubLink") {
            const std::string type = textOf(body, "subLinkType");
            if (type == "EXISTS_SUBLINK") return "exists";
            if (type == "ARRAY_SUBLINK") return "array";
            if (type == "EXPR_SUBLINK") {
                const Json& inner = bodyOf(body["subselect"]);
                if (inner.contains("targetList")) return labelOf(bodyOf(inner["targetList"][0]));
            }
        }
        return "?column?";
    }
}

void SelectTranslator::addStars(const Json& fields, std::vector<RangeColumn>& columns, int place) {
    const std::vector<std::string> names = namesOf(fields);
    const std::string table = names.size() > 1 ? names[names.size() - 2] : "";
    bool isAny = false;
    for (const RangeEntry& entry : ranges_) {
        if (!table.empty() && entry.name != table) continue;
        isAny = true;
        for (const RangeColumn& column : entry.columns) {
            if (table.empty() && column.isMerged) continue;
            columns.push_back({column.name, exported(column.value, 0, at_, place), false});
        }
    }
    if (!isAny && !table.empty())
        throw SqlError(sql_state::kUndefinedTable, fmt::format("missing FROM-clause entry for table \"{}\"", table),
                       place);
    if (!isAny) throw SqlError(sql_state::kSyntaxError, "SELECT * with no tables specified is not valid", place);
}

// Returns the call in (information_schema._pg_expandarray(array)).n, or .x; null for any other element of a list.
static const nlohmann::json* expandedArrayOf(const nlohmann::json& node) {
    if (kindOf(node) != "A_Indirection") return nullptr;
    const auto& body = bodyOf(node);
    if (kindOf(body["arg"]) != "FuncCall" || body["indirection"].size() != 1) return nullptr;
    const auto& call = bodyOf(body["arg"]);
    const bool isField = kindOf(body["indirection"][0]) == "String" &&
                         (wordOf(body["indirection"][0]) == "n" || wordOf(body["indirection"][0]) == "x");
    return isField && wordOf(call["funcname"].back()) == "_pg_expandarray" && call.contains("args") ? &call : nullptr;
}

std::vector<RangeColumn> SelectTranslator::selectList(const Json& select) {
    std::vector<RangeColumn> columns;
    if (!select.contains("targetList")) return columns;
    for (const Json& item : select["targetList"]) {
        const Json& target = bodyOf(item);
        const Json& node = target["val"];
        if (kindOf(node) == "ColumnRef" && kindOf(bodyOf(node)["fields"].back()) == "A_Star") {
            addStars(bodyOf(node)["fields"], columns, placeOf(bodyOf(node)));
            continue;
        }
        if (const Json* expanded = expandedArrayOf(node)) {
            const bool isPlace = wordOf(bodyOf(node)["indirection"][0]) == "n";
            std::vector<Typed> arguments = values((*expanded)["args"]);
            if (isPlace) {
                // Places are counted from 1, also those of vectors.
                for (Typed& argument : arguments) {
                    argument.code = callNode("pgExpandedArray", {argument.code});
                    argument.type = oid::kTextArray;
                }
                arguments.push_back(typedConstant(Value::ofInt(1), oid::kInt4));
            }
            RowSet set = planRowSet(isPlace ? "generate_subscripts" : "unnest", std::move(arguments),
                                    placeOf(*expanded), translation_.host());
            columns.push_back({labelOf(target), std::move(set.array), false, set.element});
            continue;
        }
        const std::string function = kindOf(node) == "FuncCall" ? wordOf(bodyOf(node)["funcname"].back()) : "";
        if (returnsRows(function)) {
            const Json nothing = Json::array();
            const Json& body = bodyOf(node);
            RowSet set = planRowSet(function, values(body.contains("args") ? body["args"] : nothing), placeOf(body),
                                    translation_.host());
            columns.push_back({labelOf(target), std::move(set.array), false, set.element});
            continue;
        }
        // A constant of the list that is a key of other grouping sets is NULL, while those in expressions stay.
        const auto key = std::find_if(groupKeys_.begin(), groupKeys_.end(), [&](const GroupKey& known) {
            return kindOf(node) == "A_Const" && known.canonical == canonical(node);
        });
        const bool isAbsent = key != groupKeys_.end() && key->isAbsent;
        columns.push_back({labelOf(target), isAbsent ? key->value : value(node), false});
    }
    for (RangeColumn& column : columns)
        // A literal whose type nothing decides is a string.
        if (column.value.isUnknown())
            column.value = convert(column.value, oid::kText, -1, Conversion::Implicit, translation_.host());
    return columns;
}

namespace {

// Marks an item of the order as column `index` of the select list, until the columns have names.
NodeRef columnMarker(size_t index) {
    Ref<Constant> marker = makeRef<Constant>(Value::ofLong(static_cast<int64_t>(index)), SourcePosition());
    marker->spelling = "column";
    return marker;
}

void setDirection(OrderItem& item, const nlohmann::json& sort) {
    item.ascending = textOf(sort, "sortby_dir") != "SORTBY_DESC";
    item.nullsGiven = true;
    const std::string nulls = textOf(sort, "sortby_nulls");
    item.nullsFirst = nulls == "SORTBY_NULLS_FIRST" || (nulls != "SORTBY_NULLS_LAST" && !item.ascending);
}

}  // namespace

void SelectTranslator::orderBy(const Json& select, std::vector<RangeColumn>& columns, Query& query) {
    if (!select.contains("sortClause")) return;
    const bool isDistinct = levels_.back().query->distinct;
    for (const Json& item : select["sortClause"]) {
        const Json& sort = bodyOf(item);
        const Json& node = sort["node"];
        OrderItem order;
        setDirection(order, sort);
        if (textOf(sort, "sortby_dir") == "SORTBY_USING")
            throw SqlError(sql_state::kFeatureNotSupported, "ORDER BY … USING is not supported.",
                           placeOf(bodyOf(node)));
        if (kindOf(node) == "A_Const" && bodyOf(node).contains("ival")) {
            const int64_t position = numberOf(bodyOf(node)["ival"], "ival");
            if (position < 1 || position > static_cast<int64_t>(columns.size()))
                throw SqlError(sql_state::kInvalidColumnReference,
                               fmt::format("ORDER BY position {} is not in select list", position),
                               placeOf(bodyOf(node)));
            order.value = columnMarker(static_cast<size_t>(position - 1));
        } else if (kindOf(node) == "ColumnRef" && bodyOf(node)["fields"].size() == 1) {
            const std::string name = wordOf(bodyOf(node)["fields"][0]);
            const auto found = std::find_if(columns.begin(), columns.end(),
                                            [&](const RangeColumn& column) { return column.name == name; });
            if (found != columns.end()) order.value = columnMarker(static_cast<size_t>(found - columns.begin()));
        }
        if (!order.value) {
            const Typed typed = value(node);
            const std::string source = sourceOf(typed.code);
            const auto same = std::find_if(columns.begin(), columns.end(), [&](const RangeColumn& column) {
                return sourceOf(column.value.code) == source;
            });
            if (same != columns.end()) {
                order.value = columnMarker(static_cast<size_t>(same - columns.begin()));
            } else if (isDistinct) {
                throw SqlError(sql_state::kInvalidColumnReference,
                               "for SELECT DISTINCT, ORDER BY expressions must appear in select list",
                               placeOf(bodyOf(node)));
            } else {
                if (typed.constant) continue;
                order.value = typed.type == oid::kInterval ? callNode("pgIntervalOrder", {typed.code}) : typed.code;
            }
        }
        query.orderBy.push_back(std::move(order));
    }
}

void SelectTranslator::limitRows(const Json& select, Query& query) {
    const auto number = [&](const char* member) -> NodeRef {
        if (!select.contains(member)) return {};
        const Json& node = select[member];
        if (kindOf(node) == "A_Const" && flagOf(bodyOf(node), "isnull")) return {};
        std::vector<RangeEntry> none;
        std::swap(none, ranges_);
        Typed typed = convert(value(node), oid::kInt8, -1, Conversion::Implicit, translation_.host());
        std::swap(none, ranges_);
        if (typed.isNullConstant()) return {};
        if (typed.constant && typed.constant->integer() < 0)
            throw SqlError(
                std::string_view(member) == "limitCount" ? "2201W" : "2201X",
                std::string_view(member) == "limitCount" ? "LIMIT must not be negative" : "OFFSET must not be negative",
                placeOf(bodyOf(node)));
        return typed.code;
    };
    if (textOf(select, "limitOption") == "LIMIT_OPTION_WITH_TIES")
        throw SqlError(sql_state::kFeatureNotSupported, "FETCH … WITH TIES is not supported.");
    query.limit = number("limitCount");
    query.offset = number("limitOffset");
    if (query.offset && !query.limit) query.limit = constantNode(Value::ofLong(INT64_MAX / 4));
}

void SelectTranslator::expandSets(std::vector<RangeColumn>& columns) {
    const size_t below = at_;
    const std::string alias = levels_[below].name;
    std::vector<SetColumn> sets;
    for (RangeColumn& column : columns) {
        if (column.element == 0) {
            column.value = exportedOnce(column.value, levels_[below], -1);
            continue;
        }
        // Each set is a column of its own, also one that is the same for all rows.
        const std::string name = translation_.freshName("c");
        levels_[below].query->items.push_back({column.value.code, {name}, {}});
        sets.push_back({name, column.element});
        column.value = typedCode(columnNode(alias, name), column.element, -1, column.value.place);
        column.element = 0;
    }
    const std::string step = translation_.freshName("pgSets");
    const std::string rows = levels_[below].after.empty() ? alias : levels_[below].after.back().name;
    levels_[below].after.push_back({step,
                                    {},
                                    [rows, sets](const StepScope& scope, Context& context) {
                                        return expandedRows(scope.get(rows), sets, context);
                                    },
                                    "rows of sets"});
    pushLevel();
    level().query->table = nameNode(step);
    level().query->tableAlias = alias;
}

void SelectTranslator::distinctOn(const Json& select, std::vector<RangeColumn>& columns) {
    // The first row of each value, in the order of the query: row_number() over (partition by … order by …) = 1.
    Ref<Window> window = makeRef<Window>(callNode("row_number", {}), SourcePosition());
    for (const Json& item : select["distinctClause"]) {
        if (kindOf(item) == "A_Const" && bodyOf(item).contains("ival")) {
            const auto position = static_cast<size_t>(numberOf(bodyOf(item)["ival"], "ival"));
            if (position < 1 || position > columns.size())
                throw SqlError(sql_state::kInvalidColumnReference, "SELECT DISTINCT ON position is not in select list",
                               placeOf(bodyOf(item)));
            window->partitionBy.push_back(columns[position - 1].value.code);
        } else {
            window->partitionBy.push_back(value(item).code);
        }
    }
    Query scratch(SourcePosition{});
    orderBy(select, columns, scratch);
    for (OrderItem& item : scratch.orderBy) {
        if (item.value->kind == NodeKind::Constant && static_cast<const Constant&>(*item.value).spelling == "column")
            item.value =
                columns[static_cast<size_t>(static_cast<const Constant&>(*item.value).value.integer())].value.code;
        window->orderBy.push_back(item);
    }
    const size_t below = at_;
    const std::string number = translation_.freshName("c");
    levels_[below].query->items.push_back({window, {number}, {}});
    pushLevel();
    for (RangeColumn& column : columns) column.value = exportedOnce(column.value, levels_[below], -1);
    level().query->where.push_back(
        binaryNode(Operator::Eq, columnNode(levels_[below].name, number), constantNode(Value::ofInt(1))));
}

Selected SelectTranslator::translateValues(const Json& select) {
    std::vector<std::vector<Typed>> columns;
    pushLevel();
    level().query->table = nameNode(kOneRowName);
    for (const Json& row : select["valuesLists"]) {
        const Json& items = bodyOf(row)["items"];
        if (columns.empty()) columns.resize(items.size());
        if (columns.size() != items.size())
            throw SqlError(sql_state::kSyntaxError, "VALUES lists must all be the same length");
        for (size_t i = 0; i < items.size(); ++i) columns[i].push_back(value(items[i]));
    }
    const std::string oneRow = levels_.back().name;
    Selected selected;
    selected.step = translation_.freshName("pgValues");
    std::vector<std::string> names;
    Query& query = *level().query;
    for (size_t i = 0; i < columns.size(); ++i) {
        convertAll(columns[i], "VALUES", -1, translation_.host());
        for (const Typed& cell : columns[i]) {
            const std::string name = translation_.freshName("c");
            query.items.push_back({cell.code, {name}, {}});
        }
        const std::string name = translation_.freshName("c");
        Typed typed = columns[i][0];
        typed.constant.reset();
        typed.isNullable = true;
        typed.modifier = -1;
        typed.code = nameNode(name);
        names.push_back(name);
        selected.columns.push_back({fmt::format("column{}", i + 1), std::move(typed), false});
    }
    finishLevels();
    const size_t rows = columns.empty() ? 0 : columns[0].size();
    steps_.push_back(
        {selected.step,
         {},
         [oneRow, names, rows](const StepScope& scope, Context&) { return stackCells(scope.get(oneRow), names, rows); },
         "values"});
    levels_.clear();
    return selected;
}

void SelectTranslator::readAs(const SelectTranslator& part) {
    outerColumns_.insert(outerColumns_.end(), part.outerColumns_.begin(), part.outerColumns_.end());
}

Selected SelectTranslator::translateSetOperation(const Json& select) {
    const std::string operation = textOf(select, "op");
    const bool isAll = flagOf(select, "all");
    const auto side = [&](const char* member) {
        SelectTranslator inner(translation_, outer_, steps_);
        inner.commonTables_ = commonTables_;
        Selected selected = inner.translate(select[member]);
        readAs(inner);
        return selected;
    };
    Selected left = side("larg"), right = side("rarg");
    const char* name = operation == "SETOP_UNION" ? "UNION" : operation == "SETOP_INTERSECT" ? "INTERSECT" : "EXCEPT";
    if (left.columns.size() != right.columns.size())
        throw SqlError(sql_state::kSyntaxError,
                       fmt::format("each {} query must have the same number of columns", name));
    // Both sides in columns of one type.
    Query* queries[2] = {nullptr, nullptr};
    Ref<Query> shown[2];
    std::vector<std::string> names;
    for (int k = 0; k < 2; ++k) {
        shown[k] = makeRef<Query>(SourcePosition());
        shown[k]->table = nameNode(k == 0 ? left.step : right.step);
        queries[k] = &*shown[k];
    }
    Selected result;
    for (size_t i = 0; i < left.columns.size(); ++i) {
        std::vector<Typed> both = {left.columns[i].value, right.columns[i].value};
        convertAll(both, name, -1, translation_.host());
        names.push_back(translation_.freshName("c"));
        for (int k = 0; k < 2; ++k)
            queries[k]->items.push_back({both[static_cast<size_t>(k)].code, {names.back()}, {}});
        Typed typed = both[0];
        typed.isNullable = true;
        typed.modifier = jointModifier(both[0].modifier, both[1].modifier);
        typed.code = nameNode(names.back());
        result.columns.push_back({left.columns[i].name, std::move(typed), false});
    }
    const std::string leftStep = translation_.freshName("pgSide"), rightStep = translation_.freshName("pgSide");
    steps_.push_back({leftStep, shown[0], {}, {}});
    steps_.push_back({rightStep, shown[1], {}, {}});
    result.step = translation_.freshName("pgSet");
    const SetOperation kind = operation == "SETOP_UNION"       ? SetOperation::Union
                              : operation == "SETOP_INTERSECT" ? SetOperation::Intersect
                                                               : SetOperation::Except;
    steps_.push_back({result.step,
                      {},
                      [=](const StepScope& scope, Context& context) {
                          return setOperation(kind, isAll, scope.get(leftStep), scope.get(rightStep), context);
                      },
                      name});
    return result;
}

Selected SelectTranslator::withOrder(Selected rows, const Json& select, size_t shown) {
    if (!select.contains("sortClause") && !select.contains("limitCount") && !select.contains("limitOffset"))
        return rows;
    levels_.clear();
    ranges_.clear();
    pushLevel();
    level().query->table = nameNode(rows.step);
    RangeEntry entry = rangeOfSelected(rows, "");
    ranges_.push_back(entry);
    Query& query = *level().query;
    std::vector<RangeColumn> columns = entry.columns;
    orderBy(select, columns, query);
    Selected result;
    for (size_t i = 0; i < std::min(shown, columns.size()); ++i) {
        RangeColumn& column = columns[i];
        const std::string name = translation_.freshName("c");
        query.items.push_back({column.value.code, {name}, {}});
        column.value.code = nameNode(name);
    }
    for (OrderItem& item : query.orderBy)
        if (item.value->kind == NodeKind::Constant && static_cast<const Constant&>(*item.value).spelling == "column")
            item.value =
                columns[static_cast<size_t>(static_cast<const Constant&>(*item.value).value.integer())].value.code;
    limitRows(select, query);
    finishLevels();
    result.step = levels_.back().name;
    if (columns.size() > shown) columns.resize(shown);
    result.columns = std::move(columns);
    return result;
}

}  // namespace pelorus::postgres
