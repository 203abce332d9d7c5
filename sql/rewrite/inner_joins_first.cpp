#include "sql/rewrite/inner_joins_first.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "common/string/ascii_case.h"
#include "interpreter/analysis/node_children.h"
#include "runtime/table/column_lookup.h"

namespace pelorus {

namespace {

using Names = std::set<std::string>;

bool isInner(const JoinClause& clause) {
    return clause.kind == JoinKind::Inner || clause.kind == JoinKind::Cross;
}

// The names in a piece of code: of columns alone, in lower case since they are found in any, and of tables before a
// point.
struct MentionedNames {
    Names plain, qualifiers;
    bool areKnown = true;

    void note(const Node& node) {
        areKnown = areKnown && node.kind != NodeKind::MacroColumn;
        if (node.kind == NodeKind::Name) plain.insert(asciiLower(static_cast<const Name&>(node).name));
        if (node.kind == NodeKind::Constant) plain.insert(asciiLower(static_cast<const Constant&>(node).spelling));
        if (node.kind == NodeKind::Member && static_cast<const Member&>(node).object->kind == NodeKind::Name) {
            qualifiers.insert(static_cast<const Name&>(*static_cast<const Member&>(node).object).name);
            return;
        }
        forEachChild(node, [&](const NodeRef& part) { note(*part); });
    }
};

bool readsAllColumns(const Query& query) {
    return std::any_of(query.items.begin(), query.items.end(), [](const SelectItem& item) {
        const bool isQualified =
            item.value->kind == NodeKind::Member && static_cast<const Member&>(*item.value).name == "*";
        return item.value->kind == NodeKind::Star || isQualified || item.value->kind == NodeKind::ColumnRange;
    });
}

class JoinOrder {
public:
    JoinOrder(const Query& query, const std::vector<JoinClause>& clauses, const std::vector<JoinedTable>& tables)
        : clauses_(clauses), tables_(tables) {
        mentioned_.note(query);
    }

    std::vector<size_t> order() const {
        std::vector<size_t> inner, adding;
        for (size_t i = 0; i < clauses_.size(); ++i) {
            const bool mayPass = isInner(clauses_[i]) && std::all_of(adding.begin(), adding.end(), [&](size_t passed) {
                                     return mayStandBefore(i, passed);
                                 });
            if (mayPass) {
                inner.push_back(i);
            } else {
                adding.push_back(i);
            }
        }
        inner.insert(inner.end(), adding.begin(), adding.end());
        return inner;
    }

private:
    // Whether clause `inner` may be joined before clause `passed`.
    bool mayStandBefore(size_t inner, size_t passed) const {
        const JoinedTable &own = tables_[inner + 1], &other = tables_[passed + 1];
        if (clauses_[inner].on) {
            MentionedNames names;
            names.note(*clauses_[inner].on);
            if (names.qualifiers.count(other.qualifier) > 0) return false;
            for (const ColumnSchema& column : *other.columns) {
                if (names.plain.count(asciiLower(column.name)) > 0) return false;
            }
        }
        return std::none_of(own.columns->begin(), own.columns->end(), [&](const ColumnSchema& column) {
            return findColumn(*other.columns, column.name) >= 0 && isMentioned(column.name, own, other);
        });
    }

    bool isMentioned(const std::string& column, const JoinedTable& a, const JoinedTable& b) const {
        const auto holds = [&](const std::string& name) { return mentioned_.plain.count(asciiLower(name)) > 0; };
        return !mentioned_.areKnown || holds(column) || holds(a.qualifier + "_" + column) ||
               holds(b.qualifier + "_" + column);
    }

    const std::vector<JoinClause>& clauses_;
    const std::vector<JoinedTable>& tables_;
    MentionedNames mentioned_;
};

}  // namespace

std::vector<size_t> innerJoinsFirst(const Query& query, const std::vector<JoinClause>& clauses,
                                    const std::vector<JoinedTable>& tables) {
    std::vector<size_t> asWritten(clauses.size());
    std::iota(asWritten.begin(), asWritten.end(), size_t{0});
    const bool keepsLeft = std::none_of(clauses.begin(), clauses.end(), [](const JoinClause& clause) {
        return clause.kind == JoinKind::Right || clause.kind == JoinKind::Full;
    });
    const bool onlyReads = query.verb == QueryVerb::Select || query.verb == QueryVerb::Exec;
    if (!keepsLeft || !onlyReads || readsAllColumns(query)) return asWritten;
    return JoinOrder(query, clauses, tables).order();
}

}  // namespace pelorus
