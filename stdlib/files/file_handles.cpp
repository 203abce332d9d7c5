// Open files by handle: lines, bytes, and elements in binary.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "common/error.h"
#include "common/thread/mutex.h"
#include "runtime/function/file_access.h"
#include "runtime/serialize/value_codec.h"
#include "runtime/table/table.h"
#include "runtime/value/cast.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

constexpr int64_t kMaxBytes = int64_t{1} << 30;  // maximum of one read

// A file that a script holds open; closed by `close` or with the last handle. Thread-safe: calls are serialized.
class FileHandle final : public Object, public Described {
public:
    FileHandle(std::string path, FileStream file, bool swapBytes)
        : path_(std::move(path)), file_(std::move(file)), swapBytes_(swapBytes) {}

    std::string describe() const override { return path_; }
    const std::string& path() const { return path_; }
    bool swapBytes() const { return swapBytes_; }

    // Calls f(FILE*) while no one else uses the file.
    template <class F>
    auto use(F f) {
        const MutexLock lock(mutex_);
        if (!file_) throw UserError(0, fmt::format("The file {} is closed.", path_));
        return f(file_.get());
    }
    void close() {
        const MutexLock lock(mutex_);
        file_.reset();
    }
    [[noreturn]] void fail(std::string_view what) const {
        throw SystemError(fmt::format("The file {} can't be {}: {}.", path_, what, std::strerror(errno)));
    }

private:
    const std::string path_;
    Mutex mutex_;
    FileStream file_ GUARDED_BY(mutex_);
    const bool swapBytes_;
};

FileHandle& handleArgument(Arguments a) {
    auto* handle = a[0].type() == Type::Handle && a[0].hasObject() ? dynamic_cast<FileHandle*>(a[0].object()) : nullptr;
    if (!handle) refuseArgument(0, "handle", "a file that `file` opened", a[0]);
    return *handle;
}

Value fileKernel(Context& context, Arguments a) {
    std::string path = stringArgument(a, 0, "name");
    std::string mode = stringArgument(a, 1, "mode", "r");
    constexpr std::string_view kModes[] = {"r", "r+", "w", "w+", "a", "a+"};
    if (std::find(std::begin(kModes), std::end(kModes), mode) == std::end(kModes)) {
        refuseArgument(1, "mode", "r, r+, w, w+, a or a+", a[1]);
    }
    bool little = flagArgument(a, 2, "isLittleEndian", std::endian::native == std::endian::little);
    bool swaps = little != (std::endian::native == std::endian::little);
    Ref<FileHandle> handle = makeRef<FileHandle>(path, userFiles(context).openStream(path, mode), swaps);
    return Value::ofSystem(Type::Handle, handle);
}

Value closeKernel(Context&, Arguments a) {
    handleArgument(a).close();
    return Value();
}

Value seekKernel(Context&, Arguments a) {
    FileHandle& handle = handleArgument(a);
    int64_t offset = integerArgument(a, 1, "offset");
    int64_t mode = integerArgument(a, 2, "mode", 1);
    if (mode < 0 || mode > 2) refuseArgument(2, "mode", "HEAD, CURRENT or TAIL", a[2]);
    constexpr int kOrigins[] = {SEEK_SET, SEEK_CUR, SEEK_END};
    return handle.use([&](std::FILE* file) {
        if (::fseeko(file, offset, kOrigins[mode]) != 0) handle.fail("moved in");
        return Value::ofLong(::ftello(file));
    });
}

// The next line without its end; VOID at the end of the file.
Value nextLine(FileHandle& handle, std::FILE* file) {
    std::string line;
    for (int c = std::fgetc(file); c != '\n'; c = std::fgetc(file)) {
        if (c == EOF) {
            if (std::ferror(file)) handle.fail("read");
            if (line.empty()) return Value();
            break;
        }
        line.push_back(static_cast<char>(c));
    }
    if (line.ends_with('\r')) line.pop_back();
    return Value::ofString(line);
}

Value readLineKernel(Context&, Arguments a) {
    FileHandle& handle = handleArgument(a);
    return handle.use([&](std::FILE* file) { return nextLine(handle, file); });
}

Value readLinesKernel(Context& context, Arguments a) {
    FileHandle& handle = handleArgument(a);
    int64_t most = integerArgument(a, 1, "length", 1024);
    std::vector<std::string> lines;
    handle.use([&](std::FILE* file) {
        while (static_cast<int64_t>(lines.size()) < most) {
            context.checkCancelled();
            Value line = nextLine(handle, file);
            if (line.isVoid()) break;
            lines.emplace_back(line.string());
        }
        return 0;
    });
    return Value::of(Vector::ofStrings(lines));
}

void put(FileHandle& handle, std::FILE* file, const void* bytes, size_t size) {
    if (std::fwrite(bytes, 1, size, file) != size || std::fflush(file) != 0) handle.fail("written");
}

Value writeLineKernel(Context&, Arguments a) {
    FileHandle& handle = handleArgument(a);
    std::string line =
        stringArgument(a, 1, "string") + (flagArgument(a, 2, "windowsLineEnding", false) ? "\r\n" : "\n");
    handle.use([&](std::FILE* file) { put(handle, file, line.data(), line.size()); });
    return Value::ofInt(1);
}

Value writeLinesKernel(Context&, Arguments a) {
    FileHandle& handle = handleArgument(a);
    std::vector<std::string> lines = namesArgument(a, 1, "object");
    auto count = static_cast<int64_t>(lines.size());
    int64_t begin = std::clamp<int64_t>(integerArgument(a, 2, "offset", 0), 0, count);
    int64_t length = std::clamp<int64_t>(integerArgument(a, 3, "length", count - begin), 0, count - begin);
    std::string string;
    for (int64_t i = begin; i < begin + length; ++i) {
        string += lines[static_cast<size_t>(i)] + (flagArgument(a, 4, "windowsLineEnding", false) ? "\r\n" : "\n");
    }
    handle.use([&](std::FILE* file) { put(handle, file, string.data(), string.size()); });
    return Value::ofLong(length);
}

Value readBytesKernel(Context&, Arguments a) {
    FileHandle& handle = handleArgument(a);
    int64_t size = integerArgument(a, 1, "sizeInByte");
    if (size < 0 || size > kMaxBytes) refuseArgument(1, "sizeInByte", "between 0 and 2^30", a[1]);
    Ref<Vector> bytes = Vector::make(Type::Char, size);
    handle.use([&](std::FILE* file) {
        size_t got = std::fread(bytes->mutableRaw(), 1, static_cast<size_t>(size), file);
        if (got == static_cast<size_t>(size)) return;
        throw UserError(1, fmt::format("The file {} ends {} bytes before that.", handle.path(), size - int64_t(got)),
                        "Ask seek(handle, 0, TAIL) for its length.");
    });
    return Value::of(bytes);
}

Value writeBytesKernel(Context&, Arguments a) {
    FileHandle& handle = handleArgument(a);
    Ref<Vector> bytes = vectorArgument(a, 1, "bytes");
    if (bytes->width() != 1) refuseArgument(1, "bytes", "a CHAR vector", a[1]);
    handle.use([&](std::FILE* file) { put(handle, file, bytes->raw(), static_cast<size_t>(bytes->size())); });
    return Value::ofBool(true);
}

// Returns the bytes of elements in the byte order of the file.
std::string inOrderOf(const FileHandle& handle, const char* elements, int64_t count, int width) {
    std::string bytes(elements, static_cast<size_t>(count * width));
    if (!handle.swapBytes()) return bytes;
    for (int64_t i = 0; i < count; ++i) {
        char* element = bytes.data() + i * width;
        std::reverse(element, element + width);
    }
    return bytes;
}

Ref<Vector> binaryArgument(Arguments a, size_t i, std::string_view name) {
    Ref<Vector> v = vectorArgument(a, i, name);
    if (isLiteral(v->type())) refuseArgument(i, name, "numbers or temporal values", a[i]);
    return v;
}

Value writeKernel(Context&, Arguments a) {
    FileHandle& handle = handleArgument(a);
    const bool strings = a[1].isString() || (a[1].isTypedVector() && isLiteral(a[1].type()));
    Ref<Vector> elements = strings ? vectorArgument(a, 1, "object") : binaryArgument(a, 1, "object");
    int64_t begin = std::clamp<int64_t>(integerArgument(a, 2, "offset", 0), 0, elements->size());
    int64_t length =
        std::clamp<int64_t>(integerArgument(a, 3, "length", elements->size() - begin), 0, elements->size() - begin);
    std::string bytes;
    if (strings) {
        // Each ends with a zero byte.
        for (int64_t i = begin; i < begin + length; ++i) bytes += std::string(elements->string(i)) + '\0';
    } else {
        bytes = inOrderOf(handle, elements->raw() + begin * elements->width(), length, elements->width());
    }
    handle.use([&](std::FILE* file) { put(handle, file, bytes.data(), bytes.size()); });
    return Value::ofLong(length);
}

// The columns of records: of a table, or the vectors of a tuple.
std::vector<Ref<Vector>> recordColumns(const Value& object, size_t i, std::string_view name) {
    std::vector<Value> columns;
    if (object.isTuple()) {
        columns = object.tuple().elements;
    } else if (const Ref<MemoryTable> table = tableToRead(object)) {
        for (int c = 0; c < table->columnCount(); ++c) columns.push_back(table->column(c));
    }
    if (columns.empty()) refuseArgument(i, name, "a table in memory or a tuple of vectors", object);
    std::vector<Ref<Vector>> vectors;
    for (const Value& column : columns) {
        if (!column.isTypedVector() || column.size() != columns[0].size()) {
            refuseArgument(i, name, "made of vectors of one length", object);
        }
        // Strings have no fixed width; a symbol's code means nothing in another process.
        if (isLiteral(column.type())) refuseArgument(i, name, "numbers or temporal values", column);
        vectors.emplace_back(&column.vector());
    }
    return vectors;
}

// Rows from `offset` on, as many as there are or `length` says.
std::pair<int64_t, int64_t> rowRange(Arguments a, int64_t rows) {
    const int64_t begin = integerArgument(a, 2, "offset", 0);
    if (begin < 0 || begin > rows) refuseArgument(2, "offset", fmt::format("between 0 and {}", rows), a[2]);
    const int64_t length = integerArgument(a, 3, "length", rows - begin);
    if (length < 0 || length > rows - begin) {
        refuseArgument(3, "length", fmt::format("between 0 and {}", rows - begin), a[3]);
    }
    return {begin, length};
}

// writeRecord(handle, object, [offset], [length])
Value writeRecordKernel(Context&, Arguments a) {
    FileHandle& handle = handleArgument(a);
    const std::vector<Ref<Vector>> columns = recordColumns(a[1], 1, "object");
    const auto [begin, length] = rowRange(a, columns[0]->size());
    std::string bytes;
    for (int64_t row = begin; row < begin + length; ++row) {
        for (const Ref<Vector>& column : columns) {
            bytes += inOrderOf(handle, column->raw() + row * column->width(), 1, column->width());
        }
    }
    handle.use([&](std::FILE* file) { put(handle, file, bytes.data(), bytes.size()); });
    return Value::ofInt(static_cast<int32_t>(length));
}

// Reads elements into the buffer of `target` from `at` on; returns how many complete ones there were.
int64_t readElements(FileHandle& handle, std::FILE* file, Vector& target, int64_t at, int64_t count) {
    const int width = target.width();
    std::string bytes(static_cast<size_t>(count * width), '\0');
    const auto got =
        static_cast<int64_t>(std::fread(bytes.data(), static_cast<size_t>(width), static_cast<size_t>(count), file));
    bytes = inOrderOf(handle, bytes.data(), got, width);
    std::memcpy(target.mutableRaw() + at * width, bytes.data(), bytes.size());
    target.setMayHaveNull(true);
    return got;
}

[[noreturn]] void failAtEnd(const FileHandle& handle) {
    throw UserError(0, fmt::format("Reach the end of a file or a buffer: {}.", handle.path()));
}

// readRecord!(handle, holder, [offset], [length]): into rows of the holder, which a table without rows grows for.
Value readRecordKernel(Context&, Arguments a) {
    FileHandle& handle = handleArgument(a);
    std::vector<Ref<Vector>> columns = recordColumns(a[1], 1, "holder");
    // A table that has no rows yet takes all that the file still holds.
    const bool grows = columns[0]->size() == 0 && !isGiven(a, 3);
    const auto [begin, length] = grows ? std::pair<int64_t, int64_t>(0, 0) : rowRange(a, columns[0]->size());
    for (Ref<Vector>& column : columns) column = column->copy();
    int64_t rows = 0;
    handle.use([&](std::FILE* file) {
        for (; grows || rows < length; ++rows) {
            if (grows) {
                for (Ref<Vector>& column : columns) column->resize(rows + 1);
            }
            size_t read = 0;
            while (read < columns.size() && readElements(handle, file, *columns[read], begin + rows, 1) == 1) ++read;
            if (read == columns.size()) continue;
            if (std::ferror(file)) handle.fail("read");
            if (read > 0) throw UserError(0, fmt::format("The file {} ends inside a record.", handle.path()));
            break;
        }
        return 0;
    });
    if (rows == 0 && (grows || length > 0)) failAtEnd(handle);
    if (grows) {
        for (Ref<Vector>& column : columns) column->resize(rows);
    }
    if (a[1].isTable()) {
        auto& table = static_cast<MemoryTable&>(a[1].table());
        for (size_t c = 0; c < columns.size(); ++c) table.mutableColumns()[c] = Value::of(columns[c]);
    } else {
        for (size_t c = 0; c < columns.size(); ++c) a[1].tuple().elements[c] = Value::of(columns[c]);
    }
    return Value::ofInt(static_cast<int32_t>(rows));
}

// Strings end with a zero byte.
int64_t readStrings(std::FILE* file, Vector& target, int64_t at, int64_t count) {
    int64_t got = 0;
    for (; got < count; ++got) {
        std::string string;
        int c = std::fgetc(file);
        if (c == EOF) break;
        for (; c != EOF && c != 0; c = std::fgetc(file)) string += static_cast<char>(c);
        target.setString(at + got, string);
    }
    return got;
}

// read!(handle, holder, [offset], [length=1])
Value readKernel(Context&, Arguments a) {
    FileHandle& handle = handleArgument(a);
    const bool scalar = a[1].isScalar() && !a[1].isVoid() && storageOf(a[1].type()) != Storage::Boxed;
    if (!a[1].isTypedVector() && !scalar && !a[1].isString()) {
        refuseArgument(1, "holder", "a scalar or vector of numbers, temporal values or strings", a[1]);
    }
    Ref<Vector> holder = a[1].isScalar() ? Vector::filled(a[1].type(), 1, a[1]) : Ref<Vector>(&a[1].vector());
    std::vector<Value> range(a.begin(), a.end());
    if (!isGiven(a, 3)) range[3] = Value::ofInt(1);
    const auto [begin, length] = rowRange(range, holder->size());
    const int64_t got = handle.use([&, begin = begin, length = length](std::FILE* file) {
        return isLiteral(holder->type()) ? readStrings(file, *holder, begin, length)
                                         : readElements(handle, file, *holder, begin, length);
    });
    if (got == 0 && length > 0) failAtEnd(handle);
    if (a[1].isScalar()) a[1] = holder->at(0);
    return Value::ofInt(static_cast<int32_t>(got));
}

// readLines!(handle, holder, [offset], [length=1])
Value readLinesInPlace(Context&, Arguments a) {
    FileHandle& handle = handleArgument(a);
    if (!a[1].isTypedVector() || !isLiteral(a[1].type())) refuseArgument(1, "holder", "a STRING vector", a[1]);
    std::vector<Value> range(a.begin(), a.end());
    if (!isGiven(a, 3)) range[3] = Value::ofInt(1);
    Vector& holder = a[1].vector();
    const auto [begin, length] = rowRange(range, holder.size());
    int64_t count = 0;
    handle.use([&, begin = begin, length = length](std::FILE* file) {
        for (; count < length; ++count) {
            Value line = nextLine(handle, file);
            if (line.isVoid()) break;
            holder.setString(begin + count, line.string());
        }
        return 0;
    });
    return Value::ofInt(static_cast<int32_t>(count));
}

// Source of a file's bytes, as of a connection: sizes in the data are not trusted, memory grows with the bytes read.
class FileSource final : public ByteSource {
public:
    FileSource(const std::string& path, std::FILE* file) : path_(path), file_(file) {}

    void read(void* target, size_t sizeBytes) override {
        if (std::fread(target, 1, sizeBytes, file_) != sizeBytes) fail();
    }
    void readUntilZero(std::string& string, size_t limitBytes) override {
        string.clear();
        for (int c = std::fgetc(file_); c != 0; c = std::fgetc(file_)) {
            if (c == EOF) fail();
            if (string.size() == limitBytes)
                throw UserError(0, fmt::format("The file {} holds no object here.", path_));
            string.push_back(static_cast<char>(c));
        }
    }

private:
    [[noreturn]] void fail() const {
        throw SystemError(fmt::format("Reach the end of a file in the middle of an object: {}.", path_));
    }

    const std::string& path_;
    std::FILE* file_;
};

// The contents of a file are decoded with the trust of a client, not of a node.
Value readValue(const std::string& path, std::FILE* file) {
    FileSource source(path, file);
    return decodeValue(source, Peer::Client);
}

// writeObject(handle, object): the bytes of the wire, which clients' files of values have too.
Value writeObjectKernel(Context&, Arguments a) {
    FileHandle& handle = handleArgument(a);
    std::string bytes;
    encodeValue(a[1], Peer::Client, bytes);
    handle.use([&](std::FILE* file) { put(handle, file, bytes.data(), bytes.size()); });
    return Value();
}

// readObject(handle), or the path of a file whose first object it is.
Value readObjectKernel(Context& context, Arguments a) {
    if (a[0].isString()) {
        const std::string path(a[0].string());
        const FileStream file = userFiles(context).openStream(path, "r");
        return readValue(path, file.get());
    }
    FileHandle& handle = handleArgument(a);
    return handle.use([&](std::FILE* file) {
        const int first = std::fgetc(file);
        if (first == EOF) failAtEnd(handle);
        std::ungetc(first, file);
        return readValue(handle.path(), file);
    });
}

Value flushKernel(Context&, Arguments a) {
    FileHandle& handle = handleArgument(a);
    handle.use([&](std::FILE* file) {
        if (std::fflush(file) != 0) handle.fail("written");
        return 0;
    });
    return Value();
}

}  // namespace

void registerFileHandles(FunctionRegistry& registry) {
    constexpr std::string_view kErrors = "handle is no open file; the system refuses.";
    registry.add(
        "file(name, [mode='r'], [isLittleEndian])", fileKernel,
        {.summary = "Opens a file and returns its handle.",
         .parameters = "mode: r reads, w empties and writes, a appends; with + both\nisLittleEndian: the order "
                       "of bytes in the file, by default the machine's",
         .errors = "The file can't be opened.",
         .example = "f = file(\"/data/notes.txt\", \"w\"); f.writeLine(\"AAPL halted\"); f.close()"});
    registry.add("close(X)", closeKernel,
                 {.summary = "Closes a file.",
                  .errors = kErrors,
                  .example = "f = file(\"/data/quotes.csv\"); header = f.readLine(); f.close()"});
    registry.add("seek(handle, offset, [mode=CURRENT])", seekKernel,
                 {.summary = "Moves to offset bytes from HEAD, CURRENT or TAIL, and returns the place from the file's "
                             "beginning, as LONG.",
                  .parameters = "handle: a file that file() has opened\n"
                                "offset: how many bytes, also below 0\n"
                                "mode: from where: HEAD, CURRENT or TAIL",
                  .errors = kErrors,
                  .example = "f = file(\"/data/prices.bin\"); size = f.seek(0, TAIL); f.seek(0, HEAD)"});
    registry.add("readLine(handle)", readLineKernel,
                 {.summary = "The next line without its end; VOID at the end of the file.",
                  .errors = kErrors,
                  .example = "f = file(\"/data/quotes.csv\"); header = f.readLine(); firstRow = f.readLine()"});
    registry.add("readLines(handle, [length=1024])", readLinesKernel,
                 {.summary = "The next lines, at most length, as a STRING vector.",
                  .errors = kErrors,
                  .example = "f = file(\"/data/quotes.csv\"); f.readLines(100)"});
    registry.add("writeLine(handle, string, [windowsLineEnding=false])", writeLineKernel,
                 {.summary = "Writes a string and an end of line; returns 1.",
                  .parameters = "handle: a file that file() has opened\n"
                                "string: a STRING scalar\n"
                                "windowsLineEnding: true ends the line with CR LF, false with LF",
                  .errors = kErrors,
                  .example = "f = file(\"/data/notes.txt\", \"a\"); f.writeLine(\"checked on \" + string(today()))"});
    registry.add("writeLines(handle, object, [offset=0], [length], [windowsLineEnding=false])", writeLinesKernel,
                 {.summary = "Writes strings as lines, and returns how many.",
                  .parameters = "handle: a file that file() has opened\n"
                                "object: a string, or a vector of them\n"
                                "offset: the element from which on, from 0\n"
                                "length: how many elements; all that follow when omitted\n"
                                "windowsLineEnding: true ends lines with CR LF, false with LF",
                  .errors = kErrors,
                  .example = "f = file(\"/data/symbols.txt\", \"w\"); f.writeLines(`AAPL`MSFT`NVDA)"});
    registry.add("readBytes(fileHandle, sizeInByte)", readBytesKernel,
                 {.summary = "So many bytes, as a CHAR vector.",
                  .errors = "The file ends before that.",
                  .example = "f = file(\"/data/prices.bin\"); f.readBytes(16)"});
    registry.add("writeBytes(handle, bytes)", writeBytesKernel,
                 {.summary = "Writes a CHAR vector.",
                  .errors = kErrors,
                  .example = "f = file(\"/data/header.bin\", \"w\"); f.writeBytes('P' 'X' '1')"});
    registry.add(
        "write(handle, object, [offset=0], [length])", writeKernel,
        {.summary = "Writes elements in binary, and returns how many.",
         .parameters =
             "handle: a file that file() has opened\n"
             "object: a scalar or vector of numbers, temporal values or strings; each string ends with a zero byte\n"
             "offset: the element from which on, from 0\n"
             "length: how many elements; all that follow when omitted",
         .errors = kErrors,
         .example = "f = file(\"/data/prices.bin\", \"w\"); f.write(101.5 102.25 101.75); f.close()"});
    registry.add("read!(handle, mutable holder, [offset=0], [length=1])", readKernel,
                 {.summary = "Reads elements in binary into a vector from position offset on, and returns how many.",
                  .parameters = "handle: a file that file() has opened\n"
                                "holder: the scalar or vector that is filled; its type says what is read\n"
                                "offset: its position from which on, from 0\n"
                                "length: how many elements at most",
                  .errors = "The file has ended; the holder has no such positions.",
                  .example = "prices = array(DOUBLE, 3); f = file(\"/data/prices.bin\"); f.read!(prices, 0, 3)"},
                 {.givesOther = true});
    registry.add("readLines!(handle, holder, [offset=0], [length=1])", readLinesInPlace,
                 {.summary = "Reads lines into a STRING vector from position offset on, and returns how many.",
                  .parameters = "handle: a file that file() has opened\n"
                                "holder: the STRING vector that is filled\n"
                                "offset: its position from which on, from 0\n"
                                "length: how many lines at most",
                  .errors = kErrors,
                  .example = "lines = array(STRING, 10); f = file(\"/data/quotes.csv\"); f.readLines!(lines, 0, 10)"},
                 {.givesOther = true});
    registry.add("writeRecord(handle, object, [offset=0], [length])", writeRecordKernel,
                 {.summary = "Writes rows of a table, or of a tuple of vectors, in binary, and returns how many.",
                  .parameters = "handle: a file that file() has opened\n"
                                "object: a table in memory, or a tuple of vectors of one length, without strings\n"
                                "offset: the row from which on, from 0\n"
                                "length: how many rows; all that follow when omitted",
                  .errors = "A column holds strings; the rows are not there.",
                  .example = "f = file(\"/data/bars.bin\", \"w\"); f.writeRecord(table(09:30m 09:31m as minute, 101.5 "
                             "102.25 as price)); f.close()"});
    registry.add(
        "readRecord!(handle, holder, [offset=0], [length])", readRecordKernel,
        {.summary = "Reads rows in binary into a table or a tuple of vectors, and returns how many; a table "
                    "without rows takes all that are left.",
         .parameters = "handle: a file that file() has opened\n"
                       "holder: the table, or tuple of vectors, that is filled; without rows it grows to what is left\n"
                       "offset: its row from which on, from 0\n"
                       "length: how many rows; all from offset on when omitted",
         .errors = "The file has ended, or ends inside a row.",
         .example =
             "bars = table(0:0, `minute`price, [MINUTE, DOUBLE]); f = file(\"/data/bars.bin\"); f.readRecord!(bars)"},
        {.givesOther = true});
    registry.add(
        "writeObject(handle, object)", writeObjectKernel,
        {.summary = "Writes a value of any form, for readObject, in the bytes that clients exchange.",
         .errors = kErrors,
         .example = "f = file(\"/data/limits.bin\", \"w\"); f.writeObject(dict(`AAPL`MSFT, 500 800)); f.close()"});
    registry.add("readObject(handle)", readObjectKernel,
                 {.summary = "The next value that writeObject wrote.",
                  .parameters = "handle: an open file, or a path: its first value then",
                  .errors = "The file has ended.",
                  .example = "limits = readObject(\"/data/limits.bin\")"});
    registry.add("fflush(obj)", flushKernel,
                 {.summary = "Hands what was written to a file to the system.",
                  .errors = kErrors,
                  .example = "f = file(\"/data/notes.txt\", \"a\"); f.writeLine(\"market open\"); f.fflush()"});
}

}  // namespace pelorus
