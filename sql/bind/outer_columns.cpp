#include "sql/bind/outer_columns.h"

#include <fmt/format.h>

#include <algorithm>

#include "interpreter/analysis/node_children.h"
#include "runtime/table/column_lookup.h"
#include "sql/bind/qualified_names.h"

namespace pelorus {

namespace {

using Names = std::vector<std::string>;

bool holds(const Names& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

UserError outerColumn(SourcePosition place, const std::string& name) {
    return {place, fmt::format("The sub-query names {}, a column of the query around it.", name),
            "A query after from or join is computed once, without the rows around it, and so is one in a change of a "
            "partitioned table. Join the tables instead, or name the sub-query's own table by an alias."};
}

// A walk through the sub-queries of one query.
class SubqueryNames {
public:
    SubqueryNames(const Query& outer, const TableSchema& columns)
        : outer_(qualifiersOf(outer, Qualifiers::Strict)),
          outerLenient_(qualifiersOf(outer, Qualifiers::WithHidden)),
          columns_(columns) {}

    // Visits a part of the outer query, or of the sub-query that `inner_` ends with.
    void visit(const NodeRef& node) {
        switch (node->kind) {
            case NodeKind::Lambda:  // its parameters may have any name
            case NodeKind::Metacode:
                return;
            case NodeKind::Query:
                return visitQuery(static_cast<const Query&>(*node));
            case NodeKind::Member:
                if (inner_.empty() || static_cast<const Member&>(*node).key) break;
                return visitMember(static_cast<const Member&>(*node));
            case NodeKind::Name:
                if (!inner_.empty()) visitName(static_cast<const Name&>(*node));
                return;
            default:
                break;
        }
        forEachChild(*node, [this](const NodeRef& child) { visit(child); });
    }

    std::vector<std::pair<SourcePosition, std::string>> unqualified;
    std::optional<UserError> qualified;  // why the first t.x is refused

private:
    void visitQuery(const Query& query) {
        inner_.push_back(qualifiersOf(query, Qualifiers::Strict));
        innerLenient_.push_back(qualifiersOf(query, Qualifiers::WithHidden));
        forEachChild(query, [this](const NodeRef& child) { visit(child); });
        inner_.pop_back();
        innerLenient_.pop_back();
    }

    void visitMember(const Member& member) {
        if (member.object->kind != NodeKind::Name) return visit(member.object);
        const std::string& qualifier = static_cast<const Name&>(*member.object).name;
        const auto isOwn = [&](const std::vector<Names>& levels) {
            return std::any_of(levels.begin(), levels.end(),
                               [&](const Names& names) { return holds(names, qualifier); });
        };
        if (isOwn(inner_)) return;
        const bool isOuter = holds(outer_, qualifier) || (holds(outerLenient_, qualifier) && !isOwn(innerLenient_));
        if (isOuter && !qualified) qualified = outerColumn(member.position, qualifier + "." + member.name);
    }

    void visitName(const Name& name) {
        if (findColumn(columns_, name.name) >= 0) unqualified.emplace_back(name.position, name.name);
    }

    const Names outer_, outerLenient_;
    const TableSchema& columns_;
    std::vector<Names> inner_, innerLenient_;  // of the sub-queries around the visited node, the outermost first
};

}  // namespace

OuterColumns::OuterColumns(const Query& query, const TableSchema& columns) {
    SubqueryNames names(query, columns);
    // What is computed before there is an outer row, or beside it, sees none.
    const auto seesRows = [&](const NodeRef& part) {
        const auto isPart = [&](const auto& named) { return named.second == part; };
        return part != query.table && part != query.updateSource && part != query.insertSource &&
               std::none_of(query.with.begin(), query.with.end(), isPart) &&
               std::none_of(query.unions.begin(), query.unions.end(),
                            [&](const SetOperation& other) { return other.query == part; });
    };
    forEachChild(query, [&](const NodeRef& part) {
        if (seesRows(part)) names.visit(part);
    });
    for (auto& [place, column] : names.unqualified) unqualified_.push_back({place, std::move(column)});
    refusal_ = std::move(names.qualified);
}

void OuterColumns::requireNone() const {
    if (refusal_) throw *refusal_;
}

std::optional<UserError> OuterColumns::explain(const UserError& error) const {
    for (const Use& use : unqualified_) {
        const bool isThere = error.place().line == use.place.line && error.place().column == use.place.column;
        if (isThere && use.place.known()) return outerColumn(use.place, use.column);
    }
    return std::nullopt;
}

}  // namespace pelorus
