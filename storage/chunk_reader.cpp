// Reads one version of a chunk: its segments block by block, then the runs in memory as blocks of their own.
#include "common/error.h"
#include "storage/local_table.h"

namespace pelorus {

namespace {

class ChunkReader final : public PartitionReader {
public:
    ChunkReader(ChunkVersionRef version, const TableSchema& schema) : version_(std::move(version)), schema_(schema) {
        if (!version_) return;
        for (size_t p = 0; p < version_->parts.size(); ++p) {
            const ChunkPart& part = version_->parts[p];
            for (int64_t begin = 0; begin < part.rowCount; begin += format::kBlockRows) {
                blocks_.push_back({p, begin, std::min(format::kBlockRows, part.rowCount - begin)});
            }
        }
    }

    int64_t rowCount() const override { return version_ ? version_->rowCount : 0; }
    int blockCount() const override { return static_cast<int>(blocks_.size()); }
    int64_t blockRows(int block) const override { return blocks_[static_cast<size_t>(block)].rows; }

    BlockBounds bounds(int block, int column) const override {
        const Block& place = blocks_[static_cast<size_t>(block)];
        const ChunkPart& part = version_->parts[place.part];
        if (!part.segment) return {};
        return part.segment->bounds(static_cast<int>(place.begin / format::kBlockRows), column);
    }

    Ref<Vector> read(int block, int column) const override {
        const Block& place = blocks_[static_cast<size_t>(block)];
        const ChunkPart& part = version_->parts[place.part];
        if (part.segment) return part.segment->read(static_cast<int>(place.begin / format::kBlockRows), column);
        Vector& items = part.rows->column(column).vector();
        if (place.begin == 0 && place.rows == items.size()) return Ref<Vector>(&items);
        return items.slice(place.begin, place.rows);
    }

private:
    struct Block {
        size_t part;
        int64_t begin;
        int64_t rows;
    };

    const ChunkVersionRef version_;
    const TableSchema schema_;
    std::vector<Block> blocks_;
};

}  // namespace

std::unique_ptr<PartitionReader> makeChunkReader(ChunkVersionRef version, const TableSchema& schema) {
    return std::make_unique<ChunkReader>(std::move(version), schema);
}

}  // namespace pelorus
