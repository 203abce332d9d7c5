#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <span>
#include <unordered_map>

#include "common/error.h"
#include "common/thread/stack_room.h"
#include "runtime/format/to_source.h"
#include "runtime/function/function.h"
#include "runtime/function/handle_maker.h"
#include "runtime/function/portable.h"
#include "runtime/serialize/value_codec.h"
#include "runtime/table/table.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/gathered_bytes.h"
#include "runtime/value/print.h"
#include "runtime/value/symbol_base.h"
#include "runtime/value/tensor.h"
#include "runtime/value/vector.h"

namespace pelorus {
namespace {

// Clients refuse a larger base; such a column is sent as STRING.
constexpr size_t kMaxSymbolBase = size_t{1} << 21;
constexpr uint8_t kSymbolWithBase = 145;

// Small pieces are copied together; a message begins a new piece when they are as long.
constexpr size_t kPieceBytes = size_t{1} << 18;
// Elements of fewer bytes are copied, too.
constexpr size_t kLeastReferred = size_t{1} << 14;

class Encoder {
public:
    Encoder(Peer peer, GatheredBytes& message) : peer_(peer), message_(message) {}

    // Adds what was copied to the message.
    void flush() {
        message_.take(std::move(bytes_));
        bytes_ = std::string();
    }

    // Returns the keys of a set in the order that clients of the family expect: the one that was added last comes
    // first.
    static Value newestFirst(const Value& keys) {
        std::vector<int64_t> positions(static_cast<size_t>(keys.size()));
        std::iota(positions.rbegin(), positions.rend(), 0);
        return gatherElements(keys, positions.data(), keys.size());
    }

    void value(const Value& v) {
        requireStackRoom();
        switch (v.form()) {
            case Form::Scalar:
                return scalar(v);
            case Form::Vector:
                if (v.isTuple()) return tuple(v.tuple());
                if (v.isArrayVector()) return arrayVector(v.arrayVector());
                return vector(v.vector());
            case Form::Pair:
                return fixedShape(v.vector(), Form::Pair, 2, 1);
            case Form::Matrix:
                return matrix(v.matrix());
            case Form::Set:
                flag(v.type(), Form::Set);
                return value(peer_ == Peer::Client ? newestFirst(v.set().index.keys()) : v.set().index.keys());
            case Form::Dictionary:
                return dictionary(v.dictionary(), Form::Dictionary);
            case Form::Chart:
                return dictionary(v.dictionary(), Form::Chart);
            case Form::Table:
                return table(v.table());
            case Form::Tensor:
                break;
        }
        throw UserError("A value of this form cannot be sent.",
                        "Turn it into a matrix, a dictionary or a table first.");
    }

private:
    template <class T>
    void put(T x) {
        bytes_.append(reinterpret_cast<const char*>(&x), sizeof x);
    }
    void flag(Type type, Form form) {
        put(static_cast<uint8_t>(type));
        put(static_cast<uint8_t>(form));
    }
    void count(int64_t elements) {
        if (elements > INT32_MAX) {
            throw UserError(
                "A vector of " + std::to_string(elements) + " elements cannot be sent: the format ends at 2^31.",
                "Send it in parts.");
        }
        put(static_cast<int32_t>(elements));
    }
    void string(std::string_view s) {
        if (!s.empty() && std::memchr(s.data(), 0, s.size())) {
            throw UserError("A STRING that holds a zero byte cannot be sent.", "Use a BLOB for binary content.");
        }
        bytes_.append(s);
        bytes_.push_back('\0');
        if (bytes_.size() >= kPieceBytes) flush();
    }
    void blob(std::string_view s) {
        count(static_cast<int64_t>(s.size()));
        bytes_.append(s);
        if (bytes_.size() >= kPieceBytes) flush();
    }

    void scalar(const Value& v) {
        if (isSystem(v.type())) return systemScalar(v);
        flag(v.type(), Form::Scalar);
        switch (v.type()) {
            case Type::Void:
                // Clients know one placeholder for omitted arguments.
                return put(peer_ == Peer::Node ? v.extra() : std::min<uint8_t>(v.extra(), 2));
            case Type::Float:
                return put(v.isNull() ? null<float> : static_cast<float>(v.real()));
            case Type::Double:
                return put(v.real());
            case Type::Symbol:
            case Type::String:
                return string(v.string());
            case Type::Blob:
                return blob(v.string());
            case Type::Duration:
                put(static_cast<int32_t>(v.integer()));
                return put(v.unit());
            default:
                break;
        }
        if (categoryOf(v.type()) == Category::Denary) put(static_cast<int32_t>(v.extra()));
        switch (storageOf(v.type())) {
            case Storage::Int8:
                return put(static_cast<int8_t>(v.integer()));
            case Storage::Int16:
                return put(static_cast<int16_t>(v.integer()));
            case Storage::Int32:
                return put(static_cast<int32_t>(v.integer()));
            case Storage::Int64:
                return put(v.integer());
            case Storage::Bytes16:
                bytes_.append(reinterpret_cast<const char*>(v.bytes16()), 16);
                return;
            default:
                throw UserError("A value of type " + std::string(typeName(v.type())) + " cannot be sent.");
        }
    }

    static bool isSystem(Type type) {
        switch (type) {
            case Type::Function:
            case Type::Handle:
            case Type::Code:
            case Type::DataSource:
            case Type::Resource:
            case Type::Object:
                return true;
            default:
                return false;
        }
    }

    // Kind, device, flags and the reserved number are 0; strides are in cells, the last dimension running fastest.
    void tensor(const Tensor& t) {
        flag(t.cells->type(), Form::Tensor);
        put(uint8_t{0});
        put(uint8_t{0});
        put(int32_t{0});
        count(static_cast<int64_t>(t.shape.size()));
        for (const int64_t extent : t.shape) put(extent);
        std::vector<int64_t> strides(t.shape.size(), 1);
        for (size_t d = strides.size(); d-- > 1;) strides[d - 1] = strides[d] * t.shape[d];
        for (const int64_t stride : strides) put(stride);
        put(int64_t{0});
        put(t.cells->size());
        elements(*t.cells);
    }

    void systemScalar(const Value& v) {
        if (const Tensor* t = asTensor(v)) return tensor(*t);
        if (v.type() == Type::Code) {
            flag(Type::Code, Form::Scalar);
            return string("< " + toSource(*v.as<Code>()->node) + " >");
        }
        if (peer_ == Peer::Node) return portable(v);
        if (v.type() == Type::Object) {
            throw UserError("An instance of a class cannot be sent to a client.",
                            "Send its attributes as a dictionary.");
        }
        flag(v.type(), Form::Scalar);
        if (v.type() == Type::Function) {
            put(functionKind(v.function()));
            return string(v.function().describe());
        }
        string(display(v));
    }

    static FunctionEncoding functionKind(const Function& function) {
        if (function.portableKind() == "builtin") return FunctionEncoding::Builtin;
        return function.portableKind() == "partial" ? FunctionEncoding::Partial : FunctionEncoding::UserDefined;
    }

    void portable(const Value& v) {
        const auto* object = dynamic_cast<const Portable*>(v.object());
        if (!object) {
            throw UserError("A " + std::string(typeName(v.type())) + " value cannot be sent to another node.",
                            "Make it there: give the node a function that opens it.");
        }
        flag(Type::Function, Form::Scalar);
        if (v.type() == Type::Function) {
            put(FunctionEncoding::Portable);
        } else {
            put(FunctionEncoding::PortableSystem);
            put(static_cast<uint8_t>(v.type()));
        }
        string(object->portableKind());
        value(object->save());
    }

    // Writes the header, then an INT vector [n, parts, place of each element in its part..., type of each element...],
    // then the parts: a vector for each type. NULL has the type VOID and no part.
    void iotAny(const Tuple& t) {
        std::vector<int32_t> places, types;
        std::vector<Ref<Vector>> parts;
        std::array<int, kTypeCount> partOf;
        partOf.fill(-1);
        for (const Value& element : t.elements) {
            types.push_back(static_cast<int32_t>(element.isNull() ? Type::Void : element.type()));
            if (element.isNull()) {
                places.push_back(0);
                continue;
            }
            if (!element.isScalar() || !isIotAnyElement(element.type()))
                throw UserError(fmt::format("{} can't be in a column of type IOTANY.", typeString(element)));
            int& part = partOf[static_cast<size_t>(element.type())];
            if (part < 0) {
                part = static_cast<int>(parts.size());
                parts.push_back(Vector::make(element.type(), 0));
            }
            Vector& values = *parts[static_cast<size_t>(part)];
            places.push_back(static_cast<int32_t>(values.size()));
            values.append(element);
        }
        flag(Type::IotAny, Form::Vector);
        count(static_cast<int64_t>(parts.size()) + 1);
        count(1);
        flag(Type::Int, Form::Vector);
        count(2 + 2 * static_cast<int64_t>(t.elements.size()));
        count(1);
        put(static_cast<int32_t>(t.elements.size()));
        put(static_cast<int32_t>(parts.size()));
        for (const auto& numbers : {places, types})
            bytes_.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(int32_t));
        for (const Ref<Vector>& part : parts) plainVector(*part);
    }

    void tuple(const Tuple& t) {
        if (t.kind == TupleKind::IotAny) return iotAny(t);
        flag(Type::Any, Form::Vector);
        count(static_cast<int64_t>(t.elements.size()));
        count(1);
        for (const Value& element : t.elements) value(element);
    }

    void vector(const Vector& v) {
        if (v.type() == Type::Symbol) return symbols(v);
        // Clients read durations one by one: they know no vectors of them.
        if (v.type() == Type::Duration && peer_ == Peer::Client) {
            flag(Type::Any, Form::Vector);
            count(v.size());
            count(1);
            for (int64_t i = 0; i < v.size(); ++i) scalar(v.at(i));
            return;
        }
        plainVector(v);
    }

    void plainVector(const Vector& v) { plainVector(v, v.type()); }
    void plainVector(const Vector& v, Type sentAs) {
        flag(sentAs, Form::Vector);
        count(v.size());
        count(1);
        if (categoryOf(v.type()) == Category::Denary) put(static_cast<int32_t>(v.scale()));
        elements(v);
    }

    // Writes blocks of at most 65,535 rows: how many values each row has, then the values.
    void arrayVector(const ArrayVector& rows) {
        constexpr int64_t kBlockRows = 65535;
        flag(rows.type(), Form::Vector);
        count(rows.size());
        count(rows.values()->size());
        if (isDecimal(rows.elementType())) put(static_cast<int32_t>(rows.scale()));
        for (int64_t from = 0; from < rows.size(); from += kBlockRows) {
            const int64_t to = std::min(from + kBlockRows, rows.size());
            int64_t longest = 0;
            for (int64_t i = from; i < to; ++i) longest = std::max(longest, rows.rowSize(i));
            const uint8_t width = longest <= UINT8_MAX ? 1 : longest <= UINT16_MAX ? 2 : 4;
            put(static_cast<uint16_t>(to - from));
            put(width);
            put(uint8_t{0});
            for (int64_t i = from; i < to; ++i) {
                const auto elements = static_cast<uint32_t>(rows.rowSize(i));
                bytes_.append(reinterpret_cast<const char*>(&elements), width);  // little-endian: the low bytes
            }
            const int64_t first = rows.begin(from);
            this->elements(*rows.values()->slice(first, rows.end(to - 1) - first));
        }
    }

    void fixedShape(const Vector& v, Form form, int64_t rows, int64_t columns) {
        flag(v.type(), form);
        count(rows);
        count(columns);
        if (categoryOf(v.type()) == Category::Denary) put(static_cast<int32_t>(v.scale()));
        elements(v);
    }

    void elements(const Vector& v) {
        switch (v.type()) {
            case Type::Void:
                return;
            case Type::Symbol:
            case Type::String:
                for (int64_t i = 0; i < v.size(); ++i) string(v.string(i));
                return;
            case Type::Blob:
                for (int64_t i = 0; i < v.size(); ++i) blob(v.string(i));
                return;
            default:
                break;
        }
        if (storageOf(v.type()) == Storage::Boxed || storageOf(v.type()) == Storage::None) {
            throw UserError("A vector of type " + std::string(typeName(v.type())) + " cannot be sent.");
        }
        const size_t size = static_cast<size_t>(v.size()) * static_cast<size_t>(widthOf(v.type()));
        if (size < kLeastReferred) {
            bytes_.append(v.raw(), size);
            return;
        }
        flush();
        message_.refer({v.raw(), size}, Value::of(Ref<Vector>(const_cast<Vector*>(&v))));
    }

    // Writes the strings that the vector uses, in order of appearance, then an index per row; or a string per row.
    void symbols(const Vector& v) {
        const auto* codes = v.data<int32_t>();
        std::vector<int32_t> base{0};
        std::string raw(static_cast<size_t>(v.size()) * sizeof(int32_t), '\0');
        const std::span<int32_t> indices(reinterpret_cast<int32_t*>(raw.data()), static_cast<size_t>(v.size()));
        const int32_t known = pelorus::symbols::count();
        if (known <= 4 * v.size() + 1024) {
            std::vector<int32_t> indexOf(static_cast<size_t>(known), -1);
            indexOf[0] = 0;
            for (size_t i = 0; i < indices.size(); ++i) {
                int32_t& index = indexOf[static_cast<size_t>(codes[i])];
                if (index < 0) {
                    index = static_cast<int32_t>(base.size());
                    base.push_back(codes[i]);
                }
                indices[i] = index;
            }
        } else {
            std::unordered_map<int32_t, int32_t> indexOf{{0, 0}};
            for (size_t i = 0; i < indices.size(); ++i) {
                auto [it, added] = indexOf.try_emplace(codes[i], static_cast<int32_t>(base.size()));
                if (added) base.push_back(codes[i]);
                indices[i] = it->second;
            }
        }
        if (base.size() > kMaxSymbolBase) return plainVector(v, Type::String);
        // With a few rows a string, the strings alone are as short; clients of the family then expect them.
        if (indices.size() <= 2 * base.size()) return plainVector(v);
        put(kSymbolWithBase);
        put(static_cast<uint8_t>(Form::Vector));
        count(v.size());
        count(1);
        put(symbolBases_++);
        count(static_cast<int64_t>(base.size()));
        for (int32_t code : base) string(pelorus::symbols::string(code));
        flush();
        message_.take(std::move(raw));
    }

    void matrix(const Matrix& m) {
        const bool rows = !m.rowLabels.isVoid();
        const bool columns = !m.columnLabels.isVoid();
        flag(m.cells->type(), Form::Matrix);
        put(static_cast<uint8_t>((rows ? 1 : 0) | (columns ? 2 : 0)));
        if (rows) value(m.rowLabels);
        if (columns) value(m.columnLabels);
        fixedShape(*m.cells, Form::Matrix, m.rows, m.columns);
    }

    void dictionary(const Dictionary& d, Form form) {
        flag(d.valueType(), form);
        value(d.keys());
        value(d.values());
    }

    void table(Table& t) {
        if (PartitionedTable* partitioned = t.asPartitioned()) return partitionedTable(*partitioned);
        const Ref<MemoryTable> memory = tableToRead(t);
        if (!memory) throw UserError("A part of a partitioned table cannot be sent.", "Select its rows first.");
        const MemoryTable& rows = *memory;
        // Clients read at least one column, and each as long as the header says: otherwise the rest of the message is
        // lost.
        if (peer_ != Peer::Node && rows.columnCount() == 0) throw UserError("A table without columns cannot be sent.");
        const int64_t count = rows.rowCount();
        for (int i = 0; i < rows.columnCount(); ++i) {
            if (!rows.column(i).isVector() || rows.column(i).size() != count) {
                throw UserError("The column " + rows.columns()[static_cast<size_t>(i)].name +
                                " of a table does not have the table's rows, so it cannot be sent.");
            }
        }
        tableHeader(rows, count);
        symbolBases_ = 0;
        for (int i = 0; i < rows.columnCount(); ++i) value(rows.column(i));
    }

    void tableHeader(const Table& t, int64_t rowCount) {
        put(uint8_t{0});
        put(static_cast<uint8_t>(Form::Table));
        count(rowCount);
        count(t.columnCount());
        string(t.name);
        for (const ColumnSchema& column : t.columns()) string(column.name);
    }

    // A client sees the columns of a handle, without rows; a node opens the table itself.
    void partitionedTable(const PartitionedTable& t) {
        if (peer_ == Peer::Node) {
            if (t.databasePath().empty()) {
                throw UserError("A partitioned table in memory can't leave its process.",
                                "Select its rows and send those.");
            }
            flag(Type::Function, Form::Scalar);
            put(FunctionEncoding::PartitionedTable);
            string(t.databasePath());
            string(t.name);
            return string(t.maker() ? t.maker()->user() : "");
        }
        tableHeader(t, 0);
        for (const ColumnSchema& column : t.columns()) {
            if (isArrayType(column.type)) {
                arrayVector(ArrayVector(elementTypeOf(column.type), column.scale));
                continue;
            }
            if (column.type == Type::IotAny) {
                iotAny(Tuple());
                continue;
            }
            Ref<Vector> none = Vector::make(column.type, 0);
            none->setScale(column.scale);
            vector(*none);
        }
    }

    Peer peer_;
    GatheredBytes& message_;
    std::string bytes_;  // what comes behind the message
    int32_t symbolBases_ = 0;
};

}  // namespace

void encodeValue(const Value& value, Peer peer, GatheredBytes& bytes) {
    GatheredBytes encoded;
    Encoder encoder(peer, encoded);
    encoder.value(value);
    encoder.flush();
    bytes.take(std::move(encoded));
}

void encodeValue(const Value& value, Peer peer, std::string& bytes) {
    GatheredBytes encoded;
    encodeValue(value, peer, encoded);
    for (const std::string_view piece : encoded.pieces()) bytes += piece;
}

}  // namespace pelorus
