// EngineHost connects the server to the interpreter: it implements ScriptHost.
#pragma once

#include "server/session/script_host.h"

namespace pelorus {

// Makes sessions of the interpreter, and principals by the PrincipalSource among the services. Thread-safe.
class EngineHost final : public ScriptHost {
public:
    // `services` outlives the host.
    explicit EngineHost(const Services& services) : services_(services) {}

    std::unique_ptr<ScriptSession> newSession() override;
    std::shared_ptr<const Principal> principalOf(const std::string& user) override;

private:
    const Services& services_;
};

}  // namespace pelorus
