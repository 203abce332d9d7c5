#include "sql/spill/spilled_parts.h"

#include <algorithm>
#include <utility>

#include "common/check.h"
#include "interpreter/expression/expression_program.h"
#include "runtime/kernel/index/index.h"
#include "runtime/value/vector.h"
#include "sql/keys/key_hash.h"

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
    return [&keys](BlockRows& rows, Context& context, uint8_t* parts) {
        std::vector<uint64_t> hashes(static_cast<size_t>(rows.rows()));
        for (const ExpressionProgram& key : keys) mixKey(rows.evaluate(key, context), rows.rows(), hashes.data());
        for (size_t i = 0; i < hashes.size(); ++i) parts[i] = static_cast<uint8_t>(spilledPartOf(hashes[i]));
    };
}

SpilledParts::SpilledParts(const SpillFolder& folder, const TableSchema& source, const RowCut& cut,
                           std::vector<int> columns, bool numbered, const std::vector<Morsel>& morsels, Filter& filter,
                           Context& context)
    : columns_(std::move(columns)), numbered_(numbered), places_(morsels.size()), firstRows_(morsels.size()) {
    for (const int c : columns_) schema_.push_back(source[static_cast<size_t>(c)]);
    if (numbered_) schema_.push_back({" row", Type::Long});
    for (size_t p = 0; p < kCount; ++p) files_.push_back(std::make_unique<SpillFile>(folder));
    for (const Morsel& morsel : morsels) partitions_.push_back(morsel.partition);
    forEachMorsel(morsels, columns_, context,
                  [&](size_t number, const Morsel& morsel, Context& own) { spill(morsel, number, cut, filter, own); });
    for (std::vector<int64_t>& ofBlocks : firstRows_) {
        for (int64_t& rows : ofBlocks) rowCount_ += std::exchange(rows, rowCount_);
    }
}

void SpilledParts::spill(const Morsel& morsel, size_t number, const RowCut& cut, Filter& filter, Context& context) {
    std::vector<Ref<MemoryTable>> parts(kCount);
    std::vector<int64_t>& passed = firstRows_[number];
    passed.resize(static_cast<size_t>(morsel.endBlock - morsel.firstBlock), 0);
    for (int b = morsel.firstBlock; b < morsel.endBlock; ++b) {
        context.checkCancelled();
        const Filter::Selection selection = filter.select(*morsel.reader, b, context);
        if (!selection.all && selection.positions.empty()) continue;
        BlockRows rows(*morsel.reader, b, selection);
        passed[static_cast<size_t>(b - morsel.firstBlock)] = rows.rows();
        std::vector<uint8_t> partOf(static_cast<size_t>(rows.rows()));
        cut(rows, context, partOf.data());
        std::array<std::vector<int32_t>, kCount> positions, numbers;  // in the block, and among its rows that pass
        for (size_t i = 0; i < partOf.size(); ++i) {
            const int32_t row = selection.all ? static_cast<int32_t>(i) : selection.positions[i];
            CHECK(partOf[i] < kCount) << "a row is cut into one of the hash partitions";
            positions[partOf[i]].push_back(row);
            if (numbered_) numbers[partOf[i]].push_back(static_cast<int32_t>(i));
        }
        for (size_t p = 0; p < kCount; ++p) {
            if (!positions[p].empty() && !parts[p]) parts[p] = MemoryTable::empty(schema_);
        }
        for (size_t c = 0; c < columns_.size(); ++c) {
            const Value items = morsel.reader->read(b, columns_[c]);
            for (size_t p = 0; p < kCount; ++p) {
                if (positions[p].empty()) continue;
                const auto count = static_cast<int64_t>(positions[p].size());
                appendElements(parts[p]->mutableColumns()[c], gatherElements(items, positions[p].data(), count));
            }
        }
        if (!numbered_) continue;
        // How many rows the blocks before have is known when all are read.
        const int64_t first = static_cast<int64_t>(b - morsel.firstBlock) << 32;
        for (size_t p = 0; p < kCount; ++p) {
            if (positions[p].empty()) continue;
            Ref<Vector> own = Vector::make(Type::Long, std::ssize(numbers[p]));
            auto* out = own->mutableData<int64_t>();
            for (size_t i = 0; i < numbers[p].size(); ++i) out[i] = first + numbers[p][i];
            appendElements(parts[p]->mutableColumns().back(), Value::of(own));
        }
    }
    for (size_t p = 0; p < kCount; ++p) {
        for (int c = 1; parts[p] && c < parts[p]->columnCount(); ++c)
            CHECK(parts[p]->column(c).size() == parts[p]->column(0).size()) << "spilled columns have as many rows";
    }
    for (size_t p = 0; p < kCount; ++p) places_[number][p] = parts[p] ? files_[p]->append(*parts[p]) : -1;
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
