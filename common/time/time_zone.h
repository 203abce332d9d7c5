// Named time zones, read from the system's zone database (TZif files, RFC 8536).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace pelorus {

class TimeZone {
public:
    // Returns the zone of a name such as Asia/Shanghai; kept for the life of the process. Throws UserError when there
    // is none. Thread-safe.
    static std::shared_ptr<const TimeZone> find(const std::string& name);

    // Returns how many seconds the zone's clocks are ahead of UTC at an instant, in seconds since 1970 UTC.
    int64_t offsetAt(int64_t utcSeconds) const;
    // Returns the offset at a time that the zone's clocks show: the first one if they show it twice, the offset before
    // the change if they skip it.
    int64_t offsetAtLocal(int64_t localSeconds) const;

private:
    struct Period {
        int64_t from;  // UTC
        int64_t offset;
    };
    static std::shared_ptr<const TimeZone> read(const std::string& name);

    std::vector<Period> periods_;  // the first one has no lower bound
};

}  // namespace pelorus
