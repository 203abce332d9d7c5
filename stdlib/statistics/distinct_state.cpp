#include "stdlib/statistics/distinct_state.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "common/check.h"
#include "common/thread/cancellation.h"
#include "common/thread/thread_pool.h"
#include "runtime/kernel/aggregate/value_state.h"
#include "runtime/serialize/received.h"
#include "runtime/value/element_width.h"
#include "runtime/value/key_index.h"
#include "stdlib/statistics/sliding_values.h"

namespace pelorus {

namespace {

// Pair of a value, as a machine word or by its number, and its group. Item: uint32_t where that is enough, which halves
// the pair, or uint64_t.
template <class Item>
struct ItemOfGroup {
    static constexpr int32_t kNoGroup = -1;
    Item element = 0;
    int32_t group = kNoGroup;
    bool operator==(const ItemOfGroup&) const = default;
};

// Hash set of such pairs, with open addressing.
template <class Item>
class PairSet {
public:
    using Pair = ItemOfGroup<Item>;

    // Returns whether the pair is new.
    bool insert(const Pair& pair) { return insert(pair, hashOf(pair)); }
    bool insert(const Pair& pair, uint64_t hash) {
        if (4 * (size_ + 1) > 3 * pairs_.size()) grow();
        Pair& place = placeOf(pair, hash);
        if (place.group != Pair::kNoGroup) return false;
        place = pair;
        ++size_;
        return true;
    }
    // Reserves memory for so many pairs. REQUIRES: no pair has been added.
    void makeRoom(size_t pairs) {
        CHECK(size_ == 0) << "a set that holds pairs grows by hashing them again";
        pairs_.resize(std::bit_ceil(std::max<size_t>(64, pairs + pairs / 2)));
    }
    // Prefetches the slot of a pair that will be added soon.
    void prefetch(uint64_t hash) const {
        if (!pairs_.empty()) __builtin_prefetch(&pairs_[hash & (pairs_.size() - 1)]);
    }
    // The finalizer of MurmurHash3 (Appleby), over both.
    static uint64_t hashOf(const Pair& pair) {
        uint64_t h = pair.element + static_cast<uint64_t>(pair.group) * 0x9e3779b97f4a7c15ull;
        h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdull;
        h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53ull;
        return h ^ (h >> 33);
    }
    // Hashes the value alone: pairs of one value stay together when groups are renumbered.
    static uint64_t hashOf(Item element) { return hashOf({element, 0}); }
    size_t size() const { return size_; }
    template <class F>
    void forEach(F f) const {
        for (const Pair& pair : pairs_) {
            if (pair.group != Pair::kNoGroup) f(pair);
        }
    }

private:
    Pair& placeOf(const Pair& pair, uint64_t hash) {
        const size_t mask = pairs_.size() - 1;
        size_t at = hash & mask;
        while (pairs_[at].group != Pair::kNoGroup && pairs_[at] != pair) at = (at + 1) & mask;
        return pairs_[at];
    }
    void grow() {
        checkCancelled();
        std::vector<Pair> before(std::max<size_t>(64, 2 * pairs_.size()));
        before.swap(pairs_);
        for (const Pair& pair : before) {
            if (pair.group != Pair::kNoGroup) placeOf(pair, hashOf(pair)) = pair;
        }
    }

    std::vector<Pair> pairs_;
    size_t size_ = 0;
};

// Log of many pairs, partitioned by the hash of their value. A pair may occur several times until its partition is
// deduplicated: by a hash set that fits into a cache, and on all threads.
template <class Item>
class PairLog {
public:
    using Set = PairSet<Item>;
    using Pair = ItemOfGroup<Item>;

    void add(const Pair& pair) {
        const uint64_t hash = Set::hashOf(pair.element);
        // Pairs that were added recently are known.
        Pair& recent = recent_[(hash + static_cast<uint64_t>(pair.group)) & (kRecent - 1)];
        if (recent == pair) return;
        recent = pair;
        parts_[hash >> (64 - kPartBits)].push_back(pair);
    }
    void append(const Pair& pair) { parts_[Set::hashOf(pair.element) >> (64 - kPartBits)].push_back(pair); }
    // Appends the pairs of another log whose group is below `count`, renumbering their groups and values.
    void append(const PairLog& other, const int32_t* groups, int64_t count, const std::vector<int32_t>& elements) {
        tidyAt_ = std::max(tidyAt_, other.tidyAt_);
        if (!elements.empty()) {
            if (&other == this) return append(PairLog(other), groups, count, elements);
            for (const auto& part : other.parts_) {
                for (const Pair& pair : part) {
                    if (pair.group < count)
                        append({static_cast<Item>(elements[pair.element]), groups ? groups[pair.group] : pair.group});
                }
            }
            return;
        }
        parallelFor(kParts, [&](int64_t p) {
            const std::vector<Pair>& from = other.parts_[static_cast<size_t>(p)];
            std::vector<Pair>& to = parts_[static_cast<size_t>(p)];
            const size_t size = from.size();  // `other` may be this
            if (to.capacity() < to.size() + size) to.reserve(std::max(2 * to.capacity(), to.size() + size));
            for (size_t i = 0; i < size; ++i) {
                const Pair pair = from[i];
                if (pair.group < count) to.push_back({pair.element, groups ? groups[pair.group] : pair.group});
            }
        });
    }

    // Removes duplicates when enough was added that it may be worth it: the log stays within a few times the number of
    // distinct pairs. When the largest partitions have few duplicates, the others are skipped until later.
    void tidy() {
        const size_t before = size();
        if (before <= tidyAt_) return;
        std::array<size_t, kParts> largestFirst;
        std::iota(largestFirst.begin(), largestFirst.end(), size_t{0});
        std::sort(largestFirst.begin(), largestFirst.end(),
                  [&](size_t a, size_t b) { return parts_[a].size() > parts_[b].size(); });
        size_t looked = 0, different = 0;
        for (const size_t p : largestFirst) {
            looked += parts_[p].size();
            keepFirst(parts_[p]);
            different += parts_[p].size();
            if (looked * kSampleOf >= before) break;
        }
        if (2 * different > looked) {
            tidyAt_ = std::max(kManyTidy, 4 * size());
            return;
        }
        makeDistinct();
        tidyAt_ = std::max(kFewTidy, 4 * size());
    }
    void makeDistinct() {
        if (size() <= 2 * kFewTidy) {
            for (auto& part : parts_) keepFirst(part);  // less than the cost of starting threads
        } else {
            parallelFor(kParts, [&](int64_t p) { keepFirst(parts_[static_cast<size_t>(p)]); });
        }
    }
    size_t size() const {
        size_t sum = 0;
        for (const auto& part : parts_) sum += part.size();
        return sum;
    }
    const auto& parts() const { return parts_; }

private:
    static constexpr int kPartBits = 7;
    static constexpr size_t kParts = size_t{1} << kPartBits;
    static constexpr size_t kRecent = 4096;
    static constexpr size_t kSampleOf = 8;  // one pair of so many
    static constexpr size_t kFewTidy = size_t{1} << 18, kManyTidy = size_t{1} << 22;

    static void keepFirst(std::vector<Pair>& part) {
        constexpr size_t kAhead = 16;
        Set known;
        known.makeRoom(part.size());
        size_t kept = 0;
        uint64_t soon[kAhead];
        const auto fetch = [&](size_t i) {
            if (i >= part.size()) return;
            soon[i % kAhead] = Set::hashOf(part[i]);
            known.prefetch(soon[i % kAhead]);
        };
        for (size_t i = 0; i < kAhead; ++i) fetch(i);
        for (size_t i = 0; i < part.size(); ++i) {
            if (known.insert(part[i], soon[i % kAhead])) part[kept++] = part[i];
            fetch(i + kAhead);
        }
        part.resize(kept);
    }

    std::vector<std::vector<Pair>> parts_{kParts};
    std::vector<Pair> recent_{kRecent};
    size_t tidyAt_ = kFewTidy;
};

// Returns whether values fit into a machine word; others are numbered by an index.
bool isWord(Type type) {
    return storageOf(type) != Storage::String && widthOf(type) <= 8;
}

// Whether elements are equal where their bits are: floats without NaN and negative zeros are.
bool areEqualByBits(const Vector& elements) {
    const auto areOf = [&](auto zero) {
        const auto* const x = elements.data<decltype(zero)>();
        return std::none_of(x, x + elements.size(),
                            [](auto e) { return std::isnan(e) || (e == 0 && std::signbit(e)); });
    };
    if (!isFloating(elements.type())) return true;
    return elements.type() == Type::Float ? areOf(float{}) : areOf(double{});
}

template <class Item>
class DistinctState final : public ValueState {
    using Set = PairSet<Item>;
    using Pair = ItemOfGroup<Item>;

public:
    explicit DistinctState(Type type) : type_(type), index_(isWord(type) ? Type::Int : type) { index_.shareStrings(); }

    Value ofWindows(std::span<const Value> arguments, std::span<const int32_t> begins,
                    std::span<const int32_t> ends) const override {
        if (arguments.size() != 1 || !arguments[0].isTypedVector()) return Value();
        if (!areEqualByBits(arguments[0].vector())) return Value();
        KeyIndex kinds(arguments[0].type());
        kinds.shareStrings();
        std::vector<int32_t> numbers(static_cast<size_t>(arguments[0].size()));
        kinds.insertAll(arguments[0].vector(), numbers.data());
        return slidingDistinctCounts(numbers, kinds.size(), begins, ends);
    }

    void resize(int64_t groups) override {
        counts_.resize(static_cast<size_t>(groups));
        if (groups > 1) keepPairs();
    }

    void add(std::span<const Value> arguments, const int32_t* groups, int64_t count) override {
        if (count == 0) return;
        const Value& x = arguments[0];
        CHECK(x.isScalar() || x.size() >= count) << "the argument has a value for each row";
        const Ref<Vector> elements = x.isScalar() ? Vector::filled(type_, 1, x) : Ref<Vector>(&x.vector());
        scale_ = elements->scale();
        const std::vector<Item> words = wordsOf(*elements);
        if (impliesPairs_) return;
        constexpr int64_t kAhead = 16;
        const auto pair = [&](int64_t i) {
            return Pair{words[x.isScalar() ? 0 : static_cast<size_t>(i)], groups ? groups[i] : 0};
        };
        inPieces(count, [&](int64_t begin, int64_t end) {
            if (log_) {
                for (int64_t i = begin; i < end; ++i) log_->add(pair(i));
                log_->tidy();
                return;
            }
            uint64_t soon[kAhead];
            const auto fetch = [&](int64_t i) {
                if (i >= end) return;
                soon[i % kAhead] = Set::hashOf(pair(i));
                pairs_.prefetch(soon[i % kAhead]);
            };
            for (int64_t i = begin; i < std::min(end, begin + kAhead); ++i) fetch(i);
            for (int64_t i = begin; i < end; ++i) {
                const Pair next = pair(i);
                if (pairs_.insert(next, soon[i % kAhead])) ++counts_[static_cast<size_t>(next.group)];
                fetch(i + kAhead);
            }
            rows_ += static_cast<size_t>(end - begin);
            const bool mostAreNew = pairs_.size() > kSamplePairs && 4 * pairs_.size() > 3 * rows_;
            if (pairs_.size() > kFewPairs || mostAreNew) writeDown();
        });
    }

    void merge(const GroupedState& other, const int32_t* groups, int64_t count) override {
        const auto& from = static_cast<const DistinctState&>(other);
        if (count == 0) return;
        scale_ = std::max(scale_, from.scale_);
        if (count < static_cast<int64_t>(from.counts_.size())) keepPairs();  // some of its values may be absent
        std::vector<int32_t> numbers;                                        // numbers of the other's values here
        if (!isWord(type_)) {
            const Value keys = from.index_.keys();
            numbers.resize(static_cast<size_t>(keys.size()));
            index_.insertAll(*keys.vector().copy(), numbers.data());
        }
        if (impliesPairs_) return;
        if (from.log_) {
            writeDown();
            log_->append(*from.log_, groups, count, numbers);
            log_->tidy();
            return;
        }
        std::vector<Pair> pairs;  // `other` may be this
        from.forEachPair([&](const Pair& pair) {
            if (pair.group < count) pairs.push_back(pair);
        });
        for (const auto& [element, group] : pairs) {
            const Item word = numbers.empty() ? element : static_cast<Item>(numbers[element]);
            insert({word, groups ? groups[group] : group});
        }
    }

    void split(std::span<GroupedState* const> parts, const uint8_t* part, const int32_t* place,
               int64_t count) const override {
        if (log_) log_->makeDistinct();
        for (GroupedState* target : parts) static_cast<DistinctState*>(target)->scale_ = scale_;
        std::vector<std::vector<Pair>> ofTexts(isWord(type_) ? 0 : parts.size());
        forEachPair([&](const Pair& pair) {
            if (pair.group >= count) return;
            const Pair there{pair.element, place[pair.group]};
            if (isWord(type_)) {
                static_cast<DistinctState*>(parts[part[pair.group]])->insert(there);
            } else {
                ofTexts[part[pair.group]].push_back(there);
            }
        });
        if (ofTexts.empty()) return;
        // Goes part by part: `numbers` holds the position of each string in the part's index.
        const Value strings = index_.keys();
        std::vector<int32_t> numbers;
        for (size_t p = 0; p < parts.size(); ++p) {
            numbers.assign(static_cast<size_t>(strings.size()), -1);
            auto& target = static_cast<DistinctState&>(*parts[p]);
            for (const Pair& pair : ofTexts[p]) {
                const auto element = static_cast<int64_t>(pair.element);
                int32_t& number = numbers[pair.element];
                if (number < 0) target.index_.insertAll(*strings.vector().slice(element, 1), &number);
                target.insert({static_cast<Item>(number), pair.group});
            }
            ofTexts[p] = {};
        }
    }
    int64_t memoryBytes() const override {
        const size_t pairs = log_ ? log_->size() : 2 * pairs_.size();
        constexpr size_t kStringBytes = 48;  // size of an index entry and the string
        const size_t strings = isWord(type_) ? 0 : static_cast<size_t>(index_.size()) * kStringBytes;
        return static_cast<int64_t>(pairs * sizeof(Pair) + counts_.size() * sizeof(int32_t) + strings);
    }
    Value results() const override {
        if (log_) countLog();
        if (impliesPairs_ && !counts_.empty()) counts_[0] = static_cast<int32_t>(index_.size());
        Ref<Vector> out = Vector::of(Type::Int, counts_);
        out->setMayHaveNull(false);
        return Value::of(out);
    }

    Value save() const override {
        if (log_) log_->makeDistinct();
        const auto size = impliesPairs_ ? index_.size() : static_cast<int64_t>(log_ ? log_->size() : pairs_.size());
        Ref<Vector> groups = Vector::make(Type::Int, size), elements = Vector::make(type_, size);
        elements->setScale(scale_);
        auto* group = groups->mutableData<int32_t>();
        char* raw = isWord(type_) ? elements->mutableRaw() : nullptr;
        std::vector<int32_t> numbers;
        int64_t at = 0;
        forEachPair([&](const Pair& pair) {
            group[at] = pair.group;
            if (raw) {
                std::memcpy(raw + at * elements->width(), &pair.element, static_cast<size_t>(elements->width()));
            } else {
                numbers.push_back(static_cast<int32_t>(pair.element));
            }
            ++at;
        });
        if (!raw) elements = index_.keys().vector().gather(numbers.data(), size);
        return Value::of(makeRef<Tuple>(std::vector<Value>{Value::of(groups), Value::of(elements)}));
    }

    void load(const Value& saved, int64_t groups) override {
        const char* part = "distinct items";
        const std::vector<Value>& columns = received::tuple(saved, 2, part);
        received::require(columns[1].isTypedVector() && columns[1].type() == type_, part);
        const Vector& group = received::vector(columns[0], Type::Int, columns[1].size(), part);
        resize(groups);
        const std::vector<Item> words = wordsOf(columns[1].vector());
        scale_ = columns[1].vector().scale();
        for (size_t i = 0; i < words.size(); ++i) {
            const int32_t of = group.data<int32_t>()[i];
            received::require(of >= 0 && of < groups, part);
            insert({words[i], of});
        }
    }

private:
    // Largest set that is probed within a core's cache.
    static constexpr size_t kFewPairs = size_t{1} << 15;
    // Sample size that decides whether a set is worth keeping.
    static constexpr size_t kSamplePairs = size_t{1} << 13;

    // Switches to pairs when there is more than one group.
    void keepPairs() {
        if (!std::exchange(impliesPairs_, false)) return;
        for (int64_t i = 0; i < index_.size(); ++i) insert({static_cast<Item>(i), 0});
    }
    void insert(const Pair& pair) {
        if (impliesPairs_) return;
        if (log_) return log_->append(pair);
        if (pairs_.insert(pair)) ++counts_[static_cast<size_t>(pair.group)];
        if (pairs_.size() > kFewPairs) writeDown();
    }
    template <class F>
    void forEachPair(F f) const {
        for (int64_t i = 0; impliesPairs_ && i < index_.size(); ++i) f(Pair{static_cast<Item>(i), 0});
        if (!log_) return pairs_.forEach(f);
        for (const auto& part : log_->parts()) {
            for (const Pair& pair : part) f(pair);
        }
    }
    // Switches to the log: from here on pairs are appended and counted at the end.
    void writeDown() {
        if (log_) return;
        log_ = std::make_unique<PairLog<Item>>();
        pairs_.forEach([&](const Pair& pair) { log_->append(pair); });
        pairs_ = Set();
    }
    void countLog() const {
        log_->makeDistinct();
        counts_.assign(counts_.size(), 0);
        if (counts_.size() == 1) {
            counts_[0] = static_cast<int32_t>(log_->size());
            return;
        }
        for (const auto& part : log_->parts()) {
            for (const Pair& pair : part) ++counts_[static_cast<size_t>(pair.group)];
        }
    }

    std::vector<Item> wordsOf(const Vector& elements) {
        std::vector<Item> words(static_cast<size_t>(elements.size()));
        if (!isWord(type_)) {
            std::vector<int32_t> numbers(words.size());
            index_.insertAll(elements, numbers.data());
            for (size_t i = 0; i < words.size(); ++i) words[i] = static_cast<Item>(numbers[i]);
        } else if (isFloating(type_)) {
            for (size_t i = 0; i < words.size(); ++i) {
                const auto at = static_cast<int64_t>(i);
                // -0.0 equals 0.0.
                if constexpr (sizeof(Item) == sizeof(double)) {
                    const double x = elements.data<double>()[at] + 0.0;
                    std::memcpy(&words[i], &x, sizeof x);
                } else {
                    const float x = elements.data<float>()[at] + 0.0F;
                    std::memcpy(&words[i], &x, sizeof x);
                }
            }
        } else {
            withWidth(elements.width(), [&](auto zero) {
                using T = decltype(zero);
                const T* from = elements.data<T>();
                if constexpr (sizeof(T) <= sizeof(Item)) {
                    for (size_t i = 0; i < words.size(); ++i) words[i] = static_cast<Item>(from[i]);
                }
            });
        }
        return words;
    }

    Type type_;
    uint8_t scale_ = 0;
    size_t rows_ = 0;                     // rows that were added to the set
    KeyIndex index_;                      // index of values that do not fit into a word
    bool impliesPairs_ = !isWord(type_);  // the only group has each value of the index, and no pair is kept
    Set pairs_;                           // pairs while they are few
    std::unique_ptr<PairLog<Item>> log_;  // pairs when they are many, in place of the set
    mutable std::vector<int32_t> counts_;
};

}  // namespace

std::unique_ptr<GroupedState> makeDistinctCount(std::span<const Type> types) {
    const Type type = types[0];
    if (isWord(type) && widthOf(type) > 4) return std::make_unique<DistinctState<uint64_t>>(type);
    return std::make_unique<DistinctState<uint32_t>>(type);
}

}  // namespace pelorus
