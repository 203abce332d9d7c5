// Bytes of values: pack and unpack by a format, and digests (hmac, gmd5, rowGmd5, objectChecksum).
#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "common/error.h"
#include "common/io/md5.h"
#include "common/thread/cancellation.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/cast.h"
#include "runtime/value/print.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

constexpr int64_t kMaxPackedBytes = int64_t{1} << 26;
constexpr int64_t kCheckEvery = 1024;  // elements or rows between two checks for cancellation

// One element of a format: a letter of Python's struct module, with its size and what stands before it.
struct PackedField {
    char letter;
    int64_t size;     // bytes of one item, or of the string
    int64_t padding;  // bytes before it
};

struct PackedFormat {
    std::vector<PackedField> fields;
    bool isBigEndian = false;
    int64_t bytes = 0;
};

int64_t sizeOf(char letter, bool isNative) {
    switch (letter) {
        case 'x':
        case 'c':
        case 'b':
        case 'B':
        case '?':
        case 's':
        case 'p':
            return 1;
        case 'h':
        case 'H':
            return 2;
        case 'i':
        case 'I':
        case 'f':
            return 4;
        case 'l':
        case 'L':
            return isNative ? 8 : 4;
        case 'q':
        case 'Q':
        case 'd':
            return 8;
        case 'n':
        case 'N':
        case 'P':
            return isNative ? 8 : 0;
        default:
            return 0;
    }
}

PackedFormat formatArgument(Arguments a) {
    std::string text = stringArgument(a, 0, "format");
    PackedFormat format;
    bool isNative = true, isAligned = true;
    if (!text.empty() && std::string_view("><=@!").find(text[0]) != std::string_view::npos) {
        format.isBigEndian = text[0] == '>' || text[0] == '!';
        isNative = isAligned = text[0] == '@';
        text.erase(0, 1);
    }
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] == ' ' || text[i] == '\t' || text[i] == '\n') continue;
        int64_t count = 1;
        if (text[i] >= '0' && text[i] <= '9') {
            for (count = 0; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i)
                count = std::min(count * 10 + (text[i] - '0'), kMaxPackedBytes + 1);
        }
        const char letter = i < text.size() ? text[i] : '\0';
        const int64_t size = sizeOf(letter, isNative);
        if (size == 0)
            throw UserError(0, fmt::format("format has no letter that fits at place {}.", i + 1),
                            "Give letters such as i, q, d, or 10s; n, N and P without <, >, = and !.");
        const bool isString = letter == 's' || letter == 'p';
        for (int64_t k = 0; k < (isString ? 1 : count); ++k) {
            const int64_t padding = isAligned ? (size - format.bytes % size) % size : 0;
            format.fields.push_back({letter, isString ? count : size, padding});
            format.bytes += padding + format.fields.back().size;
            if (format.bytes > kMaxPackedBytes) throw UserError(0, "format describes more than 64 MiB.");
        }
    }
    return format;
}

void putBytes(std::string& out, uint64_t bits, int64_t size, bool isBigEndian) {
    for (int64_t i = 0; i < size; ++i) out += static_cast<char>(bits >> 8 * (isBigEndian ? size - 1 - i : i) & 0xFF);
}

std::pair<int64_t, int64_t> rangeOf(const PackedField& field) {
    const bool isUnsigned = std::string_view("BHILQN").find(field.letter) != std::string_view::npos;
    if (field.size == 8) return {isUnsigned ? 0 : -INT64_MAX, INT64_MAX};
    const int64_t all = int64_t{1} << 8 * field.size;
    return isUnsigned ? std::pair{int64_t{0}, all - 1} : std::pair{-all / 2, all / 2 - 1};
}

void packField(std::string& out, const PackedField& field, const Value& value, size_t argument, bool isBigEndian) {
    out.append(static_cast<size_t>(field.padding), '\0');
    const auto refuse = [&](std::string_view needed) {
        refuseArgument(argument, "args", fmt::format("{} for the letter {}", needed, field.letter), value);
    };
    switch (field.letter) {
        case 'x':
            out += '\0';
            return;
        case 's':
        case 'p': {
            if (!value.isString()) refuse("a string");
            std::string text(value.string());
            // p: the first byte is the length.
            if (field.letter == 'p' && field.size > 0)
                text.insert(
                    0, 1,
                    static_cast<char>(std::min<int64_t>({static_cast<int64_t>(text.size()), field.size - 1, 255})));
            text.resize(static_cast<size_t>(field.size), '\0');
            out += text;
            return;
        }
        case 'f':
        case 'd': {
            if (!value.isNumber() || value.isNull()) refuse("a number");
            const double x = value.asDouble();
            putBytes(out,
                     field.letter == 'd' ? std::bit_cast<uint64_t>(x) : std::bit_cast<uint32_t>(static_cast<float>(x)),
                     field.size, isBigEndian);
            return;
        }
        default: {
            if (!value.isNumber() || isFloating(value.type()) || value.isNull()) refuse("an integer");
            const int64_t x = value.integer();
            const auto [low, high] = rangeOf(field);
            if (field.letter != '?' && (x < low || x > high)) refuse(fmt::format("from {} to {}", low, high));
            putBytes(out, static_cast<uint64_t>(field.letter == '?' ? x != 0 : x), field.size, isBigEndian);
        }
    }
}

// pack(format, args...)
Value packKernel(Context&, Arguments a) {
    const PackedFormat format = formatArgument(a);
    const auto needed = format.fields.size();
    const auto isPadding = [](const PackedField& field) { return field.letter == 'x'; };
    const auto paddings = static_cast<size_t>(std::ranges::count_if(format.fields, isPadding));
    // Padding may have an argument of its own, which is not looked at.
    const bool paddingIsGiven = a.size() - 1 == needed;
    if (!paddingIsGiven && a.size() - 1 != needed - paddings)
        throw UserError(0, fmt::format("format asks for {} values, but there are {}.", needed, a.size() - 1));
    std::string out;
    size_t next = 1;
    for (const PackedField& field : format.fields) {
        const bool takesArgument = paddingIsGiven || !isPadding(field);
        packField(out, field, takesArgument ? a[next] : Value(), next, format.isBigEndian);
        next += takesArgument;
    }
    return Value::ofString(out, Type::Blob);
}

Value unpackField(std::string_view bytes, const PackedField& field, bool isBigEndian) {
    if (field.letter == 'x') return Value();
    if (field.letter == 's') return Value::ofString(bytes);
    if (field.letter == 'p') {
        const size_t length = bytes.empty() ? 0 : static_cast<uint8_t>(bytes[0]);
        return Value::ofString(bytes.empty() ? bytes : bytes.substr(1, length));
    }
    if (field.letter == 'c') return Value::ofChar(static_cast<int8_t>(bytes[0]));
    uint64_t bits = 0;
    for (size_t i = 0; i < bytes.size(); ++i)
        bits |= uint64_t{static_cast<uint8_t>(bytes[i])} << 8 * (isBigEndian ? bytes.size() - 1 - i : i);
    if (field.letter == 'd') return Value::ofDouble(std::bit_cast<double>(bits));
    if (field.letter == 'f') return Value::ofDouble(std::bit_cast<float>(static_cast<uint32_t>(bits)));
    if (rangeOf(field).first < 0 && field.size < 8) {
        const int unused = static_cast<int>(64 - 8 * field.size);
        return Value::ofLong(static_cast<int64_t>(bits << unused) >> unused);
    }
    return Value::ofLong(static_cast<int64_t>(bits));
}

// unpack(format, buf)
Value unpackKernel(Context&, Arguments a) {
    const PackedFormat format = formatArgument(a);
    if (!a[1].isString()) refuseArgument(1, "buf", "a STRING or BLOB", a[1]);
    const std::string_view bytes = a[1].string();
    // A STRING may have lost the zero bytes at its end.
    std::string whole(bytes);
    if (static_cast<int64_t>(bytes.size()) != format.bytes)
        throw UserError(1, fmt::format("format describes {} bytes, but buf has {}.", format.bytes, bytes.size()));
    auto result = makeRef<Tuple>();
    int64_t at = 0;
    for (const PackedField& field : format.fields) {
        at += field.padding;
        result->elements.push_back(
            unpackField(std::string_view(whole).substr(static_cast<size_t>(at), static_cast<size_t>(field.size)), field,
                        format.isBigEndian));
        at += field.size;
    }
    return Value::of(std::move(result));
}

// hmac(key, message, [digest])
Value hmacKernel(Context&, Arguments a) {
    const std::string key = stringArgument(a, 0, "key"), message = stringArgument(a, 1, "message"),
                      name = stringArgument(a, 2, "digest", "sha256");
    const std::array<std::string_view, 6> known = {"sha1", "sha224", "sha256", "sha384", "sha512", "md5"};
    if (std::ranges::find(known, name) == known.end())
        refuseArgument(2, "digest", "sha1, sha224, sha256, sha384, sha512 or md5", a[2]);
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int length = 0;
    if (HMAC(EVP_get_digestbyname(name.c_str()), key.data(), static_cast<int>(key.size()),
             reinterpret_cast<const unsigned char*>(message.data()), message.size(), digest, &length) == nullptr)
        throw SystemError(fmt::format("The digest {} is not available.", name));
    std::string text;
    for (unsigned int i = 0; i < length; ++i) text += fmt::format("{:02x}", digest[i]);
    return Value::ofString(text);
}

// Appends the bytes of a value: those of its elements one after the other, strings with a zero byte behind each.
void appendBytes(std::string& out, const Value& v, int depth) {
    if (depth > 64) throw UserError(0, "X is nested too deeply.", "Flatten it first.");
    if (v.isTuple()) {
        for (const Value& part : v.tuple().elements) appendBytes(out, part, depth + 1);
        return;
    }
    std::vector<Value> one = {v};
    const Ref<Vector> elements = vectorArgument(one, 0, "X");
    if (isLiteral(elements->type())) {
        for (int64_t i = 0; i < elements->size(); ++i) {
            if (i % kCheckEvery == 0) checkCancelled();
            (out += elements->string(i)) += '\0';
        }
    } else {
        out.append(elements->raw(), static_cast<size_t>(elements->size() * elements->width()));
    }
}

Value md5Of(std::string_view bytes) {
    std::array<uint8_t, 16> digest = md5(bytes);
    std::ranges::reverse(digest);  // INT128 keeps its low byte first
    return Value::ofBytes16(Type::Int128, digest.data());
}

// gmd5(X)
Value gmd5Kernel(Context&, Arguments a) {
    std::string bytes;
    appendBytes(bytes, a[0], 0);
    return md5Of(bytes);
}

// rowGmd5(args...)
Value rowGmd5Kernel(Context&, Arguments a) {
    if (a.empty()) throw UserError("rowGmd5 needs an array vector or a columnar tuple.");
    for (size_t i = 0; i < a.size(); ++i) {
        if (!a[i].isVector()) refuseArgument(i, "args", "an array vector, a columnar tuple or a vector", a[i]);
        if (a[i].size() != a[0].size())
            throw UserError(static_cast<int>(i),
                            fmt::format("The arguments differ in rows: {} and {}.", a[0].size(), a[i].size()));
    }
    Ref<Vector> digests = Vector::make(Type::Int128, a[0].size());
    for (int64_t row = 0; row < a[0].size(); ++row) {
        if (row % kCheckEvery == 0) checkCancelled();
        std::string bytes;
        for (const Value& column : a) appendBytes(bytes, column.at(row), 0);
        digests->set(row, md5Of(bytes));
    }
    return Value::of(std::move(digests));
}

// objectChecksum(vector, [prev])
Value objectChecksumKernel(Context& context, Arguments a) {
    if (!a[0].isVector()) refuseArgument(0, "vector", "a vector", a[0]);
    (void)context;
    std::string bytes;
    appendBytes(bytes, a[0], 0);
    uint32_t crc = ~static_cast<uint32_t>(integerArgument(a, 1, "prev", 0));
    for (size_t at = 0; at < bytes.size(); ++at) {
        if (at % (1u << 20) == 0) checkCancelled();
        const char c = bytes[at];
        crc ^= static_cast<uint8_t>(c);
        for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
    }
    return Value::ofInt(static_cast<int32_t>(~crc));
}

void registerDigests(FunctionRegistry& registry) {
    registry.add("hmac(key, message, [digest='sha256'])", hmacKernel,
                 {.summary = "The keyed digest of a message, as STRING of hexadecimal digits.",
                  .parameters = "key: a string\nmessage: a string\ndigest: sha1, sha224, sha256, sha384, sha512 or md5",
                  .nulls = "NULL counts as the empty string.",
                  .errors = "key or message is no string; there is no such digest.",
                  .complexity = "O(bytes)",
                  .source = "RFC 2104",
                  .example = "hmac(\"myKey\", \"myMessage\", \"sha1\") -> 5033197fa89dedf5088eed6100dfa5a0f67ef1ce"});
    registry.add("gmd5(X)", gmd5Kernel,
                 {.summary = "The MD5 digest of all elements of X together, as INT128.",
                  .parameters = "X: a scalar, vector, pair, matrix, array vector or tuple, however nested",
                  .nulls = "NULL counts as its stored value.",
                  .errors = "X is a table, dictionary or function, or nested deeper than 64.",
                  .complexity = "O(bytes)",
                  .source = "RFC 1321, over the stored bytes of the elements, least byte first",
                  .example = "gmd5(1 2 3) -> 2a1dd1e1e59d0a384c26951e316cd7e6"});
    registry.add("rowGmd5(args...)", rowGmd5Kernel,
                 {.summary = "The MD5 digest of each row, as a vector of INT128.",
                  .parameters = "args: array vectors, columnar tuples or vectors of as many rows",
                  .nulls = "NULL counts as its stored value.",
                  .errors = "An argument is no such thing; they differ in rows.",
                  .complexity = "O(bytes)",
                  .source = "as of gmd5",
                  .example = "rowGmd5(array(INT[], 0).append!([1 2 3])) -> [2a1dd1e1e59d0a384c26951e316cd7e6]"});
    registry.add("objectChecksum(vector, [prev])", objectChecksumKernel,
                 {.summary = "The checksum of the elements of a vector, as INT.",
                  .parameters = "vector: a vector\nprev: the checksum of the elements before, to go on from",
                  .nulls = "NULL counts as its stored value.",
                  .errors = "vector is no vector; prev is no integer.",
                  .complexity = "O(bytes)",
                  .source = "CRC-32 of IEEE 802.3",
                  .example = "objectChecksum(6..15, objectChecksum(1..5)) -> -1877567753"});
}

}  // namespace

void registerPackedBytes(FunctionRegistry& registry) {
    constexpr std::string_view kFormat =
        "format: the letters of Python's struct module: x (a byte of padding), c (CHAR), b B ? h H i I l L q Q n N P "
        "(integers), f d (floating), s p (strings), a count before each; at the beginning <, > or ! (big-endian), = "
        "or @ (native, the default: aligned)\n";
    registry.add("pack(format, args...)", packKernel,
                 {.summary = "Values as bytes by a format, as BLOB.",
                  .parameters = std::string(kFormat) + "args: a scalar for each letter",
                  .nulls = "No value may be NULL, but of the letter x.",
                  .errors = "format has an unknown letter; a value does not fit its letter; there are too many or few.",
                  .complexity = "O(bytes)",
                  .source = "struct of Python's standard library",
                  .example = "unpack(\"3si\", pack(\"3si\", `123, 3)) -> (\"123\",3)"});
    registry.add("unpack(format, buf)", unpackKernel,
                 {.summary = "The values that bytes hold by a format, as a tuple of LONG, DOUBLE, CHAR and STRING.",
                  .parameters = std::string(kFormat) + "buf: a STRING or BLOB, as long as the format says",
                  .nulls = "The letter x gives NULL.",
                  .errors = "format has an unknown letter; buf has another length.",
                  .complexity = "O(bytes)",
                  .source = "struct of Python's standard library",
                  .example = "unpack(\">hI\", pack(\">hI\", -2, 7)) -> (-2,7)"});
    registerDigests(registry);
}

}  // namespace pelorus
