// The error of a damaged data folder.
#pragma once

#include "common/error.h"

namespace pelorus {

// An error of a folder whose content is not what was written: a checksum fails, or a file is missing. Nothing was
// changed.
class DamagedData : public SystemError {
public:
    using SystemError::SystemError;
};

}  // namespace pelorus
