// TimeZone is a named time zone, read from the system's zone database (TZif files, RFC 8536): TZDIR, or
// /usr/share/zoneinfo.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pelorus {

class TimeZoneRule;

// A zone with all changes of its clocks: those that its file lists, and after them those of its rule. Immutable.
class TimeZone {
public:
    // Returns the zone of a name such as Asia/Shanghai, which is cached for the life of the process. Throws UserError
    // when there is none. Thread-safe.
    static std::shared_ptr<const TimeZone> find(const std::string& name);
    // Returns the zone that a TZ string of POSIX gives one offset, as <+02>-02 or UTC-2; the name may be missing, as in
    // -02:00. Offsets count from the zone to UTC: those ahead of it are negative. Returns nullptr for other strings.
    static std::shared_ptr<const TimeZone> ofOffset(std::string_view string);

    // Returns how many seconds the zone's clocks are ahead of UTC at an instant, in seconds since 1970 UTC.
    int64_t offsetAt(int64_t utcSeconds) const;
    // Returns the offset at a time that the zone's clocks show: the one before the change if they show it twice or skip
    // it.
    int64_t offsetAtLocal(int64_t localSeconds) const;

private:
    struct Period {
        int64_t from;  // UTC
        int64_t offset;
    };
    static std::shared_ptr<const TimeZone> read(const std::string& name);
    // Appends the periods of a rule after the last one, up to where they repeat.
    void goOnBy(const TimeZoneRule& rule);
    // Computes `localEnds_` from `periods_`.
    void noteLocalEnds();
    // Returns a time of the same clocks that is before `cycleEnd_`.
    int64_t inCycle(int64_t seconds) const;

    std::vector<Period> periods_;     // ascending; the first one has no lower bound
    std::vector<int64_t> localEnds_;  // local times at which the periods end, one for each period but the last
    int64_t cycleEnd_ = INT64_MAX;    // from here on all changes are those of 400 years before
};

}  // namespace pelorus
