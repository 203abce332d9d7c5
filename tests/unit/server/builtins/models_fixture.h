// ModelsFixture has users who make tools and prompts of language models.
#pragma once

#include "runtime/registry/registry.h"
#include "server/builtins/server_builtins.h"
#include "tests/support/users_fixture.h"

namespace pelorus {

struct ModelsFixture : UsersFixture {
    ModelsFixture() {
        FunctionRegistry& registry = FunctionRegistry::instance();
        if (registry.find("addMCPTool") != nullptr) return;
        registerModelBuiltins(registry);
        registerModelToolBuiltins(registry);
        registerModelPromptBuiltins(registry);
    }
};

}  // namespace pelorus
