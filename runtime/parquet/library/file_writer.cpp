#include <arrow/util/key_value_metadata.h>
#include <parquet/column_writer.h>
#include <parquet/file_writer.h>
#include <parquet/properties.h>
#include <parquet/schema.h>

#include <utility>

#include "runtime/parquet/library/library.h"

namespace pelorus::parquet_file {

namespace {

namespace pq = ::parquet;

pq::Type::type physicalOf(Physical type) {
    switch (type) {
        case Physical::Bool:
            return pq::Type::BOOLEAN;
        case Physical::Int32:
            return pq::Type::INT32;
        case Physical::Int64:
            return pq::Type::INT64;
        case Physical::Int96:
            return pq::Type::INT96;
        case Physical::Float:
            return pq::Type::FLOAT;
        case Physical::Double:
            return pq::Type::DOUBLE;
        case Physical::Bytes:
            return pq::Type::BYTE_ARRAY;
        case Physical::FixedBytes:
            return pq::Type::FIXED_LEN_BYTE_ARRAY;
    }
    throw pq::ParquetException("unknown physical type");
}

std::shared_ptr<const pq::LogicalType> meaningOf(const Column& column) {
    using Unit = pq::LogicalType::TimeUnit;
    switch (column.logical) {
        case Logical::String:
            return pq::LogicalType::String();
        case Logical::Enum:
            return pq::LogicalType::Enum();
        case Logical::Json:
            return pq::LogicalType::JSON();
        case Logical::Uuid:
            return pq::LogicalType::UUID();
        case Logical::Decimal:
            return pq::LogicalType::Decimal(column.precision, column.scale);
        case Logical::Date:
            return pq::LogicalType::Date();
        case Logical::TimeMillis:
            return pq::LogicalType::Time(column.isUtc, Unit::MILLIS);
        case Logical::TimeMicros:
            return pq::LogicalType::Time(column.isUtc, Unit::MICROS);
        case Logical::TimeNanos:
            return pq::LogicalType::Time(column.isUtc, Unit::NANOS);
        case Logical::TimestampMillis:
            return pq::LogicalType::Timestamp(column.isUtc, Unit::MILLIS, false, true);
        case Logical::TimestampMicros:
            return pq::LogicalType::Timestamp(column.isUtc, Unit::MICROS, false, true);
        case Logical::TimestampNanos:
            return pq::LogicalType::Timestamp(column.isUtc, Unit::NANOS);
        case Logical::Int8:
            return pq::LogicalType::Int(8, true);
        case Logical::Int16:
            return pq::LogicalType::Int(16, true);
        default:
            return pq::LogicalType::None();
    }
}

pq::schema::NodePtr nodeOf(const Column& column) {
    const auto leaf = [&](const std::string& name, pq::Repetition::type repetition) {
        return pq::schema::PrimitiveNode::Make(name, repetition, meaningOf(column), physicalOf(column.physical),
                                               column.physical == Physical::FixedBytes ? column.byteWidth : -1);
    };
    if (column.maxRepetition == 0)
        return leaf(column.name, column.maxDefinition == 0 ? pq::Repetition::REQUIRED : pq::Repetition::OPTIONAL);
    const auto repeated =
        pq::schema::GroupNode::Make("list", pq::Repetition::REPEATED, {leaf("element", pq::Repetition::OPTIONAL)});
    return pq::schema::GroupNode::Make(column.name, pq::Repetition::OPTIONAL, {repeated}, pq::LogicalType::List());
}

std::shared_ptr<pq::schema::GroupNode> schemaOf(const std::vector<Column>& columns) {
    pq::schema::NodeVector fields;
    for (const Column& column : columns) fields.push_back(nodeOf(column));
    return std::static_pointer_cast<pq::schema::GroupNode>(
        pq::schema::GroupNode::Make("schema", pq::Repetition::REQUIRED, fields));
}

arrow::Compression::type codecOf(const std::string& name) {
    if (name == "snappy") return arrow::Compression::SNAPPY;
    if (name == "gzip") return arrow::Compression::GZIP;
    if (name == "lz4") return arrow::Compression::LZ4;
    if (name == "zstd") return arrow::Compression::ZSTD;
    return arrow::Compression::UNCOMPRESSED;
}

// The file that is being written.
class ArrowFileWriter final : public FileWriter {
public:
    ArrowFileWriter(ParquetHost& host, std::unique_ptr<pq::ParquetFileWriter> writer,
                    const std::vector<Column>& columns)
        : host_(host), writer_(std::move(writer)), columns_(columns), fixed_(columns.size()) {}

    void beginRowGroup() override {
        guarded(host_, [&] { group_ = writer_->AppendBufferedRowGroup(); });
    }

    void write(int column, int64_t levels, const int16_t* definitions, const int16_t* repetitions,
               const void* values) override {
        guarded(host_, [&] { writeValues(column, levels, definitions, repetitions, values); });
    }

    void endRowGroup() override {
        guarded(host_, [&] { group_->Close(); });
    }

    void close() override {
        guarded(host_, [&] { writer_->Close(); });
    }

private:
    void writeValues(int column, int64_t levels, const int16_t* definitions, const int16_t* repetitions,
                     const void* values) {
        pq::ColumnWriter* const writer = group_->column(column);
        const auto as = [&]<class Writer, class T>(const T* stored) {
            static_cast<Writer*>(writer)->WriteBatch(levels, definitions, repetitions, stored);
        };
        switch (writer->type()) {
            case pq::Type::BOOLEAN:
                return as.template operator()<pq::BoolWriter>(static_cast<const bool*>(values));
            case pq::Type::INT32:
                return as.template operator()<pq::Int32Writer>(static_cast<const int32_t*>(values));
            case pq::Type::INT64:
                return as.template operator()<pq::Int64Writer>(static_cast<const int64_t*>(values));
            case pq::Type::FLOAT:
                return as.template operator()<pq::FloatWriter>(static_cast<const float*>(values));
            case pq::Type::DOUBLE:
                return as.template operator()<pq::DoubleWriter>(static_cast<const double*>(values));
            case pq::Type::BYTE_ARRAY:
                return as.template operator()<pq::ByteArrayWriter>(static_cast<const pq::ByteArray*>(values));
            case pq::Type::FIXED_LEN_BYTE_ARRAY: {
                const auto* bytes = static_cast<const Bytes*>(values);
                const int16_t full = columns_[static_cast<size_t>(column)].maxDefinition;
                std::vector<pq::FixedLenByteArray>& fixed = fixed_[static_cast<size_t>(column)];
                fixed.clear();
                for (int64_t i = 0, value = 0; i < levels; ++i) {
                    if (definitions != nullptr && definitions[i] != full) continue;
                    fixed.emplace_back(reinterpret_cast<const uint8_t*>(bytes[value++].begin));
                }
                return as.template operator()<pq::FixedLenByteArrayWriter>(fixed.data());
            }
            default:
                throw pq::ParquetException("a physical type that is not written");
        }
    }

    ParquetHost& host_;
    std::unique_ptr<pq::ParquetFileWriter> writer_;
    const std::vector<Column> columns_;
    pq::RowGroupWriter* group_ = nullptr;
    std::vector<std::vector<pq::FixedLenByteArray>> fixed_;  // of each column, kept for its next piece
};

}  // namespace

std::unique_ptr<FileWriter> openWriter(ParquetHost& host, ChargedPool& pool, std::shared_ptr<File> file,
                                       const std::vector<Column>& columns, const WriteOptions& options) {
    return guarded(host, [&]() -> std::unique_ptr<FileWriter> {
        pq::WriterProperties::Builder properties;
        properties.memory_pool(&pool)->created_by("pelorus")->compression(codecOf(options.compression));
        properties.version(pq::ParquetVersion::PARQUET_2_6)->enable_page_checksum()->enable_write_page_index();
        std::vector<pq::SortingColumn> sorting;
        for (const WriteOptions::SortKey& key : options.sortKeys)
            sorting.push_back({key.column, key.isDescending, !key.isDescending});
        properties.set_sorting_columns(std::move(sorting));
        for (const int column : options.filterColumns) {
            pq::BloomFilterOptions filter;
            filter.ndv = options.rowGroupRows;
            filter.fpp = 0.01;
            properties.enable_bloom_filter(columns[static_cast<size_t>(column)].name, filter);
        }
        auto metadata = std::make_shared<arrow::KeyValueMetadata>();
        for (const auto& [key, value] : options.metadata) metadata->Append(key, value);
        auto writer =
            pq::ParquetFileWriter::Open(writable(std::move(file)), schemaOf(columns), properties.build(), metadata);
        return std::make_unique<ArrowFileWriter>(host, std::move(writer), columns);
    });
}

}  // namespace pelorus::parquet_file
