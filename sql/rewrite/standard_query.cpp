#include "sql/rewrite/standard_query.h"

#include <algorithm>

#include "runtime/code/rewrite.h"
#include "sql/expression/called_functions.h"
#include "sql/rewrite/function_case.h"
#include "sql/rewrite/key_sets.h"
#include "sql/rewrite/ordered_items.h"
#include "sql/rewrite/plain_aliases.h"
#include "sql/rewrite/qualifier_case.h"

namespace pelorus {

// Whether an expression reads a column of this name.
static bool reads(const NodeRef& value, const std::string& column) {
    bool found = false;
    rewrite(value, [&](const NodeRef& node) -> NodeRef {
        found = found || columnOf(*node) == column;
        return NodeRef();
    });
    return found;
}

// Whether an item that is computed from a key has the key's name: the result could not show both.
static bool hidesKey(const Query& query, Context& context) {
    return std::any_of(query.groupBy.begin(), query.groupBy.end(), [&](const SelectItem& key) {
        const std::string column = columnOf(*key.value);
        return key.aliases.empty() && !column.empty() &&
               std::any_of(query.items.begin(), query.items.end(), [&](const SelectItem& item) {
                   return item.aliases == std::vector{column} && columnOf(*item.value).empty() &&
                          !holdsAggregate(*item.value, context) && reads(item.value, column);
               });
    });
}

Ref<Query> standardQuery(const Query& query, Context& context) {
    Ref<Query> result;
    if (query.callsUnknown) result = withBuiltinsOfAnyCase(*withPlainAliases(query, context), context);
    if (Ref<Query> named = withQualifiersAsNamed(result ? *result : query)) result = std::move(named);
    if (Ref<Query> ordered = withOrderOfItems(result ? *result : query)) result = std::move(ordered);
    const Query& known = result ? *result : query;
    const bool hasOneSet = known.grouping == GroupKind::Group && known.groupingSets.empty() && hidesKey(known, context);
    if (hasOneSet) {
        result = copyQuery(known);
        result->groupingSets.emplace_back();
        for (size_t k = 0; k < result->groupBy.size(); ++k) result->groupingSets[0].push_back(k);
    }
    if (!(result ? *result : query).groupingSets.empty())
        result = withoutGroupingSets(result ? *result : query, context);
    return result;
}

}  // namespace pelorus
