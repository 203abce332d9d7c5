// Reads the settings of streams from the configuration of the process.
#pragma once

#include <cstdint>
#include <string>

namespace pelorus {

class Services;

// Returns the value of a setting that is a whole number; `otherwise` where the process has none.
int64_t streamSetting(const Services& services, const std::string& name, int64_t otherwise);

}  // namespace pelorus
