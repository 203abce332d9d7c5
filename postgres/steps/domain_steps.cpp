#include "postgres/steps/domain_steps.h"

#include <algorithm>
#include <set>

#include "interpreter/analysis/node_children.h"
#include "runtime/code/rewrite.h"
#include "sql/bind/plan_select.h"
#include "sql/expression/called_functions.h"
#include "sql/physical/run_select.h"

namespace pelorus::postgres {

namespace {

std::string nameIn(const NodeRef& node) {
    return node && node->kind == NodeKind::Name ? static_cast<const Name&>(*node).name : "";
}

NodeRef columnOf(const std::string& table, const std::string& column) {
    return makeRef<Member>(makeRef<Name>(table, SourcePosition()), column, NodeRef(), SourcePosition());
}

bool holdsKind(const NodeRef& node, std::initializer_list<NodeKind> kinds) {
    if (!node) return false;
    if (std::find(kinds.begin(), kinds.end(), node->kind) != kinds.end()) return true;
    bool found = false;
    forEachChild(*node, [&](const NodeRef& part) { found = found || holdsKind(part, kinds); });
    return found;
}

bool isColumn(const NodeRef& node) {
    return node->kind == NodeKind::Member;
}

// Makes the steps of one sub-query.
class Maker {
public:
    Maker(const std::vector<std::string>& inputs, DomainUse use, Context& context)
        : inputs_(inputs.begin(), inputs.end()), use_(use), context_(context) {}

    std::optional<DomainSteps> make(const std::vector<PlanStep>& steps, const std::string& last) {
        DomainSteps result;
        for (const PlanStep& step : steps) {
            if (!step.query) {
                if (!step.opensTable) return {};
                result.steps.push_back(step);
                forNone_.push_back(step);
                continue;
            }
            const bool isLast = step.name == last;
            const Ref<Query> over = overDomain(step, isLast);
            if (!over) return {};
            result.steps.push_back({step.name, over, {}, {}});
            if (isLast && use_ == DomainUse::OneValue) result.value = step.query->items[0].aliases[0];
        }
        const bool isWhole = !dependent_.empty() && dependent_.back() == last && steps.back().name == last;
        if (!isWhole) return {};
        if (isAggregate_) result.forNone = std::move(forNone_);
        return result;
    }

private:
    bool isDependent(const NodeRef& table) const {
        return std::find(dependent_.begin(), dependent_.end(), nameIn(table)) != dependent_.end();
    }
    bool readsOuter(const NodeRef& node) const {
        if (!node) return false;
        bool found = inputs_.contains(nameIn(node));
        forEachChild(*node, [&](const NodeRef& part) { found = found || readsOuter(part); });
        return found;
    }
    static bool readsColumn(const NodeRef& node) {
        bool found = isColumn(node);
        forEachChild(*node, [&](const NodeRef& part) { found = found || readsColumn(part); });
        return found;
    }

    // Returns all expressions of a query but those of its order, which nobody sees.
    static NodeList expressionsOf(const Query& query) {
        NodeList all = query.where;
        for (const SelectItem& item : query.items) all.push_back(item.value);
        for (const SelectItem& key : query.groupBy) all.push_back(key.value);
        for (const JoinClause& join : query.joins)
            if (join.on) all.push_back(join.on);
        if (query.having) all.push_back(query.having);
        return all;
    }
    static bool isPlainForm(const Query& query) {
        const bool isWhole = query.unions.empty() && query.with.empty() && query.groupingSets.empty() &&
                             query.csort.empty() && !query.limit && !query.top && !query.offset && query.table;
        const bool hasGroups = query.grouping == GroupKind::None || query.grouping == GroupKind::Group;
        const auto isOpaque = [](const NodeRef& node) {
            return holdsKind(node, {NodeKind::Window, NodeKind::Query, NodeKind::Lambda});
        };
        const NodeList all = expressionsOf(query);
        return query.verb == QueryVerb::Select && isWhole && hasGroups &&
               std::none_of(all.begin(), all.end(), isOpaque);
    }
    // Whether rows are found by an equality with a value of the outer row.
    bool hasKey(const Query& query) const {
        NodeList parts;
        for (const NodeRef& condition : query.where) splitAnd(condition, parts);
        return std::any_of(parts.begin(), parts.end(), [&](const NodeRef& part) {
            if (part->kind != NodeKind::Binary || static_cast<const Binary&>(*part).op != Operator::Eq) return false;
            const NodeRef &a = static_cast<const Binary&>(*part).left, &b = static_cast<const Binary&>(*part).right;
            const auto isOuter = [&](const NodeRef& side) { return readsOuter(side) && !readsColumn(side); };
            const auto isInner = [&](const NodeRef& side) { return readsColumn(side) && !readsOuter(side); };
            return (isOuter(a) && isInner(b)) || (isInner(a) && isOuter(b));
        });
    }
    // Joins that keep rows of their right side would keep them for no outer row.
    bool keepsOuterRows(const Query& query) const {
        return std::all_of(query.joins.begin(), query.joins.end(), [&](const JoinClause& join) {
            const bool keeps = join.kind == JoinKind::Inner || join.kind == JoinKind::Cross;
            return (keeps || (join.kind == JoinKind::Left && !readsOuter(join.on))) && !isDependent(join.table);
        });
    }

    // Returns the query of a step over the domain, the same for one that no outer row concerns; null where there is
    // none.
    Ref<Query> overDomain(const PlanStep& step, bool isLast) {
        const Query& query = *step.query;
        if (!isPlainForm(query)) return {};
        const NodeList all = expressionsOf(query);
        const bool reads = std::any_of(all.begin(), all.end(), [&](const NodeRef& node) { return readsOuter(node); });
        const bool follows = isDependent(query.table);
        Ref<Query> same = copyQuery(query);
        forNone_.push_back({step.name, same, {}, {}});
        if (!follows && !reads) {
            const auto isOther = [&](const JoinClause& join) { return !isDependent(join.table); };
            return std::all_of(query.joins.begin(), query.joins.end(), isOther) ? same : Ref<Query>();
        }
        if ((follows && reads) || (!follows && !hasKey(query)) || !keepsOuterRows(query)) return {};
        const auto isAggregate = [&](const SelectItem& item) { return holdsAggregate(*item.value, context_); };
        const bool aggregates =
            query.grouping == GroupKind::None && std::any_of(query.items.begin(), query.items.end(), isAggregate);
        // Groups that a filter drops have no row, others that are not there have that of no rows.
        const bool filters = !query.where.empty() || query.having || query.grouping == GroupKind::Group;
        if ((isAggregate_ && filters) || (aggregates && query.having)) return {};
        Ref<Query> over = follows ? copyQuery(query) : joinedWithDomain(query);
        if (!follows) same->where.push_back(makeRef<Constant>(Value::ofBool(false), SourcePosition()));
        over->orderBy.clear();
        const std::string alias = over->tableAlias.empty() ? nameIn(over->table) : over->tableAlias;
        addRowNumber(*over, columnOf(alias, kDomainRowName), aggregates, isLast && use_ == DomainUse::Existence);
        isAggregate_ = isAggregate_ || aggregates;
        dependent_.push_back(step.name);
        return over;
    }

    Ref<Query> joinedWithDomain(const Query& query) const {
        const Replace atDomain = [&](const NodeRef& node) {
            const std::string name = nameIn(node);
            return inputs_.contains(name) ? columnOf(kDomainName, name) : NodeRef();
        };
        Ref<Query> over = rewriteQuery(query, atDomain);
        for (JoinClause& join : over->joins) join.on = rewrite(join.on, atDomain);
        over->joins.insert(over->joins.begin(), {JoinKind::Cross, over->table, over->tableAlias, NodeRef()});
        over->table = makeRef<Name>(kDomainName, SourcePosition());
        over->tableAlias = kDomainName;
        return over;
    }

    static void addRowNumber(Query& over, NodeRef row, bool aggregates, bool isCounted) {
        SelectItem number{std::move(row), {kDomainRowName}, NodeRef()};
        if (over.grouping == GroupKind::Group || aggregates) {
            over.grouping = GroupKind::Group;
            over.groupBy.insert(over.groupBy.begin(), std::move(number));
        } else if (isCounted) {
            // Rows that only have to be there need no columns, and no order.
            over.grouping = GroupKind::Group;
            over.groupBy = {std::move(number)};
            over.items = {countOfRows(SourcePosition())};
            over.items[0].aliases = {"c0"};
            over.distinct = false;
        } else {
            over.items.push_back(std::move(number));
        }
    }

    const std::set<std::string> inputs_;
    const DomainUse use_;
    Context& context_;
    std::vector<std::string> dependent_;  // the steps whose rows belong to outer rows, in their order
    std::vector<PlanStep> forNone_;
    bool isAggregate_ = false;  // an outer row has a row of the sub-query without any to aggregate
};

}  // namespace

std::optional<DomainSteps> stepsOverDomain(const std::vector<PlanStep>& steps, const std::vector<std::string>& inputs,
                                           const std::string& last, DomainUse use, Context& context) {
    if (inputs.empty()) return {};
    const StepScope scope;
    const Scope* const before = context.scope;
    context.scope = &scope;
    struct Restore {
        Context& context;
        const Scope* before;
        ~Restore() { context.scope = before; }
    } const restore{context, before};
    return Maker(inputs, use, context).make(steps, last);
}

}  // namespace pelorus::postgres
