#include "sql/spilled_groups.h"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "runtime/spill_file.h"
#include "runtime/vector.h"

namespace pelorus {

namespace {

constexpr size_t kParts = 64;

// Columns of the source that keys and aggregates read.
std::vector<int> columnsRead(const std::vector<ColumnExpression>& keys, const AggregatePlan& aggregates) {
    std::vector<int> columns;
    const auto add = [&](const ColumnExpression& e) {
        columns.insert(columns.end(), e.columns().begin(), e.columns().end());
    };
    for (const ColumnExpression& key : keys) add(key);
    for (const AggregateCall& call : aggregates.calls) {
        for (const ColumnExpression& argument : call.arguments) add(argument);
    }
    // Groups of constants still have as many rows.
    if (columns.empty()) columns.push_back(0);
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    return columns;
}

// Mixes the items of one key into the hashes of their rows: equal keys give equal hashes.
void mixHashes(const Value& key, std::vector<uint64_t>& hashes) {
    if (key.isScalar()) return;
    const Vector& items = key.vector();
    const Storage storage = storageOf(items.type());
    const auto width = static_cast<size_t>(items.width());
    for (size_t i = 0; i < hashes.size(); ++i) {
        const auto row = static_cast<int64_t>(i);
        uint64_t hash;
        if (storage == Storage::Text) {
            const std::string_view text = items.text(row);
            hash = XXH3_64bits(text.data(), text.size());
        } else if (storage == Storage::Float32 || storage == Storage::Float64) {
            const double x = items.asDouble(row) + 0.0;  // -0.0 is 0.0
            hash = XXH3_64bits(&x, sizeof x);
        } else {
            hash = XXH3_64bits(items.raw() + i * width, width);
        }
        hashes[i] = (hashes[i] ^ hash) * 0x9E3779B97F4A7C15u;
    }
}

// The blocks of one run of blocks that went to one part, under the column numbers of the source.
class SpilledReader final : public PartitionReader {
public:
    SpilledReader(const SpillFile& file, std::vector<int> blocks, const std::vector<int>& columns)
        : file_(file), blocks_(std::move(blocks)), columns_(columns) {}

    int64_t rowCount() const override {
        int64_t rows = 0;
        for (int b = 0; b < blockCount(); ++b) rows += blockRows(b);
        return rows;
    }
    int blockCount() const override { return static_cast<int>(blocks_.size()); }
    int64_t blockRows(int block) const override { return file_.blockRows(blocks_[static_cast<size_t>(block)]); }
    BlockBounds bounds(int, int) const override { return {}; }
    Value read(int block, int column) const override {
        const auto place = std::lower_bound(columns_.begin(), columns_.end(), column) - columns_.begin();
        return Value::of(file_.read(blocks_[static_cast<size_t>(block)], static_cast<int>(place)));
    }

private:
    const SpillFile& file_;
    std::vector<int> blocks_;
    const std::vector<int>& columns_;
};

std::vector<ColumnExpression> keysOf(const SelectPlan& plan, Context& context) {
    std::vector<ColumnExpression> keys;
    for (const OutputItem& key : plan.keys) keys.emplace_back(key.value, plan.source.columns(), context);
    return keys;
}

}  // namespace

bool canSpillGroups(const SelectPlan& plan, const AggregatePlan&) {
    if (plan.keys.empty()) return false;
    return std::none_of(plan.source.columns().begin(), plan.source.columns().end(), [](const ColumnSchema& c) {
        return isArrayType(c.type) || storageOf(c.type) == Storage::Boxed || storageOf(c.type) == Storage::None;
    });
}

void forEachSpilledPart(const SelectPlan& plan, const AggregatePlan& aggregates, const std::vector<Morsel>& morsels,
                        Filter& filter, Context& context, const std::function<void(const std::vector<Morsel>&)>& f) {
    const std::vector<ColumnExpression> keys = keysOf(plan, context);
    const std::vector<int> columns = columnsRead(keys, aggregates);
    TableSchema schema;
    for (const int c : columns) schema.push_back(plan.source.columns()[static_cast<size_t>(c)]);
    std::vector<std::unique_ptr<SpillFile>> files;
    for (size_t p = 0; p < kParts; ++p) files.push_back(std::make_unique<SpillFile>(*spillFolderOf(context)));

    // By morsel and part, the block that its rows became, or -1.
    std::vector<std::array<int, kParts>> places(morsels.size());
    forEachMorsel(morsels, context, [&](size_t number, const Morsel& morsel, Context& own) {
        std::vector<Ref<MemoryTable>> parts(kParts);
        for (int b = morsel.firstBlock; b < morsel.endBlock; ++b) {
            own.checkCancelled();
            const Filter::Selection selection = filter.select(*morsel.reader, b, own);
            if (!selection.all && selection.positions.empty()) continue;
            BlockRows rows(*morsel.reader, b, selection);
            std::vector<uint64_t> hashes(static_cast<size_t>(rows.rows()));
            for (const ColumnExpression& key : keys) mixHashes(rows.evaluate(key, own), hashes);
            std::array<std::vector<int32_t>, kParts> positions;
            for (size_t i = 0; i < hashes.size(); ++i) {
                const int32_t row = selection.all ? static_cast<int32_t>(i) : selection.positions[i];
                positions[hashes[i] >> 58].push_back(row);
            }
            for (size_t c = 0; c < columns.size(); ++c) {
                const Value items = morsel.reader->read(b, columns[c]);
                for (size_t p = 0; p < kParts; ++p) {
                    if (positions[p].empty()) continue;
                    if (!parts[p]) parts[p] = MemoryTable::empty(schema);
                    const Ref<Vector> own =
                        items.vector().gather(positions[p].data(), static_cast<int64_t>(positions[p].size()));
                    parts[p]->mutableColumns()[c].vector().append(*own, 0, own->size());
                }
            }
        }
        for (size_t p = 0; p < kParts; ++p) places[number][p] = parts[p] ? files[p]->append(*parts[p]) : -1;
    });

    for (size_t p = 0; p < kParts; ++p) {
        std::vector<Morsel> part;
        for (size_t m = 0; m < morsels.size(); ++m) {
            if (places[m][p] < 0) continue;
            auto reader = std::make_shared<SpilledReader>(*files[p], std::vector<int>{places[m][p]}, columns);
            part.push_back({std::move(reader), 0, 1, morsels[m].partition});
        }
        if (!part.empty()) f(part);
        files[p] = nullptr;
    }
}

}  // namespace pelorus
