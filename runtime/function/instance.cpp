#include "runtime/function/instance.h"

#include <fmt/format.h>

#include "common/error.h"
#include "runtime/value/cast.h"
#include "runtime/value/print.h"
#include "runtime/value/vector.h"

namespace pelorus {

static Value initialValue(const Attribute& attribute) {
    if (attribute.type == Type::Any) return attribute.isVector ? Value::of(makeRef<Tuple>()) : Value();
    if (attribute.isVector) return Value::of(Vector::make(attribute.type, 0));
    return Value::nullOf(attribute.type);
}

Instance::Instance(Ref<ClassFunction> type) : type_(std::move(type)) {
    for (const Attribute& attribute : type_->attributes()) values_.push_back(initialValue(attribute));
}

bool Instance::isInstanceOf(const ClassFunction& other) const {
    for (const ClassFunction* c = type_.get(); c; c = c->base()) {
        if (c == &other) return true;
    }
    return false;
}

bool Instance::read(std::string_view name, Value& value) const {
    const auto& attributes = type_->attributes();
    for (size_t i = 0; i < attributes.size(); ++i) {
        if (attributes[i].name != name) continue;
        value = values_[i];
        return true;
    }
    return false;
}

void Instance::write(std::string_view name, const Value& value) {
    const auto& attributes = type_->attributes();
    for (size_t i = 0; i < attributes.size(); ++i) {
        const Attribute& attribute = attributes[i];
        if (attribute.name != name) continue;
        bool convertible = attribute.type != Type::Any && !value.isVoid() && value.type() != attribute.type &&
                           !value.isTuple() && (value.isScalar() || value.isVector());
        if (convertible && isLiteral(value.type()) != isLiteral(attribute.type)) {
            throw UserError(fmt::format("The attribute {} of {} is declared {}, but the value is {}.", name,
                                        type_->name(), attribute.typeString, typeString(value)));
        }
        values_[i] = convertible ? cast(value, attribute.type) : value;
        return;
    }
    throw UserError(fmt::format("The class {} has no attribute {}.", type_->name(), name));
}

std::string Instance::describe() const {
    return fmt::format("<Instance of Class '::{}'>", type_->name());
}

}  // namespace pelorus
