#include "sql/physical/dependent_join.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/check.h"
#include "common/error.h"
#include "interpreter/analysis/node_children.h"
#include "runtime/code/made_call.h"
#include "runtime/code/rewrite.h"
#include "runtime/format/to_source.h"
#include "runtime/table/column_lookup.h"
#include "sql/bind/correlation.h"
#include "sql/bind/read_names.h"
#include "sql/execution/query_profile.h"
#include "sql/expression/bind_expression.h"
#include "sql/expression/called_functions.h"
#include "sql/keys/group_table.h"
#include "sql/operators/join/joins.h"
#include "sql/operators/scan/materialise.h"
#include "sql/physical/run_query.h"
#include "sql/physical/run_select.h"
#include "sql/physical/source_columns.h"

namespace pelorus {

namespace {

// Names of the columns of a result, which no table has.
constexpr const char* kRow = "sub-query row";
constexpr const char* kValue = "sub-query value";

NodeRef nameOf(const std::string& name, SourcePosition position) {
    return makeRef<Name>(name, position);
}

SelectItem item(NodeRef value, const char* alias) {
    return {std::move(value), {alias}, NodeRef()};
}

// One sub-query over the distinct outer rows that it can tell apart.
class DependentResult {
public:
    // `rows` are the outer ones.
    DependentResult(const CorrelatedQuery& query, const MemoryTable& rows, Context& context)
        : query_(*query.query), context_(context), groupOfRow_(static_cast<size_t>(rows.rowCount())) {
        refuseForms();
        isAggregate_ = query_.grouping == GroupKind::None && !query_.items.empty() &&
                       std::all_of(query_.items.begin(), query_.items.end(),
                                   [&](const SelectItem& i) { return holdsAggregate(*i.value, context_); });
        makeDomain(query, rows);
    }

    // Returns the only cell for each outer row; NULL without a row, the aggregate of no rows where it is one.
    Value scalars() {
        requireOneColumn();
        const Ref<MemoryTable> results = run(valuesOfRows());
        const Value& row = *results->column(kRow);
        std::vector<int32_t> place(static_cast<size_t>(domain_->rowCount()), static_cast<int32_t>(row.size()));
        for (int64_t i = 0; i < row.size(); ++i) {
            int32_t& at = place[static_cast<size_t>(row.vector().data<int32_t>()[i])];
            if (at < row.size()) refuseSeveralRows();
            at = static_cast<int32_t>(i);
        }
        Value values = *results->column(kValue);
        appendElements(values, filledColumn(values.type(), scaleOf(*results), 1, emptyValue()));
        std::vector<int32_t> positions(groupOfRow_.size());
        for (size_t i = 0; i < positions.size(); ++i) positions[i] = place[static_cast<size_t>(groupOfRow_[i])];
        return gatherElements(values, positions.data(), std::ssize(positions));
    }

    // Returns for each outer row whether the sub-query has rows.
    Value existence() {
        const bool isAlways = isAggregate_ && !query_.having;
        std::vector<char> isThere(static_cast<size_t>(domain_->rowCount()), isAlways ? 1 : 0);
        if (!isAlways) {
            if (isAggregate_ && existsWithoutRows()) std::fill(isThere.begin(), isThere.end(), 1);
            // A group with rows decides for itself.
            const Ref<Query> all = isAggregate_ ? rowsWithMatches() : Ref<Query>();
            if (all) mark(*run(all), isThere, 0);
            mark(*run(distinctRows()), isThere, 1);
        }
        const Ref<Vector> result = Vector::make(Type::Bool, std::ssize(groupOfRow_));
        auto* out = result->mutableData<int8_t>();
        for (size_t i = 0; i < groupOfRow_.size(); ++i)
            out[i] = static_cast<int8_t>(isThere[static_cast<size_t>(groupOfRow_[i])]);
        return Value::of(result);
    }

    // Returns for each outer row whether its element of `values` is among the sub-query's.
    Value membership(const Value& values) {
        requireOneColumn();
        const Ref<MemoryTable> results = run(valuesOfRows());
        const Ref<Vector> groups = Vector::make(Type::Int, std::ssize(groupOfRow_));
        std::copy(groupOfRow_.begin(), groupOfRow_.end(), groups->mutableData<int32_t>());
        MemoryTable left;
        left.setColumn(kRow, Value::of(groups));
        left.setColumn(kValue, values);
        const JoinColumns keys{{kRow, kValue}, {kRow, kValue}};
        const SideRows partners = firstPartners(left, *results, keys);
        const Ref<Vector> result = Vector::make(Type::Bool, std::ssize(groupOfRow_));
        auto* out = result->mutableData<int8_t>();
        for (size_t i = 0; i < groupOfRow_.size(); ++i)
            out[i] = static_cast<int8_t>(partners.all || partners.rows[i] >= 0);
        return Value::of(result);
    }

    bool isAggregate() const { return isAggregate_; }

private:
    void refuseForms() const {
        const auto refuse = [&](const char* what) {
            throw UserError(query_.position,
                            fmt::format("A sub-query with {} cannot name columns of the query around it.", what),
                            "Join the tables instead.");
        };
        if (!query_.unions.empty()) refuse("union");
        if (query_.grouping != GroupKind::None && query_.grouping != GroupKind::Group)
            refuse("context by, pivot by or cgroup by");
        if (query_.offset) refuse("an offset");
        if (!query_.groupingSets.empty()) refuse("sets of keys");
        if (query_.grouping == GroupKind::Group && (query_.limit || query_.top)) refuse("group by and limit");
        if (query_.verb != QueryVerb::Select && query_.verb != QueryVerb::Exec) refuse("changes");
        const auto looksAround = [&](const NodeRef& condition) { return readsOtherRows(*condition, context_); };
        if (std::any_of(query_.where.begin(), query_.where.end(), looksAround))
            refuse("conditions that look at other rows");
        for (const JoinClause& join : query_.joins) {
            if (join.kind == JoinKind::Right || join.kind == JoinKind::Full) refuse("a right or full join");
        }
        for (const NodeRef& count : {query_.limit, query_.top}) {
            if (count && !isPositive(*count)) refuse("limit 0 or a computed limit");
        }
    }
    static bool isPositive(const Node& count) {
        if (count.kind != NodeKind::Constant) return false;
        const Value& value = static_cast<const Constant&>(count).value;
        return value.isScalar() && isIntegral(value.type()) && !value.isNull() && value.integer() > 0;
    }
    // Refuses what is computed for all rows of the domain together, and not for each.
    void requireRowwiseItem() const {
        const NodeRef& item = query_.items[0].value;
        if (!isAggregate_ && query_.grouping == GroupKind::None && readsOtherRows(*item, context_)) {
            throw UserError(query_.position,
                            "A sub-query whose column looks at other rows cannot name columns of the "
                            "query around it.");
        }
        if ((isAggregate_ && namesOuter(item)) || (query_.having && namesOuter(query_.having))) {
            throw UserError(query_.position,
                            "A sub-query of aggregates names a column of the query around it outside of where.",
                            "Compute with that column outside of the sub-query.");
        }
    }
    // Whether an outer column stands outside of aggregates.
    bool namesOuter(const NodeRef& expression) const {
        bool found = false;
        rewrite(expression, [&](const NodeRef& node) -> NodeRef {
            if (node->kind == NodeKind::Name)
                found = found || static_cast<const Name&>(*node).name.starts_with(" outer.");
            if (node->kind != NodeKind::Call) return NodeRef();
            const Ref<Function> function = calledFunction(static_cast<const Call&>(*node), context_);
            return function && function->signature().aggregate ? node : NodeRef();
        });
        return found;
    }
    void requireOneColumn() const {
        if (query_.items.size() == 1 && query_.items[0].value->kind != NodeKind::Star) return requireRowwiseItem();
        throw UserError(query_.position, "A sub-query that stands for a value must name its one column.");
    }
    [[noreturn]] void refuseSeveralRows() const {
        throw UserError(query_.position, "The sub-query gives more than one row for a row of the query around it.",
                        "Aggregate in it, as max(x), or add limit 1.");
    }

    void makeDomain(const CorrelatedQuery& query, const MemoryTable& rows) {
        std::vector<Value> keys;
        std::vector<Type> types;
        for (const std::string& column : query.columns) {
            const Value* values = rows.column(column);
            CHECK(values != nullptr) << "the outer rows have the columns that sub-queries name";
            if (!values->isTypedVector())
                throw UserError(query_.position, fmt::format("A sub-query cannot read the column {} of the query "
                                                             "around it: its values are of several types.",
                                                             column));
            keys.push_back(*values);
            types.push_back(values->type());
        }
        GroupTable groups(types);
        groups.assign(keys, rows.rowCount(), groupOfRow_.data());
        std::vector<int32_t> first(static_cast<size_t>(groups.size()), -1);
        for (size_t i = groupOfRow_.size(); i-- > 0;)
            first[static_cast<size_t>(groupOfRow_[i])] = static_cast<int32_t>(i);
        domain_ = makeRef<MemoryTable>();
        for (size_t k = 0; k < keys.size(); ++k)
            domain_->setColumn(domainName(query.columns[k]), gatherElements(keys[k], first.data(), std::ssize(first)));
        const Ref<Vector> numbers = Vector::make(Type::Int, groups.size());
        for (int64_t i = 0; i < groups.size(); ++i) numbers->mutableData<int32_t>()[i] = static_cast<int32_t>(i);
        domain_->setColumn(kDomainRow, Value::of(numbers));
    }

    NodeRef row() const { return nameOf(kDomainRow, query_.position); }

    // The sub-query over the domain, with the outer row of each of its rows as only column.
    Ref<Query> base() const {
        Ref<Query> over = overDomain(query_, domain_);
        over->verb = QueryVerb::Select;
        over->items = {item(row(), kRow)};
        over->orderBy.clear();
        over->distinct = false;
        over->hint = 0;
        return over;
    }
    void groupByRow(Query& over) const {
        over.grouping = GroupKind::Group;
        over.groupBy.insert(over.groupBy.begin(), item(row(), kRow));
    }
    // The sub-query's column beside the outer row.
    Ref<Query> valuesOfRows() const {
        Ref<Query> over = base();
        over->items.push_back(item(query_.items[0].value, kValue));
        if (isAggregate_ || query_.grouping == GroupKind::Group) {
            groupByRow(*over);
            over->limit = over->top = NodeRef();
        } else if (over->limit || over->top) {
            over->grouping = GroupKind::Context;
            over->groupBy = {item(row(), kRow)};
            over->csort = query_.orderBy;
        } else {
            over->distinct = query_.distinct;
        }
        return over;
    }
    Ref<Query> distinctRows() const {
        Ref<Query> over = base();
        over->limit = over->top = NodeRef();
        if (isAggregate_ || query_.grouping == GroupKind::Group) {
            groupByRow(*over);
            over->items.push_back(countOfRows(query_.position));
        } else {
            over->distinct = true;
        }
        return over;
    }
    // The outer rows that have any rows to aggregate.
    Ref<Query> rowsWithMatches() const {
        Ref<Query> over = base();
        over->having = over->limit = over->top = NodeRef();
        over->distinct = true;
        return over;
    }

    Ref<MemoryTable> run(const Ref<Query>& query) {
        TraceStep step("sub-query");
        if (step) step.note("sql", toSource(query_));
        const Value result = runQuery(*query, context_);
        CHECK(result.isTable()) << "a select over a domain gives a table";
        step.note("outerRows", domain_->rowCount());
        return materialise(result, context_);
    }
    static void mark(const MemoryTable& rows, std::vector<char>& marks, char mark) {
        const Value& row = *rows.column(kRow);
        for (int64_t i = 0; i < row.size(); ++i) marks[static_cast<size_t>(row.vector().data<int32_t>()[i])] = mark;
    }

    // Runs the aggregates over no rows.
    Ref<MemoryTable> withoutRows() {
        Ref<Query> over = overDomain(query_, domain_->slice(0, 0));
        over->verb = QueryVerb::Select;
        over->orderBy.clear();
        over->limit = over->top = NodeRef();
        return materialise(runQuery(*over, context_), context_);
    }
    bool existsWithoutRows() { return withoutRows()->rowCount() > 0; }
    Value emptyValue() {
        if (!isAggregate_) return {};
        const Ref<MemoryTable> result = withoutRows();
        return result->rowCount() == 0 ? Value() : result->column(0).at(0);
    }
    static uint8_t scaleOf(const MemoryTable& results) {
        return results.columns()[static_cast<size_t>(results.findColumn(kValue))].scale;
    }

    const Query& query_;
    Context& context_;
    std::vector<int32_t> groupOfRow_;
    Ref<MemoryTable> domain_;
    bool isAggregate_ = false;
};

// Replaces the sub-queries of one query over rows in memory.
class DependentColumns {
public:
    DependentColumns(const Query& query, const RowSource& source, Context& context)
        : outer_(asOuterRows(query, source)), context_(context) {}

    // Whether the expression has a sub-query that names a column; notes which columns.
    bool find(const NodeRef& node) {
        bool found = false;
        const auto look = [&](const NodeRef& n) -> NodeRef {
            if (n->kind != NodeKind::Query) return NodeRef();
            if (const auto named = correlated(static_cast<const Query&>(*n), outer_, context_)) {
                found = true;
                columns.insert(columns.end(), named->columns.begin(), named->columns.end());
            }
            return n;
        };
        rewrite(node, look);
        return found;
    }
    std::vector<std::string> columns;

    // Computes them over the rows, and adds the columns. `isGroup`: the expression belongs to groups of rows, all rows
    // of which give a sub-query outside of aggregates the same value.
    NodeRef replaced(const NodeRef& node, MemoryTable& rows, bool isGroup) {
        return rewrite(node, [&, isGroup](const NodeRef& n) { return replacement(n, rows, isGroup); });
    }

private:
    NodeRef replacement(const NodeRef& node, MemoryTable& rows, bool isGroup) {
        const SourcePosition here = node->position;
        if (const Query* query = quantifiedQuery(*node, "exists")) {
            const auto named = correlated(*query, outer_, context_);
            return named ? column(DependentResult(*named, rows, context_).existence(), rows, isGroup, here) : NodeRef();
        }
        if (node->kind == NodeKind::Query) {
            const auto named = correlated(static_cast<const Query&>(*node), outer_, context_);
            if (!named) return NodeRef();
            values_.push_back(column(DependentResult(*named, rows, context_).scalars(), rows, isGroup, here));
            return values_.back();
        }
        if (node->kind == NodeKind::Call && isGroup) {
            const Ref<Function> function = calledFunction(static_cast<const Call&>(*node), context_);
            if (!function || !function->signature().aggregate) return NodeRef();
            const auto& call = static_cast<const Call&>(*node);
            std::vector<Argument> arguments = call.arguments;
            for (Argument& a : arguments) a.value = replaced(a.value, rows, false);
            return makeRef<Call>(call.callee, std::move(arguments), call.style, here);
        }
        if (node->kind != NodeKind::Binary) return NodeRef();
        const auto& n = static_cast<const Binary&>(*node);
        if (n.op == Operator::In && n.right->kind == NodeKind::Query) {
            const auto named = correlated(static_cast<const Query&>(*n.right), outer_, context_);
            if (!named) return NodeRef();
            return column(membership(*named, valuesOf(replaced(n.left, rows, false), rows), rows), rows, isGroup, here);
        }
        if (!isComparison(n.op)) return NodeRef();
        for (const char* word : {"any", "all"}) {
            const Query* query = quantifiedQuery(*n.right, word);
            const auto named = query ? correlated(*query, outer_, context_) : std::nullopt;
            if (named) return quantified(n, *named, word == std::string_view("all"), rows, isGroup);
        }
        return comparison(n, rows, isGroup);
    }

    // A comparison with a sub-query that has no value for a row is false, whatever NULL is compared with elsewhere.
    NodeRef comparison(const Binary& node, MemoryTable& rows, bool isGroup) {
        const size_t before = values_.size();
        const NodeRef left = replaced(node.left, rows, isGroup), right = replaced(node.right, rows, isGroup);
        if (values_.size() == before) return NodeRef();
        NodeRef whole = makeRef<Binary>(node.op, left, right, node.position);
        for (; values_.size() > before; values_.pop_back()) {
            NodeRef isThere =
                makeRef<Unary>(Operator::Not, callOf("isNull", {values_.back()}, node.position), node.position);
            whole = makeRef<Binary>(Operator::And, std::move(isThere), std::move(whole), node.position);
        }
        return whole;
    }

    // Whether each of the values is among those of the sub-query for its row. Where these are a column, being equal to
    // it is one more condition of the sub-query, and decides how it is joined.
    Value membership(const CorrelatedQuery& query, const Value& values, MemoryTable& rows) {
        const Query& sub = *query.query;
        const bool isColumn = sub.items.size() == 1 && (sub.items[0].value->kind == NodeKind::Name ||
                                                        sub.items[0].value->kind == NodeKind::Member);
        const bool isPlain = sub.grouping == GroupKind::None && !sub.limit && !sub.top && !sub.having;
        if (!isColumn || !isPlain || !values.isTypedVector())
            return DependentResult(query, rows, context_).membership(values);
        const std::string name = fmt::format(" member {}", rows.columnCount());
        rows.setColumn(name, values);
        CorrelatedQuery narrower{copyQuery(sub), query.columns};
        narrower.columns.push_back(name);
        narrower.query->where.push_back(
            makeRef<Binary>(Operator::Eq, sub.items[0].value, nameOf(domainName(name), sub.position), sub.position));
        return DependentResult(narrower, rows, context_).existence();
    }

    // x < any (…): less than the largest; x = any (…): among them.
    NodeRef quantified(const Binary& node, const CorrelatedQuery& query, bool isAll, MemoryTable& rows, bool isGroup) {
        const SourcePosition here = node.position;
        const NodeRef x = replaced(node.left, rows, isGroup);
        const auto negated = [&](NodeRef of) -> NodeRef { return makeRef<Unary>(Operator::Not, std::move(of), here); };
        if (query.query->limit || query.query->top)
            throw UserError(here, "A query after any or all that names columns of the query around it has no limit.");
        if ((node.op == Operator::Eq && !isAll) || (node.op == Operator::Ne && isAll)) {
            const Value values = valuesOf(replaced(node.left, rows, false), rows);
            NodeRef isAmong = column(membership(query, values, rows), rows, isGroup, here);
            return isAll ? negated(std::move(isAmong)) : isAmong;
        }
        DependentResult whole(query, rows, context_);
        if (whole.isAggregate()) return makeRef<Binary>(node.op, x, column(whole.scalars(), rows, isGroup, here), here);
        const NodeRef exists = column(whole.existence(), rows, isGroup, here);
        const auto compared = [&](const char* aggregate) -> NodeRef {
            CorrelatedQuery bound{copyQuery(*query.query), query.columns};
            if (bound.query->items.size() != 1 || bound.query->grouping != GroupKind::None)
                throw UserError(here,
                                "A query after any or all that names columns of the query around it must have "
                                "one column, and no group by.");
            bound.query->items[0] = item(callOf(aggregate, {bound.query->items[0].value}, here), kValue);
            bound.query->distinct = false;
            return makeRef<Binary>(node.op, x,
                                   column(DependentResult(bound, rows, context_).scalars(), rows, isGroup, here), here);
        };
        const bool isGreater = node.op == Operator::Gt || node.op == Operator::Ge;
        NodeRef holdsForRows;
        if (node.op == Operator::Eq || node.op == Operator::Ne) {
            holdsForRows = makeRef<Binary>(isAll ? Operator::And : Operator::OrIgnoringNull, compared("min"),
                                           compared("max"), here);
        } else {
            holdsForRows = compared(isGreater == isAll ? "max" : "min");
        }
        return isAll ? makeRef<Binary>(Operator::OrIgnoringNull, negated(exists), holdsForRows, here)
                     : makeRef<Binary>(Operator::And, exists, holdsForRows, here);
    }

    Value valuesOf(const NodeRef& expression, const MemoryTable& rows) {
        Value value = bindProgram(expression, rows.columns(), context_).evaluate(context_, rows);
        if (value.isScalar()) value = filledColumn(value.type(), 0, rows.rowCount(), value);
        return value;
    }

    NodeRef column(Value values, MemoryTable& rows, bool isGroup, SourcePosition position) {
        const std::string name = fmt::format(" sub-query {}", rows.columnCount());
        rows.setColumn(name, std::move(values));
        NodeRef code = nameOf(name, position);
        return isGroup ? callOf("first", {std::move(code)}, position) : code;
    }

    const OuterRows outer_;
    Context& context_;
    NodeList values_;  // the columns of scalar sub-queries that no comparison has taken yet
};

// Returns the rows that satisfy the conditions, with the columns that a query and its sub-queries name.
Ref<MemoryTable> outerRows(const Query& query, const RowSource& source, NodeList conditions,
                           const std::vector<std::string>& named, Context& context) {
    const ReadNames read(query);
    Ref<Query> rows = makeRef<Query>(query.position);
    rows->table = query.table;
    rows->where = std::move(conditions);
    std::vector<std::string> names;
    for (const ColumnSchema& column : source.columns()) {
        const bool isNamed = std::find(named.begin(), named.end(), column.name) != named.end();
        if (!isNamed && !read.holds(column.name)) continue;
        rows->items.push_back({nameOf(column.name, query.position), {fmt::format("c{}", names.size())}, NodeRef()});
        names.push_back(column.name);
    }
    if (names.empty()) {
        names.push_back(source.columns()[0].name);
        rows->items.push_back({nameOf(names[0], query.position), {"c0"}, NodeRef()});
    }
    RowSource plain = source;  // the names are those of its columns already
    plain.qualified.clear();
    plain.leftKeys.clear();
    plain.remaining.reset();
    const Ref<MemoryTable> chosen = materialise(runQuery(*rows, std::move(plain), context), context);
    auto result = makeRef<MemoryTable>();
    for (size_t c = 0; c < names.size(); ++c) result->setColumn(names[c], chosen->column(static_cast<int>(c)));
    result->name = source.table->name;
    return result;
}

}  // namespace

bool holdsSubqueries(const NodeRef& expression) {
    bool found = expression->kind == NodeKind::Query;
    if (!found) {
        forEachChild(*expression, [&](const NodeRef& part) { found = found || holdsSubqueries(part); });
    }
    return found;
}

bool holdsSubqueries(const Query& query) {
    const auto holds = [](const auto& item) { return holdsSubqueries(item.value); };
    return std::any_of(query.items.begin(), query.items.end(), holds) ||
           std::any_of(query.where.begin(), query.where.end(), [](const NodeRef& n) { return holdsSubqueries(n); }) ||
           std::any_of(query.groupBy.begin(), query.groupBy.end(), holds) ||
           (query.having && holdsSubqueries(query.having)) ||
           std::any_of(query.orderBy.begin(), query.orderBy.end(), holds) ||
           std::any_of(query.csort.begin(), query.csort.end(), holds);
}

DependentQuery withDependentColumns(NamedQuery query, RowSource source, Context& context) {
    if (!holdsSubqueries(*query.resolved)) return {std::move(query), std::move(source)};
    DependentColumns columns(*query.written, source, context);
    NodeList simple, rest;
    bool found = false, isOpen = true;
    for (const NodeRef& condition : query.resolved->where) {
        NodeList parts;
        splitAnd(condition, parts);
        isOpen = isOpen && std::none_of(parts.begin(), parts.end(),
                                        [&](const NodeRef& part) { return readsOtherRows(*part, context); });
        for (const NodeRef& part : parts) {
            const bool isDependent = columns.find(part);
            found = found || isDependent;
            (isOpen && !isDependent ? simple : rest).push_back(part);
        }
    }
    Ref<Query> whole = copyQuery(*query.resolved);
    whole->where.clear();
    rewriteQuery(*whole, [&](const NodeRef& node) -> NodeRef {
        if (node->kind == NodeKind::Query) found = columns.find(node) || found;
        return node->kind == NodeKind::Query ? node : NodeRef();
    });
    if (!found) return {std::move(query), std::move(source)};
    const Ref<MemoryTable> rows = outerRows(*query.resolved, source, std::move(simple), columns.columns, context);
    for (NodeRef& condition : rest) condition = columns.replaced(condition, *rows, false);
    whole->where = std::move(rest);
    const bool isGroup = whole->grouping == GroupKind::Group;
    for (SelectItem& i : whole->items) i.value = columns.replaced(i.value, *rows, isGroup);
    for (SelectItem& key : whole->groupBy) key.value = columns.replaced(key.value, *rows, false);
    for (OrderItem& order : whole->orderBy) order.value = columns.replaced(order.value, *rows, isGroup);
    for (OrderItem& order : whole->csort) order.value = columns.replaced(order.value, *rows, false);
    if (whole->having) whole->having = columns.replaced(whole->having, *rows, isGroup);
    query.resolved = whole;
    RowSource replaced = sourceOf(rows);
    replaced.qualified = source.qualified;
    replaced.leftKeys = source.leftKeys;
    replaced.sides = source.sides;
    return {std::move(query), std::move(replaced)};
}

Ref<Query> withDependentColumns(const Query& query, Ref<MemoryTable>& rows, Context& context) {
    const Ref<Query> given(const_cast<Query*>(&query));
    if (!holdsSubqueries(query)) return given;
    const RowSource source = sourceOf(rows);
    DependentColumns columns(query, source, context);
    bool found = false;
    rewriteQuery(query, [&](const NodeRef& node) -> NodeRef {
        if (node->kind != NodeKind::Query) return NodeRef();
        found = columns.find(node) || found;
        return node;
    });
    if (!found) return given;
    const Ref<MemoryTable> wider = rows->copy();
    Ref<Query> whole = copyQuery(query);
    for (NodeRef& condition : whole->where) condition = columns.replaced(condition, *wider, false);
    for (SelectItem& i : whole->items) i.value = columns.replaced(i.value, *wider, false);
    rows = wider;
    return whole;
}

}  // namespace pelorus
