#include "sql/rewrite/text_indexes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "common/error.h"
#include "runtime/code/rewrite.h"
#include "runtime/registry/registry.h"

namespace pelorus {

static bool isTextSearch(std::string_view function) {
    static constexpr std::array<std::string_view, 12> kSearches{
        "matchAny",         "matchAll",          "matchPhrase",        "matchPrefix",
        "matchSuffix",      "matchPrefixSuffix", "matchPhrasePrefix",  "matchPhraseSuffix",
        "matchPhraseInfix", "matchSpan",         "matchUnorderedSpan", "matchFuzzy"};
    return std::find(kSearches.begin(), kSearches.end(), function) != kSearches.end();
}

// Returns a call's argument for each parameter, by position or keyword; null where it has none. Empty for a call that
// does not fit the function.
static std::vector<NodeRef> byParameter(const Call& call) {
    const auto& parameters =
        FunctionRegistry::instance().get(static_cast<const Name&>(*call.callee).name).signature().parameters;
    std::vector<NodeRef> given(parameters.size());
    for (size_t i = 0; i < call.arguments.size(); ++i) {
        const Argument& argument = call.arguments[i];
        size_t place = i;
        for (size_t p = 0; p < parameters.size() && !argument.keyword.empty(); ++p) {
            if (parameters[p].name == argument.keyword) place = p;
        }
        if (place >= given.size()) return {};
        if (argument.value->kind != NodeKind::Omitted) given[place] = argument.value;
    }
    return given;
}

// Returns the column that a call searches, or -1 when it is no column or has an explicit index.
static int searchedColumn(const Call& call, const PartitionedTable& table) {
    if (call.callee->kind != NodeKind::Name || call.arguments.empty()) return -1;
    const std::string& function = static_cast<const Name&>(*call.callee).name;
    if (!isTextSearch(function)) return -1;
    const std::vector<NodeRef> given = byParameter(call);
    if (given.empty() || given.back() || !given[0] || given[0]->kind != NodeKind::Name) return -1;
    return table.findColumn(static_cast<const Name&>(*given[0]).name);
}

// Adds the index as last parameter of the call, by position: in a query `index = x` would be a comparison.
static NodeRef withIndex(const Call& call, const std::string& index) {
    std::vector<Argument> arguments;
    for (const NodeRef& value : byParameter(call)) {
        arguments.push_back({"", value ? value : NodeRef(makeRef<Omitted>(call.position))});
    }
    arguments.back().value = makeRef<Constant>(Value::ofString(index), call.position);
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
