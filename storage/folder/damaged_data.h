// Error of a data folder that holds damage.
#pragma once

#include "common/error.h"

namespace pelorus {

// What the folder holds does not read as it was written: a checksum fails, or a file is missing. Nothing was changed.
class DamagedData : public SystemError {
public:
    using SystemError::SystemError;
};

}  // namespace pelorus
