// Any arrays of Arrow's C data interface, whose numbers may contradict each other but whose buffers are as long as they
// say, are columns or an error of ours; what was read is exported and read again.
//
// A libFuzzer target: scripts/fuzz.sh builds and runs it. Reading beyond a buffer is found by the address sanitizer.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>

#include "common/error.h"
#include "tests/unit/runtime/arrow/c_arrays.h"

using namespace pelorus;

namespace {

// The bytes of an input, as small numbers; 0 behind its end.
class Choices {
public:
    Choices(const uint8_t* bytes, size_t size) : bytes_(bytes), left_(size) {}
    int next(int most) {
        if (left_ == 0) return 0;
        --left_;
        return *bytes_++ % (most + 1);
    }
    // One time in many, a number that nobody should say.
    int64_t number(int64_t usual) {
        constexpr int64_t kOdd[] = {-1, 0, 1, 7, 64, INT32_MAX, INT64_MAX, INT64_MIN};
        return next(31) == 31 ? kOdd[next(7)] : usual;
    }

private:
    const uint8_t* bytes_;
    size_t left_;
};

// An array and its type; its owner frees both.
struct Node {
    std::string format, name;
    arrow::CSchema schema{};
    arrow::CArray array{};
    std::vector<std::unique_ptr<char[]>> bytes;
    std::vector<const void*> buffers;
    std::vector<std::unique_ptr<Node>> children;
    std::vector<arrow::CSchema*> schemas;
    std::vector<arrow::CArray*> arrays;
    std::unique_ptr<Node> dictionary;
};

constexpr const char* kFormats[] = {"n",   "b",    "c",    "S",     "i",   "L",    "e",         "g",
                                    "u",   "U",    "z",    "w:16",  "w:3", "tdD",  "tdm",       "tts",
                                    "ttn", "tsn:", "tss:", "d:9,2", "+l",  "+w:2", "d:38,4,64", "+L"};

size_t bytesOf(const std::string& format, int buffer, size_t elements) {
    const bool isOffset = buffer == 1 && (format == "u" || format == "z" || format == "+l");
    if (buffer == 0 || format == "b") return (elements + 7) / 8;
    if (isOffset) return (elements + 1) * 4;
    if (format == "U" || format == "+L") return buffer == 1 ? (elements + 1) * 8 : 255;
    if (buffer == 2) return 255;
    return elements * (format.starts_with("w:3") ? 3 : 16);
}

std::unique_ptr<Node> makeNode(Choices& choices, int depth, int length) {
    auto node = std::make_unique<Node>();
    node->name = "c";
    node->format = depth == 0 ? "+s" : kFormats[choices.next(std::size(kFormats) - 1)];
    const int offset = choices.next(9);
    if (depth > 0) length = choices.next(20);
    const bool isList = node->format[0] == '+' && depth > 0;
    const int childCount = depth == 0 ? 1 + choices.next(2) : isList ? 1 : 0;
    for (int i = 0; i < childCount && depth < 4; ++i)
        node->children.push_back(makeNode(choices, depth + 1, length + offset));
    for (const auto& child : node->children) {
        node->schemas.push_back(&child->schema);
        node->arrays.push_back(&child->array);
    }
    const bool isIndex = depth > 0 && choices.next(7) == 7 && node->format.size() == 1;
    if (isIndex && depth < 4) node->dictionary = makeNode(choices, depth + 1, length);
    const bool isText = std::string("uUz").find(node->format) != std::string::npos;
    const int bufferCount = node->format == "n" ? 0 : depth == 0 || node->format == "+w:2" ? 1 : isText ? 3 : 2;
    for (int b = 0; b < bufferCount; ++b) {
        const size_t size = bytesOf(node->format, b, static_cast<size_t>(length + offset));
        auto bytes = std::make_unique<char[]>(size);
        // Offsets of 32 and 64 bits that are small and mostly in order: a great one promises bytes that are not there.
        const size_t step = node->format == "U" || node->format == "+L" ? 8 : 4;
        for (size_t i = 0; i < size; ++i) {
            const size_t number = i % step == 0 ? i / step + static_cast<size_t>(choices.next(3)) : 0;
            bytes[i] = static_cast<char>(b == 1 ? number : static_cast<size_t>(choices.next(255)));
        }
        const bool isAbsent = b == 0 ? choices.next(3) == 3 : choices.next(63) == 63;
        node->buffers.push_back(isAbsent || (depth == 0 && choices.next(7) < 7) ? nullptr : bytes.get());
        node->bytes.push_back(std::move(bytes));
    }
    node->schema = {.format = node->format.c_str(),
                    .name = choices.next(15) == 15 ? nullptr : node->name.c_str(),
                    .metadata = nullptr,
                    .flags = arrow::kIsNullable,
                    .childCount = static_cast<int64_t>(node->schemas.size()),
                    .children = node->schemas.data(),
                    .dictionary = node->dictionary ? &node->dictionary->schema : nullptr,
                    .release = [](arrow::CSchema*) {},
                    .privateData = nullptr};
    // A greater length or offset than the buffers have is the producer's promise: it is not broken here.
    const int64_t told = choices.number(length), first = choices.number(offset);
    const int64_t missing = choices.number(-1);
    node->array = {.length = told > length && told < INT32_MAX ? length : told,
                   .nullCount = missing,
                   .offset = first > offset && first < INT32_MAX ? offset : first,
                   .bufferCount = choices.number(bufferCount) > bufferCount ? bufferCount + 1 : bufferCount,
                   .childCount = static_cast<int64_t>(node->arrays.size()),
                   .buffers = node->buffers.data(),
                   .children = node->arrays.data(),
                   .dictionary = node->dictionary ? &node->dictionary->array : nullptr,
                   .release = [](arrow::CArray*) {},
                   .privateData = nullptr};
    return node;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    Choices choices(data, size);
    const std::unique_ptr<Node> rows = makeNode(choices, 0, choices.next(20));
    try {
        const arrow::ArrowSchema schema = arrow::importSchema(rows->schema);
        const arrow::TableColumns columns(schema);
        std::vector<int> wanted;
        for (size_t c = 0; c < schema.fields.size(); ++c) wanted.push_back(static_cast<int>(c));
        const auto table = arrow::importRows(rows->array, schema, columns, wanted);
        testing::importedAgain(table);
    } catch (const InternalError& error) {
        std::fprintf(stderr, "%s\n", error.what());
        std::abort();
    } catch (const Error&) {
    }
    return 0;
}
