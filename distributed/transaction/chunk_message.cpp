#include "distributed/transaction/chunk_message.h"

#include "common/error.h"
#include "runtime/table/table.h"

namespace pelorus {

Value chunksToValue(const std::vector<ChunkRows>& chunks) {
    std::vector<Value> items;
    for (const ChunkRows& chunk : chunks) {
        items.push_back(Value::of(makeRef<Tuple>(std::vector<Value>{
            Value::ofLong(static_cast<int64_t>(chunk.table)), Value::ofString(chunk.path),
            Value::of(Vector::of(Type::Int, std::vector<int32_t>(chunk.index.begin(), chunk.index.end()))),
            Value::of(Ref<Table>(chunk.rows)), Value::ofLong(static_cast<int64_t>(chunk.route))})));
    }
    return Value::of(makeRef<Tuple>(std::move(items)));
}

std::vector<ChunkRows> chunksFromValue(const Value& value) {
    const auto check = [](bool fits) {
        if (!fits) throw UserError("A message of another node holds no chunks.");
    };
    check(value.isTuple());
    std::vector<ChunkRows> chunks;
    for (const Value& item : value.tuple().items) {
        check(item.isTuple() && item.size() == 5);
        const std::vector<Value>& parts = item.tuple().items;
        check(parts[0].isNumber() && parts[1].isText() && parts[2].isVector() && parts[2].type() == Type::Int &&
              parts[3].isTable() && !parts[3].table().asPartitioned() && parts[4].isNumber());
        ChunkRows chunk;
        chunk.table = static_cast<uint64_t>(parts[0].integer());
        chunk.path = parts[1].text();
        const auto* index = parts[2].vector().items<int32_t>();
        chunk.index.assign(index, index + parts[2].size());
        chunk.rows = Ref<MemoryTable>(&static_cast<MemoryTable&>(parts[3].table()));
        chunk.route = static_cast<uint64_t>(parts[4].integer());
        chunks.push_back(std::move(chunk));
    }
    return chunks;
}

}  // namespace pelorus
