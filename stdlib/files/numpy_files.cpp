// Vectors and matrices in NumPy's .npy files: loadNpy, saveAsNpy.
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <regex>

#include "common/error.h"
#include "common/file.h"
#include "runtime/table.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

struct NumpyType {
    std::string_view name;  // NumPy's, little-endian
    Type type;
};
constexpr NumpyType kTypes[] = {{"|b1", Type::Bool}, {"|i1", Type::Char},  {"<i2", Type::Short}, {"<i4", Type::Int},
                                {"<i8", Type::Long}, {"<f4", Type::Float}, {"<f8", Type::Double}};

// What the header of a file says.
struct Header {
    Type type = Type::Void;
    bool columnMajor = false;
    std::vector<int64_t> shape;
    size_t dataAt = 0;
};

Header readHeader(const std::string& bytes, const std::string& path) {
    const auto damaged = [&](std::string_view what) {
        return UserError(0, fmt::format("{} is no .npy file that can be read: {}.", path, what));
    };
    if (!bytes.starts_with(kMagic) || bytes.size() < 12) throw damaged("it does not begin as one");
    const bool isShort = bytes[6] == 1;
    uint32_t length = 0;
    std::memcpy(&length, bytes.data() + 8, isShort ? 2 : 4);
    Header header;
    header.dataAt = (isShort ? 10 : 12) + static_cast<size_t>(length);
    if (header.dataAt > bytes.size()) throw damaged("it ends too early");
    const std::string text = bytes.substr(isShort ? 10 : 12, length);
    std::smatch found;
    if (!std::regex_search(text, found, std::regex("'descr': *'([^']*)'"))) throw damaged("it names no type");
    const std::string name = found[1];
    for (const NumpyType& type : kTypes) {
        if (type.name == name) header.type = type.type;
    }
    if (header.type == Type::Void) throw damaged("its items are of the type " + name);
    header.columnMajor = text.find("'fortran_order': True") != std::string::npos;
    if (!std::regex_search(text, found, std::regex("'shape': *\\(([0-9, ]*)\\)"))) throw damaged("it has no shape");
    const std::string shape = found[1];
    static const std::regex kNumber("[0-9]{1,12}");
    for (auto it = std::sregex_iterator(shape.begin(), shape.end(), kNumber); it != std::sregex_iterator(); ++it)
        header.shape.push_back(std::stoll(it->str()));
    if (header.shape.empty() || header.shape.size() > 2) throw damaged("it has not one or two dimensions");
    return header;
}

template <class Real>
void nansToNull(Real* items, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
        if (std::isnan(items[i])) items[i] = null<Real>;
    }
}

Value loadNpyKernel(Context&, Arguments arguments) {
    const std::string path = textArgument(arguments, 0, "fileName");
    const std::string bytes = readWholeFile(FileSystem::posix(), path);
    const Header header = readHeader(bytes, path);
    const int64_t rows = header.shape[0], columns = header.shape.size() == 2 ? header.shape[1] : 1;
    Ref<Vector> items = Vector::make(header.type, 0);
    const auto width = static_cast<int64_t>(items->width());
    const auto held = static_cast<int64_t>(bytes.size() - header.dataAt) / width;
    if (rows > held || (columns > 0 && rows > held / columns)) throw UserError(0, path + " ends too early.");
    items->resize(rows * columns);
    char* to = static_cast<char*>(items->mutableRaw());
    const char* from = bytes.data() + header.dataAt;
    if (header.columnMajor || columns == 1) {
        std::memcpy(to, from, static_cast<size_t>(rows * columns * width));
    } else {
        for (int64_t c = 0; c < columns; ++c) {
            for (int64_t r = 0; r < rows; ++r)
                std::memcpy(to + (c * rows + r) * width, from + (r * columns + c) * width, static_cast<size_t>(width));
        }
    }
    if (header.type == Type::Float) nansToNull(items->mutableItems<float>(), items->size());
    if (header.type == Type::Double) nansToNull(items->mutableItems<double>(), items->size());
    items->setMayHaveNull(true);
    if (header.shape.size() == 1) return Value::of(std::move(items));
    return Value::of(makeRef<Matrix>(items, rows, columns));
}

template <class Real>
void nullsToInfinity(Real* items, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
        if (items[i] == null<Real>) items[i] = -std::numeric_limits<Real>::infinity();
    }
}

Value saveAsNpyKernel(Context&, Arguments arguments) {
    const Value& object = arguments[0];
    if (!object.isMatrix() && !object.isTypedVector()) refuseArgument(0, "obj", "a numeric vector or matrix", object);
    Ref<Vector> items = object.isMatrix() ? object.matrix().cells->copy() : object.vector().copy();
    std::string_view name;
    for (const NumpyType& type : kTypes) {
        if (type.type == items->type()) name = type.name;
    }
    if (name.empty()) refuseArgument(0, "obj", "a numeric vector or matrix", object);
    if (items->type() == Type::Float) nullsToInfinity(items->mutableItems<float>(), items->size());
    if (items->type() == Type::Double) nullsToInfinity(items->mutableItems<double>(), items->size());
    const std::string shape = object.isMatrix() ? fmt::format("({}, {})", object.matrix().rows, object.matrix().columns)
                                                : fmt::format("({},)", items->size());
    std::string text = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", name,
                                   object.isMatrix() ? "True" : "False", shape);
    // What follows the header is aligned to 64 bytes.
    text.append((64 - (10 + text.size() + 1) % 64) % 64, ' ');
    text += '\n';
    std::string bytes(kMagic);
    bytes += '\x01';
    bytes += '\0';
    const auto length = static_cast<uint16_t>(text.size());
    bytes.append(reinterpret_cast<const char*>(&length), sizeof length);
    bytes += text;
    bytes.append(static_cast<const char*>(static_cast<const void*>(items->raw())),
                 static_cast<size_t>(items->size()) * static_cast<size_t>(items->width()));
    const std::string path = textArgument(arguments, 1, "fileName");
    FileSystem::posix().create(path)->append(bytes);
    return {};
}

}  // namespace

void registerNumpyFiles(FunctionRegistry& registry) {
    registry.add("loadNpy(fileName)", loadNpyKernel,
                 {.summary = "The vector of one dimension, or matrix of two, in a file of NumPy's .npy format.",
                  .nulls = "NaN becomes NULL.",
                  .errors = "The file is none, or its items are no BOOL, integers, FLOAT or DOUBLE."});
    registry.add("saveAsNpy(obj, fileName)", saveAsNpyKernel,
                 {.summary = "Writes a numeric vector or matrix into a file of NumPy's .npy format.",
                  .nulls = "NULL of FLOAT and DOUBLE becomes -inf; of integers the least number of the type.",
                  .errors = "obj is not numeric, or the file can't be written."});
}

}  // namespace pelorus
