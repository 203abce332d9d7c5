#include "runtime/serialize/value_decoder.h"

#include <atomic>
#include <cmath>

#include "common/error.h"
#include "runtime/function/function.h"
#include "runtime/function/portable.h"
#include "runtime/registry/registry.h"
#include "runtime/serialize/arrow_payload.h"
#include "runtime/table/table.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/tensor.h"

namespace pelorus {
namespace {

constexpr uint8_t kPayloadBit = 0x20;  // bit of the form byte: a pickle or Arrow payload
constexpr int kMaxDepth = 100;
constexpr int64_t kObjectBytes = 96;  // approximate size of a vector or another object, without its elements

std::atomic<CodeParser> codeParser{nullptr};
std::atomic<TableFinder> tableFinder{nullptr};

// A container of strings may be sent with STRING or SYMBOL elements.
bool holds(Type container, Type elements) {
    return container == elements || (isLiteral(container) && isLiteral(elements));
}

}  // namespace

void malformed(const std::string& what) {
    throw UserError("The bytes that arrived are no value: " + what + ".");
}

Type checkedType(uint8_t id) {
    if (id >= kTypeCount) malformed("type " + std::to_string(id) + " is unknown");
    return static_cast<Type>(id);
}

Value ValueDecoder::value() {
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

// Refuses values that a login does not need, as long as the client has not logged in.
void ValueDecoder::requirePlain(uint8_t typeId, uint8_t formId) {
    const auto type = static_cast<Type>(typeId);
    const bool fits =
        formId == static_cast<uint8_t>(Form::Scalar) &&
        (type == Type::String || type == Type::Bool || type == Type::Int || type == Type::Long || type == Type::Void);
    if (!fits) throw UserError("Login is required for script execution with client authentication enabled.");
}
Value ValueDecoder::valueOf(uint8_t typeId, uint8_t formId) {
    if (formId & kPayloadBit) {
        if (formId == kArrowTableForm && typeId == 0) return decodeArrowTable(source_, budget_);
        throw UserError("Objects in pickle format are not read.", "Use the client's native protocol, or Arrow's.");
    }
    switch (static_cast<Form>(formId)) {
        case Form::Scalar:
            return scalar(checkedType(typeId));
        case Form::Vector:
            return vectorOf(typeId);
        case Form::Pair: {
            const Type type = checkedType(typeId);
            const int64_t elements = count("items");
            if (elements != 2 || count("columns") != 1) malformed("a pair has two elements");
            Value v = plainVector(type, 2, scaleOf(type));
            if (v.isTuple() || type == Type::Void) malformed("a pair has elements of one type");
            return Value::of(Ref<Vector>(&v.vector()), Form::Pair);
        }
        case Form::Matrix:
            return matrix(checkedType(typeId));
        case Form::Set:
            return set(checkedType(typeId));
        case Form::Dictionary:
            return dictionary(checkedType(typeId));
        case Form::Chart: {
            const Value entries = dictionary(Type::Any);
            return Value::ofChart(Ref<Dictionary>(&entries.dictionary()));
        }
        case Form::Table:
            return table();
        case Form::Tensor:
            return tensor(checkedType(typeId));
        default:
            throw UserError("A value of form " + std::to_string(formId) + " cannot be received.");
    }
}

uint8_t ValueDecoder::scaleOf(Type type) {
    if (categoryOf(type) != Category::Denary) return 0;
    const auto scale = take<int32_t>();
    const int most = type == Type::Decimal32 ? 9 : type == Type::Decimal64 ? 18 : 38;
    if (scale < 0 || scale > most) malformed("a decimal scale of " + std::to_string(scale));
    return static_cast<uint8_t>(scale);
}

Value ValueDecoder::scalar(Type type) {
    switch (type) {
        case Type::Void: {
            Value v;
            // 0 nothing, 1 NULL, 2 the default of a parameter.
            const auto kind = take<uint8_t>();
            v.setExtra(kind <= 2 ? kind : 0);
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
            return Value::ofString(string(), type);
        case Type::Blob:
            return Value::ofString(blobString(), Type::Blob);
        case Type::Function:
            return functionValue();
        case Type::Code:
            return codeValue();
        case Type::Handle:
        case Type::DataSource:
        case Type::Resource:
            return Value::ofString(string());
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

Value ValueDecoder::functionValue() {
    const auto kind = take<FunctionEncoding>();
    if (kind >= FunctionEncoding::Portable && peer_ != Peer::Node) {
        throw UserError("Functions and data sources are accepted whole only from nodes of the cluster.",
                        "Send the function's definition as a script, then call it by its name.");
    }
    switch (kind) {
        case FunctionEncoding::Portable: {
            const std::string name = string();
            Ref<Portable> object = loadPortable(name, value());
            auto* function = dynamic_cast<Function*>(object.get());
            if (!function) malformed("an object of kind " + name + " is no function");
            return Value::of(Ref<Function>(function));
        }
        case FunctionEncoding::PortableSystem: {
            const Type type = checkedType(take<uint8_t>());
            const std::string name = string();
            return Value::ofSystem(type, loadPortable(name, value(), type));
        }
        case FunctionEncoding::PartitionedTable: {
            const std::string database = string();
            const std::string name = string();
            const std::string maker = string();
            const TableFinder find = tableFinder.load();
            if (!find) throw UserError("Table " + name + " of " + database + " cannot be opened by this process.");
            return find(database, name, maker);
        }
        default:
            break;
    }
    const std::string name = string();
    const FunctionRegistry& registry = FunctionRegistry::instance();
    const BuiltinFunction* function = peer_ == Peer::Node ? registry.findForNode(name) : registry.find(name);
    if (!function) throw UserError("Can't recognize function name " + name);
    return Value::of(Ref<Function>(const_cast<BuiltinFunction*>(function)));
}

Value ValueDecoder::codeValue() {
    const std::string shown = string();
    std::string_view code = shown;
    if (code.size() >= 2 && code.front() == '<' && code.back() == '>') code = code.substr(1, code.size() - 2);
    const CodeParser parse = codeParser.load();
    if (!parse) throw UserError("This process has no parser to read code with: " + shown);
    return parse(code);
}

Value ValueDecoder::matrix(Type type) {
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
    if (cells.isTuple() || type == Type::Void) malformed("a matrix of " + std::string(typeName(type)));
    if ((!rowLabels.isVoid() && rowLabels.size() != rows) ||
        (!columnLabels.isVoid() && columnLabels.size() != columns)) {
        malformed("a matrix whose labels do not fit its shape");
    }
    auto m = makeRef<Matrix>(Ref<Vector>(&cells.vector()), rows, columns);
    m->rowLabels = rowLabels;
    m->columnLabels = columnLabels;
    return Value::of(std::move(m));
}

Value ValueDecoder::set(Type type) {
    const Value keys = value();
    if (!keys.isVector() || !holds(type, keys.type()) || type == Type::Void)
        malformed("a set without a vector of its keys");
    auto s = makeRef<Set>(type);
    for (int64_t i = 0; i < keys.size(); ++i) s->index.insert(keys.at(i));
    return Value::of(std::move(s));
}

Value ValueDecoder::dictionary(Type valueType) {
    const Value keys = value();
    const Value values = value();
    const bool fits = keys.isVector() && values.isVector() && keys.size() == values.size();
    if (!fits || !(valueType == Type::Any || holds(valueType, values.type()))) {
        malformed("a dictionary whose keys and values do not match");
    }
    // Vectors without a type hold NULL only.
    const auto known = [](Type type) { return type == Type::Void ? Type::Any : type; };
    auto d = makeRef<Dictionary>(known(keys.type()), known(valueType), false);
    for (int64_t i = 0; i < keys.size(); ++i) d->set(keys.at(i), values.at(i));
    return Value::of(std::move(d));
}

Value ValueDecoder::table() {
    const int64_t rows = count("rows");
    const int64_t columns = count("columns");
    std::string name = string();
    std::vector<std::string> names;
    for (int64_t i = 0; i < columns; ++i) names.push_back(string());
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

// Accepts only contiguous cells, the last dimension running fastest.
Value ValueDecoder::tensor(Type type) {
    constexpr int64_t kMaxDimensions = 10;
    const auto kind = take<uint8_t>();
    const auto device = take<uint8_t>();
    take<int32_t>();  // flags
    const int64_t dimensions = count("dimensions");
    if (kind != 0 || device != 0) malformed("a tensor of another kind or device");
    if (dimensions < 1 || dimensions > kMaxDimensions) malformed("a tensor's dimensions");
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

Value decodeValue(ByteSource& source, Peer peer, DecodeBudget& budget) {
    return ValueDecoder(source, peer, budget).value();
}
Value decodeValue(ByteSource& source, Peer peer) {
    DecodeBudget budget(peer);
    return decodeValue(source, peer, budget);
}

void setCodeParser(CodeParser parser) {
    codeParser = parser;
}
void setTableFinder(TableFinder finder) {
    tableFinder = finder;
}

}  // namespace pelorus
