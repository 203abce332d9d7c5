#include "tests/support/wire_generator.h"

#include <algorithm>
#include <array>

namespace pelorus::testing {
namespace {

enum Form { kScalar, kVector, kPair, kMatrix, kSet, kDictionary, kTable };

constexpr int kAny = 25;
constexpr int kCompressed = 26;
constexpr int kFunction = 20;
constexpr int kCode = 22;
constexpr int kSymbolWithBase = 145;

// Returns the bytes of an element; 0 for strings, which end with a zero byte, -1 for a BLOB, -2 for types without plain
// elements.
int widthOf(int type) {
    static constexpr std::array<int, 44> kWidths = {-2, 1,  1,  2,  4,  8,  4,  4,  4,  4,  4,  4,  8,  8, 8,
                                                    4,  8,  0,  0,  16, -2, -2, -2, -2, -2, -2, -2, -2, 4, 4,
                                                    16, 16, -1, -2, 16, 16, 8,  4,  8,  16, -2, -2, -2, -2};
    return kWidths[static_cast<size_t>(type)];
}

bool isDecimal(int type) {
    return type >= 37 && type <= 39;
}

}  // namespace

int WireGenerator::plainType() {
    for (;;) {
        const int type = static_cast<int>(below(44));
        if (widthOf(type) != -2) return type;
    }
}

std::string WireGenerator::size(int64_t elements) {
    return raw(static_cast<int32_t>(elements));
}

std::string WireGenerator::string() {
    static constexpr const char* kStrings[] = {
        "", "a", "price", "sum", "x y", "\xe4\xb8\xad", "dfs://db", "groupsOfParts"};
    return std::string(kStrings[below(std::size(kStrings))]) + '\0';
}

std::string WireGenerator::elements(int type, int64_t count) {
    std::string bytes;
    for (int64_t i = 0; i < count; ++i) {
        const int width = widthOf(type);
        if (width == 0) {
            bytes += string();
        } else if (width == -1) {
            const std::string blob = string();
            bytes += size(static_cast<int64_t>(blob.size())) + blob;
        } else {
            for (int b = 0; b < width; ++b) bytes += static_cast<char>(below(4) ? 0 : below(256));
        }
    }
    return bytes;
}

std::string WireGenerator::scalar(bool fromNode) {
    switch (below(8)) {
        case 0:
            return flag(0, kScalar) + static_cast<char>(below(4));
        case 1:
            return flag(kFunction, kScalar) + static_cast<char>(below(5)) + string();
        case 2: {
            static constexpr const char* kCodes[] = {"< 1 + 2 >", "< select * from t >", "x", "<", "<<1>>"};
            return flag(kCode, kScalar) + kCodes[below(std::size(kCodes))] + '\0';
        }
        case 3:
            if (fromNode) return portable(2);
            [[fallthrough]];
        default: {
            const int type = plainType();
            return flag(type, kScalar) + (isDecimal(type) ? size(static_cast<int64_t>(below(5))) : "") +
                   elements(type, 1);
        }
    }
}

// Generates the parts of objects that nodes send to each other, each part of the right kind most of the time.
std::string WireGenerator::portable(int depth) {
    const auto name = [this] { return flag(18, kScalar) + string(); };
    const auto number = [this] { return flag(5, kScalar) + elements(5, 1); };
    const auto function = [&] { return flag(kFunction, kScalar) + '\0' + "sum" + '\0'; };
    const auto code = [&] { return flag(kCode, kScalar) + (below(2) ? "< select * from t >" : "< 1 + 2 >") + '\0'; };
    const auto dictionary = [&] { return flag(kAny, kDictionary) + vector(18, 1) + tuple({function()}); };
    const auto any = [&] { return value(depth - 1, true); };
    const auto mostly = [&](std::string part) { return below(8) ? part : any(); };
    const auto wrapped = [&](const char* kind, int type, const std::string& saved) {
        const std::string start = flag(kFunction, kScalar);
        return type == kFunction ? start + '\xc8' + kind + '\0' + saved
                                 : start + '\xc9' + static_cast<char>(type) + kind + '\0' + saved;
    };
    switch (below(7)) {
        case 0:
            return wrapped("builtin", kFunction, mostly(name()));
        case 1:
            return wrapped("partial", kFunction, tuple({mostly(function()), mostly(tuple({any(), any()}))}));
        case 2:
            return wrapped("composed", kFunction, tuple({mostly(function()), mostly(function())}));
        case 3:
            return wrapped(
                "closure", kFunction,
                tuple({mostly(name()), mostly(flag(18, kScalar) + "def f(x){return x+1}" + '\0'),
                       mostly(vector(18, static_cast<int64_t>(below(2)))), mostly(tuple({})), mostly(dictionary())}));
        case 4: {
            std::vector<std::string> parts = {code(),   dictionary(), name(),    name(),  number(),
                                              name(),   name(),       any(),     name(),  number(),
                                              number(), dictionary(), tuple({}), number()};
            for (std::string& part : parts) {
                if (!below(20)) part = any();
            }
            if (!below(6)) parts.pop_back();
            return wrapped("datasource", below(5) ? 23 : static_cast<int>(below(44)), tuple(parts));
        }
        case 5:
            return wrapped("database", below(5) ? 21 : static_cast<int>(below(44)),
                           tuple({mostly(name()), mostly(number()), any()}));
        default:
            return flag(kFunction, kScalar) + '\xca' + string() + string();
    }
}

std::string WireGenerator::vector(int type, int64_t count) {
    return flag(type, kVector) + size(count) + size(1) +
           (isDecimal(type) ? size(static_cast<int64_t>(below(5))) : std::string()) + elements(type, count);
}

std::string WireGenerator::symbols(int64_t count) {
    const auto base = static_cast<int64_t>(below(4));
    std::string bytes = flag(kSymbolWithBase, kVector) + size(count) + size(1) + size(static_cast<int64_t>(below(2)));
    bytes += size(base) + elements(18, base);
    for (int64_t i = 0; i < count; ++i) bytes += size(static_cast<int64_t>(below(static_cast<size_t>(base) + 1)));
    return bytes;
}

std::string WireGenerator::arrayVector() {
    const int type = plainType();
    const auto rows = static_cast<int64_t>(below(4));
    std::string counts, values;
    int64_t total = 0;
    for (int64_t i = 0; i < rows; ++i) {
        const auto n = static_cast<int64_t>(below(4));
        counts += static_cast<char>(n);
        values += elements(type, n);
        total += n;
    }
    std::string bytes = flag(64 + type, kVector) + size(rows) + size(total);
    if (isDecimal(type)) bytes += size(2);
    if (rows > 0) bytes += raw(static_cast<uint16_t>(rows)) + '\1' + '\0' + counts + values;
    return bytes;
}

// One LZ4 block of literals.
std::string WireGenerator::compressed(int64_t count) {
    const int type = below(2) ? 4 : 16;
    const std::string plain = elements(type, count);
    std::string block;
    if (plain.size() < 15) {
        block = static_cast<char>(plain.size() << 4);
    } else {
        block = '\xf0';
        size_t rest = plain.size() - 15;
        for (; rest >= 255; rest -= 255) block += '\xff';
        block += static_cast<char>(rest);
    }
    block += plain;
    return flag(kCompressed, kVector) + size(20 + 4 + static_cast<int64_t>(block.size())) + size(1) + '\0' + '\1' +
           '\xff' + static_cast<char>(below(4) ? 1 : 2) + static_cast<char>(type) + static_cast<char>(widthOf(type)) +
           std::string(2, '\0') + size(-1) + size(count) + size(-1) + size(static_cast<int64_t>(block.size())) + block;
}

std::string WireGenerator::tuple(const std::vector<std::string>& parts) {
    std::string bytes = flag(kAny, kVector) + size(static_cast<int64_t>(parts.size())) + size(1);
    for (const std::string& part : parts) bytes += part;
    return bytes;
}

std::string WireGenerator::table(int depth, bool fromNode) {
    const auto rows = static_cast<int64_t>(below(4));
    const auto columns = static_cast<int64_t>(below(4));
    std::string bytes = flag(0, kTable) + size(rows) + size(columns) + string();
    for (int64_t c = 0; c < columns; ++c) bytes += string();
    for (int64_t c = 0; c < columns; ++c) {
        switch (below(6)) {
            case 0:
                bytes += symbols(rows);
                break;
            case 1:
                bytes += compressed(rows);
                break;
            case 2:
                bytes += arrayVector();
                break;
            case 3: {
                std::vector<std::string> parts;
                for (int64_t i = 0; i < rows; ++i) parts.push_back(value(depth - 1, fromNode));
                bytes += tuple(parts);
                break;
            }
            default:
                bytes += vector(plainType(), rows);
        }
    }
    return bytes;
}

std::string WireGenerator::value(int depth, bool fromNode) {
    if (depth <= 0) return scalar(fromNode);
    const auto count = static_cast<int64_t>(below(5));
    switch (below(12)) {
        case 0:
            return vector(plainType(), count);
        case 1:
            return flag(0, kVector) + size(count) + size(1);
        case 2:
            return symbols(count);
        case 3:
            return arrayVector();
        case 4:
            return compressed(count);
        case 5: {
            std::vector<std::string> parts;
            for (int64_t i = 0; i < count; ++i) parts.push_back(value(depth - 1, fromNode));
            return tuple(parts);
        }
        case 6: {
            const int type = plainType();
            return flag(type, kPair) + size(2) + size(1) + (isDecimal(type) ? size(2) : "") + elements(type, 2);
        }
        case 7: {
            const int type = plainType();
            const auto rows = static_cast<int64_t>(below(3)), columns = static_cast<int64_t>(below(3));
            const size_t labels = below(4);
            return flag(type, kMatrix) + static_cast<char>(labels) + (labels & 1 ? vector(plainType(), rows) : "") +
                   (labels & 2 ? vector(plainType(), columns) : "") + flag(type, kMatrix) + size(rows) + size(columns) +
                   (isDecimal(type) ? size(2) : "") + elements(type, rows * columns);
        }
        case 8: {
            const int type = plainType();
            return flag(type, kSet) + vector(type, count);
        }
        case 9: {
            const int type = plainType();
            return below(2) ? flag(type, kDictionary) + vector(plainType(), count) + vector(type, count)
                            : flag(kAny, kDictionary) + vector(18, 2) +
                                  tuple({value(depth - 1, fromNode), value(depth - 1, fromNode)});
        }
        case 10:
            return table(depth, fromNode);
        default:
            return scalar(fromNode);
    }
}

std::string WireGenerator::call(std::string_view function, size_t values, bool fromNode) {
    std::string body = "function\n" + std::string(function) + '\n' + std::to_string(values) + "\n1";
    const std::string flags = fromNode ? "268435456" : "32";
    std::string bytes = "API2 0 " + std::to_string(body.size()) + " / " + flags + "_1_4_64__0\n" + body;
    for (size_t i = 0; i < values; ++i) bytes += value(2, fromNode);
    return bytes;
}

std::string WireGenerator::request(bool asUnauthenticated, bool fromNode) {
    const auto framed = [](const std::string& body) {
        return "API2 0 " + std::to_string(body.size()) + " / 32_1_4_64__0\n" + body;
    };
    switch (below(6)) {
        case 0:
            return framed("connect\n");
        case 1:
            return framed("connect\nlogin\nadmin\nwrong\nfalse");
        case 2:
            return framed("script\nx" + std::string(below(50), 'y'));
        case 3: {
            std::string bytes = framed("variable\na,b\n2\n1");
            return bytes + value(3, fromNode) + value(3, fromNode);
        }
        default:
            return call(asUnauthenticated && below(2) ? "version" : "second", below(4), fromNode);
    }
}

std::string WireGenerator::mutated(std::string bytes) {
    static constexpr int32_t kSizes[] = {-1, INT32_MAX, INT32_MIN, 0, 1 << 24, 1 << 20, 65536, 255, 1};
    for (size_t n = 1 + below(3); n > 0 && !bytes.empty(); --n) {
        const size_t at = below(bytes.size());
        const size_t length = std::min(bytes.size() - at, 1 + below(12));
        switch (below(7)) {
            case 0:
                bytes[at] = static_cast<char>(below(256));
                break;
            case 1:
                bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
                break;
            case 2:
            case 3: {
                const std::string size = raw(kSizes[below(std::size(kSizes))]);
                bytes.replace(at, std::min<size_t>(4, bytes.size() - at), size);
                break;
            }
            case 4:
                bytes.erase(at, length);
                break;
            case 5:
                bytes.insert(below(bytes.size()), bytes.substr(at, length));
                break;
            default:
                bytes.resize(at);
        }
    }
    return bytes;
}

}  // namespace pelorus::testing
