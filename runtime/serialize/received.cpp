#include "runtime/serialize/received.h"

#include "common/error.h"

namespace pelorus::received {

void misshapen(std::string_view part) {
    throw UserError("A message of another node has no proper " + std::string(part) + ".",
                    "The nodes of a cluster must run the same version.");
}

std::string string(const Value& v, std::string_view part) {
    require(v.isString(), part);
    return std::string(v.string());
}

std::vector<std::string> strings(const Value& v, std::string_view part) {
    if (v.isString()) return {std::string(v.string())};
    std::vector<std::string> all;
    if (v.isTuple()) {
        for (const Value& element : v.tuple().elements) all.push_back(string(element, part));
        return all;
    }
    require(v.isTypedVector() && isLiteral(v.type()), part);
    for (int64_t i = 0; i < v.size(); ++i) all.emplace_back(v.vector().string(i));
    return all;
}

int64_t integer(const Value& v, std::string_view part) {
    require(v.isNumber() && !isFloating(v.type()) && !v.isNull(), part);
    return v.asLong();
}

const std::vector<Value>& tuple(const Value& v, std::string_view part) {
    require(v.isTuple(), part);
    return v.tuple().elements;
}

const std::vector<Value>& tuple(const Value& v, size_t count, std::string_view part) {
    const std::vector<Value>& elements = tuple(v, part);
    require(elements.size() == count, part);
    return elements;
}

const Vector& vector(const Value& v, Type type, int64_t size, std::string_view part) {
    require(v.isTypedVector() && v.type() == type && v.size() == size, part);
    return v.vector();
}

Ref<Function> function(const Value& v, std::string_view part) {
    require(v.isFunction(), part);
    return Ref<Function>(&v.function());
}

}  // namespace pelorus::received
