// Open files by handle: lines, bytes, and items in binary.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>

#include "common/error.h"
#include "runtime/kernel/cast.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

constexpr int64_t kMostBytes = int64_t{1} << 30;  // of one read

// A file that a script holds open; closed by `close` or with the last handle. Thread-safe: one call at a time.
class FileHandle final : public Object, public Described {
public:
    FileHandle(std::string path, std::FILE* file, bool swapBytes)
        : path_(std::move(path)), file_(file, std::fclose), swapBytes_(swapBytes) {}

    std::string describe() const override { return path_; }
    const std::string& path() const { return path_; }
    bool swapBytes() const { return swapBytes_; }

    // Calls f(FILE*) while no one else uses the file.
    template <class F>
    auto use(F f) {
        std::lock_guard lock(mutex_);
        if (!file_) throw UserError(0, fmt::format("The file {} is closed.", path_));
        return f(file_.get());
    }
    void close() {
        std::lock_guard lock(mutex_);
        file_.reset();
    }
    [[noreturn]] void fail(std::string_view what) const {
        throw SystemError(fmt::format("The file {} can't be {}: {}.", path_, what, std::strerror(errno)));
    }

private:
    const std::string path_;
    std::mutex mutex_;
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
    const bool swapBytes_;
};

FileHandle& handleArgument(Arguments a) {
    auto* handle = a[0].type() == Type::Handle && a[0].hasObject() ? dynamic_cast<FileHandle*>(a[0].object()) : nullptr;
    if (!handle) refuseArgument(0, "handle", "a file that `file` opened", a[0]);
    return *handle;
}

Value fileKernel(Context&, Arguments a) {
    std::string path = textArgument(a, 0, "name");
    std::string mode = textArgument(a, 1, "mode", "r");
    constexpr std::string_view kModes[] = {"r", "r+", "w", "w+", "a", "a+"};
    if (std::find(std::begin(kModes), std::end(kModes), mode) == std::end(kModes)) {
        refuseArgument(1, "mode", "r, r+, w, w+, a or a+", a[1]);
    }
    bool little = flagArgument(a, 2, "isLittleEndian", std::endian::native == std::endian::little);
    std::FILE* file = std::fopen(path.c_str(), (mode + "b").c_str());
    if (!file) throw UserError(0, fmt::format("The file {} can't be opened: {}.", path, std::strerror(errno)));
    bool swaps = little != (std::endian::native == std::endian::little);
    Ref<FileHandle> handle = makeRef<FileHandle>(path, file, swaps);
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
            lines.emplace_back(line.text());
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
    std::string line = textArgument(a, 1, "string") + (flagArgument(a, 2, "windowsLineEnding", false) ? "\r\n" : "\n");
    handle.use([&](std::FILE* file) { put(handle, file, line.data(), line.size()); });
    return Value::ofInt(1);
}

Value writeLinesKernel(Context&, Arguments a) {
    FileHandle& handle = handleArgument(a);
    std::vector<std::string> lines = namesArgument(a, 1, "object");
    auto count = static_cast<int64_t>(lines.size());
    int64_t begin = std::clamp<int64_t>(integerArgument(a, 2, "offset", 0), 0, count);
    int64_t length = std::clamp<int64_t>(integerArgument(a, 3, "length", count - begin), 0, count - begin);
    std::string text;
    for (int64_t i = begin; i < begin + length; ++i) {
        text += lines[static_cast<size_t>(i)] + (flagArgument(a, 4, "windowsLineEnding", false) ? "\r\n" : "\n");
    }
    handle.use([&](std::FILE* file) { put(handle, file, text.data(), text.size()); });
    return Value::ofLong(length);
}

Value readBytesKernel(Context&, Arguments a) {
    FileHandle& handle = handleArgument(a);
    int64_t size = integerArgument(a, 1, "sizeInByte");
    if (size < 0 || size > kMostBytes) refuseArgument(1, "sizeInByte", "between 0 and 2^30", a[1]);
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

// Items in the byte order of the file.
std::string inOrderOf(const FileHandle& handle, const char* items, int64_t count, int width) {
    std::string bytes(items, static_cast<size_t>(count * width));
    if (!handle.swapBytes()) return bytes;
    for (int64_t i = 0; i < count; ++i) {
        char* item = bytes.data() + i * width;
        std::reverse(item, item + width);
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
    Ref<Vector> items = binaryArgument(a, 1, "object");
    int64_t begin = std::clamp<int64_t>(integerArgument(a, 2, "offset", 0), 0, items->size());
    int64_t length =
        std::clamp<int64_t>(integerArgument(a, 3, "length", items->size() - begin), 0, items->size() - begin);
    std::string bytes = inOrderOf(handle, items->raw() + begin * items->width(), length, items->width());
    handle.use([&](std::FILE* file) { put(handle, file, bytes.data(), bytes.size()); });
    return Value::ofLong(length);
}

}  // namespace

void registerFileHandles(FunctionRegistry& registry) {
    constexpr std::string_view kErrors = "handle is no open file; the system refuses.";
    registry.add(
        "file(name, [mode='r'], [isLittleEndian])", fileKernel,
        {.summary = "Opens a file and gives its handle.",
         .parameters = "mode: r reads, w empties and writes, a appends; with + both\nisLittleEndian: the order "
                       "of bytes in the file, by default the machine's",
         .errors = "The file can't be opened."});
    registry.add("close(handle)", closeKernel, {.summary = "Closes a file.", .errors = kErrors});
    registry.add("seek(handle, offset, [mode=CURRENT])", seekKernel,
                 {.summary = "Moves to offset bytes from HEAD, CURRENT or TAIL, and gives the place from the file's "
                             "beginning, as LONG.",
                  .errors = kErrors});
    registry.add("readLine(handle)", readLineKernel,
                 {.summary = "The next line without its end; VOID at the end of the file.", .errors = kErrors});
    registry.add("readLines(handle, [length=1024])", readLinesKernel,
                 {.summary = "The next lines, at most length, as a STRING vector.", .errors = kErrors});
    registry.add("writeLine(handle, string, [windowsLineEnding=false])", writeLineKernel,
                 {.summary = "Writes a text and an end of line; gives 1.", .errors = kErrors});
    registry.add("writeLines(handle, object, [offset=0], [length], [windowsLineEnding=false])", writeLinesKernel,
                 {.summary = "Writes texts as lines, and gives how many.", .errors = kErrors});
    registry.add("readBytes(handle, sizeInByte)", readBytesKernel,
                 {.summary = "So many bytes, as a CHAR vector.", .errors = "The file ends before that."});
    registry.add("writeBytes(handle, bytes)", writeBytesKernel,
                 {.summary = "Writes a CHAR vector.", .errors = kErrors});
    registry.add("write(handle, object, [offset=0], [length])", writeKernel,
                 {.summary = "Writes items in binary, and gives how many.", .errors = kErrors});
}

}  // namespace pelorus
