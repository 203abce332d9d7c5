// Writer of Arrow's IPC streams and files.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/arrow/arrow_encoder.h"
#include "runtime/arrow/arrow_schema.h"
#include "runtime/arrow/symbol_places.h"
#include "runtime/table/table.h"
#include "runtime/value/gathered_bytes.h"

namespace pelorus::arrow {

// The form of the bytes.
enum class ArrowForm : uint8_t {
    Stream,  // messages and an end mark
    File,    // the same between two marks, with a list of the batches: Feather, version 2
};

// A stream of tables with the same columns, in batches of kBatchRows rows. Strings of SYMBOL columns are in a
// dictionary to which later tables add. One thread uses it.
class ArrowWriter {
public:
    static constexpr int64_t kBatchRows = 65536;

    struct Options {
        ArrowForm form = ArrowForm::Stream;
        int codec = -1;  // of the buffers: kLz4Frame, kZstd, or -1 for none
        int level = 1;   // of Zstandard
        std::vector<std::pair<std::string, std::string>> metadata;
    };
    // Takes the bytes message by message.
    using Sink = std::function<void(GatheredBytes&&)>;

    // Writes the schema. Throws UserError, naming the column, when a type has no counterpart.
    ArrowWriter(const TableSchema& columns, Options options, Sink sink);

    // Writes the rows of a table in memory that has the columns.
    void write(const MemoryTable& rows);
    // Writes the end.
    void finish();

private:
    // The dictionary of one column.
    struct Symbols {
        SymbolPlaces places;
        bool isWritten = false;
    };
    struct Block {
        int64_t offset = 0, metadataBytes = 0, bodyBytes = 0;
    };
    void addSymbols(size_t column, const Value& codes);
    void writeBatch(const MemoryTable& rows, int64_t begin, int64_t count);
    Block writeMessage(int kind, FlatBuilder header, BatchEncoder* body);
    void put(std::string_view bytes);
    void put(GatheredBytes bytes);
    std::string footer() const;

    const Options options_;
    const Sink sink_;
    ArrowSchema schema_;
    std::vector<Symbols> symbols_;
    std::vector<Block> dictionaries_, batches_;
    int64_t written_ = 0;
};

}  // namespace pelorus::arrow
