// Registers the built-in functions of streaming.
#pragma once

#include <memory>

namespace pelorus {

class FunctionRegistry;
class Services;

void registerStreamTables(FunctionRegistry& registry);
void registerCachePurge(FunctionRegistry& registry);
void registerPersistence(FunctionRegistry& registry);
void registerSubscriptions(FunctionRegistry& registry);
void registerPublications(FunctionRegistry& registry);
void registerReplay(FunctionRegistry& registry);
void registerStreamingStatus(FunctionRegistry& registry);
void registerEngines(FunctionRegistry& registry);
void registerReactiveEngines(FunctionRegistry& registry);
void registerTimeSeriesEngines(FunctionRegistry& registry);
void registerStreamFilters(FunctionRegistry& registry);

void registerStreamingBuiltins(FunctionRegistry& registry);

// Adds the services that these functions find; `executors` threads run handlers, half of the cores when it is 0.
void addStreaming(Services& services, int executors = 0);
// Ends what they run: handlers get a short time and are then cancelled, and rows that wait are written to disk. A
// second call does nothing.
void stopStreaming(const Services& services);

}  // namespace pelorus
