#include "runtime/arrow/arrow_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "common/error.h"
#include "common/io/file.h"
#include "common/thread/cancellation.h"
#include "runtime/memory/budget.h"

namespace pelorus::arrow {

namespace {

constexpr uint32_t kContinuation = 0xFFFFFFFF;
constexpr size_t kPieceBytes = size_t{1} << 20;
constexpr int64_t kMaxMessageBytes = int64_t{1} << 28;
constexpr int kFirstVersion = 3;  // version 4 of Arrow's metadata, by its number
constexpr std::string_view kFileMark = "ARROW1";
constexpr int64_t kFileBegin = 8;      // the mark, and two bytes
constexpr int64_t kFileEndBytes = 10;  // the length of the footer, and the mark
constexpr size_t kBlockBytes = 24;     // of an entry in the footer's lists

// Finds the field whose values a dictionary has.
const ArrowField* fieldOfDictionary(const std::vector<ArrowField>& fields, int64_t id) {
    for (const ArrowField& field : fields) {
        if (field.dictionary && field.dictionary->id == id) return &field;
        if (const ArrowField* found = fieldOfDictionary(field.children, id)) return found;
    }
    return nullptr;
}

void requireFile(const File& file) {
    char begin[kFileBegin] = {}, end[6] = {};
    const int64_t size = file.size();
    const bool isWhole = size >= 2 * kFileBegin && file.readAt(0, begin, sizeof begin) == sizeof begin &&
                         file.readAt(size - 6, end, sizeof end) == sizeof end;
    if (std::string_view(begin, 4) == "FEA1") {
        throw SystemError(file.path() + " is a Feather file of version 1, which is not read.",
                          "Write it anew as version 2, which is what every program writes since 2020.");
    }
    if (!isWhole || std::string_view(begin, 6) != kFileMark || std::string_view(end, 6) != kFileMark)
        throw SystemError(file.path() + " is no whole Arrow file.");
}

template <class F>
auto named(const File& file, F&& f) -> decltype(f()) {
    try {
        return f();
    } catch (const memory::OutOfMemory&) {
        throw;
    } catch (const SystemError& e) {
        throw SystemError(fmt::format("Cannot read {}: {}", file.path(), e.what()), e.hint(), e.retryable());
    }
}

}  // namespace

size_t FileInput::readSome(char* target, size_t most) {
    const size_t got = file_.readAt(place_, target, most);
    place_ += static_cast<int64_t>(got);
    return got;
}

// Returns false at an end before the first byte.
bool ArrowReader::readExactly(char* target, size_t size) {
    for (size_t done = 0; done < size;) {
        const size_t got = input_.readSome(target + done, size - done);
        if (got == 0 && done == 0) return false;
        if (got == 0) refuseArrow("it ends within a message");
        done += got;
    }
    return true;
}

std::string ArrowReader::readBytes(int64_t size) {
    std::string bytes;
    while (static_cast<int64_t>(bytes.size()) < size) {
        checkCancelled();
        // The buffer doubles as bytes come, so that a wrong length costs no memory.
        const size_t begin = bytes.size();
        const size_t piece = std::min(static_cast<size_t>(size) - begin, std::max(kPieceBytes, begin));
        bytes.resize(begin + piece);
        if (!readExactly(bytes.data() + begin, piece)) refuseArrow("it ends within a message");
    }
    return bytes;
}

ArrowReader::Kind ArrowReader::nextMessage() {
    if (file_) {
        if (nextBlock_ == blocks_.size()) return Kind::End;
        file_->goTo(blocks_[nextBlock_++]);
    }
    uint32_t length = 0;
    if (!readExactly(reinterpret_cast<char*>(&length), 4)) return Kind::End;
    if (length == kContinuation && !readExactly(reinterpret_cast<char*>(&length), 4))
        refuseArrow("it ends within a message");
    if (length == 0) return Kind::End;
    if (length > kMaxMessageBytes) refuseArrow("a message has more than 256 MB without its body");
    message_ = readBytes(length);
    const FlatView message(message_);
    if (message.number<int16_t>(0, 0) < kFirstVersion)
        throw DamagedArrow("The Arrow data are of a version before 1.0, which is not read.");
    const int64_t bodyBytes = message.number<int64_t>(3, 0);
    if (bodyBytes < 0) refuseArrow("a body has a negative length");
    body_ = readBytes(bodyBytes);
    const auto kind = message.number<uint8_t>(1, 0);
    if (kind < 1 || kind > 3) refuseArrow("a message is of no kind that is known");
    return static_cast<Kind>(kind);
}

ArrowReader::ArrowReader(ArrowInput& input) : input_(input) {
    if (nextMessage() != Kind::Schema) refuseArrow("it does not begin with a schema");
    takeSchema(decodeSchema(FlatView(message_).table(2)));
}

ArrowReader::ArrowReader(const File& file) : file_(std::make_unique<FileInput>(file, 0)), input_(*file_) {
    const int64_t footerEnd = file.size() - kFileEndBytes;
    uint32_t length = 0;
    file_->goTo(footerEnd);
    if (!readExactly(reinterpret_cast<char*>(&length), 4) || length > footerEnd - kFileBegin)
        refuseArrow("its footer is longer than the file");
    file_->goTo(footerEnd - length);
    const std::string footer = readBytes(length);
    const FlatView view(footer);
    takeSchema(decodeSchema(view.table(1)));
    // Dictionaries come before the batches that need them.
    for (const int list : {2, 3}) {
        const std::string_view blocks = view.structs(list, kBlockBytes);
        for (size_t i = 0; i + kBlockBytes <= blocks.size(); i += kBlockBytes) {
            int64_t place;
            std::memcpy(&place, blocks.data() + i, sizeof place);
            if (place < 0 || place >= footerEnd) refuseArrow("a batch is not within the file");
            blocks_.push_back(place);
        }
    }
}

void ArrowReader::takeSchema(ArrowSchema schema) {
    schema_ = std::move(schema);
    columns_ = TableColumns(schema_);
}

void ArrowReader::takeDictionary() {
    const FlatView dictionary = FlatView(message_).table(2);
    const auto id = dictionary.number<int64_t>(0, 0);
    const ArrowField* owner = fieldOfDictionary(schema_.fields, id);
    if (owner == nullptr) refuseArrow("a dictionary belongs to no column");
    ArrowField field = *owner;
    field.dictionary.reset();
    std::string obstacle;
    const TypeSpec type = typeOf(field, obstacle);
    // That of a column which no table can hold is not needed.
    if (!obstacle.empty() || !isLiteral(type.type)) return;
    BatchDecoder decoder(dictionary.table(1), body_, [this](int64_t bytes) { input_.reserve(bytes); });
    const Type held = type.type == Type::Blob ? Type::Blob : Type::Symbol;
    Ref<Vector> strings(&decoder.take(field, {held, 0}, {}).vector());
    Ref<Vector>& known = dictionaries_[id];
    const bool isDelta = dictionary.number<uint8_t>(2, 0) != 0;
    if (!isDelta || !known)
        known = std::move(strings);
    else
        known->append(*strings, 0, strings->size());
}

Ref<MemoryTable> ArrowReader::next(const std::vector<int>& columns) {
    for (const int c : columns) requireReadable(c);
    Kind kind = nextMessage();
    for (; kind == Kind::Dictionary; kind = nextMessage()) takeDictionary();
    if (kind == Kind::End) return Ref<MemoryTable>();
    if (kind == Kind::Schema) refuseArrow("it has a second schema");
    BatchDecoder decoder(FlatView(message_).table(2), body_, [this](int64_t bytes) { input_.reserve(bytes); });
    std::vector<Value> taken(schema_.fields.size());
    for (size_t c = 0; c < schema_.fields.size(); ++c) {
        const bool isWanted = std::find(columns.begin(), columns.end(), static_cast<int>(c)) != columns.end();
        if (isWanted)
            taken[c] = decoder.take(schema_.fields[c], columns_.type(static_cast<int>(c)), dictionaries_);
        else
            decoder.skip(schema_.fields[c]);
    }
    std::vector<std::string> names;
    std::vector<Value> values;
    for (const int c : columns) {
        names.push_back(columns_.schema()[static_cast<size_t>(c)].name);
        values.push_back(taken[static_cast<size_t>(c)]);
    }
    return makeRef<MemoryTable>(std::move(names), std::move(values));
}

Ref<MemoryTable> ArrowReader::readAll(const std::vector<int>& columns) {
    return columns_.join(columns, [&] { return next(columns); });
}

Ref<MemoryTable> readArrowFile(const File& file, const std::vector<std::string>& names) {
    requireFile(file);
    return named(file, [&] {
        ArrowReader reader(file);
        std::vector<int> columns(reader.columns().size());
        std::iota(columns.begin(), columns.end(), 0);
        if (!names.empty()) columns.clear();
        for (const std::string& name : names) {
            const auto found = std::find_if(reader.columns().begin(), reader.columns().end(),
                                            [&](const ColumnSchema& column) { return column.name == name; });
            if (found == reader.columns().end())
                throw UserError(fmt::format("There is no column {} in {}.", name, file.path()));
            columns.push_back(static_cast<int>(found - reader.columns().begin()));
        }
        return reader.readAll(columns);
    });
}

TableSchema arrowFileColumns(const File& file, ArrowSchema& schema) {
    requireFile(file);
    return named(file, [&] {
        const ArrowReader reader(file);
        schema = reader.schema();
        return reader.columns();
    });
}

}  // namespace pelorus::arrow
