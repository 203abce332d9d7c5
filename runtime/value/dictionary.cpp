#include "runtime/value/dictionary.h"

#include <fmt/format.h>

#include "common/check.h"
#include "common/error.h"
#include "runtime/value/cast.h"

namespace pelorus {

Dictionary::Dictionary(Type keyType, Type valueType, bool ordered)
    : valueType_(valueType), ordered_(ordered), keys_(keyType) {}

Value Dictionary::get(const Value& key) const {
    int64_t position = keys_.find(key);
    if (position >= 0) return values_[static_cast<size_t>(position)];
    return valueType_ == Type::Any ? Value() : Value::nullOf(valueType_);
}

void Dictionary::set(const Value& key, Value value) {
    if (valueType_ != Type::Any && value.type() != valueType_) {
        if (!value.isScalar() || !canCast(value.type(), valueType_)) {
            throw UserError(fmt::format("Incompatible type. Expected: {}, Actual: {}", typeName(valueType_),
                                        typeName(value.type())),
                            "Make the dictionary with values of type ANY to mix types.");
        }
        value = castFitting(value, valueType_);
    }
    bool added = false;
    int64_t position = keys_.insert(key, &added);
    DCHECK(position == std::ssize(values_) || !added) << "a new key is the last of a dictionary";
    if (added) {
        values_.push_back(std::move(value));
    } else {
        values_[static_cast<size_t>(position)] = std::move(value);
    }
}

bool Dictionary::erase(const Value& key) {
    int64_t position = keys_.find(key);
    if (position < 0) return false;
    CHECK(keys_.size() == std::ssize(values_)) << "each key of a dictionary has a value";
    if (!ordered_) {
        keys_.erase(key);
        values_[static_cast<size_t>(position)] = std::move(values_.back());
        values_.pop_back();
        return true;
    }
    // An ordered dictionary keeps the order of the remaining keys.
    KeyIndex rest(keys_.type());
    std::vector<Value> restValues;
    for (int64_t i = 0; i < size(); ++i) {
        if (i == position) continue;
        rest.insert(keys_.key(i));
        restValues.push_back(std::move(values_[static_cast<size_t>(i)]));
    }
    keys_ = std::move(rest);
    values_ = std::move(restValues);
    return true;
}

void Dictionary::clear() {
    keys_.clear();
    values_.clear();
}

Value Dictionary::values() const {
    if (valueType_ == Type::Any) return Value::of(makeRef<Tuple>(values_));
    Ref<Vector> v = Vector::make(valueType_, size());
    for (int64_t i = 0; i < size(); ++i) v->set(i, values_[static_cast<size_t>(i)]);
    return Value::of(v);
}

Ref<Dictionary> Dictionary::copy() const {
    auto result = makeRef<Dictionary>(keyType(), valueType_, ordered_);
    for (int64_t i = 0; i < size(); ++i) result->set(keys_.key(i), values_[static_cast<size_t>(i)]);
    return result;
}

Ref<Set> Set::copy() const {
    auto result = makeRef<Set>(index.type());
    for (int64_t i = 0; i < index.size(); ++i) result->index.insert(index.key(i));
    return result;
}

}  // namespace pelorus
