#include "runtime/arrow/arrow_writer.h"

#include <algorithm>
#include <cstring>

#include "common/thread/cancellation.h"
#include "runtime/arrow/packed_buffer.h"
#include "runtime/value/symbol_base.h"

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
    writeMessage(kSchema, encodeSchema(schema_), {});
}

void ArrowWriter::put(std::string_view bytes) {
    written_ += static_cast<int64_t>(bytes.size());
    sink_(bytes);
}

ArrowWriter::Block ArrowWriter::writeMessage(int kind, FlatBuilder header, std::string_view body) {
    FlatBuilder message;
    message.add(0, kVersion);
    message.add(1, static_cast<uint8_t>(kind));
    message.addTable(2, std::move(header));
    message.add(3, static_cast<int64_t>(body.size()));
    const std::string metadata = message.finish();
    Block block{written_, static_cast<int64_t>(metadata.size()) + 8, static_cast<int64_t>(body.size())};
    std::string head = "\xff\xff\xff\xff";
    append(head, static_cast<int32_t>(metadata.size()));
    put(head + metadata);
    if (!body.empty()) put(body);
    return block;
}

// Writes the symbols of a column that its dictionary does not have.
void ArrowWriter::addSymbols(size_t column, const Value& values) {
    Symbols& symbols = symbols_[column];
    const Vector& vector = values.vector();
    const auto* codes = vector.data<int32_t>();
    std::vector<std::string_view> added;
    if (symbols.places.empty()) symbols.places.push_back(0);  // NULL, whose place is not looked at
    for (int64_t i = 0; i < vector.size(); ++i) {
        const auto code = static_cast<size_t>(codes[i]);
        if (code == 0) continue;
        if (code >= symbols.places.size()) symbols.places.resize(code + 1 + code / 2, -1);
        if (symbols.places[code] >= 0) continue;
        symbols.places[code] = symbols.count++;
        added.push_back(pelorus::symbols::string(codes[i]));
    }
    if (symbols.isWritten && added.empty()) return;
    BatchEncoder strings(options_.codec, options_.level);
    strings.addStrings(added);
    FlatBuilder dictionary;
    dictionary.add(0, static_cast<int64_t>(column));
    dictionary.addTable(1, strings.message(static_cast<int64_t>(added.size())));
    dictionary.add(2, static_cast<uint8_t>(symbols.isWritten));
    dictionaries_.push_back(writeMessage(kDictionaryBatch, std::move(dictionary), strings.body()));
    symbols.isWritten = true;
}

void ArrowWriter::writeBatch(const MemoryTable& rows, int64_t begin, int64_t count) {
    BatchEncoder batch(options_.codec, options_.level);
    for (size_t c = 0; c < schema_.fields.size(); ++c)
        batch.add(schema_.fields[c], rows.column(static_cast<int>(c)), begin, count, symbols_[c].places);
    batches_.push_back(writeMessage(kRecordBatch, batch.message(count), batch.body()));
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
