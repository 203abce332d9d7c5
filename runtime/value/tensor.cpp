#include "runtime/value/tensor.h"

#include <algorithm>

#include "runtime/value/print.h"

namespace pelorus {

// "int[2][3]", from dimension `from` on.
static std::string shapeText(const Tensor& tensor, size_t from) {
    std::string text(typeName(tensor.cells->type()));
    std::transform(text.begin(), text.end(), text.begin(), [](char c) { return static_cast<char>(c - 'A' + 'a'); });
    for (size_t d = from; d < tensor.shape.size(); ++d) text += "[" + std::to_string(tensor.shape[d]) + "]";
    return text;
}

// Returns one line per element of the first dimension, as far as vectors are shown.
std::string Tensor::describe() const {
    constexpr int64_t kShown = 30;
    std::string text = "tensor<" + shapeText(*this, 0) + ">:";
    const int64_t width = shape[0] == 0 ? 0 : cells->size() / shape[0];
    for (int64_t i = 0; i < std::min(shape[0], kShown); ++i) {
        text += "\n" + std::to_string(i) + ": " + shapeText(*this, 1);
        if (shape.size() == 1) text += " " + itemText(cells->at(i));
        if (shape.size() == 2) text += " " + display(Value::of(cells->slice(i * width, width)));
    }
    return shape[0] > kShown ? text + "\n..." : text;
}

const Tensor* asTensor(const Value& value) {
    const bool resource = value.isScalar() && value.type() == Type::Resource && value.hasObject();
    return resource ? dynamic_cast<const Tensor*>(value.object()) : nullptr;
}

}  // namespace pelorus
