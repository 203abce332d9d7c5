#include "interpreter/debug/debugged_sources.h"

#include <set>

#include "common/error.h"
#include "interpreter/parser/parser.h"
#include "interpreter/session/modules.h"
#include "runtime/code/statement.h"

namespace pelorus {

namespace {

constexpr size_t kMaxModules = 1000;

void addUses(std::string_view text, std::vector<std::string>& names) {
    for (const NodeRef& node : parseScript(text)) {
        if (node->kind != NodeKind::Use) continue;
        const std::string& name = static_cast<const Directive&>(*node).text;
        if (!name.starts_with("catalog ")) names.push_back(name.substr(0, name.find_last_not_of(" \t\r\n") + 1));
    }
}

}  // namespace

std::vector<DebuggedSource> debuggedSources(std::string_view script, const Services& services) {
    std::vector<DebuggedSource> sources;
    const auto* store = services.find<ModuleStore>();
    std::vector<std::string> waiting;
    addUses(script, waiting);
    std::set<std::string> seen;
    while (store && !waiting.empty() && seen.size() < kMaxModules) {
        const std::string name = std::move(waiting.back());
        waiting.pop_back();
        if (!seen.insert(name).second) continue;
        try {
            ModuleStore::Source source = store->sourceOf(name);
            addUses(source.text, waiting);
            sources.push_back({name, std::move(source.path), std::move(source.text)});
        } catch (const Error&) {
            // The run says what is wrong with it.
        }
    }
    return sources;
}

}  // namespace pelorus
