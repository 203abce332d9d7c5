// Instance of a script's class. Shared by all its references; methods change it in place.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/function/function.h"
#include "runtime/value/value.h"

namespace pelorus {

struct Attribute {
    std::string name;
    std::string typeString;  // type as it is written: INT, DOUBLE VECTOR, ANY
    Type type = Type::Any;
    bool isVector = false;
};

// A class as a function: calling it makes an instance. The interpreter defines its methods.
class ClassFunction : public Function {
public:
    virtual const std::vector<Attribute>& attributes() const = 0;  // the base's first
    virtual const ClassFunction* base() const = 0;
    // Returns the method of that name, declared here or in the base; null when there is none. The method takes the
    // instance first.
    virtual Ref<Function> method(std::string_view name) const = 0;
};

class Instance final : public Object, public Described {
public:
    explicit Instance(Ref<ClassFunction> type);

    const ClassFunction& type() const { return *type_; }
    bool isInstanceOf(const ClassFunction& other) const;
    // Returns false when there is no such attribute.
    bool read(std::string_view name, Value& value) const;
    // Sets an attribute, converting the value to its type; throws UserError when it cannot be, or there is no
    // attribute.
    void write(std::string_view name, const Value& value);
    const std::vector<Value>& values() const { return values_; }

    std::string describe() const override;

private:
    Ref<ClassFunction> type_;
    std::vector<Value> values_;
};

inline bool isInstance(const Value& v) {
    return v.isScalar() && v.type() == Type::Object;
}

}  // namespace pelorus
