// DiskFull is the error of a write for which a disk has no space. Writing again can help after space was freed.
#pragma once

#include "common/error.h"

namespace pelorus {

class DiskFull final : public SystemError {
public:
    DiskFull(std::string what, std::string hint) : SystemError(std::move(what), std::move(hint), true) {}
};

}  // namespace pelorus
