// Registers the built-in functions of streaming.
#pragma once

#include <memory>

namespace pelorus {

class FunctionRegistry;
class Services;

void registerStreamTables(FunctionRegistry& registry);
void registerCachePurge(FunctionRegistry& registry);
void registerSubscriptions(FunctionRegistry& registry);
void registerStreamingStatus(FunctionRegistry& registry);
void registerEngines(FunctionRegistry& registry);
void registerReactiveEngines(FunctionRegistry& registry);
void registerTimeSeriesEngines(FunctionRegistry& registry);

void registerStreamingBuiltins(FunctionRegistry& registry);

// Adds the services that these functions find, and ends what they run: handlers get a short time, and are then
// cancelled.
void addStreaming(Services& services);
void stopStreaming(const Services& services);

}  // namespace pelorus
