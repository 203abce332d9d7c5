#include "runtime/partition/partition_scheme.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "common/check.h"
#include "common/error.h"
#include "common/time/calendar.h"
#include "runtime/partition/partition_lookup.h"
#include "runtime/partition/partition_values.h"
#include "runtime/value/cast.h"
#include "runtime/value/print.h"

namespace pelorus {

namespace {

// Integer keys in a range not wider than this are looked up in an array.
constexpr uint64_t kDenseKeys = 1 << 20;

bool isPartitionKey(Type type) {
    return isLiteral(type) || isIntegral(type) || isTemporal(type);
}

std::string_view kindName(PartitionKind kind) {
    switch (kind) {
        case PartitionKind::Seq:
            return "SEQ";
        case PartitionKind::Value:
            return "VALUE";
        case PartitionKind::Range:
            return "RANGE";
        case PartitionKind::List:
            return "LIST";
        case PartitionKind::Compo:
            return "COMPO";
        case PartitionKind::Hash:
            return "HASH";
    }
    return "?";
}

UserError wrongScheme(PartitionKind kind, std::string_view wanted) {
    return UserError(fmt::format("The partition scheme does not fit the kind {}.", kindName(kind)),
                     fmt::format("For {} give {}.", kindName(kind), wanted));
}

}  // namespace

PartitionLevel::PartitionLevel(PartitionKind kind, Value scheme) : kind_(kind), scheme_(std::move(scheme)) {
    switch (kind_) {
        case PartitionKind::Value:
            if (!scheme_.isVector() && !scheme_.isScalar()) throw wrongScheme(kind_, "a vector of values");
            takeKeys(scheme_, -1);
            break;
        case PartitionKind::Range:
            if (!scheme_.isVector() || scheme_.isTuple() || scheme_.size() < 2) {
                throw wrongScheme(kind_, "an ascending vector of at least two boundaries");
            }
            takeKeys(scheme_, 0);
            break;
        case PartitionKind::List:
            if (!scheme_.isVector() || scheme_.size() == 0)
                throw wrongScheme(kind_, "a tuple of vectors, one per partition");
            for (int64_t i = 0; i < scheme_.size(); ++i) takeKeys(scheme_.at(i), static_cast<int>(i));
            count_ = static_cast<int>(scheme_.size());
            break;
        case PartitionKind::Hash: {
            const std::string_view wanted = "a tuple of type and number of buckets, as in [INT, 8] or INT:8";
            const bool two = scheme_.isPair() || (scheme_.isVector() && scheme_.size() == 2);
            if (!two) throw wrongScheme(kind_, wanted);
            const Value type = scheme_.at(0), buckets = scheme_.at(1);
            if (!type.isNumber() || !buckets.isNumber()) throw wrongScheme(kind_, wanted);
            const int64_t typeId = type.asLong(), count = buckets.asLong();
            if (typeId < 0 || typeId >= kTypeCount || count < 1 || count > 1 << 20) throw wrongScheme(kind_, wanted);
            keyType_ = static_cast<Type>(typeId);
            count_ = static_cast<int>(count);
            int32_t bucket;
            hashBuckets(*Vector::make(keyType_, 0), count_, &bucket);
            return;
        }
        case PartitionKind::Seq:
            throw UserError("SEQ partitions are not supported.", "Use HASH partitions to spread rows evenly.");
        case PartitionKind::Compo:
            throw UserError(
                "A COMPO scheme is made of 2 or 3 databases.",
                "Create them with database(\"\", partitionType, partitionScheme) and pass them as a vector.");
    }
    buildLookup();
}

void PartitionLevel::takeKeys(const Value& element, int owner) {
    Value keys = element;
    if (element.isTuple()) throw wrongScheme(kind_, "values of one type");
    if (element.isScalar()) {
        Ref<Vector> one = Vector::make(element.type(), 1);
        if (isPartitionKey(element.type())) one->set(0, element);
        keys = Value::of(one);
    }
    if (!keys.isVector()) throw wrongScheme(kind_, "values of one type");
    const Vector& vector = keys.vector();
    if (!isPartitionKey(vector.type()) || vector.type() == Type::Blob) {
        throw UserError(fmt::format("The data type {} can't be used for a partition column.", typeName(vector.type())),
                        "Partition by an integer, temporal, STRING or SYMBOL column.");
    }
    if (!keys_) {
        keyType_ = vector.type();
        keys_ = Vector::make(keyType_, 0);
    }
    const bool fits = vector.type() == keyType_ || (isLiteral(vector.type()) && isLiteral(keyType_));
    if (!fits) throw wrongScheme(kind_, "values of one type");
    for (int64_t i = 0; i < vector.size(); ++i) {
        if (vector.isNullAt(i) && kind_ != PartitionKind::Range) throw UserError("A partition value is NULL.");
    }
    keys_->append(vector, 0, vector.size());
    for (int64_t i = 0; i < vector.size(); ++i) {
        owner_.push_back(owner >= 0 ? owner : static_cast<int>(owner_.size()));
    }
}

static bool holds(const std::vector<int>& positions, int position) {
    return std::binary_search(positions.begin(), positions.end(), position);
}

void PartitionLevel::drop(int position) {
    if (kind_ != PartitionKind::Value) throw UserError("Only values of a VALUE scheme can be dropped.");
    if (holds(dropped_, position)) return;
    dropped_.insert(std::upper_bound(dropped_.begin(), dropped_.end(), position), position);
    buildLookup();
}

Value PartitionLevel::liveScheme() const {
    if (dropped_.empty()) return scheme_;
    std::vector<int32_t> live;
    for (int i = 0; i < count_; ++i) {
        if (!holds(dropped_, i)) live.push_back(i);
    }
    return Value::of(keys_->gather(live.data(), static_cast<int64_t>(live.size())));
}

void PartitionLevel::buildLookup() {
    auto lookup = std::make_shared<Lookup>();
    CHECK(std::ssize(owner_) == keys_->size()) << "each key of a partition scheme has its partition";
    const Vector& keys = *keys_;
    if (isLiteral(keyType_)) {
        for (int64_t i = 0; i < keys.size(); ++i) {
            const std::string_view string = keys.string(i);
            if (kind_ == PartitionKind::Range)
                lookup->stringBoundaries.push_back(string);
            else if (!holds(dropped_, owner_[static_cast<size_t>(i)]))
                lookup->strings.emplace(string, owner_[static_cast<size_t>(i)]);
            if (kind_ == PartitionKind::Value && string.find_first_of(" \t\r\n") != std::string_view::npos) {
                throw UserError(
                    fmt::format("The partition value \"{}\" contains a blank, tab or line break (S01018).", string));
            }
        }
    } else {
        int64_t low = INT64_MAX, high = INT64_MIN;
        forEachInteger(keys, [&](int64_t i, int64_t x) {
            if (kind_ != PartitionKind::Range && holds(dropped_, owner_[static_cast<size_t>(i)])) return;
            if (kind_ == PartitionKind::Range)
                lookup->boundaries.push_back(x);
            else
                lookup->integers.emplace(x, owner_[static_cast<size_t>(i)]);
            low = std::min(low, x);
            high = std::max(high, x);
        });
        // Keys of LONG may be further apart than LONG counts.
        const uint64_t width = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
        if (kind_ != PartitionKind::Range && high >= low && width < kDenseKeys) {
            lookup->denseFrom = low;
            lookup->dense.assign(width + 1, -1);
            for (const auto& [key, owner] : lookup->integers) lookup->dense[static_cast<size_t>(key - low)] = owner;
        }
    }
    if (kind_ == PartitionKind::Range) {
        const auto ascending = [](const auto& elements) {
            return std::adjacent_find(elements.begin(), elements.end(),
                                      [](const auto& a, const auto& b) { return !(a < b); }) == elements.end();
        };
        if (!ascending(lookup->boundaries) || !ascending(lookup->stringBoundaries)) {
            throw wrongScheme(kind_, "strictly ascending boundaries");
        }
        count_ = static_cast<int>(keys.size()) - 1;
    } else if (kind_ == PartitionKind::Value) {
        count_ = static_cast<int>(keys.size());
    }
    lookup_ = std::move(lookup);
}

// Returns a label of digits and letters only, so that it can be part of a path.
static std::string keyLabel(const Vector& keys, int64_t i) {
    const Type type = keys.type();
    if (isLiteral(type)) return std::string(keys.string(i));
    const int64_t stored = keys.asLong(i);
    if (stored == null<int64_t>) return "";
    if (!isTemporal(type)) return std::to_string(stored);
    std::string string;
    calendar::append(string, type, stored);
    std::erase_if(string, [](char c) { return c == '.' || c == ':' || c == 'M' || c == 'm'; });
    return string;
}

std::string PartitionLevel::label(int partition) const {
    switch (kind_) {
        case PartitionKind::Value:
            return keyLabel(*keys_, partition);
        case PartitionKind::Range:
            return keyLabel(*keys_, partition) + "_" + keyLabel(*keys_, partition + 1);
        case PartitionKind::List:
            return "List" + std::to_string(partition);
        default:
            return "Key" + std::to_string(partition);
    }
}

void PartitionLevel::extend(const Value& keys) {
    if (kind_ == PartitionKind::Value) refuseBlanks(keys);
    if (kind_ != PartitionKind::Value && kind_ != PartitionKind::Range) {
        throw UserError(fmt::format("A {} scheme cannot be extended.", kindName(kind_)));
    }
    PartitionLevel extended = *this;
    extended.keys_ = keys_->copy();
    if (kind_ == PartitionKind::Range) {
        const Value last = keys_->at(keys_->size() - 1);
        if (!keys.isVector() || keys.size() < 2 || !identical(keys.at(0), last)) {
            throw UserError(fmt::format("New ranges must begin where the scheme ends, at {}.", toString(last)),
                            "Give ascending boundaries, that one first; nothing goes in front of the first range.");
        }
        Ref<Vector> more = Vector::make(keyType_, 0);
        for (int64_t i = 1; i < keys.size(); ++i) more->append(keys.at(i));
        extended.takeKeys(Value::of(more), 0);
    } else {
        Ref<Vector> more = Vector::make(keyType_, 0);
        PartitionLevel all = *this;
        all.dropped_.clear();
        all.buildLookup();
        for (int64_t i = 0; i < keys.size(); ++i) {
            const Value key = keys.isScalar() ? keys : keys.at(i);
            const int known = all.placeOne(key);
            // The value of a DATETIME column may be new to a scheme of months.
            const bool isOfScheme = key.type() == keyType_ || !isTemporal(keyType_);
            if (known < 0) more->append(isOfScheme ? key : cast(key, keyType_));
            std::erase(extended.dropped_, known);
        }
        extended.takeKeys(Value::of(more), -1);
    }
    extended.buildLookup();
    extended.scheme_ = Value::of(extended.keys_->copy());
    *this = std::move(extended);
}

// ---- several levels

void PartitionScheme::place(const std::vector<const Vector*>& columns, int64_t* partitions) const {
    const int64_t n = columns.empty() ? 0 : columns[0]->size();
    std::vector<int32_t> level(static_cast<size_t>(n));
    for (size_t l = 0; l < levels_.size(); ++l) {
        levels_[l].place(*columns[l], level.data());
        const int64_t count = levels_[l].count();
        for (int64_t i = 0; i < n; ++i) {
            const int32_t own = level[static_cast<size_t>(i)];
            const int64_t before = l == 0 ? 0 : partitions[i];
            partitions[i] = own < 0 || before < 0 ? -1 : before * count + own;
        }
    }
}

int64_t PartitionScheme::flatten(const std::vector<int>& index) const {
    int64_t partition = 0;
    for (size_t l = 0; l < levels_.size(); ++l) partition = partition * levels_[l].count() + index[l];
    return partition;
}

std::vector<int> PartitionScheme::unflatten(int64_t partition) const {
    std::vector<int> index(levels_.size());
    for (size_t l = levels_.size(); l-- > 0;) {
        index[l] = static_cast<int>(partition % levels_[l].count());
        partition /= levels_[l].count();
    }
    return index;
}

std::string PartitionScheme::path(const std::vector<int>& index) const {
    std::string path;
    for (size_t l = 0; l < levels_.size(); ++l) path += "/" + levels_[l].label(index[l]);
    return path;
}

}  // namespace pelorus
