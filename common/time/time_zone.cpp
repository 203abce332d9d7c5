#include "common/time/time_zone.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "common/error.h"
#include "common/thread/mutex.h"
#include "common/time/calendar.h"
#include "common/time/time_zone_rule.h"

namespace pelorus {

namespace {

// Dates and days of the week repeat after 400 years of the Gregorian calendar, and so do the changes that a rule makes.
constexpr int64_t kCycleYears = 400;
constexpr int64_t kCycleSeconds = 146097 * calendar::kSecondsPerDay;

// Returns the folder of the zone database: TZDIR, as for the system's own programs, or where Debian has it.
std::string zoneFolder() {
    const char* folder = std::getenv("TZDIR");
    return folder != nullptr && *folder != 0 ? std::string(folder) + "/" : "/usr/share/zoneinfo/";
}

// Returns a year that begins at most a day after an instant, or at most 367 days before it.
int64_t yearNear(int64_t utcSeconds) {
    // 31,556,952 seconds are the mean year of the cycle.
    const int64_t years = utcSeconds / 31556952 - (utcSeconds % 31556952 < 0 ? 1 : 0);
    return 1970 + years;
}

// Reader of big-endian fields of a file held in memory; reading past the end returns zero and marks the file as broken.
class ZoneFile {
public:
    explicit ZoneFile(std::string bytes) : bytes_(std::move(bytes)) {}

    int64_t integer(int width) {
        uint64_t value = 0;
        for (int i = 0; i < width; ++i) value = value << 8 | byte();
        const int unused = 64 - 8 * width;
        return static_cast<int64_t>(value << unused) >> unused;
    }
    uint8_t byte() {
        if (at_ >= bytes_.size()) {
            broken_ = true;
            return 0;
        }
        return static_cast<uint8_t>(bytes_[at_++]);
    }
    void skip(int64_t count) { at_ += static_cast<size_t>(std::max<int64_t>(count, 0)); }
    // Reads the line between two line ends; empty when there is none.
    std::string line() {
        std::string string;
        if (byte() != '\n') return string;
        while (!broken()) {
            const uint8_t letter = byte();
            if (letter == '\n') return string;
            string.push_back(static_cast<char>(letter));
        }
        return {};
    }
    bool broken() const { return broken_ || at_ > bytes_.size(); }

private:
    std::string bytes_;
    size_t at_ = 0;
    bool broken_ = false;
};

struct Counts {
    bool known = false;
    int version = 0;
    int64_t utcFlags, wallFlags, leaps, times, types, characters;
};

Counts header(ZoneFile& file) {
    Counts c;
    char magic[4];
    for (char& letter : magic) letter = static_cast<char>(file.byte());
    c.known = std::memcmp(magic, "TZif", 4) == 0;
    c.version = file.byte();
    file.skip(15);
    for (int64_t* count : {&c.utcFlags, &c.wallFlags, &c.leaps, &c.times, &c.types, &c.characters}) {
        *count = file.integer(4);
    }
    return c;
}

bool isPlainName(const std::string& name) {
    return !name.empty() && name[0] != '/' && name.find("..") == std::string::npos &&
           std::all_of(name.begin(), name.end(),
                       [](unsigned char c) { return std::isalnum(c) || c == '/' || c == '_' || c == '-' || c == '+'; });
}

}  // namespace

std::shared_ptr<const TimeZone> TimeZone::read(const std::string& name) {
    const std::string path = zoneFolder() + name;
    std::ifstream stream;
    // Asia is a folder, which would be opened like a file.
    std::error_code unknown;
    if (isPlainName(name) && std::filesystem::is_regular_file(path, unknown)) stream.open(path, std::ios::binary);
    std::string bytes;
    if (stream) bytes.assign(std::istreambuf_iterator<char>(stream), {});
    ZoneFile file(std::move(bytes));
    Counts counts = header(file);
    if (!counts.known) {
        if (!std::filesystem::exists(zoneFolder())) {
            throw SystemError("There is no zone database in " + zoneFolder() + ".",
                              "Install the package tzdata, or name its folder in the environment variable TZDIR.");
        }
        throw UserError("There is no time zone named " + name + ".",
                        "Names are those of the zone database, as Asia/Tokyo.");
    }
    const auto check = [&](bool holds) {
        if (!holds) throw SystemError("The zone file " + path + " is broken.");
    };
    int width = 4;
    if (counts.version >= '2') {
        // The times of 8 bytes follow those of 4.
        file.skip(counts.times * 5 + counts.types * 6 + counts.characters + counts.leaps * 8 + counts.wallFlags +
                  counts.utcFlags);
        counts = header(file);
        width = 8;
    }
    check(counts.known && !file.broken() && counts.times >= 0 && counts.times <= 100000 && counts.types >= 1 &&
          counts.types <= 256);
    std::vector<int64_t> times;
    std::vector<uint8_t> kinds;
    std::vector<int64_t> offsets;
    size_t firstStandard = 0;
    bool foundStandard = false;
    for (int64_t i = 0; i < counts.times; ++i) times.push_back(file.integer(width));
    for (int64_t i = 0; i < counts.times; ++i) kinds.push_back(file.byte());
    for (int64_t i = 0; i < counts.types; ++i) {
        offsets.push_back(file.integer(4));
        const bool isSummer = file.byte() != 0;
        file.skip(1);
        if (!isSummer && !foundStandard) {
            foundStandard = true;
            firstStandard = static_cast<size_t>(i);
        }
    }
    file.skip(counts.characters + counts.leaps * (width + 4) + counts.wallFlags + counts.utcFlags);
    check(!file.broken());

    auto zone = std::make_shared<TimeZone>();
    zone->periods_.push_back({INT64_MIN, offsets[firstStandard]});
    for (size_t i = 0; i < times.size(); ++i) {
        check(kinds[i] < offsets.size() && (i == 0 || times[i] > times[i - 1]));
        zone->periods_.push_back({times[i], offsets[kinds[i]]});
    }
    if (width == 8) {
        const std::string string = file.line();
        const std::optional<TimeZoneRule> rule = TimeZoneRule::parse(string);
        check(rule || string.empty());
        if (rule) zone->goOnBy(*rule);
    }
    zone->noteLocalEnds();
    return zone;
}

std::shared_ptr<const TimeZone> TimeZone::ofOffset(std::string_view string) {
    const bool hasName = !string.empty() && string.find_first_of("+-0123456789") != 0;
    const auto rule = TimeZoneRule::parse(hasName ? std::string(string) : "UTC" + std::string(string));
    if (!rule || rule->changes()) return nullptr;
    auto zone = std::make_shared<TimeZone>();
    zone->periods_.push_back({INT64_MIN, rule->standardOffset()});
    return zone;
}

void TimeZone::goOnBy(const TimeZoneRule& rule) {
    const bool hasTimes = periods_.size() > 1;
    if (!rule.changes()) {
        if (!hasTimes) periods_[0].offset = rule.standardOffset();
        return;
    }
    const int64_t last = hasTimes ? periods_.back().from : INT64_MIN;
    const int64_t firstYear = hasTimes ? yearNear(last) - 1 : 1;
    // The changes of the first years may be the file's or the rule's; those of the cycle, which begins behind them, are
    // the rule's alone.
    const std::vector<TimeZoneRule::Change> changes = rule.changesOf(firstYear, firstYear + kCycleYears + 4);
    if (!hasTimes) periods_[0].offset = rule.standardOffset();
    for (const TimeZoneRule::Change& change : changes) {
        if (change.at > last) periods_.push_back({change.at, change.offset});
    }
    cycleEnd_ = rule.changesOf(firstYear + kCycleYears + 4, firstYear + kCycleYears + 4).front().at;
}

void TimeZone::noteLocalEnds() {
    int64_t latest = INT64_MIN;
    for (size_t i = 0; i + 1 < periods_.size(); ++i) {
        // Clocks that go forward skip the times between the two offsets, clocks that go back show them twice.
        const int64_t offset = std::max(periods_[i].offset, periods_[i + 1].offset);
        latest = std::max(latest, periods_[i + 1].from + offset);
        localEnds_.push_back(latest);
    }
}

int64_t TimeZone::inCycle(int64_t seconds) const {
    if (seconds < cycleEnd_) return seconds;
    return seconds - ((seconds - cycleEnd_) / kCycleSeconds + 1) * kCycleSeconds;
}

std::shared_ptr<const TimeZone> TimeZone::find(const std::string& name) {
    static Mutex mutex;
    static std::map<std::string, std::shared_ptr<const TimeZone>> known GUARDED_BY(mutex);
    const MutexLock guard(mutex);
    std::shared_ptr<const TimeZone>& zone = known[name];
    if (!zone) {
        try {
            zone = read(name);
        } catch (...) {
            known.erase(name);
            throw;
        }
    }
    return zone;
}

int64_t TimeZone::offsetAt(int64_t utcSeconds) const {
    auto after = std::upper_bound(periods_.begin() + 1, periods_.end(), inCycle(utcSeconds),
                                  [](int64_t t, const Period& p) { return t < p.from; });
    return (after - 1)->offset;
}

int64_t TimeZone::offsetAtLocal(int64_t localSeconds) const {
    const auto end = std::upper_bound(localEnds_.begin(), localEnds_.end(), inCycle(localSeconds));
    return periods_[static_cast<size_t>(end - localEnds_.begin())].offset;
}

}  // namespace pelorus
