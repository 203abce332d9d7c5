#include "common/time/time_zone.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>

#include "common/error.h"
#include "common/thread/mutex.h"

namespace pelorus {

namespace {

constexpr const char* kFolder = "/usr/share/zoneinfo/";

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
    std::ifstream stream;
    if (isPlainName(name)) stream.open(kFolder + name, std::ios::binary);
    std::string bytes;
    if (stream) bytes.assign(std::istreambuf_iterator<char>(stream), {});
    ZoneFile file(std::move(bytes));
    Counts counts = header(file);
    if (!counts.known) {
        throw UserError("There is no time zone named " + name + ".",
                        "Names are those of the zone database, as Asia/Tokyo.");
    }
    int width = 4;
    if (counts.version >= '2') {
        // The times of 8 bytes follow those of 4.
        file.skip(counts.times * 5 + counts.types * 6 + counts.characters + counts.leaps * 8 + counts.wallFlags +
                  counts.utcFlags);
        counts = header(file);
        width = 8;
    }
    if (!counts.known || file.broken() || counts.times < 0 || counts.times > 100000 || counts.types < 1) {
        throw SystemError(std::string("The zone file ") + kFolder + name + " is broken.");
    }
    std::vector<int64_t> times;
    std::vector<uint8_t> kinds;
    std::vector<int64_t> offsets;
    for (int64_t i = 0; i < counts.times; ++i) times.push_back(file.integer(width));
    for (int64_t i = 0; i < counts.times; ++i) kinds.push_back(file.byte());
    for (int64_t i = 0; i < counts.types; ++i) {
        offsets.push_back(file.integer(4));
        file.skip(2);
    }
    auto zone = std::make_shared<TimeZone>();
    zone->periods_.push_back({INT64_MIN, offsets[0]});
    for (size_t i = 0; i < times.size(); ++i) {
        if (kinds[i] >= offsets.size())
            throw SystemError(std::string("The zone file ") + kFolder + name + " is broken.");
        zone->periods_.push_back({times[i], offsets[kinds[i]]});
    }
    return zone;
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
    auto after = std::upper_bound(periods_.begin() + 1, periods_.end(), utcSeconds,
                                  [](int64_t t, const Period& p) { return t < p.from; });
    return (after - 1)->offset;
}

int64_t TimeZone::offsetAtLocal(int64_t localSeconds) const {
    // Finds the last period that has begun by the clock of the period before it.
    size_t i = 0;
    while (i + 1 < periods_.size() && localSeconds >= periods_[i + 1].from + periods_[i].offset) ++i;
    return periods_[i].offset;
}

}  // namespace pelorus
