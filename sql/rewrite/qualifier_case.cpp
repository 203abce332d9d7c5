#include "sql/rewrite/qualifier_case.h"

#include <algorithm>
#include <string>
#include <vector>

#include "common/string/ascii_case.h"
#include "interpreter/analysis/node_children.h"
#include "runtime/code/rewrite.h"

namespace pelorus {

namespace {

// The names of the tables of a query, and what a name before a point means.
class TableNames {
public:
    explicit TableNames(const Query& query) {
        add(query.table, query.tableAlias);
        for (const JoinClause& join : query.joins) add(join.table, join.alias);
    }

    // Returns the member under the name of its table; null where that is as it is written, or there is no such table.
    NodeRef renamed(const NodeRef& node) const {
        if (node->kind != NodeKind::Member) return NodeRef();
        const auto& member = static_cast<const Member&>(*node);
        if (member.key || member.object->kind != NodeKind::Name) return NodeRef();
        const std::string& written = static_cast<const Name&>(*member.object).name;
        if (std::find(names_.begin(), names_.end(), written) != names_.end()) return NodeRef();
        const auto meant = std::find_if(names_.begin(), names_.end(),
                                        [&](const std::string& name) { return isEqualInAnyCase(name, written); });
        if (meant == names_.end()) return NodeRef();
        return makeRef<Member>(makeRef<Name>(*meant, member.object->position), member.name, NodeRef(), member.position);
    }

    bool renamesIn(const Node& node) const {
        bool found = false;
        forEachChild(node, [&](const NodeRef& part) {
            found = found || renamed(part) || (part->kind != NodeKind::Query && renamesIn(*part));
        });
        return found;
    }

private:
    void add(const NodeRef& table, const std::string& alias) {
        if (!alias.empty()) names_.push_back(alias);
        if (alias.empty() && table && table->kind == NodeKind::Name)
            names_.push_back(static_cast<const Name&>(*table).name);
    }

    std::vector<std::string> names_;
};

}  // namespace

Ref<Query> withQualifiersAsNamed(const Query& query) {
    const TableNames names(query);
    if (!names.renamesIn(query)) return {};
    const auto rename = [&](const NodeRef& node) { return names.renamed(node); };
    Ref<Query> result = rewriteQuery(query, rename);
    for (JoinClause& join : result->joins) join.on = rewrite(join.on, rename);
    return result;
}

}  // namespace pelorus
