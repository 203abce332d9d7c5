#include "runtime/arrow/arrow_writer.h"

#include <algorithm>
#include <cstring>

#include "common/thread/cancellation.h"
#include "runtime/arrow/packed_buffer.h"

namespace pelorus::arrow {

namespace {

constexpr std::string_view kEnd{"\xff\xff\xff\xff\0\0\0\0", 8};
constexpr std::string_view kFileBegin{"ARROW1\0\0", 8};
constexpr std::string_view kFileEnd = "ARROW1";
constexpr int16_t kVersion = 4;  // version 5 of Arrow's metadata, by its number
constexpr int kSchema = 1, kDictionaryBatch = 2, kRecordBatch = 3;

template <class T>
void append(std::string& out, T number) {
    out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

}  // namespace

ArrowWriter::ArrowWriter(const TableSchema& columns, Options options, Sink sink)
    : options_(std::move(options)), sink_(std::move(sink)), symbols_(columns.size()) {
    for (size_t c = 0; c < columns.size(); ++c)
        schema_.fields.push_back(fieldOf(columns[c], static_cast<int64_t>(c), SymbolForm::Dictionary));
    schema_.metadata = options_.metadata;
    if (options_.form == ArrowForm::File) put(kFileBegin);
    writeMessage(kSchema, encodeSchema(schema_), nullptr);
}

void ArrowWriter::put(std::string_view bytes) {
    GatheredBytes gathered;
    gathered.append(bytes);
    put(std::move(gathered));
}

void ArrowWriter::put(GatheredBytes bytes) {
    written_ += bytes.size();
    sink_(std::move(bytes));
}

// `body`: null for a message without one.
ArrowWriter::Block ArrowWriter::writeMessage(int kind, FlatBuilder header, BatchEncoder* body) {
    const int64_t bodyBytes = body ? body->bodyBytes() : 0;
    FlatBuilder message;
    message.add(0, kVersion);
    message.add(1, static_cast<uint8_t>(kind));
    message.addTable(2, std::move(header));
    message.add(3, bodyBytes);
    const std::string metadata = message.finish();
    const Block block{written_, static_cast<int64_t>(metadata.size()) + 8, bodyBytes};
    std::string head = "\xff\xff\xff\xff";
    append(head, static_cast<int32_t>(metadata.size()));
    GatheredBytes bytes;
    bytes.append(head + metadata);
    if (body) body->moveBody(bytes);
    put(std::move(bytes));
    return block;
}

// Writes the symbols of a column that its dictionary does not have.
void ArrowWriter::addSymbols(size_t column, const Value& values) {
    Symbols& symbols = symbols_[column];
    const std::vector<std::string_view> added = symbols.places.add(values.vector());
    if (symbols.isWritten && added.empty()) return;
    BatchEncoder strings(options_.codec, options_.level);
    strings.addStrings(added);
    FlatBuilder dictionary;
    dictionary.add(0, static_cast<int64_t>(column));
    dictionary.addTable(1, strings.message(static_cast<int64_t>(added.size())));
    dictionary.add(2, static_cast<uint8_t>(symbols.isWritten));
    dictionaries_.push_back(writeMessage(kDictionaryBatch, std::move(dictionary), &strings));
    symbols.isWritten = true;
}

void ArrowWriter::writeBatch(const MemoryTable& rows, int64_t begin, int64_t count) {
    BatchEncoder batch(options_.codec, options_.level);
    for (size_t c = 0; c < schema_.fields.size(); ++c)
        batch.add(schema_.fields[c], rows.column(static_cast<int>(c)), begin, count, symbols_[c].places.places());
    batches_.push_back(writeMessage(kRecordBatch, batch.message(count), &batch));
}

void ArrowWriter::write(const MemoryTable& rows) {
    for (size_t c = 0; c < schema_.fields.size(); ++c) {
        if (schema_.fields[c].dictionary) addSymbols(c, rows.column(static_cast<int>(c)));
    }
    for (int64_t begin = 0; begin < rows.rowCount(); begin += kBatchRows) {
        checkCancelled();
        writeBatch(rows, begin, std::min(kBatchRows, rows.rowCount() - begin));
    }
}

std::string ArrowWriter::footer() const {
    const auto structsOf = [](const std::vector<Block>& blocks) {
        std::string bytes;
        for (const Block& block : blocks) {
            append(bytes, block.offset);
            append(bytes, block.metadataBytes);  // 32 bits, and as many of padding
            append(bytes, block.bodyBytes);
        }
        return bytes;
    };
    FlatBuilder table;
    table.add(0, kVersion);
    table.addTable(1, encodeSchema(schema_));
    table.addStructs(2, structsOf(dictionaries_), dictionaries_.size());
    table.addStructs(3, structsOf(batches_), batches_.size());
    return table.finish();
}

void ArrowWriter::finish() {
    put(kEnd);
    if (options_.form != ArrowForm::File) return;
    std::string end = footer();
    append(end, static_cast<int32_t>(end.size()));
    put(end);
    put(kFileEnd);
}

}  // namespace pelorus::arrow
