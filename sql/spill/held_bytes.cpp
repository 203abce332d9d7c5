#include "sql/spill/held_bytes.h"

#include "runtime/value/vector.h"

namespace pelorus {

static int64_t heldBytes(const Vector& items) {
    int64_t bytes = items.size() * items.width();
    if (storageOf(items.type()) != Storage::String) return bytes;
    const uint64_t* strings = items.data<uint64_t>();
    const StringArena& arena = *items.arena();
    for (int64_t i = 0; i < items.size(); ++i) bytes += static_cast<int64_t>(arena.lengthOf(strings[i]));
    return bytes;
}

int64_t heldBytes(std::span<const Value> columns) {
    int64_t bytes = 0;
    for (const Value& column : columns) {
        if (column.isTypedVector()) bytes += heldBytes(column.vector());
    }
    return bytes;
}

}  // namespace pelorus
