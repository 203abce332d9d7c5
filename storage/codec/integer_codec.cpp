#include "storage/codec/integer_codec.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <span>

#include "common/check.h"
#include "common/widest.h"

namespace pelorus::codec {

namespace {

// On disk: append, never renumber.
enum Kind : uint8_t {
    kPlain = 0,
    kConstant = 1,
    kRunLength = 2,
    kPacked = 3,
    kDelta = 4,
    kPlanes = 5,
    kDeltaPlanes = 6
};

constexpr int kExceptionBytes = 2 + 8;

uint64_t zigzag(int64_t x) {
    return (static_cast<uint64_t>(x) << 1) ^ static_cast<uint64_t>(x >> 63);
}
int64_t unzigzag(uint64_t x) {
    return static_cast<int64_t>(x >> 1) ^ -static_cast<int64_t>(x & 1);
}

// Every eighth group of a block decides how all are encoded.
std::vector<uint64_t> sampleOf(std::span<const uint64_t> numbers) {
    constexpr size_t kStride = 8;
    if (numbers.size() <= kStride * kGroup) return {numbers.begin(), numbers.end()};
    std::vector<uint64_t> sample;
    sample.reserve(numbers.size() / kStride + kGroup);
    for (size_t begin = 0; begin < numbers.size(); begin += kStride * kGroup) {
        const auto group = numbers.subspan(begin, std::min<size_t>(kGroup, numbers.size() - begin));
        sample.insert(sample.end(), group.begin(), group.end());
    }
    return sample;
}

// Encoding of one group: numbers below 2^width above the base are packed, the others are exceptions.
struct GroupPlan {
    uint64_t base = 0;
    int width = 0;
    int exceptions = 0;
    int64_t sizeBytes = INT64_MAX;
};

// Fit of offsets from a base to `width` bits: the number of exceptions, and the largest of the others.
struct Fit {
    int exceptions;
    uint64_t largest;
};

template <class Distance>
[[gnu::always_inline]] inline Fit fitWidth(const Distance* numbers, int count, Distance base, int width) {
    const Distance limit = width == std::numeric_limits<Distance>::digits ? ~Distance{0} : (Distance{1} << width) - 1;
    return onWidest([=]() __attribute__((always_inline)) {
        Distance exceptions = 0, largest = 0;
        for (int i = 0; i < count; ++i) {
            const Distance distance = numbers[i] - base;
            const bool fits = distance <= limit;
            exceptions += !fits;
            largest = std::max(largest, fits ? distance : 0);
        }
        return Fit{static_cast<int>(exceptions), largest};
    });
}

// Offsets in 32 bits; larger ones saturate.
void narrowDistances(const uint64_t* numbers, int count, uint64_t base, uint32_t* distances) {
    onWidest([=]() __attribute__((always_inline)) {
        for (int i = 0; i < count; ++i) {
            const uint64_t distance = numbers[i] - base;
            distances[i] = static_cast<uint32_t>(std::min<uint64_t>(distance, UINT32_MAX));
        }
    });
}

struct Extremes {
    uint64_t least, largest;
};

Extremes extremesOf(const uint64_t* numbers, int64_t count) {
    return onWidest([=]() __attribute__((always_inline)) {
        auto least = static_cast<int64_t>(numbers[0]), largest = least;
        for (int64_t i = 1; i < count; ++i) {
            least = std::min(least, static_cast<int64_t>(numbers[i]));
            largest = std::max(largest, static_cast<int64_t>(numbers[i]));
        }
        return Extremes{static_cast<uint64_t>(least), static_cast<uint64_t>(largest)};
    });
}

// Searches from wide to narrow, beginning below `widest`, which leaves no exceptions when the base is the min. Narrower
// widths leave no fewer exceptions, so the search ends where these alone cost more than the best plan. Numbers below
// the base are exceptions at any width but 64, which only a base equal to the min needs.
GroupPlan planWidth(const uint64_t* numbers, int count, uint64_t base, int widest, bool isLeast) {
    GroupPlan plan;
    plan.base = base;
    const auto consider = [&](int width, int exceptions) {
        const int low = std::min(width, 32), high = width - low;
        const int64_t size =
            4 * (packedWords(count, low) + packedWords(count, high)) + int64_t{exceptions} * kExceptionBytes;
        if (size > plan.sizeBytes) return;
        plan.sizeBytes = size;
        plan.width = width;
        plan.exceptions = exceptions;
    };
    if (isLeast) consider(widest--, 0);
    alignas(64) uint32_t distances[kGroup];
    bool narrow = false;
    for (int limit = widest; limit >= 0; --limit) {
        if (!narrow && limit < 32) {
            narrowDistances(numbers, count, base, distances);
            narrow = true;
        }
        const Fit fit =
            narrow ? fitWidth<uint32_t>(distances, count, 0, limit) : fitWidth<uint64_t>(numbers, count, base, limit);
        if (int64_t{fit.exceptions} * kExceptionBytes > plan.sizeBytes) break;
        limit = std::bit_width(fit.largest);
        consider(limit, fit.exceptions);
    }
    return plan;
}

// The base is the min, or a number that leaves a few outliers below it to the exceptions.
GroupPlan planGroup(const uint64_t* numbers, int count) {
    constexpr int kSample = 64;
    const auto less = [](uint64_t a, uint64_t b) { return static_cast<int64_t>(a) < static_cast<int64_t>(b); };
    const auto [least, largest] = extremesOf(numbers, count);
    GroupPlan best = planWidth(numbers, count, least, static_cast<int>(std::bit_width(largest - least)), true);
    if (best.width <= 1 || count < 2 * kSample) return best;
    // The two smallest and the second largest number of a sample: another base pays only when most numbers are closer
    // together.
    uint64_t first = numbers[0], second = INT64_MAX, last = numbers[0], lastButOne = static_cast<uint64_t>(INT64_MIN);
    for (int i = 1; i < kSample; ++i) {
        const uint64_t x = numbers[count / kSample * i];
        second = less(x, first) ? first : less(x, second) ? x : second;
        first = less(x, first) ? x : first;
        lastButOne = less(last, x) ? last : less(lastButOne, x) ? x : lastButOne;
        last = less(last, x) ? x : last;
    }
    if (static_cast<int>(std::bit_width(lastButOne - second)) >= best.width) return best;
    for (const uint64_t base : {second, first}) {
        if (base == least) continue;
        const GroupPlan other = planWidth(numbers, count, base, 63, false);
        if (other.sizeBytes < best.sizeBytes) best = other;
    }
    return best;
}

void appendWords(const uint64_t* numbers, int count, uint64_t base, int shift, int width, bool hasExceptions,
                 std::string& bytes) {
    if (width == 0) return;
    alignas(64) uint32_t plain[kGroup] = {};
    alignas(64) uint32_t words[kGroup];
    uint32_t* to = plain;
    const uint32_t bits = onWidest([=]() __attribute__((always_inline)) {
        uint32_t all = 0;
        for (int i = 0; i < count; ++i) all |= to[i] = static_cast<uint32_t>((numbers[i] - base) >> shift);
        return all;
    });
    CHECK(hasExceptions || shift != 0 || width == 32 || bits >> width == 0) << "all numbers of a group fit its width";
    pack(plain, width, words);
    bytes.append(reinterpret_cast<const char*>(words),
                 static_cast<size_t>(packedWords(count, width)) * sizeof(uint32_t));
}

void encodeGroup(const uint64_t* numbers, int count, std::string& bytes) {
    const GroupPlan plan = planGroup(numbers, count);
    std::vector<uint16_t> positions;
    for (int i = 0; plan.exceptions > 0 && i < count; ++i) {
        if (static_cast<int>(std::bit_width(numbers[i] - plan.base)) > plan.width)
            positions.push_back(static_cast<uint16_t>(i));
    }
    CHECK(plan.width >= 0 && plan.width <= 64) << "a number has at most 64 bits";
    CHECK(std::ssize(positions) == plan.exceptions) << "a plan counts the numbers that do not fit its width";
    ByteWriter writer(bytes);
    writer.varint(zigzag(static_cast<int64_t>(plan.base)));
    writer.fixed(static_cast<uint8_t>(plan.width));
    writer.varint(positions.size());
    const bool hasExceptions = !positions.empty();
    appendWords(numbers, count, plan.base, 0, std::min(plan.width, 32), hasExceptions, bytes);
    appendWords(numbers, count, plan.base, 32, std::max(plan.width - 32, 0), hasExceptions, bytes);
    writer.raw(positions.data(), positions.size() * sizeof(uint16_t));
    for (const uint16_t position : positions) writer.fixed(numbers[position]);
}

int64_t costOfGroups(std::span<const uint64_t> numbers) {
    int64_t total = 0;
    for (size_t begin = 0; begin < numbers.size(); begin += kGroup) {
        const int count = static_cast<int>(std::min<size_t>(kGroup, numbers.size() - begin));
        total += planGroup(numbers.data() + begin, count).sizeBytes + 4;
    }
    return total;
}

std::vector<uint64_t> differences(std::span<const uint64_t> numbers) {
    std::vector<uint64_t> deltas(numbers.size());
    const uint64_t* from = numbers.data();
    uint64_t* to = deltas.data();
    const auto n = static_cast<int64_t>(numbers.size());
    to[0] = from[0];
    onWidest([=]() __attribute__((always_inline)) {
        for (int64_t i = 1; i < n; ++i) to[i] = from[i] - from[i - 1];
    });
    // The first number is written separately.
    if (deltas.size() > 1) deltas[0] = deltas[1];
    return deltas;
}

void encodeGroups(std::span<const uint64_t> numbers, std::string& bytes) {
    for (size_t begin = 0; begin < numbers.size(); begin += kGroup) {
        encodeGroup(numbers.data() + begin, static_cast<int>(std::min<size_t>(kGroup, numbers.size() - begin)), bytes);
    }
}

// Returns offsets from a base, or zigzag-encoded differences.
std::vector<uint64_t> planeCodes(std::span<const uint64_t> numbers, uint64_t base, bool folded) {
    std::vector<uint64_t> codes(numbers.size());
    const uint64_t* from = numbers.data();
    uint64_t* to = codes.data();
    const auto n = static_cast<int64_t>(numbers.size());
    onWidest([=]() __attribute__((always_inline)) {
        if (folded) {
            for (int64_t i = 0; i < n; ++i) to[i] = (from[i] << 1) ^ (0 - (from[i] >> 63));
        } else {
            for (int64_t i = 0; i < n; ++i) to[i] = from[i] - base;
        }
    });
    return codes;
}

constexpr int64_t kImpossible = INT64_MAX / 256;

int64_t costOfPlanes(std::span<const uint64_t> codes) {
    std::string bytes;
    return encodePlanes(codes, bytes) ? static_cast<int64_t>(bytes.size()) : kImpossible;
}

// Appends byte planes, of differences or of offsets from the min. Returns false, and appends nothing, when they turn
// out larger than `limit`.
bool encodeAsPlanes(std::span<const uint64_t> numbers, uint64_t least, bool usesDeltas, int64_t limit,
                    std::string& bytes) {
    const size_t begin = bytes.size();
    ByteWriter writer(bytes);
    writer.fixed<uint8_t>(usesDeltas ? kDeltaPlanes : kPlanes);
    bool encoded;
    if (usesDeltas) {
        const std::vector<uint64_t> deltas = differences(numbers);
        writer.varint(zigzag(static_cast<int64_t>(numbers[0] - deltas[0])));
        encoded = encodePlanes(planeCodes(deltas, 0, true), bytes);
    } else {
        writer.varint(zigzag(static_cast<int64_t>(least)));
        encoded = encodePlanes(planeCodes(numbers, least, false), bytes);
    }
    if (encoded && static_cast<int64_t>(bytes.size() - begin) <= limit) return true;
    bytes.resize(begin);
    return false;
}

// Encodes without run lengths: for the runs themselves, and when they do not pay. Chooses the smaller form on a sample.
void encodePackedOrDelta(std::span<const uint64_t> numbers, std::span<const uint64_t> sample, int64_t packedCost,
                         std::string& bytes, Compression compression) {
    const auto n = static_cast<int64_t>(numbers.size()), sampled = static_cast<int64_t>(sample.size());
    std::vector<uint64_t> deltas = differences(sample);
    // Sampled groups are not adjacent in the column: the difference across a boundary is replaced by the next one.
    for (size_t begin = kGroup; begin + 1 < deltas.size(); begin += kGroup) deltas[begin] = deltas[begin + 1];
    const int64_t deltaCost = costOfGroups(deltas);
    // Deltas need an additional pass to decode, so they must save something.
    const bool usesDeltas = compression == Compression::Delta || deltaCost * 10 < packedCost * 9;
    const int64_t cost = usesDeltas ? deltaCost : packedCost;
    // Byte planes take longer to decode than packed bits. Below a fraction of a bit per number they save nothing.
    if (n >= 256 && cost * 32 >= sampled) {
        const int64_t limit = compression == Compression::Zstd ? cost - 1 : cost * 85 / 100;
        const uint64_t least = extremesOf(numbers.data(), n).least;
        const int64_t distancePlanes =
            compression == Compression::Delta ? kImpossible : costOfPlanes(planeCodes(sample, least, false));
        const int64_t deltaPlanes = costOfPlanes(planeCodes(deltas, 0, true));
        if (std::min(deltaPlanes, distancePlanes) <= limit &&
            encodeAsPlanes(numbers, least, deltaPlanes * 10 < distancePlanes * 9, limit * n / sampled, bytes))
            return;
    }
    ByteWriter writer(bytes);
    if (usesDeltas) {
        const std::vector<uint64_t> all = differences(numbers);
        writer.fixed<uint8_t>(kDelta);
        writer.varint(zigzag(static_cast<int64_t>(numbers[0] - all[0])));
        encodeGroups(all, bytes);
    } else {
        writer.fixed<uint8_t>(kPacked);
        encodeGroups(numbers, bytes);
    }
}

struct Range {
    int64_t least, largest, nulls;
};

Range rangeOf(const int64_t* numbers, int64_t n, int64_t null) {
    return onWidest([=]() __attribute__((always_inline)) {
        int64_t least = INT64_MAX, largest = INT64_MIN, nulls = 0;
        for (int64_t i = 0; i < n; ++i) {
            const bool missing = numbers[i] == null;
            nulls += missing;
            least = std::min(least, missing ? INT64_MAX : numbers[i]);
            largest = std::max(largest, missing ? INT64_MIN : numbers[i]);
        }
        return Range{least, largest, nulls};
    });
}

int64_t countRuns(std::span<const uint64_t> numbers) {
    const uint64_t* from = numbers.data();
    const auto n = static_cast<int64_t>(numbers.size());
    return onWidest([=]() __attribute__((always_inline)) {
        int64_t runs = 1;
        for (int64_t i = 1; i < n; ++i) runs += from[i] != from[i - 1];
        return runs;
    });
}

void encodeRuns(std::span<const uint64_t> numbers, int64_t runs, std::string& bytes) {
    std::vector<uint64_t> values, lengths;
    values.reserve(static_cast<size_t>(runs));
    lengths.reserve(static_cast<size_t>(runs));
    for (size_t i = 0; i < numbers.size(); ++i) {
        if (i > 0 && numbers[i] == numbers[i - 1]) {
            ++lengths.back();
        } else {
            values.push_back(numbers[i]);
            lengths.push_back(1);
        }
    }
    ByteWriter writer(bytes);
    writer.fixed<uint8_t>(kRunLength);
    writer.varint(static_cast<uint64_t>(runs));
    for (const std::vector<uint64_t>* part : {&values, &lengths}) {
        std::string encoded;
        encoded.push_back(0);  // no separate NULL
        encodePackedOrDelta(*part, *part, costOfGroups(*part), encoded, Compression::Lz4);
        writer.string(encoded);
    }
}

}  // namespace

void encodeIntegers(std::vector<int64_t> numbers, int64_t null, std::string& bytes, Compression compression) {
    CHECK(!numbers.empty() && numbers.size() <= 65536) << "positions within a block have 16 bits";
    ByteWriter writer(bytes);
    const auto n = static_cast<int64_t>(numbers.size());
    const Range range = rangeOf(numbers.data(), n, null);
    // First byte: whether NULL has a separate code, just below the others.
    const bool hasCode = range.nulls > 0 && range.nulls < n && range.least > INT64_MIN + 1;
    writer.fixed<uint8_t>(hasCode);
    if (hasCode) writer.varint(zigzag(range.least - 1));
    if (range.nulls == n || (range.nulls == 0 && range.least == range.largest)) {
        writer.fixed<uint8_t>(kConstant);
        writer.fixed(numbers[0]);
        return;
    }
    if (hasCode) std::replace(numbers.begin(), numbers.end(), null, range.least - 1);
    const std::span<const uint64_t> coded(reinterpret_cast<const uint64_t*>(numbers.data()), numbers.size());
    const int64_t runs = countRuns(coded);
    const std::vector<uint64_t> sample = sampleOf(coded);
    const int64_t sampleCost = costOfGroups(sample);
    const int64_t packedCost = sampleCost * n / static_cast<int64_t>(sample.size());
    // Long runs: smaller, and faster to decode than any packing.
    if (n / runs >= 16 && runs * 6 < packedCost + 64) {
        encodeRuns(coded, runs, bytes);
    } else if (packedCost >= n * 8) {
        writer.fixed<uint8_t>(kPlain);
        writer.raw(coded.data(), coded.size_bytes());
    } else {
        encodePackedOrDelta(coded, sample, sampleCost, bytes, compression);
    }
}

// ---- decoding

template <class Number>
IntegerReader<Number>::IntegerReader(std::string_view bytes, int64_t n, Number null)
    : reader_(bytes), left_(n), null_(null) {
    hasNull_ = reader_.fixed<uint8_t>() != 0;
    if (hasNull_) nullCode_ = static_cast<Number>(unzigzag(reader_.varint()));
    kind_ = reader_.fixed<uint8_t>();
    switch (kind_) {
        case kPlain:
        case kPacked:
            break;
        case kConstant:
            running_ = static_cast<Number>(reader_.fixed<uint64_t>());
            break;
        case kDelta:
            running_ = static_cast<Number>(unzigzag(reader_.varint()));
            break;
        case kPlanes:
        case kDeltaPlanes:
            running_ = static_cast<Number>(unzigzag(reader_.varint()));
            planes_.open(reader_, n);
            break;
        case kRunLength: {
            const uint64_t runs = reader_.varint();
            if (runs == 0 || runs > static_cast<uint64_t>(n)) throw SystemError("a number of runs is wrong");
            const std::string_view values = reader_.string(), lengths = reader_.string();
            const auto room = (runs + kGroup - 1) / kGroup * kGroup;
            runValues_.resize(room);
            runLengths_.resize(room);
            IntegerReader<Number> valueReader(values, static_cast<int64_t>(runs), 0);
            IntegerReader<uint32_t> lengthReader(lengths, static_cast<int64_t>(runs), 0);
            for (size_t at = 0; at < runs; at += kGroup) {
                valueReader.next(runValues_.data() + at);
                lengthReader.next(runLengths_.data() + at);
            }
            runLengths_.resize(runs);
            break;
        }
        default:
            throw SystemError("an encoding is unknown");
    }
}

template <class Number>
static void widen(const uint32_t* low, Number base, Number* numbers) {
    onWidest([=]() __attribute__((always_inline)) {
        const uint32_t* __restrict from = low;
        Number* __restrict to = numbers;
        for (int i = 0; i < kGroup; ++i) to[i] = static_cast<Number>(from[i]) + base;
    });
}

template <class Number>
void IntegerReader<Number>::readGroup(Number* numbers, int count) {
    const auto base = static_cast<Number>(unzigzag(reader_.varint()));
    const int width = reader_.fixed<uint8_t>();
    const uint64_t exceptions = reader_.varint();
    if (width > 64 || exceptions > static_cast<uint64_t>(count)) throw SystemError("a packed group is malformed");
    alignas(64) uint32_t part[kGroup];
    const int lowWidth = std::min(width, 32), highWidth = width - lowWidth;
    const std::string_view low = reader_.raw(static_cast<size_t>(packedWords(count, lowWidth)) * sizeof(uint32_t));
    const std::string_view high = reader_.raw(static_cast<size_t>(packedWords(count, highWidth)) * sizeof(uint32_t));
    unpack(low.data(), lowWidth, part, count);
    widen(part, base, numbers);
    if constexpr (sizeof(Number) == 8) {
        if (highWidth > 0) {
            unpack(high.data(), highWidth, part, count);
            for (int i = 0; i < kGroup; ++i) numbers[i] += static_cast<Number>(part[i]) << 32;
        }
    }
    const std::string_view positions = reader_.raw(exceptions * sizeof(uint16_t));
    const std::string_view values = reader_.raw(exceptions * sizeof(uint64_t));
    for (uint64_t e = 0; e < exceptions; ++e) {
        uint16_t position;
        uint64_t value;
        std::memcpy(&position, positions.data() + e * sizeof position, sizeof position);
        std::memcpy(&value, values.data() + e * sizeof value, sizeof value);
        if (position >= count) throw SystemError("a packed group is malformed");
        numbers[position] = static_cast<Number>(value);
    }
}

// Replaces each number by the prefix sum including `sum`; returns the last one.
template <class Number>
static Number addUp(Number* numbers, int count, Number sum) {
    for (int i = 0; i < count; ++i) numbers[i] = sum += numbers[i];
    return sum;
}

template <class Number>
int IntegerReader<Number>::next(Number* numbers) {
    CHECK(left_ > 0) << "no more numbers are read than the block holds";
    const int count = static_cast<int>(std::min<int64_t>(kGroup, left_));
    left_ -= count;
    switch (kind_) {
        case kPlain: {
            const std::string_view raw = reader_.raw(static_cast<size_t>(count) * sizeof(uint64_t));
            for (int i = 0; i < count; ++i) {
                uint64_t x;
                std::memcpy(&x, raw.data() + static_cast<size_t>(i) * sizeof x, sizeof x);
                numbers[i] = static_cast<Number>(x);
            }
            break;
        }
        case kConstant:
            std::fill_n(numbers, count, running_);
            break;
        case kRunLength:
            for (int done = 0; done < count;) {
                if (run_ >= runLengths_.size()) throw SystemError("run lengths end too early");
                const auto part = std::min(static_cast<uint32_t>(count - done), runLengths_[run_]);
                if (part == 0) throw SystemError("a run has no length");
                std::fill_n(numbers + done, part, runValues_[run_]);
                done += static_cast<int>(part);
                runLengths_[run_] -= part;
                if (runLengths_[run_] == 0) ++run_;
            }
            break;
        case kPacked:
            readGroup(numbers, count);
            break;
        case kDelta:
            readGroup(numbers, count);
            running_ = addUp(numbers, count, running_);
            break;
        case kPlanes:
            planes_.next(numbers, count);
            onWidest([ numbers, count, base = running_ ]() __attribute__((always_inline)) {
                for (int i = 0; i < count; ++i) numbers[i] += base;
            });
            break;
        case kDeltaPlanes:
            planes_.next(numbers, count);
            onWidest([=]() __attribute__((always_inline)) {
                for (int i = 0; i < count; ++i) numbers[i] = (numbers[i] >> 1) ^ (0 - (numbers[i] & 1));
            });
            running_ = addUp(numbers, count, running_);
            break;
    }
    if (hasNull_) {
        onWidest([ numbers, count, code = nullCode_, null = null_ ]() __attribute__((always_inline)) {
            for (int i = 0; i < count; ++i) numbers[i] = numbers[i] == code ? null : numbers[i];
        });
    }
    return count;
}

template class IntegerReader<uint32_t>;
template class IntegerReader<uint64_t>;

}  // namespace pelorus::codec
