#include "runtime/registry/name_advice.h"

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

std::string adviceForName(std::string_view name, NameUse use, std::vector<std::string_view> candidates) {
    if (std::string later = laterFunctionNote(name); !later.empty()) return later;
    if (std::string lookalike = lookalikeAdvice(name); !lookalike.empty()) return lookalike;
    const std::vector<std::string_view> ownNear = nearestNames(name, candidates);
    for (std::string_view known : FunctionRegistry::instance().names()) candidates.push_back(known);
    std::vector<std::string_view> otherCase;
    for (std::string_view known : candidates) {
        if (differsInCaseOnly(known, name)) otherCase.push_back(known);
    }
    if (!otherCase.empty()) return "Names are case-sensitive. " + didYouMean(nearestNames(name, otherCase));
    const bool isCalled = use == NameUse::Called;
    const std::string foreign = isCalled ? foreignFunctionAdvice(name) : foreignWordAdvice(name);
    if (!foreign.empty()) return didYouMean(ownNear) + (ownNear.empty() ? "" : " ") + foreign;
    const std::vector<std::string_view> near = nearestNames(name, candidates);
    if (!near.empty()) return didYouMean(near);
    constexpr size_t kShort = 4;  // too many words are near to a short one
    if (!isCalled || name.size() <= kShort) return {};
    const std::vector<std::string_view> words = nearestNames(name, foreignFunctions());
    const bool isNear = !words.empty() && words[0].size() + 1 >= name.size() && words[0].size() <= name.size() + 1;
    return isNear ? foreignFunctionAdvice(words[0]) : std::string();
}

}  // namespace pelorus
