// Error of a write for which a disk has no room. Writing again can help, when somebody has made some.
#pragma once

#include "common/error.h"

namespace pelorus {

class DiskFull final : public SystemError {
public:
    DiskFull(std::string what, std::string hint) : SystemError(std::move(what), std::move(hint), true) {}
};

}  // namespace pelorus
