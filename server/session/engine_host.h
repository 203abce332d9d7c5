// Script host of the server over the interpreter.
#pragma once

#include "server/session/script_host.h"

namespace pelorus {

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
