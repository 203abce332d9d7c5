#include "streaming/engine/stream_engines.h"

#include <fmt/format.h>

#include "common/error.h"
#include "runtime/function/principal.h"

namespace pelorus {

static UserError unknownEngine(std::string_view name) {
    return UserError(fmt::format("There is no stream engine {}.", name), "getStreamEngineList() lists them.");
}

void StreamEngines::add(const Ref<StreamEngine>& engine) {
    const MutexLock lock(mutex_);
    if (!engines_.emplace(engine->name, engine).second)
        throw UserError(0, fmt::format("There is a stream engine {} already. RefId: S03001", engine->name),
                        "Drop it first: dropStreamEngine(name).");
}

Ref<StreamEngine> StreamEngines::get(std::string_view name) const {
    const MutexLock lock(mutex_);
    const auto found = engines_.find(name);
    if (found == engines_.end()) throw unknownEngine(name);
    return found->second;
}

bool StreamEngines::has(std::string_view name) const {
    const MutexLock lock(mutex_);
    return engines_.contains(name);
}

void StreamEngines::drop(std::string_view name, const Principal& who) {
    const Ref<StreamEngine> engine = get(name);
    if (!who.mayManageWorkOf(engine->options().owner) && engine->options().owner != who.user())
        throw UserError(fmt::format("<NoPrivilege>The stream engine {} belongs to {}.", name, engine->options().owner),
                        "Its owner or an administrator can drop it.");
    engine->drop();
    const MutexLock lock(mutex_);
    const auto found = engines_.find(name);
    if (found != engines_.end() && found->second == engine) engines_.erase(found);
}

std::vector<Ref<StreamEngine>> StreamEngines::all() const {
    std::vector<Ref<StreamEngine>> list;
    const MutexLock lock(mutex_);
    for (const auto& [name, engine] : engines_) list.push_back(engine);
    return list;
}

void StreamEngines::clear() {
    std::map<std::string, Ref<StreamEngine>, std::less<>> released;
    const MutexLock lock(mutex_);
    released.swap(engines_);
}

}  // namespace pelorus
