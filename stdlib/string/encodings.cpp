// Character sets and digests of strings: convertEncode, toUTF8, md5, base64Encode.
#include <iconv.h>

#include <algorithm>

#include "common/io/base64.h"
#include "common/io/md5.h"
#include "runtime/kernel/forms/elementwise.h"
#include "runtime/registry/parameter_lines.h"
#include "runtime/table/table.h"
#include "runtime/value/dictionary.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"
#include "stdlib/string/map_strings.h"

namespace pelorus {

namespace {

// A conversion between two character sets. Not thread-safe.
class Converter {
public:
    Converter(std::string from, std::string to) : from_(std::move(from)), to_(std::move(to)) {
        handle_ = iconv_open(to_.c_str(), from_.c_str());
        if (handle_ == reinterpret_cast<iconv_t>(-1)) {
            throw UserError(1, fmt::format("There is no conversion from {} to {}.", from_, to_),
                            "Names are as utf-8, gbk, big5 or iso-8859-1.");
        }
    }
    Converter(const Converter&) = delete;
    Converter& operator=(const Converter&) = delete;
    ~Converter() { iconv_close(handle_); }

    std::string convert(std::string_view string) {
        std::string result;
        std::string input(string);
        char* in = input.data();
        size_t left = input.size();
        char buffer[4096];
        iconv(handle_, nullptr, nullptr, nullptr, nullptr);
        while (left > 0) {
            char* out = buffer;
            size_t room = sizeof buffer;
            const size_t done = iconv(handle_, &in, &left, &out, &room);
            result.append(buffer, static_cast<size_t>(out - buffer));
            if (done == static_cast<size_t>(-1) && room == sizeof buffer && left > 0) {
                throw UserError(0, fmt::format("The string is no {}, or {} lacks one of its characters.", from_, to_));
            }
        }
        return result;
    }

private:
    std::string from_, to_;
    iconv_t handle_;
};

Ref<Vector> converted(const Vector& v, Converter& converter) {
    Ref<Vector> out = Vector::make(v.type(), v.size());
    for (int64_t i = 0; i < v.size(); ++i) out->setString(i, converter.convert(v.string(i)));
    return out;
}

// Converts strings in every form; other columns and values stay.
Value convertStrings(const Value& x, Converter& converter) {
    if (x.isTable()) {
        const Ref<MemoryTable> table = tableToRead(x);
        if (!table) refuseArgument(0, "str", "in memory", x);
        Ref<MemoryTable> result = table->copy();
        for (int c = 0; c < table->columnCount(); ++c) {
            if (!isLiteral(table->column(c).type())) continue;
            result->setColumn(table->columns()[static_cast<size_t>(c)].name,
                              convertStrings(table->column(c), converter));
        }
        return Value::of(Ref<Table>(result));
    }
    if (x.isDictionary()) {
        const Dictionary& source = x.dictionary();
        auto result = makeRef<Dictionary>(source.keyType(), source.valueType(), source.ordered());
        for (int64_t i = 0; i < source.size(); ++i) {
            result->set(source.keyAt(i), convertStrings(source.valueAt(i), converter));
        }
        return Value::of(result);
    }
    return mapContainer(x, [&](const Value& v) -> Value {
        if (!isLiteral(v.type())) {
            if (x.isTuple()) return v;
            refuseArgument(0, "str", "text", v);
        }
        if (v.isScalar()) return Value::ofString(converter.convert(v.string()), v.type());
        return Value::of(converted(v.vector(), converter), v.form());
    });
}

Value convertEncodeKernel(Context&, Arguments a) {
    Converter converter(stringArgument(a, 1, "srcEncode"), stringArgument(a, 2, "destEncode"));
    return convertStrings(a[0], converter);
}
Value toUtf8Kernel(Context&, Arguments a) {
    Converter converter(stringArgument(a, 1, "encode"), "utf-8");
    return convertStrings(a[0], converter);
}
Value fromUtf8Kernel(Context&, Arguments a) {
    Converter converter("utf-8", stringArgument(a, 1, "encode"));
    return convertStrings(a[0], converter);
}

// INT128 keeps its low byte first; a digest is written from its first byte.
Value md5Kernel(Context&, Arguments a) {
    return mapStringsToValues(Type::Int128, a[0], [](std::string_view string) {
        std::array<uint8_t, 16> digest = md5(string);
        std::reverse(digest.begin(), digest.end());
        return Value::ofBytes16(Type::Int128, digest.data());
    });
}

Value base64EncodeKernel(Context&, Arguments a) {
    return mapStringsToValues(Type::String, a[0],
                              [](std::string_view string) { return Value::ofString(toBase64(string)); });
}

Value base64DecodeKernel(Context&, Arguments a) {
    return mapStringsToValues(Type::Blob, a[0], [](std::string_view string) {
        std::string bytes;
        if (!fromBase64(string, bytes)) throw UserError(0, "X is no string in base 64.");
        return Value::ofString(bytes, Type::Blob);
    });
}

// makeKey(args...): concatenates the values as strings.
Value makeKeyKernel(Context&, Arguments a) {
    int64_t count = -1;
    for (size_t i = 0; i < a.size(); ++i) {
        if (a[i].isScalar()) continue;
        if (!a[i].isTypedVector() || (count >= 0 && a[i].size() != count)) {
            refuseArgument(i, "args", "scalars, or vectors of one length", a[i]);
        }
        count = a[i].size();
    }
    auto keyAt = [&](int64_t i) {
        std::string key;
        for (const Value& v : a) key += toString(v.isScalar() ? v : v.at(i));
        return key;
    };
    if (count < 0) return Value::ofString(keyAt(0), Type::Blob);
    Ref<Vector> out = Vector::make(Type::Blob, count);
    for (int64_t i = 0; i < count; ++i) out->setString(i, keyAt(i));
    return Value::of(out);
}

// CRC-32 of IEEE 802.3, not the CRC-32C of our files.
uint32_t crc32(std::string_view bytes, uint32_t start) {
    uint32_t crc = ~start;
    for (char c : bytes) {
        crc ^= static_cast<uint8_t>(c);
        for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
    }
    return ~crc;
}

Value crc32Kernel(Context&, Arguments a) {
    const auto start = static_cast<uint32_t>(integerArgument(a, 1, "cksum", 0));
    return mapStringsToValues(Type::Int, a[0], [start](std::string_view string) {
        return Value::ofInt(static_cast<int32_t>(crc32(string, start)));
    });
}

}  // namespace

// The explanations of the parameters; "function.name" is of one function alone.
static constexpr std::string_view kParameterLines =
    "convertEncode.str: a string, a vector of them, a dictionary or a table\n"
    "srcEncode: the name of the encoding that str is in, as gbk or utf-8\n"
    "destEncode: the name of the encoding of the result";

void registerEncodings(FunctionRegistry& registry) {
    auto add = [&](std::string_view syntax, Kernel kernel, std::string_view summary, std::string_view errors,
                   std::string_view example, TypeRule gives) {
        registry.add(syntax, kernel,
                     {.summary = summary,
                      .parameters = parameterLines(syntax, kParameterLines),
                      .nulls = "The empty string stays.",
                      .errors = errors,
                      .example = example},
                     {.gives = gives, .kind = FunctionKind::Elementwise});
    };
    constexpr std::string_view kBadString = "An encoding is unknown, or the string is not written in it.";
    add("convertEncode(str, srcEncode, destEncode)", convertEncodeKernel,
        "The string str, the strings of a dictionary, or the string columns of a table in another encoding.",
        kBadString, "convertEncode(`harbour, `gbk, \"utf-8\") -> harbour", stringOf(0));
    add("toUTF8(str, encode)", toUtf8Kernel, "The string str, written in the encoding, in UTF-8.", kBadString,
        "toUTF8(`harbour, `gbk) -> harbour", stringOf(0));
    add("fromUTF8(str, encode)", fromUtf8Kernel, "The string str, written in UTF-8, in the encoding.", kBadString,
        "fromUTF8(`harbour, `gbk) -> harbour", stringOf(0));
    add("md5(X)", md5Kernel, "The MD5 digest of each string, as INT128.", "X is no string.",
        "md5(`a) -> 0cc175b9c0f1b6a831c399e269772661", is(Type::Int128));
    add("base64Encode(X)", base64EncodeKernel, "The bytes of each string in base 64.", "X is no string.",
        "base64Encode(`abc) -> YWJj", is(Type::String));
    add("base64Decode(X)", base64DecodeKernel, "The bytes that a string in base 64 encodes, as BLOB.",
        "X is no base 64.", "base64Decode(`YWJj) -> abc", is(Type::Blob));
    registry.add("makeSortedKey(args...)", makeKeyKernel,
                 {.summary = "As makeKey.",
                  .parameters = "args: the parts of the key: scalars, or vectors of one length, of any type",
                  .example = "makeSortedKey(`b`a, `4`2) -> [\"b4\",\"a2\"]"});
    registry.add("makeKey(args...)", makeKeyKernel,
                 {.summary = "One key of several values: their strings concatenated, as BLOB.",
                  .parameters = "args: the parts of the key: scalars, or vectors of one length, of any type",
                  .errors = "The vectors differ in length.",
                  .example = "makeKey(`a, 5) -> a5"});
    add("crc32(str, [cksum=0])", crc32Kernel, "The CRC-32 of each string, as INT, continued from cksum.",
        "X is no string.", "crc32(`abc) -> 891568578", is(Type::Int));
}

}  // namespace pelorus
