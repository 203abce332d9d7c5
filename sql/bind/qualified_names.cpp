#include "sql/bind/qualified_names.h"

#include <algorithm>

#include "common/error.h"
#include "runtime/code/rewrite.h"
#include "runtime/registry/registry.h"
#include "sql/bind/sources.h"

namespace pelorus {

// Resolves a column whose name is written in another case, or a key of the right table that the join shows under its
// left name.
static NodeRef columnMeant(const Name& name, const RowSource& source) {
    if (name.functionOnly) return NodeRef();
    auto column = [&](const std::string& called) {
        auto node = makeRef<Name>(called, name.position);
        node->columnOnly = name.columnOnly;
        return node;
    };
    const TableSchema& columns = source.table->columns();
    if (const int c = source.table->findColumn(name.name); c >= 0) {
        const std::string& called = columns[static_cast<size_t>(c)].name;
        return called == name.name ? NodeRef() : NodeRef(column(called));
    }
    for (const QualifiedColumn& known : source.qualified) {
        if (known.column == name.name && source.table->findColumn(known.name) >= 0) return column(known.name);
    }
    return NodeRef();
}

// each(f, …), contextby(f, …): the first argument names a function.
static bool takesFunction(const Call& call) {
    if (call.callee->kind != NodeKind::Name || call.arguments.empty()) return false;
    const BuiltinFunction* f = FunctionRegistry::instance().find(static_cast<const Name&>(*call.callee).name);
    return f && f->declaration().takes[0].special == Takes::Function;
}

bool isQualifiedStar(const Node& node) {
    if (node.kind != NodeKind::Member) return false;
    const auto& member = static_cast<const Member&>(node);
    return member.name == "*" && !member.key && member.object->kind == NodeKind::Name;
}

// Returns the columns of the table that a query calls so.
static std::vector<std::string> columnsOfQualifier(const Query& query, const RowSource& source,
                                                   const std::string& qualifier) {
    std::vector<std::string> columns;
    const auto isCalled = [&](const NodeRef& node, const std::string& alias) {
        return nameOfSource(node, alias) == qualifier ||
               (!alias.empty() && node->kind == NodeKind::Name && static_cast<const Name&>(*node).name == qualifier);
    };
    const auto addAll = [&](const TableSchema& schema) {
        for (const ColumnSchema& column : schema) columns.push_back(column.name);
    };
    if (!query.joins.empty()) {
        for (const QualifiedColumn& known : source.qualified) {
            if (known.qualifier == qualifier) columns.push_back(known.column);
        }
    } else if (!query.table) {
        return columns;
    } else if (!source.sides.empty()) {
        for (const SourceSide& side : source.sides) {
            if (columns.empty() && side.qualifier == qualifier) addAll(side.columns);
        }
    } else if (isCalled(query.table, query.tableAlias)) {
        addAll(source.columns());
    }
    return columns;
}

Ref<Query> expandQualifiedStars(const Query& query, const RowSource& source) {
    Ref<Query> expanded = copyQuery(query);
    expanded->items.clear();
    for (const SelectItem& item : query.items) {
        if (!isQualifiedStar(*item.value)) {
            expanded->items.push_back(item);
            continue;
        }
        const NodeRef& object = static_cast<const Member&>(*item.value).object;
        const std::string& qualifier = static_cast<const Name&>(*object).name;
        const std::vector<std::string> columns = columnsOfQualifier(query, source, qualifier);
        if (columns.empty())
            throw UserError(qualifier + ".* names no table of the query.",
                            "Write the name or alias of a table in from.");
        for (const std::string& column : columns) {
            SelectItem one = item;
            one.value = makeRef<Member>(object, column, NodeRef(), item.value->position);
            expanded->items.push_back(std::move(one));
        }
    }
    return expanded;
}

std::vector<std::string> qualifiersOf(const Query& query, Qualifiers which) {
    std::vector<std::string> qualifiers;
    const auto add = [&](const NodeRef& node, const std::string& alias) {
        if (std::string name = nameOfSource(node, alias); !name.empty()) qualifiers.push_back(name);
        if (which == Qualifiers::WithHidden && !alias.empty() && node && node->kind == NodeKind::Name)
            qualifiers.push_back(static_cast<const Name&>(*node).name);
        // The tables of ej(a, b, …) are qualifiers too.
        if (node && node->kind == NodeKind::Call) {
            for (const Argument& a : static_cast<const Call&>(*node).arguments) {
                if (a.value->kind == NodeKind::Name) qualifiers.push_back(static_cast<const Name&>(*a.value).name);
                if (a.value->kind == NodeKind::Alias)
                    qualifiers.push_back(static_cast<const Alias&>(*a.value).names[0]);
            }
        }
    };
    add(query.table, query.tableAlias);
    for (const JoinClause& join : query.joins) add(join.table, join.alias);
    return qualifiers;
}

Ref<Query> resolveQualifiedNames(const Query& query, const RowSource& source) {
    const std::vector<std::string> qualifiers = qualifiersOf(query, Qualifiers::WithHidden);
    std::vector<const Node*> callees;  // names of functions, even where columns have the same name
    return rewriteQuery(query, [&](const NodeRef& node) -> NodeRef {
        if (node->kind == NodeKind::Call) {
            const auto& call = static_cast<const Call&>(*node);
            callees.push_back(call.callee.get());
            if (takesFunction(call)) callees.push_back(call.arguments[0].value.get());
        }
        if (node->kind == NodeKind::Partial) callees.push_back(static_cast<const Partial&>(*node).callee.get());
        // Columns come before constants: e and pi may be such.
        if (node->kind == NodeKind::Constant) {
            const std::string& word = static_cast<const Constant&>(*node).spelling;
            const bool isColumn = !word.empty() && source.table->findColumn(word) >= 0;
            return isColumn ? NodeRef(makeRef<Name>(word, node->position)) : NodeRef();
        }
        if (node->kind == NodeKind::Name) {
            const auto& name = static_cast<const Name&>(*node);
            for (const QualifiedColumn& key : source.leftKeys) {
                if (key.column == name.name && !name.functionOnly) return makeRef<Name>(key.name, node->position);
            }
            const bool called = std::find(callees.begin(), callees.end(), node.get()) != callees.end();
            return called ? NodeRef() : columnMeant(name, source);
        }
        if (node->kind != NodeKind::Member) return NodeRef();
        const auto& m = static_cast<const Member&>(*node);
        if (m.key || m.object->kind != NodeKind::Name) return NodeRef();
        const std::string& qualifier = static_cast<const Name&>(*m.object).name;
        if (std::find(qualifiers.begin(), qualifiers.end(), qualifier) == qualifiers.end()) return NodeRef();
        for (const QualifiedColumn& known : source.qualified) {
            if (known.qualifier == qualifier && known.column == m.name) {
                return makeRef<Name>(known.name, m.position);
            }
        }
        std::string prefixed = qualifier + "_" + m.name;
        bool isRight = source.table->findColumn(prefixed) >= 0;
        return makeRef<Name>(isRight ? prefixed : m.name, m.position);
    });
}

}  // namespace pelorus
