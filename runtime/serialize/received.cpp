#include "runtime/serialize/received.h"

#include "common/error.h"

namespace pelorus::received {

void misshapen(std::string_view part) {
    throw UserError("A message of another node has no proper " + std::string(part) + ".",
                    "The nodes of a cluster must run the same version.");
}

std::string text(const Value& v, std::string_view part) {
    require(v.isText(), part);
    return std::string(v.text());
}

std::vector<std::string> strings(const Value& v, std::string_view part) {
    if (v.isText()) return {std::string(v.text())};
    std::vector<std::string> all;
    if (v.isTuple()) {
        for (const Value& item : v.tuple().items) all.push_back(text(item, part));
        return all;
    }
    require(v.isTypedVector() && isLiteral(v.type()), part);
    for (int64_t i = 0; i < v.size(); ++i) all.emplace_back(v.vector().text(i));
    return all;
}

int64_t integer(const Value& v, std::string_view part) {
    require(v.isNumber() && !isFloating(v.type()) && !v.isNull(), part);
    return v.asLong();
}

const std::vector<Value>& tuple(const Value& v, std::string_view part) {
    require(v.isTuple(), part);
    return v.tuple().items;
}

const std::vector<Value>& tuple(const Value& v, size_t count, std::string_view part) {
    const std::vector<Value>& items = tuple(v, part);
    require(items.size() == count, part);
    return items;
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
