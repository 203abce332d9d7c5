#include "runtime/registry/name_advice.h"

#include <algorithm>

#include "common/foreign_words.h"
#include "common/later_functions.h"
#include "common/lookalike_characters.h"
#include "common/nearest_name.h"

namespace pelorus {

const BuiltinFunction* builtinOfAnyCase(std::string_view name) {
    const BuiltinFunction* only = nullptr;
    const FunctionRegistry& registry = FunctionRegistry::instance();
    for (std::string_view known : registry.names()) {
        if (!differsInCaseOnly(known, name)) continue;
        if (only) return nullptr;
        only = registry.find(known);
    }
    return only;
}

std::string adviceForName(std::string_view name, std::vector<std::string_view> candidates) {
    if (std::string later = laterFunctionNote(name); !later.empty()) return later;
    if (std::string lookalike = lookalikeAdvice(name); !lookalike.empty()) return lookalike;
    for (std::string_view known : FunctionRegistry::instance().names()) candidates.push_back(known);
    std::vector<std::string_view> otherCase;
    for (std::string_view known : candidates) {
        if (differsInCaseOnly(known, name)) otherCase.push_back(known);
    }
    if (!otherCase.empty()) return "Names are case-sensitive. " + didYouMean(nearestNames(name, otherCase));
    if (std::string foreign = foreignWordAdvice(name); !foreign.empty()) return foreign;
    const std::vector<std::string_view> near = nearestNames(name, candidates);
    if (!near.empty()) return didYouMean(near);
    constexpr size_t kShort = 4;  // too many words are near to a short one
    if (name.size() <= kShort) return {};
    const std::vector<std::string_view> foreign = nearestNames(name, foreignWords());
    return foreign.empty() ? std::string() : foreignWordAdvice(foreign[0]);
}

std::string adviceForColumn(std::string_view name, const TableSchema& columns) {
    std::vector<std::string_view> names;
    for (const ColumnSchema& c : columns) {
        if (!c.name.starts_with(' ')) names.push_back(c.name);  // others a query makes for itself
    }
    std::string hint = lookalikeAdvice(name);
    if (hint.empty()) hint = didYouMean(nearestNames(name, names));
    if (names.empty()) return hint;
    constexpr size_t kMostListed = 40;
    hint += (hint.empty() ? "" : " ") + std::string("The columns are ");
    for (size_t i = 0; i < std::min(names.size(), kMostListed); ++i) {
        hint += i == 0 ? "" : ", ";
        hint += names[i];
    }
    return hint + (names.size() > kMostListed ? ", …" : ".");
}

}  // namespace pelorus
