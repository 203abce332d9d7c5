#include <parquet/bloom_filter_reader.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/page_index.h>
#include <parquet/properties.h>
#include <parquet/schema.h>
#include <parquet/statistics.h>

#include <arrow/util/key_value_metadata.h>

#include <algorithm>
#include <utility>

#include "runtime/parquet/library/column_cursor.h"
#include "runtime/parquet/library/file_indexes.h"
#include "runtime/parquet/library/library.h"

namespace pelorus::parquet_file {

namespace {

namespace pq = ::parquet;

constexpr int64_t kPageBufferBytes = 256 << 10;

Physical physicalOf(pq::Type::type type) {
    switch (type) {
        case pq::Type::BOOLEAN:
            return Physical::Bool;
        case pq::Type::INT32:
            return Physical::Int32;
        case pq::Type::INT64:
            return Physical::Int64;
        case pq::Type::INT96:
            return Physical::Int96;
        case pq::Type::FLOAT:
            return Physical::Float;
        case pq::Type::DOUBLE:
            return Physical::Double;
        case pq::Type::FIXED_LEN_BYTE_ARRAY:
            return Physical::FixedBytes;
        default:
            return Physical::Bytes;
    }
}

Logical intOf(const pq::IntLogicalType& type) {
    const bool isSigned = type.is_signed();
    switch (type.bit_width()) {
        case 8:
            return isSigned ? Logical::Int8 : Logical::UInt8;
        case 16:
            return isSigned ? Logical::Int16 : Logical::UInt16;
        case 32:
            return isSigned ? Logical::Int32 : Logical::UInt32;
        default:
            return isSigned ? Logical::Int64 : Logical::UInt64;
    }
}

// Picks the one of three that is for a unit of time; Other for an unknown one.
Logical byUnit(pq::LogicalType::TimeUnit::unit unit, Logical millis, Logical micros, Logical nanos) {
    switch (unit) {
        case pq::LogicalType::TimeUnit::MILLIS:
            return millis;
        case pq::LogicalType::TimeUnit::MICROS:
            return micros;
        case pq::LogicalType::TimeUnit::NANOS:
            return nanos;
        default:
            return Logical::Other;
    }
}

void describeMeaning(const pq::ColumnDescriptor& leaf, Column& column) {
    const auto& type = leaf.logical_type();
    if (!type || type->is_none() || !type->is_valid()) return;
    if (type->is_string()) {
        column.logical = Logical::String;
    } else if (type->is_enum()) {
        column.logical = Logical::Enum;
    } else if (type->is_JSON()) {
        column.logical = Logical::Json;
    } else if (type->is_BSON()) {
        column.logical = Logical::Bson;
    } else if (type->is_UUID()) {
        column.logical = Logical::Uuid;
    } else if (type->is_float16()) {
        column.logical = Logical::Float16;
    } else if (type->is_null()) {
        column.logical = Logical::Null;
    } else if (type->is_date()) {
        column.logical = Logical::Date;
    } else if (type->is_int()) {
        column.logical = intOf(static_cast<const pq::IntLogicalType&>(*type));
    } else if (type->is_decimal()) {
        const auto& decimal = static_cast<const pq::DecimalLogicalType&>(*type);
        column.logical = Logical::Decimal;
        column.precision = decimal.precision();
        column.scale = decimal.scale();
    } else if (type->is_time()) {
        const auto& time = static_cast<const pq::TimeLogicalType&>(*type);
        column.isUtc = time.is_adjusted_to_utc();
        column.logical = byUnit(time.time_unit(), Logical::TimeMillis, Logical::TimeMicros, Logical::TimeNanos);
    } else if (type->is_timestamp()) {
        const auto& time = static_cast<const pq::TimestampLogicalType&>(*type);
        column.isUtc = time.is_adjusted_to_utc();
        column.logical =
            byUnit(time.time_unit(), Logical::TimestampMillis, Logical::TimestampMicros, Logical::TimestampNanos);
    } else {
        column.logical = Logical::Other;
    }
}

void describeLeaf(const pq::SchemaDescriptor& schema, int leaf, Column& column) {
    const pq::ColumnDescriptor& descriptor = *schema.Column(leaf);
    column.leaf = leaf;
    column.physical = physicalOf(descriptor.physical_type());
    column.byteWidth = column.physical == Physical::FixedBytes ? descriptor.type_length() : 0;
    column.maxDefinition = descriptor.max_definition_level();
    column.maxRepetition = descriptor.max_repetition_level();
    describeMeaning(descriptor, column);
    if (column.maxRepetition > 1) column.obstacle = "a list of lists";
}

// Returns the one primitive node of a list, written as Parquet wants it or as older writers did; nullptr for other
// groups.
const pq::schema::Node* elementOf(const pq::schema::GroupNode& group) {
    if (group.field_count() != 1) return nullptr;
    const pq::schema::Node& inner = *group.field(0);
    if (inner.is_primitive()) return inner.is_repeated() ? &inner : nullptr;
    const auto& list = static_cast<const pq::schema::GroupNode&>(inner);
    if (!inner.is_repeated() || list.field_count() != 1) return nullptr;
    const pq::schema::Node& element = *list.field(0);
    return element.is_primitive() && !element.is_repeated() ? &element : nullptr;
}

std::vector<Column> columnsOf(const pq::SchemaDescriptor& schema) {
    std::vector<Column> columns;
    const pq::schema::GroupNode& root = *schema.group_node();
    // Leaves are numbered from left to right; the first of each field of the root is looked up by walking them once.
    std::vector<int> firstLeaf(static_cast<size_t>(root.field_count()), -1);
    for (int leaf = schema.num_columns() - 1; leaf >= 0; --leaf)
        firstLeaf[static_cast<size_t>(root.FieldIndex(*schema.GetColumnRoot(leaf)))] = leaf;
    for (int i = 0; i < root.field_count(); ++i) {
        const pq::schema::Node& field = *root.field(i);
        Column column;
        column.name = field.name();
        const int leaf = firstLeaf[static_cast<size_t>(i)];
        const auto* element = field.is_group() ? elementOf(static_cast<const pq::schema::GroupNode&>(field)) : nullptr;
        const bool isMap = field.logical_type() && field.logical_type()->is_map();
        if (field.is_primitive() || (element != nullptr && !isMap && !field.is_repeated())) {
            describeLeaf(schema, leaf, column);
        } else {
            const bool isList = field.logical_type() && field.logical_type()->is_list();
            column.obstacle = isMap ? "a map" : isList ? "a list of structs or lists" : "a struct";
        }
        columns.push_back(std::move(column));
    }
    return columns;
}

// The open file.
class ArrowFileReader final : public FileReader {
public:
    ArrowFileReader(ParquetHost& host, std::unique_ptr<pq::ParquetFileReader> reader,
                    const pq::ReaderProperties& properties)
        : host_(host),
          properties_(properties),
          reader_(std::move(reader)),
          metadata_(reader_->metadata()),
          pageIndexes_(reader_->GetPageIndexReader()),
          bloomFilters_(reader_->GetBloomFilterReader()),
          columns_(columnsOf(*metadata_->schema())) {}

    const std::vector<Column>& columns() const override { return columns_; }
    int rowGroupCount() const override { return metadata_->num_row_groups(); }
    int64_t rowCount(int rowGroup) const override {
        return guarded(host_, [&] { return metadata_->RowGroup(rowGroup)->num_rows(); });
    }

    Statistics statistics(int rowGroup, int leaf) const override {
        return guarded(host_, [&] {
            Statistics result;
            const auto chunk = metadata_->RowGroup(rowGroup)->ColumnChunk(leaf);
            const auto known = chunk->is_stats_set() ? chunk->statistics() : nullptr;
            if (!known) return result;
            if (known->HasNullCount()) result.nullCount = known->null_count();
            if (known->HasMinMax()) {
                result.min = known->EncodeMin();
                result.max = known->EncodeMax();
            }
            return result;
        });
    }

    int64_t compressedBytes(int rowGroup, int leaf) const override {
        return guarded(host_,
                       [&] { return metadata_->RowGroup(rowGroup)->ColumnChunk(leaf)->total_compressed_size(); });
    }

    std::optional<std::string> metadata(const std::string& key) const override {
        const auto& known = metadata_->key_value_metadata();
        if (!known || !known->Contains(key)) return std::nullopt;
        return guarded(host_, [&] { return std::optional<std::string>(known->Get(key).ValueOrDie()); });
    }

    std::vector<Page> pages(int rowGroup, int leaf) const override {
        return guarded(host_, [&] { return readPages(*pageIndexes_, *metadata_, rowGroup, leaf); });
    }

    std::unique_ptr<ValueFilter> valueFilter(int rowGroup, int leaf) const override {
        return guarded(host_, [&] { return readValueFilter(bloomFilters_, *metadata_, rowGroup, leaf); });
    }

    std::unique_ptr<ColumnCursor> open(int rowGroup, int leaf) const override {
        return guarded(host_, [&] { return openCursor(host_, reader_->RowGroup(rowGroup), leaf, properties_); });
    }

private:
    ParquetHost& host_;
    const pq::ReaderProperties properties_;
    std::unique_ptr<pq::ParquetFileReader> reader_;
    std::shared_ptr<pq::FileMetaData> metadata_;
    // Both are made once, by one thread, and may be asked by several.
    std::shared_ptr<pq::PageIndexReader> pageIndexes_;
    pq::BloomFilterReader& bloomFilters_;
    std::vector<Column> columns_;
};

}  // namespace

std::unique_ptr<FileReader> openReader(ParquetHost& host, ChargedPool& pool, std::shared_ptr<File> file) {
    return guarded(host, [&]() -> std::unique_ptr<FileReader> {
        pq::ReaderProperties properties(&pool);
        // A page is read when it is its turn, not a whole column of a row group at once.
        properties.enable_buffered_stream();
        properties.set_buffer_size(kPageBufferBytes);
        properties.set_page_checksum_verification(true);
        auto reader = pq::ParquetFileReader::Open(readable(std::move(file), pool), properties);
        return std::make_unique<ArrowFileReader>(host, std::move(reader), properties);
    });
}

}  // namespace pelorus::parquet_file
