// Objects that can be sent to another process and rebuilt there: functions with what they capture, data sources.
#pragma once

#include <string_view>
#include <vector>

#include "runtime/value/value.h"

namespace pelorus {

class Portable : public Object {
public:
    // Returns the name of the loader, which is in messages: never rename.
    virtual std::string_view portableKind() const = 0;
    // Returns the data that rebuilds the object: plain values, or values that hold Portables again.
    virtual Value save() const = 0;
};

// Rebuilds an object from the result of `save`. Registered once per kind by the layer that implements it, before the
// first message is read. `type` is that of the values that hold such objects. The data comes from outside: a loader
// checks every part, and throws UserError for parts that do not fit.
using PortableLoader = Ref<Portable> (*)(const Value& saved);
void registerPortable(std::string_view kind, PortableLoader loader, Type type = Type::Function);
// Returns the parts of a saved tuple. Throws UserError when it is none of that many: bytes from outside are not
// trusted.
const std::vector<Value>& savedParts(const Value& saved, size_t count);
// Rebuilds an object. Throws UserError when this process knows no such kind, or knows it for values of another type.
Ref<Portable> loadPortable(std::string_view kind, const Value& saved, Type type = Type::Function);

}  // namespace pelorus
