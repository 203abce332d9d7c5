#include "runtime/value/tensor.h"

#include <algorithm>

#include "runtime/value/print.h"

namespace pelorus {

// "int[2][3]", from dimension `from` on.
static std::string shapeString(const Tensor& tensor, size_t from) {
    std::string string(typeName(tensor.cells->type()));
    std::transform(string.begin(), string.end(), string.begin(),
                   [](char c) { return static_cast<char>(c - 'A' + 'a'); });
    for (size_t d = from; d < tensor.shape.size(); ++d) string += "[" + std::to_string(tensor.shape[d]) + "]";
    return string;
}

// Returns one line per element of the first dimension, as far as vectors are shown.
std::string Tensor::describe() const {
    constexpr int64_t kShown = 30;
    std::string string = "tensor<" + shapeString(*this, 0) + ">:";
    const int64_t width = shape[0] == 0 ? 0 : cells->size() / shape[0];
    for (int64_t i = 0; i < std::min(shape[0], kShown); ++i) {
        string += "\n" + std::to_string(i) + ": " + shapeString(*this, 1);
        if (shape.size() == 1) string += " " + itemString(cells->at(i));
        if (shape.size() == 2) string += " " + display(Value::of(cells->slice(i * width, width)));
    }
    return shape[0] > kShown ? string + "\n..." : string;
}

const Tensor* asTensor(const Value& value) {
    const bool resource = value.isScalar() && value.type() == Type::Resource && value.hasObject();
    return resource ? dynamic_cast<const Tensor*>(value.object()) : nullptr;
}

}  // namespace pelorus
