// Vectors and matrices in NumPy's files: loadNpy, saveAsNpy, loadNpz.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <regex>

#include "common/check.h"
#include "common/error.h"
#include "common/io/file.h"
#include "common/io/packed_file.h"
#include "runtime/function/file_access.h"
#include "runtime/table/table.h"
#include "runtime/text/utf8.h"
#include "runtime/value/dictionary.h"
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

// The header of a .npy file.
struct Header {
    Type type = Type::Void;
    bool columnMajor = false;
    std::vector<int64_t> shape;
    size_t dataAt = 0;
    int64_t stringLength = 0;  // 32-bit characters of each string
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
    const std::string string = bytes.substr(isShort ? 10 : 12, length);
    std::smatch found;
    if (!std::regex_search(string, found, std::regex("'descr': *'([^']*)'"))) throw damaged("it names no type");
    const std::string name = found[1];
    for (const NumpyType& type : kTypes) {
        if (type.name == name) header.type = type.type;
    }
    if (name.starts_with("<U") && name.size() < 8) {
        header.type = Type::String;
        header.stringLength = std::atoi(name.c_str() + 2);
    }
    if (header.type == Type::Void) throw damaged("its elements are of the type " + name);
    header.columnMajor = string.find("'fortran_order': True") != std::string::npos;
    if (!std::regex_search(string, found, std::regex("'shape': *\\(([0-9, ]*)\\)"))) throw damaged("it has no shape");
    const std::string shape = found[1];
    static const std::regex kNumber("[0-9]{1,12}");
    for (auto it = std::sregex_iterator(shape.begin(), shape.end(), kNumber); it != std::sregex_iterator(); ++it)
        header.shape.push_back(std::stoll(it->str()));
    if (header.shape.empty() || header.shape.size() > 3) throw damaged("it has not one, two or three dimensions");
    if (header.stringLength > 0 && header.shape.size() > 1) throw damaged("its strings have more than one dimension");
    return header;
}

template <class Real>
void nansToNull(Real* elements, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
        if (std::isnan(elements[i])) elements[i] = null<Real>;
    }
}

void requireItems(const Header& header, const std::string& bytes, int64_t width, const std::string& path) {
    int64_t left = static_cast<int64_t>(bytes.size() - header.dataAt) / std::max<int64_t>(width, 1);
    for (const int64_t length : header.shape) {
        if (length > 0 && left == 0) throw UserError(0, path + " ends too early.");
        left = length > 0 ? left / length : left;
    }
    if (left == 0 && std::find(header.shape.begin(), header.shape.end(), 0) == header.shape.end())
        throw UserError(0, path + " ends too early.");
}

Value stringsOf(const Header& header, const std::string& bytes) {
    Ref<Vector> elements = Vector::make(Type::String, header.shape[0]);
    const char* from = bytes.data() + header.dataAt;
    for (int64_t i = 0; i < elements->size(); ++i) {
        std::string string;
        for (int64_t k = 0; k < header.stringLength; ++k) {
            uint32_t code;
            std::memcpy(&code, from + (i * header.stringLength + k) * 4, sizeof code);
            if (code == 0) break;
            appendUtf8(string, code);
        }
        elements->setString(i, string);
    }
    return Value::of(std::move(elements));
}

// The matrix number `slice` of an array of two or three dimensions; of one dimension a matrix of one column.
Ref<Vector> cellsOf(const Header& header, const std::string& bytes, int64_t slice) {
    std::vector<int64_t> shape = header.shape;
    if (shape.size() == 1) shape.push_back(1);
    if (shape.size() == 2) shape.insert(shape.begin(), 1);
    const int64_t slices = shape[0], rows = shape[1], columns = shape[2];
    CHECK(slice >= 0 && slice < slices) << "the matrix is in the array";
    Ref<Vector> elements = Vector::make(header.type, rows * columns);
    const auto width = static_cast<int64_t>(elements->width());
    char* to = static_cast<char*>(elements->mutableRaw());
    const char* from = bytes.data() + header.dataAt;
    for (int64_t c = 0; c < columns; ++c) {
        for (int64_t r = 0; r < rows; ++r) {
            const int64_t at = header.columnMajor ? slice + (r + c * rows) * slices : (slice * rows + r) * columns + c;
            std::memcpy(to + (c * rows + r) * width, from + at * width, static_cast<size_t>(width));
        }
    }
    if (header.type == Type::Float) nansToNull(elements->mutableData<float>(), elements->size());
    if (header.type == Type::Double) nansToNull(elements->mutableData<double>(), elements->size());
    elements->setMayHaveNull(true);
    return elements;
}

// Decodes the bytes of a .npy file: a vector, a matrix, or a tuple of matrices.
Value arrayOf(const std::string& bytes, const std::string& path) {
    const Header header = readHeader(bytes, path);
    const bool isString = header.type == Type::String;
    requireItems(header, bytes, isString ? header.stringLength * 4 : widthOf(header.type), path);
    if (isString) return stringsOf(header, bytes);
    if (header.shape.size() == 1) return Value::of(cellsOf(header, bytes, 0));
    if (header.shape.size() == 2)
        return Value::of(makeRef<Matrix>(cellsOf(header, bytes, 0), header.shape[0], header.shape[1]));
    std::vector<Value> slices;
    for (int64_t i = 0; i < header.shape[0]; ++i)
        slices.push_back(Value::of(makeRef<Matrix>(cellsOf(header, bytes, i), header.shape[1], header.shape[2])));
    return Value::of(makeRef<Tuple>(std::move(slices)));
}

Value loadNpyKernel(Context& context, Arguments arguments) {
    const std::string path = stringArgument(arguments, 0, "fileName");
    return arrayOf(readWholeFile(userFiles(context), path), path);
}

// loadNpz(fileName): a .zip archive of .npy files.
Value loadNpzKernel(Context& context, Arguments arguments) {
    const std::string path = stringArgument(arguments, 0, "fileName");
    const std::shared_ptr<const File> archive = userFiles(context).openForRead(path);
    auto arrays = makeRef<Dictionary>(Type::String, Type::Any, true);
    for (const ZipEntry& entry : zipEntries(*archive)) {
        std::string bytes(static_cast<size_t>(entry.sizeBytes), '\0');
        InflatedFile(archive, entry).readAt(0, bytes.data(), bytes.size());
        std::string name = entry.name;
        if (name.ends_with(".npy")) name.resize(name.size() - 4);
        arrays->set(Value::ofString(name), arrayOf(bytes, path));
    }
    return Value::of(arrays);
}

template <class Real>
void nullsToInfinity(Real* elements, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
        if (elements[i] == null<Real>) elements[i] = -std::numeric_limits<Real>::infinity();
    }
}

Value saveAsNpyKernel(Context& context, Arguments arguments) {
    const Value& object = arguments[0];
    if (!object.isMatrix() && !object.isTypedVector()) refuseArgument(0, "obj", "a numeric vector or matrix", object);
    Ref<Vector> elements = object.isMatrix() ? object.matrix().cells->copy() : object.vector().copy();
    std::string_view name;
    for (const NumpyType& type : kTypes) {
        if (type.type == elements->type()) name = type.name;
    }
    if (name.empty()) refuseArgument(0, "obj", "a numeric vector or matrix", object);
    if (elements->type() == Type::Float) nullsToInfinity(elements->mutableData<float>(), elements->size());
    if (elements->type() == Type::Double) nullsToInfinity(elements->mutableData<double>(), elements->size());
    const std::string shape = object.isMatrix() ? fmt::format("({}, {})", object.matrix().rows, object.matrix().columns)
                                                : fmt::format("({},)", elements->size());
    std::string string = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", name,
                                     object.isMatrix() ? "True" : "False", shape);
    // The data after the header is aligned to 64 bytes.
    string.append((64 - (10 + string.size() + 1) % 64) % 64, ' ');
    string += '\n';
    std::string bytes(kMagic);
    bytes += '\x01';
    bytes += '\0';
    const auto length = static_cast<uint16_t>(string.size());
    bytes.append(reinterpret_cast<const char*>(&length), sizeof length);
    bytes += string;
    bytes.append(static_cast<const char*>(static_cast<const void*>(elements->raw())),
                 static_cast<size_t>(elements->size()) * static_cast<size_t>(elements->width()));
    const std::string path = stringArgument(arguments, 1, "fileName");
    userFiles(context).create(path)->append(bytes);
    return {};
}

}  // namespace

void registerNumpyFiles(FunctionRegistry& registry) {
    registry.add(
        "loadNpy(fileName)", loadNpyKernel,
        {.summary = "The vector of one dimension, matrix of two, or tuple of matrices of three, in a file of NumPy's "
                    ".npy format.",
         .nulls = "NaN becomes NULL.",
         .errors = "The file is none, or its elements are no BOOL, integers, FLOAT, DOUBLE or strings.",
         .example = "weights = loadNpy(\"/data/weights.npy\")"},
        kReads);
    registry.add("loadNpz(fileName)", loadNpzKernel,
                 {.summary = "A dictionary of the arrays in a file that numpy.savez or savez_compressed wrote: "
                             "vectors, matrices, and tuples "
                             "of matrices where there are three dimensions.",
                  .nulls = "NaN becomes NULL.",
                  .errors = "The file is none, is damaged, or holds arrays of other types.",
                  .example = "loadNpz(\"/data/factors.npz\").keys()"},
                 kReads);
    registry.add("saveAsNpy(obj, fileName)", saveAsNpyKernel,
                 {.summary = "Writes a numeric vector or matrix into a file of NumPy's .npy format.",
                  .nulls = "NULL of FLOAT and DOUBLE becomes -inf; of integers the least number of the type.",
                  .errors = "obj is not numeric, or the file can't be written.",
                  .example = "saveAsNpy(matrix(0.6 0.4, 0.3 0.7), \"/data/weights.npy\")"});
}

}  // namespace pelorus
