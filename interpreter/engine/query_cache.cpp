#include "interpreter/engine/query_cache.h"

#include <algorithm>

#include "runtime/code/statement.h"

namespace pelorus {

NameRoles AskedRoles::noting(NameRoles roles) {
    NameRoles result = [this, role = std::move(roles.role)](std::string_view name) {
        const NameRole answer = role ? role(name) : NameRole::Unknown;
        roles_.emplace_back(name, answer);
        return answer;
    };
    result.parameters = [this, parameters = std::move(roles.parameters)](std::string_view function) {
        std::vector<std::string> answer;
        if (parameters) answer = parameters(function);
        parameters_.emplace_back(function, answer);
        return answer;
    };
    return result;
}

bool AskedRoles::hold(const NameRoles& roles) const {
    return std::all_of(roles_.begin(), roles_.end(),
                       [&](const auto& asked) { return roles.role(asked.first) == asked.second; }) &&
           std::all_of(parameters_.begin(), parameters_.end(),
                       [&](const auto& asked) { return roles.parameters(asked.first) == asked.second; });
}

NodeList QueryCache::find(std::string_view script, const NameRoles& roles) {
    const auto found = byScript_.find(script);
    if (found == byScript_.end()) return {};
    if (!found->second->asked.hold(roles)) {
        erase(found->second);
        return {};
    }
    entries_.splice(entries_.begin(), entries_, found->second);
    return entries_.front().statements;
}

bool QueryCache::isOneQuery(const NodeList& statements) {
    if (statements.size() != 1 || statements[0]->kind != NodeKind::ExpressionStatement) return false;
    const NodeRef& expression = static_cast<const ExpressionStatement&>(*statements[0]).expression;
    return expression && expression->kind == NodeKind::Query;
}

void QueryCache::add(std::string_view script, AskedRoles asked, NodeList statements) {
    if (script.size() > kMaxTextBytes) return;
    if (const auto known = byScript_.find(script); known != byScript_.end()) erase(known->second);
    if (entries_.size() == kMaxQueries) erase(std::prev(entries_.end()));
    entries_.push_front({std::string(script), std::move(asked), std::move(statements)});
    byScript_[entries_.front().script] = entries_.begin();
}

void QueryCache::erase(Entries::iterator entry) {
    byScript_.erase(entry->script);
    entries_.erase(entry);
}

}  // namespace pelorus
