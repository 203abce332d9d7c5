#include "stdlib/named_results.h"

#include "runtime/value/vector.h"

namespace pelorus {

Ref<Dictionary> orderedResult() {
    return makeRef<Dictionary>(Type::String, Type::Any, true);
}

void addMember(Dictionary& result, std::string_view name, Value value) {
    result.set(Value::ofString(name), std::move(value));
}

Value realsOf(const std::vector<double>& numbers) {
    return Value::of(Vector::of(Type::Double, numbers));
}

}  // namespace pelorus
