#include "sql/rewrite/standard_query.h"

#include "sql/rewrite/function_case.h"
#include "sql/rewrite/grouping_sets.h"
#include "sql/rewrite/plain_aliases.h"

namespace pelorus {

Ref<Query> standardQuery(const Query& query, Context& context) {
    Ref<Query> result;
    if (query.callsUnknown) result = withBuiltinsOfAnyCase(*withPlainAliases(query, context), context);
    if (!query.groupingSets.empty()) result = withoutGroupingSets(result ? *result : query, context);
    return result;
}

}  // namespace pelorus
