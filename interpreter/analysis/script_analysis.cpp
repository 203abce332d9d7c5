#include "interpreter/analysis/script_analysis.h"

#include <algorithm>

#include "interpreter/analysis/script_analyzer.h"

namespace pelorus {

std::shared_ptr<const ScriptAnalysis> ScriptAnalysis::make(std::string text, const NameRoles& roles,
                                                           const StoredColumns& columns) {
    auto analysis = std::make_shared<ScriptAnalysis>();
    analysis->text_ = std::move(text);
    analysis->script_ = parseRecovering(analysis->text_, roles);
    ScriptAnalyzer(*analysis, columns).run();
    return analysis;
}

int ScriptAnalysis::scopeAt(size_t place) const {
    int found = 0;
    // Inner scopes come after outer ones.
    for (size_t i = 1; i < scopes_.size() && scopes_[i].range.begin <= place; ++i) {
        if (scopes_[i].range.contains(place)) found = static_cast<int>(i);
    }
    return found;
}

int ScriptAnalysis::resolve(std::string_view name, int scope) const {
    const std::string key(name);
    bool variablesVisible = true;
    for (int at = scope; at >= 0; at = scopes_[static_cast<size_t>(at)].parent) {
        const auto& names = names_[static_cast<size_t>(at)];
        if (const auto found = names.find(key); found != names.end()) {
            const SymbolKind kind = symbols_[static_cast<size_t>(found->second)].kind;
            const bool isCode = kind == SymbolKind::Function || kind == SymbolKind::Class || kind == SymbolKind::Shared;
            if (variablesVisible || isCode) return found->second;
        }
        if (scopes_[static_cast<size_t>(at)].isNamed) variablesVisible = false;
    }
    return -1;
}

int ScriptAnalysis::resolveTable(std::string_view name, int scope) const {
    const int found = resolve(name, scope);
    return found >= 0 ? found : resolve(name, 0);
}

const NameOccurrence* ScriptAnalysis::occurrenceAt(size_t place) const {
    auto after = std::upper_bound(occurrences_.begin(), occurrences_.end(), place,
                                  [](size_t at, const NameOccurrence& o) { return at < o.place.begin; });
    if (after == occurrences_.begin()) return nullptr;
    --after;
    return after->place.contains(place) ? &*after : nullptr;
}

const Token* ScriptAnalysis::tokenAt(size_t place) const {
    const auto& tokens = script_.tokens;
    const char* at = text_.data() + place;
    auto after =
        std::upper_bound(tokens.begin(), tokens.end(), at, [](const char* p, const Token& t) { return p < t.begin(); });
    if (after == tokens.begin()) return nullptr;
    --after;
    // Between a word and a bracket the word is meant.
    if (after != tokens.begin() && after->begin() == at && after->kind == TokenKind::Punctuation) {
        const Token& before = *std::prev(after);
        if (before.end() == at && before.kind != TokenKind::Punctuation) return &before;
    }
    return at <= after->end() && after->kind != TokenKind::End ? &*after : nullptr;
}

TextRange ScriptAnalysis::statementAt(size_t place) const {
    const auto& ranges = script_.ranges;
    const auto after = std::upper_bound(ranges.begin(), ranges.end(), place,
                                        [](size_t at, const StatementRange& r) { return at < r.begin; });
    TextRange found{0, after == ranges.end() ? text_.size() : after->begin};
    if (after == ranges.begin()) return found;
    found.begin = std::prev(after)->begin;
    // A new statement begins on a separate line after a complete one.
    const StatementRange& last = *std::prev(after);
    const auto lineBegin = [&](size_t at) { return at == 0 ? 0 : text_.rfind('\n', at - 1) + 1; };
    const bool isPast = last.end < place && !last.isRefused && lineBegin(place) > last.end;
    const std::string_view gap =
        std::string_view(text_).substr(std::min(last.end, place), place - std::min(last.end, place));
    const bool isClosed = last.end < place && gap.find_first_of(";}") != std::string_view::npos;
    if (isPast || isClosed) found.begin = std::max(lineBegin(place), last.end);
    return found;
}

const ValueShape* ScriptAnalysis::shapeAt(int symbol, size_t place) const {
    const auto& shapes = symbols_[static_cast<size_t>(symbol)].shapes;
    const ValueShape* found = nullptr;
    for (const auto& [offset, shape] : shapes) {
        if (found && offset > place) break;
        found = &shape;
    }
    return found;
}

std::vector<std::string> ScriptAnalysis::membersOfClass(std::string_view name) const {
    std::vector<std::string> members;
    std::string next(name);
    for (size_t steps = 0; steps <= symbols_.size() && !next.empty(); ++steps) {
        const int symbol = resolve(next, 0);
        if (symbol < 0 || symbols_[static_cast<size_t>(symbol)].kind != SymbolKind::Class) break;
        const ScriptSymbol& type = symbols_[static_cast<size_t>(symbol)];
        members.insert(members.end(), type.members.begin(), type.members.end());
        next = type.base;
    }
    return members;
}

}  // namespace pelorus
