#include "sql/bind/correlation.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "runtime/code/rewrite.h"
#include "runtime/table/column_lookup.h"
#include "sql/bind/outer_columns.h"
#include "sql/bind/qualified_names.h"
#include "sql/expression/with_scope.h"

namespace pelorus {

namespace {

using Names = std::vector<std::string>;

bool holds(const Names& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

// The names that a sub-query has of its own.
struct Level {
    Names qualifiers, hidden;  // names of its tables, and those that an alias hides
    Names columns;
    bool isKnown = true;  // all columns are there
};

// Finds columns of outer rows in one sub-query.
class OuterColumnsOf {
public:
    OuterColumnsOf(const OuterRows& outer, Context& context)
        : outer_(outer),
          qualifiers_(qualifiersOf(outer.query, Qualifiers::Strict)),
          hidden_(qualifiersOf(outer.query, Qualifiers::WithHidden)),
          context_(context) {}

    Ref<Query> renamed(const Query& query) {
        WithScope scope(context_.scope);
        Context inner = context_;
        if (!query.with.empty()) inner.scope = &scope;
        refuseInSources(query);
        levels_.push_back(levelOf(query, scope, inner));
        const auto replace = [this, &inner](const NodeRef& node) { return replaced(node, inner); };
        Ref<Query> result = rewriteQuery(query, replace);
        for (JoinClause& join : result->joins) join.on = rewrite(join.on, replace);
        levels_.pop_back();
        return result;
    }
    Names columns;

private:
    // A query after `from` or `join` of the sub-query is computed without the outer rows.
    void refuseInSources(const Query& query) const {
        Ref<Query> outer = copyQuery(outer_.query);
        const auto isQuery = [](const NodeRef& source) { return source && source->kind == NodeKind::Query; };
        if (isQuery(query.table)) outer->joins.push_back({JoinKind::Cross, query.table, "", NodeRef()});
        for (const JoinClause& join : query.joins) {
            if (isQuery(join.table)) outer->joins.push_back({JoinKind::Cross, join.table, "", NodeRef()});
        }
        if (outer->joins.size() == outer_.query.joins.size()) return;
        outer->items.clear();
        outer->where.clear();
        outer->having = NodeRef();
        outer->orderBy.clear();
        OuterColumns(*outer, outer_.source.columns()).requireNone();
    }

    Level levelOf(const Query& query, WithScope& scope, Context& context) const {
        Level level{qualifiersOf(query, Qualifiers::Strict), qualifiersOf(query, Qualifiers::WithHidden), {}};
        for (const SelectItem& item : query.items)
            level.columns.insert(level.columns.end(), item.aliases.begin(), item.aliases.end());
        if (!query.table) return level;
        const std::optional<Names> own = outer_.ownColumns(query, scope, context);
        level.isKnown = own.has_value();
        if (own) level.columns.insert(level.columns.end(), own->begin(), own->end());
        return level;
    }

    NodeRef replaced(const NodeRef& node, Context& context) {
        switch (node->kind) {
            case NodeKind::Query: {
                const Scope* scope = std::exchange(context_.scope, context.scope);
                Ref<Query> inner = renamed(static_cast<const Query&>(*node));
                context_.scope = scope;
                return inner;
            }
            case NodeKind::Call:
                callees_.push_back(static_cast<const Call&>(*node).callee.get());
                return NodeRef();
            case NodeKind::Partial:
                callees_.push_back(static_cast<const Partial&>(*node).callee.get());
                return NodeRef();
            case NodeKind::Member:
                return renamedMember(static_cast<const Member&>(*node));
            case NodeKind::Name:
                return renamedName(static_cast<const Name&>(*node));
            default:
                return NodeRef();
        }
    }

    NodeRef renamedMember(const Member& member) {
        if (member.key || member.object->kind != NodeKind::Name) return NodeRef();
        const std::string& qualifier = static_cast<const Name&>(*member.object).name;
        const auto isOwn = [&](Names Level::*names) {
            return std::any_of(levels_.begin(), levels_.end(),
                               [&](const Level& level) { return holds(level.*names, qualifier); });
        };
        if (isOwn(&Level::qualifiers)) return NodeRef();
        if (!holds(qualifiers_, qualifier) && (isOwn(&Level::hidden) || !holds(hidden_, qualifier))) return NodeRef();
        const std::string column = qualifiedColumn(qualifier, member.name);
        if (!column.empty()) return domainColumn(column, member.position);
        throw UserError(member.position, fmt::format("The table {} of the query around the sub-query has no column {}.",
                                                     qualifier, member.name));
    }

    NodeRef renamedName(const Name& name) {
        if (name.functionOnly || holdsCallee(&name)) return NodeRef();
        for (const Level& level : levels_) {
            if (!level.isKnown || holds(level.columns, name.name)) return NodeRef();
        }
        if (const int c = outer_.source.table->findColumn(name.name); c >= 0)
            return domainColumn(outer_.source.columns()[static_cast<size_t>(c)].name, name.position);
        for (const QualifiedColumn& known : outer_.source.qualified) {
            if (known.column == name.name && outer_.source.table->findColumn(known.name) >= 0)
                return domainColumn(known.name, name.position);
        }
        return NodeRef();
    }

    bool holdsCallee(const Node* node) const {
        return std::find(callees_.begin(), callees_.end(), node) != callees_.end();
    }

    // Returns the name of t.x in the outer source; empty when it has none.
    std::string qualifiedColumn(const std::string& qualifier, const std::string& name) const {
        const auto isThere = [&](const std::string& column) { return outer_.source.table->findColumn(column) >= 0; };
        for (const QualifiedColumn& known : outer_.source.qualified) {
            if (known.qualifier == qualifier && known.column == name && isThere(known.name)) return known.name;
        }
        if (const std::string prefixed = qualifier + "_" + name; isThere(prefixed)) return prefixed;
        return isThere(name) ? name : "";
    }

    NodeRef domainColumn(const std::string& column, SourcePosition position) {
        if (!holds(columns, column)) columns.push_back(column);
        return makeRef<Name>(domainName(column), position);
    }

    const OuterRows outer_;
    const Names qualifiers_, hidden_;
    Context context_;
    std::vector<Level> levels_;         // of the sub-queries around the visited node, the outermost first
    std::vector<const Node*> callees_;  // names of functions, even where columns have the same name
};

}  // namespace

std::optional<CorrelatedQuery> correlated(const Query& query, const OuterRows& outer, Context& context) {
    OuterColumnsOf walk(outer, context);
    CorrelatedQuery result;
    result.query = walk.renamed(query);
    result.columns = std::move(walk.columns);
    if (result.columns.empty()) return std::nullopt;
    return result;
}

bool namesOuterColumns(const NodeRef& expression, const OuterRows& outer, Context& context) {
    bool found = false;
    rewrite(expression, [&](const NodeRef& node) -> NodeRef {
        if (node->kind != NodeKind::Query) return NodeRef();
        found = found || correlated(static_cast<const Query&>(*node), outer, context);
        return node;
    });
    return found;
}

std::string domainName(const std::string& column) {
    return " outer." + column;
}

Ref<Query> overDomain(const Query& query, const Ref<MemoryTable>& domain) {
    Ref<Query> over = copyQuery(query);
    over->table = makeRef<Constant>(Value::of(Ref<Table>(domain)), query.position);
    over->tableAlias.clear();
    if (query.table)
        over->joins.insert(over->joins.begin(), {JoinKind::Cross, query.table, query.tableAlias, NodeRef()});
    return over;
}

Ref<MemoryTable> emptyDomain(const std::vector<std::string>& columns, const TableSchema& outer) {
    TableSchema schema;
    for (const std::string& column : columns) {
        ColumnSchema own = outer[static_cast<size_t>(findColumn(outer, column))];
        own.name = domainName(column);
        schema.push_back(std::move(own));
    }
    schema.push_back({kDomainRow, Type::Int, 0, {}});
    return MemoryTable::empty(schema);
}

}  // namespace pelorus
