#include "sql/text_indexes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "common/error.h"
#include "runtime/code/rewrite.h"

namespace pelorus {

static bool isTextSearch(std::string_view function) {
    static constexpr std::array<std::string_view, 12> kSearches{
        "matchAny",         "matchAll",          "matchPhrase",        "matchPrefix",
        "matchSuffix",      "matchPrefixSuffix", "matchPhrasePrefix",  "matchPhraseSuffix",
        "matchPhraseInfix", "matchSpan",         "matchUnorderedSpan", "matchFuzzy"};
    return std::find(kSearches.begin(), kSearches.end(), function) != kSearches.end();
}

// The column that a call searches in, or -1 for what is no column or has its index given.
static int searchedColumn(const Call& call, const PartitionedTable& table) {
    if (call.callee->kind != NodeKind::Name || !isTextSearch(static_cast<const Name&>(*call.callee).name)) return -1;
    int column = -1;
    for (size_t i = 0; i < call.arguments.size(); ++i) {
        const Argument& a = call.arguments[i];
        if (a.keyword == "index") return -1;
        const bool isText = a.keyword.empty() ? i == 0 : a.keyword == "textCol";
        if (isText && a.value->kind == NodeKind::Name)
            column = table.findColumn(static_cast<const Name&>(*a.value).name);
    }
    return column;
}

NodeRef withTextIndexes(const NodeRef& condition, const PartitionedTable& table) {
    return rewrite(condition, [&](const NodeRef& node) -> NodeRef {
        if (node->kind != NodeKind::Call) return nullptr;
        const auto& call = static_cast<const Call&>(*node);
        const int column = searchedColumn(call, table);
        if (column < 0) return nullptr;
        const std::string index = table.textIndexOf(column);
        if (index.empty()) {
            throw UserError(
                0, fmt::format("The column {} has no text index.", table.columns()[static_cast<size_t>(column)].name),
                "createPartitionedTable makes one, as indexes={\"note\": \"textindex(parser=english)\"}.");
        }
        Ref<Call> indexed = makeRef<Call>(call.callee, call.arguments, call.style, call.position);
        indexed->arguments.push_back({"index", makeRef<Constant>(Value::ofString(index), call.position)});
        return indexed;
    });
}

}  // namespace pelorus
