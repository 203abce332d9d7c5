#include "sql/text_indexes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "common/error.h"
#include "runtime/code/rewrite.h"
#include "runtime/function_registry.h"

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
    if (call.callee->kind != NodeKind::Name || call.arguments.empty()) return -1;
    const std::string& function = static_cast<const Name&>(*call.callee).name;
    if (!isTextSearch(function)) return -1;
    const size_t parameters = FunctionRegistry::instance().get(function).signature().parameters.size();
    const NodeRef& text = call.arguments[0].value;
    if (call.arguments.size() >= parameters || text->kind != NodeKind::Name) return -1;
    return table.findColumn(static_cast<const Name&>(*text).name);
}

// The call with its last parameter, the index, given by position: in a query `index = x` would be a comparison.
static NodeRef withIndex(const Call& call, const std::string& index) {
    const std::string& function = static_cast<const Name&>(*call.callee).name;
    const size_t parameters = FunctionRegistry::instance().get(function).signature().parameters.size();
    std::vector<Argument> arguments = call.arguments;
    while (arguments.size() + 1 < parameters) arguments.push_back({"", makeRef<Omitted>(call.position)});
    arguments.push_back({"", makeRef<Constant>(Value::ofString(index), call.position)});
    return makeRef<Call>(call.callee, std::move(arguments), call.style, call.position);
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
        return withIndex(call, index);
    });
}

}  // namespace pelorus
