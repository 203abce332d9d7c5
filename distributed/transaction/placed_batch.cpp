#include "distributed/transaction/placed_batch.h"
#include "storage/commit/write_batch.h"

#include "common/error.h"
#include "runtime/serialize/received.h"
#include "runtime/table/table.h"

namespace pelorus {
namespace {

constexpr const char* kWhat = "transaction";

Value ofNumber(uint64_t number) {
    return Value::ofLong(static_cast<int64_t>(number));
}

uint64_t numberOf(const Value& value) {
    return static_cast<uint64_t>(received::integer(value, kWhat));
}

Value chunkToValue(const ChunkRows& chunk) {
    return Value::of(makeRef<Tuple>(std::vector<Value>{
        ofNumber(chunk.table), Value::ofString(chunk.path),
        Value::of(Vector::of(Type::Int, std::vector<int32_t>(chunk.index.begin(), chunk.index.end()))),
        Value::of(Ref<Table>(chunk.rows)), Value::ofInt(static_cast<int32_t>(chunk.replaces)),
        Value::ofLong(chunk.seenRows)}));
}

ChunkRows chunkFromValue(const Value& value) {
    const std::vector<Value>& parts = received::tuple(value, size_t{6}, kWhat);
    received::require(
        parts[2].isVector() && parts[2].type() == Type::Int && parts[3].isTable() && !parts[3].table().asPartitioned(),
        kWhat);
    ChunkRows chunk;
    chunk.table = numberOf(parts[0]);
    chunk.path = received::string(parts[1], kWhat);
    const auto* index = parts[2].vector().data<int32_t>();
    chunk.index.assign(index, index + parts[2].size());
    chunk.rows = Ref<MemoryTable>(&static_cast<MemoryTable&>(parts[3].table()));
    const int64_t replaces = received::integer(parts[4], kWhat);
    received::require(replaces >= 0 && replaces <= static_cast<int64_t>(ChunkRows::Replaces::All), kWhat);
    chunk.replaces = static_cast<ChunkRows::Replaces>(replaces);
    chunk.seenRows = received::integer(parts[5], kWhat);
    received::require(chunk.seenRows >= 0, kWhat);
    return chunk;
}

}  // namespace

Value batchToValue(const WriteBatch& batch, const std::vector<bool>& isWanted) {
    std::vector<Value> chunks, tables;
    for (size_t i = 0; i < batch.chunks.size(); ++i) {
        if (isWanted[i]) chunks.push_back(chunkToValue(batch.chunks[i]));
    }
    for (const auto& [table, entry] : batch.tables) {
        tables.push_back(Value::of(
            makeRef<Tuple>(std::vector<Value>{ofNumber(table), Value::ofString(entry.key), ofNumber(entry.revision)})));
    }
    return Value::of(
        makeRef<Tuple>(std::vector<Value>{Value::of(makeRef<Tuple>(std::move(chunks))),
                                          Value::of(makeRef<Tuple>(std::move(tables))), ofNumber(batch.query)}));
}

WriteBatch batchFromValue(const Value& value) {
    const std::vector<Value>& parts = received::tuple(value, size_t{3}, kWhat);
    received::require(parts[0].isTuple() && parts[1].isTuple(), kWhat);
    WriteBatch batch;
    for (const Value& chunk : parts[0].tuple().elements) batch.chunks.push_back(chunkFromValue(chunk));
    for (const Value& table : parts[1].tuple().elements) {
        const std::vector<Value>& fields = received::tuple(table, size_t{3}, kWhat);
        batch.tables[numberOf(fields[0])] = {received::string(fields[1], kWhat), numberOf(fields[2])};
    }
    batch.query = numberOf(parts[2]);
    return batch;
}

}  // namespace pelorus
