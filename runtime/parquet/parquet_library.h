// The interface of libpelorus_arrow.so, the only place that knows Arrow C++: reader and writer of the columns of a
// Parquet file as Parquet stores them.
//
// The library is optional and opened on first use. It returns levels and values as the file has them; what they mean in
// the language is decided on this side (column_type.h, column_reader.h). Its errors come back through
// ParquetHost::fail, and its memory is charged to the process's budget, so that a file with wrong sizes ends
// with an error.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pelorus {

class File;

namespace parquet_file {

// The types in which Parquet stores values.
enum class Physical : uint8_t { Bool, Int32, Int64, Int96, Float, Double, Bytes, FixedBytes };

// The meaning of stored values in a file.
enum class Logical : uint8_t {
    None,
    String,
    Enum,
    Json,
    Bson,
    Uuid,
    Float16,
    Decimal,
    Date,
    TimeMillis,
    TimeMicros,
    TimeNanos,
    TimestampMillis,
    TimestampMicros,
    TimestampNanos,
    Int8,
    Int16,
    Int32,
    Int64,
    UInt8,
    UInt16,
    UInt32,
    UInt64,
    Null,
    Other,
};

// The description of a column: a flat one, or a list of values, which are leaves of the file's schema.
struct Column {
    std::string name;
    Physical physical = Physical::Int32;
    Logical logical = Logical::None;
    int byteWidth = 0;  // of FixedBytes
    int precision = 0;  // of Decimal
    int scale = 0;
    bool isUtc = false;         // times are adjusted to UTC
    int16_t maxDefinition = 0;  // the definition level of a value that is not NULL
    int16_t maxRepetition = 0;  // 1: a list
    int leaf = -1;              // its number among the file's leaves; -1 for a group of several
    std::string obstacle;       // why no column of a table can hold it, as in "a struct"; empty when one can
};

// Statistics of a column's values in a row group: the stored bytes of the bounds, which may be wider than the values.
struct Statistics {
    std::optional<std::string> min, max;
    std::optional<int64_t> nullCount;
};

// A page of a flat column, as the file's page index tells: it ends where the next one begins.
struct Page {
    int64_t firstRow = 0;  // of the row group
    Statistics statistics;
};

// A filter over the values of a column in a row group, such as a Bloom filter. Immutable, and so thread-safe.
class ValueFilter {
public:
    virtual ~ValueFilter() = default;
    // Returns false only when the column has no such value. `stored`: the bytes of the value, as those of Statistics.
    virtual bool mayHave(std::string_view stored) const = 0;
};

// A Parquet value of variable or fixed length; valid until the next read of its cursor.
struct Bytes {
    uint32_t size = 0;
    const char* begin = nullptr;
    std::string_view view() const { return {begin, size}; }
};

// The values that one read gave: so many levels, of which so many are values that are not NULL.
struct Read {
    int64_t levels = 0;
    int64_t values = 0;
};

// A cursor over one column of one row group. One thread uses it at a time.
class ColumnCursor {
public:
    virtual ~ColumnCursor() = default;
    // Reads the next levels and values, at most `count` levels and none at the end. `definitions` and `repetitions` may
    // be null where their max level is 0. `values` holds room for `count` values of the physical type: bool,
    // int32_t, int64_t, 12 bytes, float, double, or Bytes.
    virtual Read read(int64_t count, int16_t* definitions, int16_t* repetitions, void* values) = 0;
    // Returns whether all values are codes of a dictionary, which are then read by readCodes in place of `read`.
    virtual bool hasCodes() const = 0;
    // `dictionary` receives Bytes, valid as long as the cursor; empty before the first value.
    virtual Read readCodes(int64_t count, int16_t* definitions, int16_t* repetitions, int32_t* codes,
                           const Bytes*& dictionary, int32_t& dictionarySize) = 0;
    // Skips levels of a column that is no list.
    virtual void skip(int64_t count) = 0;
};

// An open file. Thread-safe; its cursors live no longer than it.
class FileReader {
public:
    virtual ~FileReader() = default;
    virtual const std::vector<Column>& columns() const = 0;
    virtual int rowGroupCount() const = 0;
    virtual int64_t rowCount(int rowGroup) const = 0;
    virtual Statistics statistics(int rowGroup, int leaf) const = 0;
    // Returns the pages of a flat column; none when the file has no index of them.
    virtual std::vector<Page> pages(int rowGroup, int leaf) const = 0;
    // Returns the filter of a column's values; null when the file has none.
    virtual std::unique_ptr<ValueFilter> valueFilter(int rowGroup, int leaf) const = 0;
    virtual int64_t compressedBytes(int rowGroup, int leaf) const = 0;
    // Returns the value of a key of the file's own metadata; nothing when it has none.
    virtual std::optional<std::string> metadata(const std::string& key) const = 0;
    virtual std::unique_ptr<ColumnCursor> open(int rowGroup, int leaf) const = 0;
};

// How a file is written.
struct WriteOptions {
    std::string compression;  // "none", "snappy", "gzip", "lz4" or "zstd"
    struct SortKey {
        int column = 0;
        bool isDescending = false;
    };
    std::vector<SortKey> sortKeys;   // the order that rows have already
    std::vector<int> filterColumns;  // flat columns, none of Bool, that get a Bloom filter in each row group
    int64_t rowGroupRows = 0;        // the most that a row group has, for which filters are sized
    std::vector<std::pair<std::string, std::string>> metadata;
};

// A file that is being written, row group by row group. One thread uses it, but that threads may write different
// columns of a row group at once; their compressed pages are in memory until its end.
class FileWriter {
public:
    virtual ~FileWriter() = default;
    virtual void beginRowGroup() = 0;
    // Writes the next piece of a column: levels as ColumnCursor reads them, and the values that are not NULL.
    virtual void write(int column, int64_t levels, const int16_t* definitions, const int16_t* repetitions,
                       const void* values) = 0;
    virtual void endRowGroup() = 0;
    // Writes the footer. A file that is not closed has none, and no reader takes it for whole.
    virtual void close() = 0;
};

// Services of the process that the library calls. Thread-safe.
class ParquetHost {
public:
    virtual ~ParquetHost() = default;
    // Charges memory to the budget; returns false when the limit refuses.
    virtual bool charge(int64_t sizeBytes) noexcept = 0;
    virtual void discharge(int64_t sizeBytes) noexcept = 0;
    // Throws the error.
    [[noreturn]] virtual void fail(const std::string& message) = 0;
};

// The library, once it is open.
class Library {
public:
    virtual ~Library() = default;
    // Reads the footer. Calls `fail` for what is no Parquet file, is encrypted, or contradicts itself.
    virtual std::unique_ptr<FileReader> read(std::shared_ptr<File> file) = 0;
    // The name, physical and logical type, width, precision, scale and max levels of the columns count: a list has
    // the levels 3 and 1, a flat column that may have NULLs 1 and 0.
    virtual std::unique_ptr<FileWriter> write(std::shared_ptr<File> file, const std::vector<Column>& columns,
                                              const WriteOptions& options) = 0;
};

// Returns the library, opened by the first call. Throws UserError saying what to install when it is not there.
Library& library();

}  // namespace parquet_file

}  // namespace pelorus
