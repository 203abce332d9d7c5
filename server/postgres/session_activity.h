// SessionActivity shows the sessions of a node in pg_stat_activity.
#pragma once

#include <memory>
#include <vector>

#include "postgres/catalog/activity.h"

namespace pelorus {
class SessionRegistry;
}

namespace pelorus::postgres {

// A service of the process. Thread-safe.
class SessionActivity final : public ActivitySource {
public:
    explicit SessionActivity(std::shared_ptr<const SessionRegistry> sessions) : sessions_(std::move(sessions)) {}

    std::vector<Activity> sessions(const Context& context) const override;

private:
    const std::shared_ptr<const SessionRegistry> sessions_;
};

}  // namespace pelorus::postgres
