#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <map>

#include "common/error.h"
#include "runtime/array_vector.h"
#include "runtime/dictionary.h"
#include "runtime/function.h"
#include "runtime/function/registry.h"
#include "runtime/memory/budget.h"
#include "runtime/portable.h"
#include "runtime/serialize/compressed_column.h"
#include "runtime/serialize/value_codec.h"
#include "runtime/symbol_base.h"
#include "runtime/table.h"
#include "runtime/tensor.h"
#include "runtime/vector.h"

namespace pelorus {
namespace {

constexpr uint8_t kSymbolWithBase = 145;
constexpr uint8_t kPayloadBit = 0x20;  // of the form byte: a pickle or Arrow payload
constexpr int kMaxDepth = 100;
constexpr int64_t kObjectBytes = 96;  // of a vector or another object, about, beside its items
constexpr int64_t kTextBytes = 24;    // of an item that is a text, beside its bytes
constexpr int64_t kFirstPieceBytes = int64_t{1} << 20;

std::atomic<int64_t> requestBytes{0};  // 0: half of what the process may take
std::atomic<CodeParser> codeParser{nullptr};
std::atomic<TableFinder> tableFinder{nullptr};

[[noreturn]] void malformed(const std::string& what) {
    throw UserError("The bytes that arrived are no value: " + what + ".");
}

bool isArrayVector(uint8_t id) {
    return id >= kArrayVectorBase && id < kArrayVectorBase + kTypeCount;
}

// A container of texts may be sent with STRING or SYMBOL items.
bool holds(Type container, Type items) {
    return container == items || (isLiteral(container) && isLiteral(items));
}

// Clients that know no NULL of floating point send NaN, in whatever width they had it.
template <class T>
void nullForNaN(Vector& v) {
    T* items = v.mutableItems<T>();
    for (int64_t i = 0; i < v.size(); ++i) items[i] = std::isnan(items[i]) ? null<T> : items[i];
}

class Decoder {
public:
    Decoder(ByteSource& source, Peer peer, DecodeBudget& budget) : source_(source), peer_(peer), budget_(budget) {}

    Value value() {
        if (++depth_ > kMaxDepth) malformed("they are nested deeper than " + std::to_string(kMaxDepth) + " levels");
        budget_.countValue();
        const auto type = take<uint8_t>();
        const auto form = take<uint8_t>();
        if (peer_ == Peer::Login) requirePlain(type, form);
        budget_.charge(static_cast<int64_t>(sizeof(Value)) + (form == 0 ? 0 : kObjectBytes));
        Value result = valueOf(type, form);
        --depth_;
        return result;
    }

private:
    struct SymbolBase {
        std::vector<std::string> texts;
        std::vector<int32_t> codes;  // -1: not interned yet
    };
    using SymbolBases = std::map<int32_t, SymbolBase>;

    template <class T>
    T take() {
        T x;
        read(&x, sizeof x);
        return x;
    }
    void read(void* target, size_t sizeBytes) {
        source_.read(target, sizeBytes);
        budget_.received(static_cast<int64_t>(sizeBytes));
    }
    void readText(std::string& s) {
        source_.readUntilZero(s, budget_.textLimit());
        budget_.received(static_cast<int64_t>(s.size()) + 1);
        budget_.charge(static_cast<int64_t>(s.size()));
    }
    std::string text() {
        std::string s;
        readText(s);
        budget_.charge(static_cast<int64_t>(sizeof(std::string)));
        return s;
    }
    // Who has not logged in sends what a login needs.
    static void requirePlain(uint8_t typeId, uint8_t formId) {
        const auto type = static_cast<Type>(typeId);
        const bool fits = formId == static_cast<uint8_t>(Form::Scalar) &&
                          (type == Type::String || type == Type::Bool || type == Type::Int || type == Type::Long ||
                           type == Type::Void);
        if (!fits) throw UserError("Login is required for script execution with client authentication enabled.");
    }
    int64_t count(const char* what) {
        const auto n = take<int32_t>();
        if (n < 0) malformed(std::string("a negative number of ") + what);
        return n;
    }

    Value valueOf(uint8_t typeId, uint8_t formId);
    Value scalar(Type type);
    Value functionValue();
    Value codeValue();
    Value vectorOf(uint8_t typeId);
    Value plainVector(Type type, int64_t items, uint8_t scale);
    Ref<Vector> fixedWidth(Type type, int64_t items);
    Ref<Vector> texts(Type type, int64_t items);
    std::string blobText();
    Value symbolsWithBase(int64_t items);
    Value arrayVector(Type type, int64_t rows, uint8_t scale);
    Value compressedVector();
    uint8_t scaleOf(Type type);
    Value matrix(Type type);
    Value set(Type type);
    Value dictionary(Type valueType);
    Value table();
    Value tensor(Type type);
    std::string takeBytes(int64_t sizeBytes);

    ByteSource& source_;
    const Peer peer_;
    DecodeBudget& budget_;
    int depth_ = 0;
    SymbolBases bases_;
};

Type checkedType(uint8_t id) {
    if (id >= kTypeCount) malformed("type " + std::to_string(id) + " is unknown");
    return static_cast<Type>(id);
}

Value Decoder::valueOf(uint8_t typeId, uint8_t formId) {
    if (formId & kPayloadBit) {
        throw UserError("Objects in pickle or Arrow format are not read.", "Use the client's native protocol.");
    }
    switch (static_cast<Form>(formId)) {
        case Form::Scalar:
            return scalar(checkedType(typeId));
        case Form::Vector:
            return vectorOf(typeId);
        case Form::Pair: {
            const Type type = checkedType(typeId);
            const int64_t items = count("items");
            if (items != 2 || count("columns") != 1) malformed("a pair has two items");
            Value v = plainVector(type, 2, scaleOf(type));
            if (v.isTuple()) malformed("a pair has items of one type");
            return Value::of(Ref<Vector>(&v.vector()), Form::Pair);
        }
        case Form::Matrix:
            return matrix(checkedType(typeId));
        case Form::Set:
            return set(checkedType(typeId));
        case Form::Dictionary:
            return dictionary(checkedType(typeId));
        case Form::Table:
            return table();
        case Form::Tensor:
            return tensor(checkedType(typeId));
        default:
            throw UserError("A value of form " + std::to_string(formId) + " cannot be received.");
    }
}

uint8_t Decoder::scaleOf(Type type) {
    if (categoryOf(type) != Category::Denary) return 0;
    const auto scale = take<int32_t>();
    const int most = type == Type::Decimal32 ? 9 : type == Type::Decimal64 ? 18 : 38;
    if (scale < 0 || scale > most) malformed("a decimal scale of " + std::to_string(scale));
    return static_cast<uint8_t>(scale);
}

Value Decoder::scalar(Type type) {
    switch (type) {
        case Type::Void: {
            Value v;
            v.setExtra(take<uint8_t>() == 2 ? 2 : 0);
            return v;
        }
        case Type::Float: {
            const auto x = take<float>();
            return Value::ofFloat(std::isnan(x) ? null<float> : x);
        }
        case Type::Double: {
            const auto x = take<double>();
            return Value::ofDouble(std::isnan(x) ? null<double> : x);
        }
        case Type::Symbol:
        case Type::String:
            return Value::ofString(text(), type);
        case Type::Blob:
            return Value::ofString(blobText(), Type::Blob);
        case Type::Function:
            return functionValue();
        case Type::Code:
            return codeValue();
        case Type::Handle:
        case Type::DataSource:
        case Type::Resource:
            return Value::ofString(text());
        case Type::Duration: {
            const auto amount = take<int32_t>();
            return Value::ofDuration(amount, take<int32_t>());
        }
        default:
            break;
    }
    const uint8_t scale = scaleOf(type);
    Value v;
    switch (storageOf(type)) {
        case Storage::Int8:
            v = Value::scalar(type, take<int8_t>());
            break;
        case Storage::Int16:
            v = Value::scalar(type, take<int16_t>());
            break;
        case Storage::Int32:
            v = Value::scalar(type, take<int32_t>());
            break;
        case Storage::Int64:
            v = Value::scalar(type, take<int64_t>());
            break;
        case Storage::Bytes16: {
            char bytes[16];
            read(bytes, sizeof bytes);
            v = Value::ofBytes16(type, bytes);
            break;
        }
        default:
            malformed("a scalar of type " + std::string(typeName(type)));
    }
    if (categoryOf(type) == Category::Denary) v.setExtra(scale);
    return v;
}

Value Decoder::functionValue() {
    const auto kind = take<FunctionEncoding>();
    if (kind >= FunctionEncoding::Portable && peer_ != Peer::Node) {
        throw UserError("Functions and data sources are accepted whole only from nodes of the cluster.",
                        "Send the function's definition as a script, then call it by its name.");
    }
    switch (kind) {
        case FunctionEncoding::Portable: {
            const std::string name = text();
            Ref<Portable> object = loadPortable(name, value());
            auto* function = dynamic_cast<Function*>(object.get());
            if (!function) malformed("an object of kind " + name + " is no function");
            return Value::of(Ref<Function>(function));
        }
        case FunctionEncoding::PortableSystem: {
            const Type type = checkedType(take<uint8_t>());
            const std::string name = text();
            return Value::ofSystem(type, loadPortable(name, value(), type));
        }
        case FunctionEncoding::PartitionedTable: {
            const std::string database = text();
            const std::string name = text();
            const TableFinder find = tableFinder.load();
            if (!find) throw UserError("Table " + name + " of " + database + " cannot be opened by this process.");
            return find(database, name);
        }
        default:
            break;
    }
    const std::string name = text();
    const FunctionRegistry& registry = FunctionRegistry::instance();
    const BuiltinFunction* function = peer_ == Peer::Node ? registry.findForNode(name) : registry.find(name);
    if (!function) throw UserError("Can't recognize function name " + name);
    return Value::of(Ref<Function>(const_cast<BuiltinFunction*>(function)));
}

Value Decoder::codeValue() {
    const std::string shown = text();
    std::string_view code = shown;
    if (code.size() >= 2 && code.front() == '<' && code.back() == '>') code = code.substr(1, code.size() - 2);
    const CodeParser parse = codeParser.load();
    if (!parse) throw UserError("This process has no parser to read code with: " + shown);
    return parse(code);
}

Value Decoder::vectorOf(uint8_t typeId) {
    if (typeId == static_cast<uint8_t>(Type::Compress)) return compressedVector();
    const int64_t items = count("items");
    const int64_t columns = count("columns");
    if (typeId == kSymbolWithBase) return symbolsWithBase(items);
    if (isArrayVector(typeId)) {
        const Type type = checkedType(static_cast<uint8_t>(typeId - kArrayVectorBase));
        return arrayVector(type, items, scaleOf(type));
    }
    const Type type = checkedType(typeId);
    if (columns != 1) malformed("a vector of " + std::to_string(columns) + " columns");
    return plainVector(type, items, scaleOf(type));
}

Value Decoder::plainVector(Type type, int64_t items, uint8_t scale) {
    if (type == Type::Any || type == Type::Void) {
        std::vector<Value> values;
        if (type == Type::Void) {
            budget_.charge(items * static_cast<int64_t>(sizeof(Value)));  // they arrive without bytes
            values.resize(static_cast<size_t>(items));
        }
        for (int64_t i = 0; type == Type::Any && i < items; ++i) values.push_back(value());
        return Value::of(makeRef<Tuple>(std::move(values)));
    }
    if (isLiteral(type)) return Value::of(texts(type, items));
    Ref<Vector> v = fixedWidth(type, items);
    if (type == Type::Double) nullForNaN<double>(*v);
    if (type == Type::Float) nullForNaN<float>(*v);
    v->setScale(scale);
    return Value::of(std::move(v));
}

// A claimed size is believed piece by piece: each piece may be as large as all that has arrived before.
Ref<Vector> Decoder::fixedWidth(Type type, int64_t items) {
    const Storage storage = storageOf(type);
    if (storage == Storage::None || storage == Storage::Boxed || storage == Storage::Text || type == Type::Compress) {
        malformed("a vector of type " + std::string(typeName(type)));
    }
    const int64_t width = widthOf(type);
    int64_t have = std::min(items, kFirstPieceBytes / width);
    budget_.charge(have * width);
    Ref<Vector> v = Vector::make(type, have);
    int64_t done = 0;
    for (;;) {
        read(v->mutableRaw() + done * width, static_cast<size_t>((have - done) * width));
        if (have == items) return v;
        done = have;
        have = std::min(items, 2 * have);
        budget_.charge((have - done) * width);
        v->resize(have);
    }
}

std::string Decoder::blobText() {
    return takeBytes(count("bytes"));
}

std::string Decoder::takeBytes(int64_t sizeBytes) {
    std::string bytes;
    int64_t done = 0;
    while (done < sizeBytes) {
        const int64_t have = std::min(sizeBytes, std::max(2 * done, kFirstPieceBytes));
        budget_.charge(have - done);
        bytes.resize(static_cast<size_t>(have));
        read(bytes.data() + done, static_cast<size_t>(have - done));
        done = have;
    }
    return bytes;
}

Ref<Vector> Decoder::texts(Type type, int64_t items) {
    Ref<Vector> v = Vector::make(type, 0);
    std::string item;
    for (int64_t i = 0; i < items; ++i) {
        if (i == v->size()) {
            const int64_t have = std::min(items, std::max<int64_t>(65536, 2 * i));
            budget_.charge((have - i) * kTextBytes);
            v->resize(have);
        }
        if (type == Type::Blob) {
            item = blobText();
        } else {
            readText(item);
        }
        if (!item.empty()) v->setText(i, item);
    }
    return v;
}

// Texts are interned, for good, once the whole column has arrived and is sound; only those that it uses.
Value Decoder::symbolsWithBase(int64_t items) {
    const auto id = take<int32_t>();
    const int64_t size = count("symbols");
    if (size > 0) {
        SymbolBase base;
        for (int64_t i = 0; i < size; ++i) {
            base.texts.push_back(text());
            base.codes.push_back(-1);
        }
        bases_.insert_or_assign(id, std::move(base));
    }
    // An empty column names a base that nobody needs.
    if (items == 0) return Value::of(Vector::make(Type::Symbol, 0));
    const auto known = bases_.find(id);
    if (known == bases_.end()) malformed("a symbol base that was not sent");
    SymbolBase& base = known->second;
    Ref<Vector> v = fixedWidth(Type::Int, items);
    const auto* indices = v->items<int32_t>();
    const auto most = static_cast<int64_t>(base.texts.size());
    for (int64_t i = 0; i < items; ++i) {
        if (indices[i] < 0 || indices[i] >= most) malformed("a symbol outside its base");
    }
    Ref<Vector> result = Vector::make(Type::Symbol, items);
    auto* target = result->mutableItems<int32_t>();
    for (int64_t i = 0; i < items; ++i) {
        const auto at = static_cast<size_t>(indices[i]);
        if (base.codes[at] < 0) base.codes[at] = symbols::intern(base.texts[at]);
        target[i] = base.codes[at];
    }
    return Value::of(std::move(result));
}

Value Decoder::arrayVector(Type type, int64_t rows, uint8_t scale) {
    if (!canBeInArrayVector(type)) malformed("an array vector of " + std::string(typeName(type)));
    auto result = makeRef<ArrayVector>(type, scale);
    while (result->size() < rows) {
        const auto blockRows = take<uint16_t>();
        const auto countWidth = take<uint8_t>();
        take<uint8_t>();
        if (blockRows == 0 || result->size() + blockRows > rows) malformed("an array vector's rows");
        if (countWidth != 1 && countWidth != 2 && countWidth != 4) malformed("an array vector's counts");
        std::vector<uint32_t> counts(blockRows);
        budget_.charge(blockRows * int64_t{16});
        for (uint32_t& n : counts) read(&n, countWidth);
        for (uint32_t n : counts) {
            if (n > static_cast<uint32_t>(INT32_MAX)) malformed("an array vector's counts");
            const Value row = plainVector(type, n, scale);
            result->appendRow(row.vector());
        }
    }
    return Value::of(result);
}

Value Decoder::compressedVector() {
    constexpr int64_t kHeaderBytes = 20;
    const int64_t size = count("bytes");
    count("columns");
    take<uint8_t>();  // version
    const auto flags = take<uint8_t>();
    take<uint8_t>();  // char code
    const auto method = take<CompressionMethod>();
    const auto typeId = take<uint8_t>();
    const auto width = take<int8_t>();
    const auto scale = take<int16_t>();
    take<int32_t>();  // extra
    const int64_t items = count("items");
    take<int32_t>();  // checksum
    if (!(flags & 1)) malformed("a compressed column in big-endian order");
    if (size < kHeaderBytes) malformed("a compressed column without its header");

    std::string plain;
    for (int64_t left = size - kHeaderBytes; left > 0;) {
        const int64_t blockBytes = take<int32_t>() & 0x7fffffff;
        left -= 4 + blockBytes;
        if (left < 0) malformed("a compressed block that is longer than its column");
        const int64_t done = width > 0 ? static_cast<int64_t>(plain.size()) / width : 0;
        budget_.charge(kCompressedBlockBytes);
        decompressBlock(method, width, items - done, takeBytes(blockBytes), plain);
    }
    StringSource source(plain);
    Decoder inner(source, peer_, budget_);
    inner.depth_ = depth_;
    if (isArrayVector(typeId)) {
        const Type type = checkedType(static_cast<uint8_t>(typeId - kArrayVectorBase));
        return inner.arrayVector(type, items, static_cast<uint8_t>(scale));
    }
    const Type type = checkedType(typeId);
    if (type == Type::Any || type == Type::Void) malformed("a compressed column of type ANY");
    return inner.plainVector(type, items, static_cast<uint8_t>(scale));
}

Value Decoder::matrix(Type type) {
    const auto labels = take<uint8_t>();
    Value rowLabels, columnLabels;
    if (labels & 1) rowLabels = value();
    if (labels & 2) columnLabels = value();
    const auto cellType = take<uint8_t>();
    const auto cellForm = take<uint8_t>();
    if (cellType != static_cast<uint8_t>(type) || cellForm != static_cast<uint8_t>(Form::Matrix)) {
        malformed("a matrix whose cells have another type");
    }
    const int64_t rows = count("rows");
    const int64_t columns = count("columns");
    const uint8_t scale = scaleOf(type);
    const Value cells = plainVector(type, rows * columns, scale);
    if (cells.isTuple()) malformed("a matrix of ANY");
    if ((!rowLabels.isVoid() && rowLabels.size() != rows) ||
        (!columnLabels.isVoid() && columnLabels.size() != columns)) {
        malformed("a matrix whose labels do not fit its shape");
    }
    auto m = makeRef<Matrix>(Ref<Vector>(&cells.vector()), rows, columns);
    m->rowLabels = rowLabels;
    m->columnLabels = columnLabels;
    return Value::of(std::move(m));
}

Value Decoder::set(Type type) {
    const Value keys = value();
    if (!keys.isVector() || !holds(type, keys.type())) malformed("a set without a vector of its keys");
    auto s = makeRef<Set>(type);
    for (int64_t i = 0; i < keys.size(); ++i) s->index.insert(keys.at(i));
    return Value::of(std::move(s));
}

Value Decoder::dictionary(Type valueType) {
    const Value keys = value();
    const Value values = value();
    const bool fits = keys.isVector() && values.isVector() && keys.size() == values.size();
    if (!fits || !(valueType == Type::Any || holds(valueType, values.type()))) {
        malformed("a dictionary whose keys and values do not match");
    }
    auto d = makeRef<Dictionary>(keys.type(), valueType, false);
    for (int64_t i = 0; i < keys.size(); ++i) d->set(keys.at(i), values.at(i));
    return Value::of(std::move(d));
}

Value Decoder::table() {
    const int64_t rows = count("rows");
    const int64_t columns = count("columns");
    std::string name = text();
    std::vector<std::string> names;
    for (int64_t i = 0; i < columns; ++i) names.push_back(text());
    bases_.clear();
    std::vector<Value> values;
    for (int64_t i = 0; i < columns; ++i) {
        values.push_back(value());
        if (!values.back().isVector() || values.back().size() != rows) {
            malformed("column " + names[static_cast<size_t>(i)] + " does not have " + std::to_string(rows) + " rows");
        }
    }
    auto t = makeRef<MemoryTable>(std::move(names), std::move(values));
    t->name = std::move(name);
    return Value::of(Ref<Table>(t));
}

// Only cells that lie without gaps, the last dimension running fastest.
Value Decoder::tensor(Type type) {
    constexpr int64_t kMostDimensions = 10;
    const auto kind = take<uint8_t>();
    const auto device = take<uint8_t>();
    take<int32_t>();  // flags
    const int64_t dimensions = count("dimensions");
    if (kind != 0 || device != 0) malformed("a tensor of another kind or device");
    if (dimensions < 1 || dimensions > kMostDimensions) malformed("a tensor's dimensions");
    std::vector<int64_t> shape;
    int64_t cells = 1;
    for (int64_t d = 0; d < dimensions; ++d) {
        shape.push_back(take<int64_t>());
        if (shape.back() < 0 || __builtin_mul_overflow(cells, shape.back(), &cells)) malformed("a tensor's shape");
    }
    std::vector<int64_t> strides;
    for (int64_t d = 0; d < dimensions; ++d) strides.push_back(take<int64_t>());
    int64_t stride = 1;
    for (size_t d = shape.size(); d-- > 0;) {
        if (strides[d] != stride && shape[d] > 1) malformed("a tensor's strides");
        stride *= std::max<int64_t>(shape[d], 1);
    }
    take<int64_t>();  // reserved
    if (take<int64_t>() != cells) malformed("a tensor whose cells do not fit its shape");
    return Value::ofSystem(Type::Resource, makeRef<Tensor>(fixedWidth(type, cells), std::move(shape)));
}

}  // namespace

void StringSource::read(void* target, size_t sizeBytes) {
    if (sizeBytes > bytes_.size() - position_) throw SystemError("The bytes of a value end early.");
    if (sizeBytes > 0) std::memcpy(target, bytes_.data() + position_, sizeBytes);
    position_ += sizeBytes;
}

void StringSource::readUntilZero(std::string& text, size_t limitBytes) {
    const size_t end = bytes_.find('\0', position_);
    if (end == std::string_view::npos) throw SystemError("The bytes of a value end early.");
    if (end - position_ > limitBytes) malformed("a text of " + std::to_string(end - position_) + " bytes");
    text.assign(bytes_, position_, end - position_);
    position_ = end + 1;
}

DecodeBudget::DecodeBudget(Peer peer)
    : limit_(peer == Peer::Login    ? kLoginBytes
             : peer == Peer::Client ? maxRequestBytes()
                                    : INT64_MAX),
      valuesLeft_(peer == Peer::Login ? kLoginValues : INT64_MAX) {}

void DecodeBudget::charge(int64_t bytes) {
    const int64_t proportionate =
        received_ > INT64_MAX / (2 * kChargePerByte) ? INT64_MAX : kFreeBytes + received_ * kChargePerByte;
    if (bytes > limit_ - charged_) {
        throw UserError("The values of a request are larger than " + std::to_string(limit_) + " bytes.",
                        "Send them in parts, or raise maxRequestBytes.");
    }
    if (bytes > proportionate - charged_) malformed("they claim far more than the bytes that came");
    charged_ += bytes;
}

void DecodeBudget::countValue() {
    if (--valuesLeft_ < 0) throw UserError("A request before login has at most 16 values.");
}

size_t DecodeBudget::textLimit() const {
    return static_cast<size_t>(limit_ - charged_);
}

Value decodeValue(ByteSource& source, Peer peer, DecodeBudget& budget) {
    return Decoder(source, peer, budget).value();
}
Value decodeValue(ByteSource& source, Peer peer) {
    DecodeBudget budget(peer);
    return decodeValue(source, peer, budget);
}

void setMaxRequestBytes(int64_t bytes) {
    requestBytes = bytes;
}
int64_t maxRequestBytes() {
    const int64_t set = requestBytes.load(std::memory_order_relaxed);
    const int64_t limit = memory::limitBytes();
    return set > 0 ? set : limit > 0 ? limit / 2 : INT64_MAX;
}

void setCodeParser(CodeParser parser) {
    codeParser = parser;
}
void setTableFinder(TableFinder finder) {
    tableFinder = finder;
}

}  // namespace pelorus
