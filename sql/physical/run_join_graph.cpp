#include "sql/physical/run_join_graph.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "runtime/code/rewrite.h"
#include "runtime/format/to_source.h"
#include "runtime/memory/broker.h"
#include "runtime/table/column_lookup.h"
#include "sql/bind/join_graph.h"
#include "sql/bind/join_names.h"
#include "sql/bind/plan_select.h"
#include "sql/execution/query_profile.h"
#include "sql/expression/called_functions.h"
#include "sql/keys/distinct_estimate.h"
#include "sql/operators/join/graph_join.h"
#include "sql/operators/join/spilled_graph.h"
#include "sql/operators/scan/materialise.h"
#include "sql/physical/run_query.h"
#include "sql/physical/run_select.h"
#include "sql/plan/join_function.h"
#include "sql/plan/join_order.h"
#include "sql/spill/spilled_parts.h"

namespace pelorus {

namespace {

bool isEqualityOfColumns(const NodeRef& part) {
    const auto isColumn = [](const NodeRef& node) {
        return node->kind == NodeKind::Name || node->kind == NodeKind::Member;
    };
    if (part->kind != NodeKind::Binary) return false;
    const auto& n = static_cast<const Binary&>(*part);
    return n.op == Operator::Eq && isColumn(n.left) && isColumn(n.right);
}

// Whether an expression is one value for all rows: aggregates, and operations on them.
bool isOneValue(const Node& node, Context& context) {
    switch (node.kind) {
        case NodeKind::Constant:
            return true;
        case NodeKind::Unary:
            return isOneValue(*static_cast<const Unary&>(node).operand, context);
        case NodeKind::Binary:
            return isOneValue(*static_cast<const Binary&>(node).left, context) &&
                   isOneValue(*static_cast<const Binary&>(node).right, context);
        case NodeKind::Call: {
            const Ref<Function> function = calledFunction(static_cast<const Call&>(node), context);
            return function && function->signature().aggregate;
        }
        default:
            return false;
    }
}

// Whether the rows of the result, and the values in them, may depend on the order of the rows that the query reads.
bool seesOrder(const Query& query, Context& context) {
    const bool isGroup = query.grouping == GroupKind::Group;
    const auto isAggregate = [&](const SelectItem& item) { return isOneValue(*item.value, context); };
    const bool isOneRow = query.grouping == GroupKind::None && !query.items.empty() &&
                          std::all_of(query.items.begin(), query.items.end(), isAggregate);
    if (!isGroup && !isOneRow) return true;
    bool sees = false;
    const auto look = [&](const NodeRef& node) -> NodeRef {
        switch (node->kind) {
            case NodeKind::Call: {
                const Ref<Function> function = calledFunction(static_cast<const Call&>(*node), context);
                sees = sees || !function || function->signature().orderSensitive ||
                       dynamic_cast<const BuiltinFunction*>(function.get()) == nullptr;
                return NodeRef();
            }
            case NodeKind::Lambda:
            case NodeKind::Partial:
            case NodeKind::HigherOrder:
            case NodeKind::Window:
                sees = true;
                return NodeRef();
            default:
                return NodeRef();
        }
    };
    rewriteQuery(query, look);
    return sees;
}

constexpr size_t kMaxTables = 64;

// One join of a graph.
class GraphRun {
public:
    GraphRun(const JoinNode& node, const Query& query, size_t count, const std::vector<JoinSide>& sides,
             const std::shared_ptr<const ReadNames>& read, Context& context)
        : node_(node),
          query_(query),
          count_(count),
          whole_(sides),
          read_(read),
          context_(context),
          graph_(sidesOf(sides), count) {
        if (count > kMaxTables)
            throw UserError(fmt::format("A query joins {} tables by where; the most is {}.", count, kMaxTables),
                            "Join some of them in a query of their own.");
    }

    Value run(RowSource& source) {
        takeConditions(source);
        nameColumns(source);
        const std::vector<GraphTable> tables = tablesOfSides();
        rows_.resize(count_);
        if (const std::optional<GraphCut> cut = cutOfGraph(graph_, tables, context_)) {
            if (const Ref<MemoryTable> rows = inParts(tables, *cut)) return Value::of(Ref<Table>(rows));
        }
        for (size_t side = 0; side < count_; ++side) {
            if (!rows_[side]) rows_[side] = rowsOf(side, tables[side].needed);
        }
        GraphJoin join(graph_, rows_, context_);
        for (const size_t side : orderFor(rows_)) {
            TraceStep step("join");
            if (step) step.note("right", toSource(*whole(side)));
            join.join(side);
            step.note("rows", join.rowCount());
        }
        if (seesOrder(query_, context_)) join.sort();
        return Value::of(Ref<Table>(join.finish(shown_)));
    }

private:
    static std::vector<GraphSide> sidesOf(const std::vector<JoinSide>& sides) {
        std::vector<GraphSide> result;
        for (const JoinSide& side : sides) result.push_back({side.qualifier, side.table.table().columns()});
        return result;
    }
    const NodeRef& whole(size_t side) const { return node_.sides[side]->code; }

    // Conditions that see other rows must see those of the whole join; so must all that follow them.
    void takeConditions(RowSource& source) {
        for (size_t i = 0; i + 1 < count_; ++i) {
            const NodeRef& on = node_.clauses[i].on;
            if (!on || graph_.add(on, context_)) continue;
            throw UserError(on->position,
                            fmt::format("The condition of the join, {}, must compare columns of the tables that are "
                                        "joined so far.",
                                        toSource(*on)));
        }
        NodeList remaining;
        bool isOpen = true;
        for (const NodeRef& condition : query_.where) {
            NodeList parts;
            splitAnd(condition, parts);
            isOpen = isOpen && std::none_of(parts.begin(), parts.end(),
                                            [&](const NodeRef& part) { return readsOtherRows(*part, context_); });
            for (const NodeRef& part : isOpen ? parts : NodeList{condition}) {
                if (!isOpen || !graph_.add(part, context_)) remaining.push_back(part);
            }
        }
        source.remaining = std::move(remaining);
        std::vector<int64_t> rows;
        for (size_t side = 0; side < count_; ++side) rows.push_back(whole_[side].table.table().rowCount());
        graph_.settle(rows, context_);
    }

    // Names the columns as joins from left to right do: a key of an inner join stays under its left name.
    void nameColumns(RowSource& source) {
        TableSchema left;
        for (size_t side = 0; side < count_; ++side) {
            const TableSchema& own = graph_.side(side).columns;
            const std::string& qualifier = graph_.side(side).qualifier;
            const JoinColumns keys = side == 0 ? JoinColumns{} : keysOf(side, source.qualified);
            if (side == 0) {
                source.qualified = qualifiedColumns(own, qualifier);
            } else {
                nameColumnsOfClause(node_.clauses[side - 1].kind, {left, own, qualifier}, keys, "", source);
            }
            const TableSchema before = left;
            for (size_t c = 0; c < own.size(); ++c) {
                if (std::find(keys.right.begin(), keys.right.end(), own[c].name) != keys.right.end()) continue;
                std::string name =
                    side == 0 ? own[c].name : joinedName(own[c].name, qualifier, findColumn(before, own[c].name) >= 0);
                // t_x is a column of another table: the x of t is t.x only.
                if (findColumn(left, name) >= 0 || (name != own[c].name && isColumn(name))) {
                    std::string hidden = fmt::format(" {}.{}", qualifier, own[c].name);
                    rename(source, qualifier, own[c].name, hidden);
                    name = std::move(hidden);
                    if (findColumn(left, name) >= 0) continue;
                }
                left.push_back({name, own[c].type, own[c].scale, {}});
                const bool isRead = name.starts_with(' ') || read_->holds(name) || isReadAs(source, name);
                if (isRead) shown_.push_back({{side, static_cast<int>(c)}, name});
            }
        }
        // The query may only count the rows.
        if (shown_.empty()) shown_.push_back({{0, 0}, graph_.side(0).columns[0].name});
    }

    // Whether a table has a column of this name.
    bool isColumn(const std::string& name) const {
        for (size_t side = 0; side < count_; ++side) {
            if (findColumn(graph_.side(side).columns, name) >= 0) return true;
        }
        return false;
    }
    static void rename(RowSource& source, const std::string& qualifier, const std::string& column,
                       const std::string& name) {
        for (QualifiedColumn& known : source.qualified) {
            if (known.qualifier == qualifier && known.column == column) known.name = name;
        }
    }

    // Whether a column of the result is read by the name of its table's column.
    bool isReadAs(const RowSource& source, const std::string& name) const {
        return std::any_of(source.qualified.begin(), source.qualified.end(), [&](const QualifiedColumn& known) {
            return known.name == name && read_->holds(known.column);
        });
    }

    // The keys of an inner join with `on`, which its result shows once.
    JoinColumns keysOf(size_t side, const std::vector<QualifiedColumn>& known) {
        JoinColumns keys;
        if (!node_.clauses[side - 1].on) return keys;
        JoinGraph one(sidesOf(whole_), count_);
        one.add(node_.clauses[side - 1].on, context_);
        for (const std::vector<GraphColumn>& equal : one.equalities()) {
            const auto own = std::find_if(equal.begin(), equal.end(), [&](const auto& c) { return c.side == side; });
            const auto other = std::find_if(equal.begin(), equal.end(), [&](const auto& c) { return c.side < side; });
            if (own == equal.end() || other == equal.end()) continue;
            const std::string& column = nameOf(*other);
            std::string name = column;
            for (const QualifiedColumn& of : known) {
                if (of.qualifier == graph_.side(other->side).qualifier && of.column == column) name = of.name;
            }
            keys.left.push_back(name);
            keys.right.push_back(nameOf(*own));
        }
        return keys;
    }
    const std::string& nameOf(const GraphColumn& column) const {
        return graph_.side(column.side).columns[static_cast<size_t>(column.number)].name;
    }

    // Whether the join or the query reads the column.
    bool isNeeded(const GraphColumn& column) const {
        const auto isColumn = [&](const GraphColumn& other) { return other == column; };
        const auto reads = [&](const auto& of) { return std::any_of(of.begin(), of.end(), isColumn); };
        return std::any_of(shown_.begin(), shown_.end(), [&](const auto& shown) { return isColumn(shown.column); }) ||
               std::any_of(graph_.equalities().begin(), graph_.equalities().end(), reads) ||
               std::any_of(graph_.conditions().begin(), graph_.conditions().end(),
                           [&](const GraphCondition& condition) { return reads(condition.columns); });
    }

    // Returns the sides with the columns that somebody reads of them. Rows that pass the filters are counted only where
    // all of them would be much.
    std::vector<GraphTable> tablesOfSides() {
        std::vector<GraphTable> tables;
        for (size_t side = 0; side < count_; ++side) {
            tables.push_back({whole_[side].table, neededOf(side)});
            tables.back().bytes = bytesOf(tables.back(), whole_[side].table.table().rowCount());
        }
        if (!exceedsMemory(tables)) return tables;
        for (size_t side = 0; side < count_; ++side) {
            if (graph_.filters(side).empty()) continue;
            const Ref<Query> count = filtered(side);
            count->items.push_back(countOfRows(SourcePosition()));
            const Ref<MemoryTable> rows = materialise(runQuery(*count, context_), context_);
            tables[side].bytes = bytesOf(tables[side], rows->column(0).at(0).asLong());
        }
        return tables;
    }

    std::vector<int> neededOf(size_t side) const {
        std::vector<int> needed;
        for (int c = 0; c < static_cast<int>(graph_.side(side).columns.size()); ++c) {
            if (isNeeded({side, c})) needed.push_back(c);
        }
        return needed.empty() ? std::vector<int>{0} : needed;
    }

    static double bytesOf(const GraphTable& table, int64_t rows) {
        const TableSchema& columns = table.table.table().columns();
        TableSchema needed;
        for (const int c : table.needed) needed.push_back(columns[static_cast<size_t>(c)]);
        return static_cast<double>(estimatedRowBytes(needed)) * static_cast<double>(rows);
    }

    Ref<Query> filtered(size_t side) const {
        const Ref<Constant> from = makeRef<Constant>(whole_[side].table, SourcePosition());
        from->spelling = whole_[side].qualifier;
        Ref<Query> query = makeRef<Query>(SourcePosition());
        query->table = from;
        query->where = graph_.filters(side);
        return query;
    }

    // Computes the rows of a side that satisfy its filters. A column that nobody needs stays where it is.
    Ref<MemoryTable> rowsOf(size_t side, const std::vector<int>& needed) {
        const Value& table = whole_[side].table;
        const std::vector<GraphKey>& keys = graph_.keys(side);
        const TableSchema columns = graph_.columnsWithKeys(side);
        if (graph_.filters(side).empty() && keys.empty() && table.table().asMemory())
            return materialise(table, context_);
        const Ref<Query> query = filtered(side);
        for (const int c : needed) {
            const auto place = static_cast<size_t>(c);
            query->items.push_back(
                {makeRef<Name>(columns[place].name, SourcePosition()), {visibleName(place)}, NodeRef()});
        }
        std::vector<int> numbers = needed;
        for (const GraphKey& key : keys) {
            const auto place = graph_.side(side).columns.size() + static_cast<size_t>(&key - keys.data());
            query->items.push_back({key.code, {visibleName(place)}, NodeRef()});
            numbers.push_back(static_cast<int>(place));
        }
        return placed(materialise(runQuery(*query, context_), context_), columns, numbers);
    }

    // Returns the rows, or null where they cannot be cut after all: the sides that are not cut are there then.
    Ref<MemoryTable> inParts(const std::vector<GraphTable>& tables, const GraphCut& cut) {
        for (size_t side = 0; side < count_; ++side) {
            if (cut.columns[side] == GraphCut::kNotCut) rows_[side] = rowsOf(side, tables[side].needed);
        }
        const auto order = [&](const std::vector<Ref<MemoryTable>>& rows) { return orderFor(rows); };
        return joinGraphInParts(graph_, tables, cut, rows_, shown_, seesOrder(query_, context_), order, context_);
    }

    static std::string visibleName(size_t column) { return "c" + std::to_string(column); }

    // Returns the rows with their columns at the places that they have in the side; the others hold nothing.
    static Ref<MemoryTable> placed(const Ref<MemoryTable>& rows, const TableSchema& columns,
                                   const std::vector<int>& numbers) {
        const Value nothing = filledColumn(Type::Bool, 0, rows->rowCount());
        std::vector<Value> all(columns.size(), nothing);
        for (size_t i = 0; i < numbers.size(); ++i)
            all[static_cast<size_t>(numbers[i])] = rows->column(static_cast<int>(i));
        auto result = makeRef<MemoryTable>();
        for (size_t c = 0; c < columns.size(); ++c) result->setColumn(columns[c].name, all[c]);
        return result;
    }

    std::vector<size_t> orderFor(const std::vector<Ref<MemoryTable>>& sides) const {
        std::vector<double> counts;
        for (const Ref<MemoryTable>& rows : sides) counts.push_back(static_cast<double>(rows->rowCount()));
        std::vector<EqualColumns> equalities;
        for (const std::vector<GraphColumn>& equal : graph_.equalities()) {
            EqualColumns columns;
            for (const GraphColumn& c : equal) {
                columns.sides.push_back(c.side);
                columns.distinct.push_back(estimateDistinct(sides[c.side]->column(c.number)));
            }
            equalities.push_back(std::move(columns));
        }
        return joinOrder(counts, equalities);
    }

    const JoinNode& node_;
    const Query& query_;
    const size_t count_;
    const std::vector<JoinSide>& whole_;
    const std::shared_ptr<const ReadNames> read_;
    Context& context_;
    JoinGraph graph_;
    std::vector<ShownColumn> shown_;
    std::vector<Ref<MemoryTable>> rows_;
};

}  // namespace

size_t sidesOfGraph(const JoinNode& node, const Query& query) {
    if (query.verb != QueryVerb::Select && query.verb != QueryVerb::Exec) return 0;
    size_t count = 1;
    bool isOneByWhere = false;
    for (const JoinClause& clause : node.clauses) {
        if (clause.kind != JoinKind::Inner && clause.kind != JoinKind::Cross) break;
        ++count;
        if (!clause.on) {
            isOneByWhere = isOneByWhere || !query.where.empty();
            continue;
        }
        NodeList parts;
        splitAnd(clause.on, parts);
        isOneByWhere = isOneByWhere || !std::all_of(parts.begin(), parts.end(), isEqualityOfColumns);
    }
    // An outer join that keeps the rows of its right side sees the rows before the conditions.
    const bool keepsLeft = std::all_of(
        node.clauses.begin() + static_cast<std::ptrdiff_t>(count) - 1, node.clauses.end(),
        [](const JoinClause& clause) { return clause.kind != JoinKind::Right && clause.kind != JoinKind::Full; });
    const bool isGraph = keepsLeft && (isOneByWhere || count > 2) && count > 1;
    return isGraph ? count : 0;
}

Value runJoinGraph(const JoinNode& node, const Query& query, size_t count, const std::vector<JoinSide>& sides,
                   const std::shared_ptr<const ReadNames>& read, RowSource& source, Context& context) {
    return GraphRun(node, query, count, sides, read, context).run(source);
}

}  // namespace pelorus
