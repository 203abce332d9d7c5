// The dictionary of the language: keys of one type to values of one type, or ANY.
//
// Entries keep the order of insertion; `ordered` only says whether a script may rely on it. Not thread-safe: a
// dictionary shared by sessions is locked by its box.
#pragma once

#include "runtime/value/key_index.h"
#include "runtime/value/value.h"

namespace pelorus {

class Dictionary final : public Object {
public:
    Dictionary(Type keyType, Type valueType, bool ordered);

    Type keyType() const { return keys_.type(); }
    Type valueType() const { return valueType_; }
    bool ordered() const { return ordered_; }
    int64_t size() const { return keys_.size(); }

    // Returns the value of a key; NULL of the value type (VOID for ANY) when the key is absent.
    Value get(const Value& key) const;
    bool contains(const Value& key) const { return keys_.find(key) >= 0; }
    // Inserts or replaces. The value is converted to the value type; throws UserError when it cannot be.
    void set(const Value& key, Value value);
    bool erase(const Value& key);
    void clear();

    Value keys() const { return keys_.keys(); }
    Value values() const;  // a vector of the value type, or a tuple
    Value keyAt(int64_t i) const { return keys_.key(i); }
    Value valueAt(int64_t i) const { return values_[static_cast<size_t>(i)]; }

    Ref<Dictionary> copy() const;

private:
    Type valueType_;
    bool ordered_;
    KeyIndex keys_;
    std::vector<Value> values_;
};

class Set final : public Object {
public:
    explicit Set(Type type) : index(type) {}
    Ref<Set> copy() const;

    KeyIndex index;
};

inline Set& Value::set() const {
    if (!(isSet())) refuse("a set");
    return *as<Set>();
}
inline Dictionary& Value::dictionary() const {
    if (!isDictionary() && !isChart()) refuse("a dictionary");
    return *as<Dictionary>();
}

}  // namespace pelorus
