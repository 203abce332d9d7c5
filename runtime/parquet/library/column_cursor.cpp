#include "runtime/parquet/library/column_cursor.h"

#include <parquet/column_reader.h>
#include <parquet/metadata.h>
#include <parquet/schema.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "runtime/parquet/library/arrow_files.h"

namespace pelorus::parquet_file {

namespace {

namespace pq = ::parquet;

// Bytes has the layout of Arrow's ByteArray, so that its readers fill ours.
static_assert(sizeof(Bytes) == sizeof(pq::ByteArray) && offsetof(Bytes, begin) == offsetof(pq::ByteArray, ptr));

// The rows of a cursor's pages. Arrow asks it once for each page, before it decompresses that.
struct PageRows {
    int64_t toSkip = 0;  // rows that the cursor still has to skip
    int64_t loaded = 0;  // rows of the pages that were loaded so far

    // Returns whether the next page is skipped, whole.
    bool skipsPage(int64_t rows) {
        if (rows <= toSkip) {
            toSkip -= rows;
            return true;
        }
        loaded += rows;
        return false;
    }
};

// A row group whose pages pass a filter.
class FilteredGroup final : public pq::RowGroupReader::Contents {
public:
    FilteredGroup(std::shared_ptr<pq::RowGroupReader> group, const pq::ReaderProperties& properties,
                  std::shared_ptr<PageRows> pages)
        : group_(std::move(group)), properties_(properties), pages_(std::move(pages)) {}

    std::unique_ptr<pq::PageReader> GetColumnPageReader(int i) override {
        auto reader = group_->GetColumnPageReader(i);
        reader->set_data_page_filter(
            [pages = pages_](const pq::DataPageStats& page) { return pages->skipsPage(page.num_values); });
        return reader;
    }
    const pq::RowGroupMetaData* metadata() const override { return group_->metadata(); }
    const pq::ReaderProperties* properties() const override { return &properties_; }

private:
    const std::shared_ptr<pq::RowGroupReader> group_;
    const pq::ReaderProperties properties_;
    const std::shared_ptr<PageRows> pages_;
};

// The cursor over values of one physical type.
template <class DType>
class TypedCursor final : public ColumnCursor {
public:
    TypedCursor(ParquetHost& host, std::shared_ptr<pq::ColumnReader> reader, std::shared_ptr<PageRows> pages,
                int byteWidth)
        : host_(host),
          reader_(std::static_pointer_cast<pq::TypedColumnReader<DType>>(std::move(reader))),
          pages_(std::move(pages)),
          byteWidth_(byteWidth),
          hasCodes_(reader_->GetExposedEncoding() == pq::ExposedEncoding::DICTIONARY) {}

    Read read(int64_t count, int16_t* definitions, int16_t* repetitions, void* values) override {
        return guarded(host_, [&] {
            Read result;
            if (!reader_->HasNext()) return result;
            if constexpr (std::is_same_v<DType, pq::FLBAType>) {
                fixed_.resize(static_cast<size_t>(count));
                result.levels = reader_->ReadBatch(count, definitions, repetitions, fixed_.data(), &result.values);
                auto* bytes = static_cast<Bytes*>(values);
                for (int64_t i = 0; i < result.values; ++i)
                    bytes[i] = {static_cast<uint32_t>(byteWidth_),
                                reinterpret_cast<const char*>(fixed_[static_cast<size_t>(i)].ptr)};
            } else {
                result.levels = reader_->ReadBatch(count, definitions, repetitions,
                                                   static_cast<typename DType::c_type*>(values), &result.values);
            }
            taken_ += result.levels;
            return result;
        });
    }

    bool hasCodes() const override { return hasCodes_; }

    Read readCodes(int64_t count, int16_t* definitions, int16_t* repetitions, int32_t* codes, const Bytes*& dictionary,
                   int32_t& dictionarySize) override {
        return guarded(host_, [&] {
            Read result;
            if (!reader_->HasNext()) return result;
            if constexpr (std::is_same_v<DType, pq::ByteArrayType>) {
                const pq::ByteArray* known = nullptr;
                int32_t size = 0;
                result.levels = reader_->ReadBatchWithDictionary(count, definitions, repetitions, codes, &result.values,
                                                                 &known, &size);
                dictionary = reinterpret_cast<const Bytes*>(known);
                dictionarySize = size;
            }
            taken_ += result.levels;
            return result;
        });
    }

    // Skips the rest of the page, then whole pages as they are stored, then the begin of the page that is read next.
    void skip(int64_t count) override {
        guarded(host_, [&] {
            const int64_t here = std::clamp<int64_t>(pages_->loaded - taken_, 0, count);
            skipDecoded(here);
            if (here == count) return;
            pages_->toSkip = count - here;
            reader_->HasNext();
            skipDecoded(std::exchange(pages_->toSkip, 0));
        });
    }

private:
    void skipDecoded(int64_t count) {
        while (count > 0) {
            const int64_t skipped = reader_->Skip(count);
            if (skipped <= 0) break;
            count -= skipped;
            taken_ += skipped;
        }
    }

    ParquetHost& host_;
    const std::shared_ptr<pq::TypedColumnReader<DType>> reader_;
    const std::shared_ptr<PageRows> pages_;
    const int byteWidth_;
    const bool hasCodes_;
    int64_t taken_ = 0;  // of the rows of loaded pages
    std::vector<pq::FixedLenByteArray> fixed_;
};

}  // namespace

std::unique_ptr<ColumnCursor> openCursor(ParquetHost& host, std::shared_ptr<pq::RowGroupReader> group, int leaf,
                                         const pq::ReaderProperties& properties) {
    const pq::ColumnDescriptor& descriptor = *group->metadata()->schema()->Column(leaf);
    const auto pages = std::make_shared<PageRows>();
    pq::RowGroupReader filtered(std::make_unique<FilteredGroup>(std::move(group), properties, pages));
    const auto make = [&]<class DType>(DType*) -> std::unique_ptr<ColumnCursor> {
        constexpr auto kCodes = pq::ExposedEncoding::DICTIONARY;
        auto reader = std::is_same_v<DType, pq::ByteArrayType> ? filtered.ColumnWithExposeEncoding(leaf, kCodes)
                                                               : filtered.Column(leaf);
        return std::make_unique<TypedCursor<DType>>(host, std::move(reader), pages, descriptor.type_length());
    };
    switch (descriptor.physical_type()) {
        case pq::Type::BOOLEAN:
            return make(static_cast<pq::BooleanType*>(nullptr));
        case pq::Type::INT32:
            return make(static_cast<pq::Int32Type*>(nullptr));
        case pq::Type::INT64:
            return make(static_cast<pq::Int64Type*>(nullptr));
        case pq::Type::INT96:
            return make(static_cast<pq::Int96Type*>(nullptr));
        case pq::Type::FLOAT:
            return make(static_cast<pq::FloatType*>(nullptr));
        case pq::Type::DOUBLE:
            return make(static_cast<pq::DoubleType*>(nullptr));
        case pq::Type::BYTE_ARRAY:
            return make(static_cast<pq::ByteArrayType*>(nullptr));
        case pq::Type::FIXED_LEN_BYTE_ARRAY:
            return make(static_cast<pq::FLBAType*>(nullptr));
        default:
            throw pq::ParquetException("unknown physical type");
    }
}

}  // namespace pelorus::parquet_file
