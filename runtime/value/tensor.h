// Tensors: cells of one type in several dimensions, row by row. Scripts can make, show and pass them, nothing else:
// A Value holds one as a RESOURCE.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/value/value.h"
#include "runtime/value/vector.h"

namespace pelorus {

class Tensor final : public Object, public Described {
public:
    // REQUIRES: `cells` are as many as the product of the shape, the last dimension running fastest.
    Tensor(Ref<Vector> cells, std::vector<int64_t> shape) : cells(std::move(cells)), shape(std::move(shape)) {}

    std::string describe() const override;

    const Ref<Vector> cells;
    const std::vector<int64_t> shape;
};

// Returns the tensor that the value holds, or null.
const Tensor* asTensor(const Value& value);

}  // namespace pelorus
