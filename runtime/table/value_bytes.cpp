#include "runtime/table/value_bytes.h"

#include <vector>

#include "runtime/table/table.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/vector.h"

namespace pelorus {

// Returns the memory of a value without its elements that are values themselves, which are appended to `inner`.
static int64_t bytesWithout(const Value& v, std::vector<Value>& inner) {
    constexpr int64_t kScalarBytes = 16;
    if (v.isArrayVector()) {
        return v.arrayVector().values()->memoryBytes() + v.size() * static_cast<int64_t>(sizeof(int32_t));
    }
    if (v.isTypedVector() || v.isPair()) return v.vector().memoryBytes();
    if (v.isMatrix()) return v.matrix().cells->memoryBytes();
    if (v.isSet()) {
        inner.push_back(v.set().index.keys());
        return 0;
    }
    if (v.isDictionary()) {
        inner.push_back(v.dictionary().keys());
        inner.push_back(v.dictionary().values());
        return 0;
    }
    if (v.isTuple()) {
        inner.insert(inner.end(), v.tuple().elements.begin(), v.tuple().elements.end());
    } else if (v.isTable()) {
        const Ref<MemoryTable> memory = tableToRead(v);
        for (int c = 0; memory && c < memory->columnCount(); ++c) inner.push_back(memory->column(c));
    }
    return kScalarBytes;
}

int64_t memoryBytesOf(const Value& v) {
    std::vector<Value> left;
    int64_t bytes = bytesWithout(v, left);
    while (!left.empty()) {
        const Value element = std::move(left.back());
        left.pop_back();
        bytes += bytesWithout(element, left);
    }
    return bytes;
}

}  // namespace pelorus
