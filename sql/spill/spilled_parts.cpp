#include "sql/spill/spilled_parts.h"

#include <algorithm>
#include <utility>

#include "common/check.h"
#include "interpreter/expression/expression_program.h"
#include "runtime/kernel/index/index.h"
#include "runtime/value/vector.h"
#include "sql/execution/driver.h"
#include "sql/keys/key_hash.h"
#include "sql/operators/scan/filter.h"
#include "sql/operators/scan/table_scan.h"

namespace pelorus {

namespace {

// Reader of the blocks of one run of blocks that went to one hash partition, under the column numbers of the source.
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
        CHECK(place < std::ssize(columns_) && columns_[static_cast<size_t>(place)] == column)
            << "only spilled columns are read back";
        return Value::of(file_.read(blocks_[static_cast<size_t>(block)], static_cast<int>(place)));
    }

private:
    const SpillFile& file_;
    std::vector<int> blocks_;
    const std::vector<int>& columns_;
};

}  // namespace

int64_t estimatedRowBytes(const TableSchema& columns) {
    int64_t bytes = 0;
    for (const ColumnSchema& c : columns) bytes += storageOf(c.type) == Storage::String ? 28 : widthOf(c.type);
    return bytes;
}

bool SpilledParts::canHold(const TableSchema& columns) {
    return std::none_of(columns.begin(), columns.end(), [](const ColumnSchema& c) {
        return isArrayType(c.type) || storageOf(c.type) == Storage::Boxed || storageOf(c.type) == Storage::None;
    });
}

RowCut cutByKeys(const std::vector<ExpressionProgram>& keys) {
    return [&keys](Batch& rows, Context& context, uint8_t* parts) {
        std::vector<uint64_t> hashes(static_cast<size_t>(rows.rows()));
        for (const ExpressionProgram& key : keys) mixKey(rows.evaluate(key, context), rows.rows(), hashes.data());
        for (size_t i = 0; i < hashes.size(); ++i) parts[i] = static_cast<uint8_t>(spilledPartOf(hashes[i]));
    };
}

// The sink that cuts the rows of each batch, and writes those of each morsel when it is closed.
class SpilledParts::Writer final : public Sink {
public:
    // `parts` is written to by the threads of the morsels, each to what is of its own.
    Writer(SpilledParts& parts, const RowCut& cut, const std::vector<Morsel>& morsels)
        : parts_(parts), cut_(cut), morsels_(morsels) {}

    void open(size_t morsels) override {
        rows_.resize(morsels);
        for (size_t m = 0; m < morsels; ++m)
            parts_.firstRows_[m].resize(static_cast<size_t>(morsels_[m].endBlock - morsels_[m].firstBlock), 0);
    }

    bool push(Batch& batch, Context& worker) override {
        std::array<Ref<MemoryTable>, kCount>& parts = rows_[batch.morsel()];
        const auto block = static_cast<size_t>(batch.block() - morsels_[batch.morsel()].firstBlock);
        parts_.firstRows_[batch.morsel()][block] = batch.rows();
        std::vector<uint8_t> partOf(static_cast<size_t>(batch.rows()));
        cut_(batch, worker, partOf.data());
        std::array<std::vector<int32_t>, kCount> positions, numbers;  // in the block, and among its rows that pass
        for (size_t i = 0; i < partOf.size(); ++i) {
            CHECK(partOf[i] < kCount) << "a row is cut into one of the hash partitions";
            positions[partOf[i]].push_back(batch.blockRow(static_cast<int32_t>(i)));
            if (parts_.numbered_) numbers[partOf[i]].push_back(static_cast<int32_t>(i));
        }
        for (size_t p = 0; p < kCount; ++p) {
            if (!positions[p].empty() && !parts[p]) parts[p] = MemoryTable::empty(parts_.schema_);
        }
        for (size_t c = 0; c < parts_.columns_.size(); ++c) {
            const Value items = batch.reader().read(batch.block(), parts_.columns_[c]);
            for (size_t p = 0; p < kCount; ++p) {
                if (positions[p].empty()) continue;
                appendElements(parts[p]->mutableColumns()[c],
                               gatherElements(items, positions[p].data(), std::ssize(positions[p])));
            }
        }
        if (!parts_.numbered_) return true;
        // How many rows the blocks before have is known when all are read.
        const int64_t first = static_cast<int64_t>(block) << 32;
        for (size_t p = 0; p < kCount; ++p) {
            if (positions[p].empty()) continue;
            Ref<Vector> own = Vector::make(Type::Long, std::ssize(numbers[p]));
            auto* out = own->mutableData<int64_t>();
            for (size_t i = 0; i < numbers[p].size(); ++i) out[i] = first + numbers[p][i];
            appendElements(parts[p]->mutableColumns().back(), Value::of(own));
        }
        return true;
    }

    void close(size_t morsel) override {
        for (size_t p = 0; p < kCount; ++p) {
            Ref<MemoryTable>& rows = rows_[morsel][p];
            for (int c = 1; rows && c < rows->columnCount(); ++c)
                CHECK(rows->column(c).size() == rows->column(0).size()) << "spilled columns have as many rows";
            parts_.places_[morsel][p] = rows ? parts_.files_[p]->append(*rows) : -1;
            rows = nullptr;
        }
    }

private:
    SpilledParts& parts_;
    const RowCut& cut_;
    const std::vector<Morsel>& morsels_;
    std::vector<std::array<Ref<MemoryTable>, kCount>> rows_;  // by morsel and hash partition; null where there are none
};

SpilledParts::SpilledParts(const SpillFolder& folder, const TableSchema& source, const RowCut& cut,
                           std::vector<int> columns, bool numbered, const std::vector<Morsel>& morsels, Filter& filter,
                           Context& context)
    : columns_(std::move(columns)), numbered_(numbered), places_(morsels.size()), firstRows_(morsels.size()) {
    for (const int c : columns_) schema_.push_back(source[static_cast<size_t>(c)]);
    if (numbered_) schema_.push_back({" row", Type::Long});
    for (size_t p = 0; p < kCount; ++p) files_.push_back(std::make_unique<SpillFile>(folder));
    for (const Morsel& morsel : morsels) partitions_.push_back(morsel.partition);
    Writer writer(*this, cut, morsels);
    run({TableScan(morsels, columns_), {&filter}, writer}, context);
    if (ScanProfile* profile = morsels.empty() ? nullptr : morsels[0].profile) {
        for (const auto& file : files_) profile->spilledBytes += file->sizeBytes();
    }
    for (std::vector<int64_t>& ofBlocks : firstRows_) {
        for (int64_t& rows : ofBlocks) rowCount_ += std::exchange(rows, rowCount_);
    }
}

std::vector<Morsel> SpilledParts::morsels(size_t part) const {
    std::vector<Morsel> result;
    for (size_t m = 0; m < places_.size(); ++m) {
        if (places_[m][part] < 0) continue;
        auto reader = std::make_shared<SpilledReader>(*files_[part], std::vector<int>{places_[m][part]}, columns_);
        result.push_back({std::move(reader), 0, 1, partitions_[m]});
    }
    return result;
}

Ref<MemoryTable> SpilledParts::rows(size_t part) const {
    Ref<MemoryTable> all = MemoryTable::empty(schema_);
    for (size_t m = 0; m < places_.size(); ++m) {
        if (places_[m][part] < 0) continue;
        const int64_t before = all->rowCount();
        all->append(*files_[part]->read(places_[m][part]));
        if (!numbered_) continue;
        Vector& numbers = all->mutableColumns().back().vector();
        auto* const number = numbers.mutableData<int64_t>();
        for (int64_t i = before; i < numbers.size(); ++i)
            number[i] = firstRows_[m][static_cast<size_t>(number[i] >> 32)] + (number[i] & 0xffffffff);
    }
    return all;
}

}  // namespace pelorus
