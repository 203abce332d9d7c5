#include "sql/rewrite/standard_query.h"

#include <algorithm>

#include "runtime/code/rewrite.h"
#include "sql/rewrite/function_case.h"
#include "sql/rewrite/grouping_sets.h"
#include "sql/rewrite/ordered_items.h"
#include "sql/rewrite/plain_aliases.h"
#include "sql/rewrite/qualifier_case.h"

namespace pelorus {

// Whether an item has the name of a key, and is none: its result could not show both.
static bool hidesKey(const Query& query) {
    return std::any_of(query.groupBy.begin(), query.groupBy.end(), [&](const SelectItem& key) {
        return key.aliases.empty() && std::any_of(query.items.begin(), query.items.end(), [&](const SelectItem& item) {
                   return item.aliases.size() == 1 && item.aliases[0] == columnOf(*key.value) &&
                          !isSameColumn(item.value, key.value);
               });
    });
}

Ref<Query> standardQuery(const Query& query, Context& context) {
    Ref<Query> result;
    if (query.callsUnknown) result = withBuiltinsOfAnyCase(*withPlainAliases(query, context), context);
    if (Ref<Query> named = withQualifiersAsNamed(result ? *result : query)) result = std::move(named);
    if (Ref<Query> ordered = withOrderOfItems(result ? *result : query)) result = std::move(ordered);
    const Query& known = result ? *result : query;
    const bool hasOneSet = known.grouping == GroupKind::Group && known.groupingSets.empty() && hidesKey(known);
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
