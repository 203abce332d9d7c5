// compress and decompress: a vector as the bytes of the family's compressed columns, and back. What the method asks for
// is tried by LZ4 alone, which its name in the bytes says.
#include <lz4.h>

#include <algorithm>
#include <cstring>

#include "runtime/kernel/forms/elementwise.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

// The head of a compressed column: 20 bytes, little-endian.
struct Head {
    uint8_t version = 0, flag = 5, charset = 0xFF, method = 1;
    uint8_t type = 0, width = 0, reserved[2] = {0, 0};
    int32_t scale = -1;  // scale of decimals
    int32_t count = 0;
    int32_t checksum = -1;
};
static_assert(sizeof(Head) == 20);

constexpr size_t kBlockBytes = 65536;
constexpr uint32_t kLastMark = 0x80000000;  // set in the size of every block

// Returns the plain bytes: values as stored in memory, strings with a zero byte after each.
std::string plainBytes(const Vector& v) {
    if (!isLiteral(v.type()))
        return std::string(v.raw(), static_cast<size_t>(v.size()) * static_cast<size_t>(v.width()));
    std::string bytes;
    for (int64_t i = 0; i < v.size(); ++i) bytes += std::string(v.string(i)) + '\0';
    return bytes;
}

// compress(X, [method])
Value compressKernel(Context&, Arguments a) {
    const std::string method = stringArgument(a, 1, "method", "lz4");
    if (method != "lz4" && method != "delta" && method != "zstd" && method != "chimp") {
        refuseArgument(1, "method", "lz4, delta, zstd or chimp", a[1]);
    }
    if (!a[0].isTypedVector() || a[0].type() == Type::Compress) refuseArgument(0, "X", "a vector of one type", a[0]);
    const Vector& v = a[0].vector();
    Head head;
    head.type = static_cast<uint8_t>(v.type() == Type::Symbol ? Type::String : v.type());
    head.width = static_cast<uint8_t>(isLiteral(v.type()) ? 0 : v.width());
    if (isDecimal(v.type())) head.scale = v.scale();
    head.count = static_cast<int32_t>(v.size());
    std::string packed(reinterpret_cast<const char*>(&head), sizeof head);
    const std::string plain = plainBytes(v);
    std::string block(static_cast<size_t>(LZ4_compressBound(kBlockBytes)), '\0');
    for (size_t at = 0; at < plain.size(); at += kBlockBytes) {
        const auto length = static_cast<int>(std::min(kBlockBytes, plain.size() - at));
        const int size = LZ4_compress_default(plain.data() + at, block.data(), length, static_cast<int>(block.size()));
        if (size <= 0) throw UserError(0, "X cannot be compressed.");
        const uint32_t marked = static_cast<uint32_t>(size) | kLastMark;
        packed.append(reinterpret_cast<const char*>(&marked), sizeof marked);
        packed.append(block.data(), static_cast<size_t>(size));
    }
    Ref<Vector> out = Vector::make(Type::Compress, static_cast<int64_t>(packed.size()));
    std::memcpy(out->mutableRaw(), packed.data(), packed.size());
    return Value::of(out);
}

[[noreturn]] void refuseBytes() {
    throw UserError(0, "X is no vector that compress made.");
}

// decompress(X)
Value decompressKernel(Context&, Arguments a) {
    if (!a[0].isTypedVector() || a[0].type() != Type::Compress) refuseArgument(0, "X", "what compress gives", a[0]);
    const std::string_view bytes(a[0].vector().raw(), static_cast<size_t>(a[0].size()));
    Head head;
    if (bytes.size() < sizeof head) refuseBytes();
    std::memcpy(&head, bytes.data(), sizeof head);
    const auto type = static_cast<Type>(head.type);
    const bool fits = head.method == 1 && head.count >= 0 && head.type < kTypeCount && type != Type::Symbol &&
                      (isLiteral(type) || (storageOf(type) != Storage::Boxed && storageOf(type) != Storage::None &&
                                           head.width == widthOf(type)));
    if (!fits) refuseBytes();
    std::string plain;
    for (size_t at = sizeof head; at < bytes.size();) {
        uint32_t size = 0;
        if (bytes.size() - at < sizeof size) refuseBytes();
        std::memcpy(&size, bytes.data() + at, sizeof size);
        size &= ~kLastMark;
        at += sizeof size;
        if (size > bytes.size() - at) refuseBytes();
        const size_t before = plain.size();
        plain.resize(before + kBlockBytes);
        const int length =
            LZ4_decompress_safe(bytes.data() + at, plain.data() + before, static_cast<int>(size), kBlockBytes);
        if (length < 0) refuseBytes();
        plain.resize(before + static_cast<size_t>(length));
        at += size;
    }
    const size_t wanted = static_cast<size_t>(head.count) * static_cast<size_t>(isLiteral(type) ? 1 : widthOf(type));
    if (isLiteral(type) ? plain.size() < wanted : plain.size() != wanted) refuseBytes();
    Ref<Vector> out = Vector::make(type, isLiteral(type) ? 0 : head.count);
    if (isDecimal(type)) out->setScale(static_cast<uint8_t>(head.scale));
    if (isLiteral(type)) {
        for (size_t at = 0; at < plain.size() && out->size() < head.count;) {
            const size_t end = plain.find('\0', at);
            if (end == std::string::npos) refuseBytes();
            out->append(Value::ofString(std::string_view(plain).substr(at, end - at), type));
            at = end + 1;
        }
        if (out->size() != head.count) refuseBytes();
    } else {
        std::memcpy(out->mutableRaw(), plain.data(), plain.size());
        out->setMayHaveNull(true);
    }
    return Value::of(out);
}

}  // namespace

void registerCompression(FunctionRegistry& registry) {
    registry.add("compress(X, [method='lz4'])", compressKernel,
                 {.summary = "A vector packed into bytes, which decompress turns back.",
                  .parameters = "method: lz4, delta, zstd or chimp; what it is does not matter",
                  .errors = "X is no vector of one type.",
                  .example = "decompress(compress(1 2 3)) -> [1,2,3]"});
    registry.add("decompress(X)", decompressKernel,
                 {.summary = "The vector that compress packed.",
                  .errors = "X is nothing that compress gave.",
                  .example = "decompress(compress([\"a\", \"b\"])) -> [\"a\",\"b\"]"});
}

}  // namespace pelorus
