// The built-in functions of the server: sessions, users, console jobs, batch jobs.
#pragma once

namespace pelorus {

class FunctionRegistry;

// The functions use SessionRegistry, AccessControl, JobQueue and NodeIdentity as services of the process.
void registerSessionBuiltins(FunctionRegistry& registry);
void registerJobBuiltins(FunctionRegistry& registry);
void registerScheduleBuiltins(FunctionRegistry& registry);
void registerQueryBuiltins(FunctionRegistry& registry);
void registerPerformanceBuiltins(FunctionRegistry& registry);
void registerLogBuiltins(FunctionRegistry& registry);
void registerUserBuiltins(FunctionRegistry& registry);
void registerRightBuiltins(FunctionRegistry& registry);
void registerAuditBuiltins(FunctionRegistry& registry);

inline void registerServerBuiltins(FunctionRegistry& registry) {
    registerSessionBuiltins(registry);
    registerJobBuiltins(registry);
    registerScheduleBuiltins(registry);
    registerQueryBuiltins(registry);
    registerPerformanceBuiltins(registry);
    registerLogBuiltins(registry);
    registerUserBuiltins(registry);
    registerRightBuiltins(registry);
    registerAuditBuiltins(registry);
}

}  // namespace pelorus
