// Registers the built-in functions of the server: sessions, users and rights, console jobs, batch jobs, schedules,
// logs.
#pragma once

namespace pelorus {

class FunctionRegistry;

// The functions find SessionRegistry, AccessControl, JobQueue and NodeIdentity among the services of the process when
// they are called, and those that need one throw UserError in a process that is no server.
void registerSessionBuiltins(FunctionRegistry& registry);
void registerJobBuiltins(FunctionRegistry& registry);
void registerScheduleBuiltins(FunctionRegistry& registry);
void registerQueryBuiltins(FunctionRegistry& registry);
void registerPerformanceBuiltins(FunctionRegistry& registry);
void registerLogBuiltins(FunctionRegistry& registry);
void registerUserBuiltins(FunctionRegistry& registry);
void registerRightBuiltins(FunctionRegistry& registry);
void registerAuditBuiltins(FunctionRegistry& registry);
void registerModelBuiltins(FunctionRegistry& registry);
void registerModelToolBuiltins(FunctionRegistry& registry);
void registerModelPromptBuiltins(FunctionRegistry& registry);

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
    registerModelBuiltins(registry);
    registerModelToolBuiltins(registry);
    registerModelPromptBuiltins(registry);
}

}  // namespace pelorus
