#include "streaming/builtins/streaming_builtins.h"

#include <algorithm>
#include <thread>

#include "runtime/registry/function_theme.h"
#include "runtime/registry/registry.h"
#include "streaming/engine/stream_engines.h"
#include "streaming/persistence/stream_persistence.h"
#include "streaming/publication/publications.h"
#include "streaming/subscription/subscriptions.h"

namespace pelorus {

void registerStreamingBuiltins(FunctionRegistry& registry) {
    FunctionTheme::registerAll(registry, "streaming",
                               {registerStreamTables, registerCachePurge, registerPersistence, registerSubscriptions,
                                registerPublications, registerReplay, registerStreamingStatus, registerEngines,
                                registerReactiveEngines, registerTimeSeriesEngines, registerStreamFilters});
}

void addStreaming(Services& services, int executors) {
    const int workers =
        executors > 0 ? executors : std::max(2, static_cast<int>(std::thread::hardware_concurrency()) / 2);
    services.add(std::make_shared<StreamEngines>());
    services.add(std::make_shared<StreamPersistence>());
    services.add(std::make_shared<Publications>());
    services.add(std::make_shared<Subscriptions>(workers));
}

void stopStreaming(const Services& services) {
    if (auto* all = services.find<Publications>()) all->stop();
    if (auto* all = services.find<Subscriptions>()) all->stop();
    if (auto* engines = services.find<StreamEngines>()) engines->clear();
    if (auto* persistence = services.find<StreamPersistence>()) persistence->stop();
}

}  // namespace pelorus
