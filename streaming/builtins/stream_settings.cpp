#include "streaming/builtins/stream_settings.h"

#include <charconv>

#include "database/service/configuration.h"
#include "runtime/function/context.h"

namespace pelorus {

int64_t streamSetting(const Services& services, const std::string& name, int64_t otherwise) {
    const auto* configuration = services.find<Configuration>();
    if (!configuration) return otherwise;
    const auto found = configuration->values.find(name);
    if (found == configuration->values.end()) return otherwise;
    int64_t value = otherwise;
    std::from_chars(found->second.data(), found->second.data() + found->second.size(), value);
    return value;
}

}  // namespace pelorus
