// A script value in 16 bytes: a tag, and either a scalar of up to 8 bytes or a shared pointer to an Object.
//
// Scalars of 8 bytes and less live in the Value itself, so scalar arithmetic allocates nothing. STRING, 16-byte
// scalars, vectors, tables, functions and code are Objects with shared ownership: copying a Value copies a pointer.
// Objects are changed in place only through a Value that is the sole owner (see `isUnique`): copy on write.
//
// A scalar of an integral, temporal or BOOL type keeps its value, sign-extended, as int64; NULL is the NULL of its
// storage width (so INT NULL is null<int32_t>). SYMBOL scalars are kept as strings, like STRING.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "common/type_table.h"
#include "runtime/value/object.h"

namespace pelorus {

class Vector;
class Tuple;
class ArrayVector;
class Matrix;
class Set;
class Dictionary;
class Table;
class Function;
class String;
class Bytes16;

class Value {
public:
    // VOID, the untyped NULL.
    Value() = default;
    Value(const Value& other) : bits_(other.bits_), tag_(other.tag_) {
        if (tag_.heap) object()->retain();
    }
    Value(Value&& other) noexcept : bits_(other.bits_), tag_(other.tag_) {
        other.tag_ = Tag{};
        other.bits_ = 0;
    }
    Value& operator=(Value other) noexcept {
        std::swap(bits_, other.bits_);
        std::swap(tag_, other.tag_);
        return *this;
    }
    ~Value() {
        if (tag_.heap) object()->release();
    }
    // Assigns without a temporary: the usual scalar is two words.
    void assign(const Value& other) {
        if (other.tag_.heap) {
            *this = other;
            return;
        }
        if (tag_.heap) object()->release();
        bits_ = other.bits_;
        tag_ = other.tag_;
    }

    // Scalars.
    static Value ofBool(bool x) { return scalar(Type::Bool, x); }
    static Value ofChar(int8_t x) { return scalar(Type::Char, x); }
    static Value ofShort(int16_t x) { return scalar(Type::Short, x); }
    static Value ofInt(int32_t x) { return scalar(Type::Int, x); }
    static Value ofLong(int64_t x) { return scalar(Type::Long, x); }
    static Value ofFloat(float x);
    static Value ofDouble(double x);
    static Value ofString(std::string_view string, Type type = Type::String);
    // Makes a DURATION; `unit` is a DurationUnit, or four letters of a trading calendar packed into an int.
    static Value ofDuration(int32_t amount, int32_t unit);
    static Value ofBytes16(Type type, const void* bytes);
    // Makes an integral, temporal or BOOL scalar from its stored integer.
    static Value scalar(Type type, int64_t stored) {
        Value v;
        v.tag_.type = type;
        v.bits_ = stored;
        return v;
    }
    static Value nullOf(Type type);

    // Make a Value of an object. The tag is taken from the object.
    static Value of(Ref<Vector> vector, Form form = Form::Vector);
    static Value of(Ref<Tuple> tuple);
    static Value of(Ref<ArrayVector> rows);
    static Value of(Ref<Matrix> matrix);
    static Value of(Ref<Set> set);
    static Value of(Ref<Dictionary> dictionary);
    // Makes a chart, which is a dictionary with the keys of presentation/chart/chart.h.
    static Value ofChart(Ref<Dictionary> chart);
    static Value of(Ref<Table> table);
    static Value of(Ref<Function> function);
    // Makes a CODE, HANDLE, DATASOURCE, RESOURCE or OBJECT scalar.
    static Value ofSystem(Type type, Ref<Object> object);

    Type type() const { return tag_.type; }
    Form form() const { return tag_.form; }
    // Returns the decimal scale, or the flags of a VOID (1: explicit, 2: default-argument placeholder).
    uint8_t extra() const { return tag_.extra; }
    void setExtra(uint8_t extra) { tag_.extra = extra; }
    int32_t unit() const { return tag_.unit; }

    // Returns type, form and flags in one word: two plain scalars of one type have the same (scalarTag).
    uint64_t tagWord() const { return std::bit_cast<uint64_t>(tag_); }
    // Becomes a plain scalar without a temporary.
    void assignScalar(Type type, int64_t stored) {
        if (tag_.heap) object()->release();
        tag_ = Tag{type};
        bits_ = stored;
    }
    void assignScalar(double x) { assignScalar(Type::Double, std::bit_cast<int64_t>(x)); }

    bool isVoid() const { return tag_.type == Type::Void && tag_.form == Form::Scalar; }
    bool isScalar() const { return tag_.form == Form::Scalar; }
    bool isVector() const { return tag_.form == Form::Vector; }
    bool isTuple() const { return tag_.form == Form::Vector && tag_.type == Type::Any; }
    // Returns true for vectors of fixed-width or string elements, not for tuples and array vectors.
    bool isTypedVector() const { return isVector() && tag_.type != Type::Any && !isArrayType(tag_.type); }
    bool isArrayVector() const { return isVector() && isArrayType(tag_.type); }
    bool isPair() const { return tag_.form == Form::Pair; }
    bool isMatrix() const { return tag_.form == Form::Matrix; }
    bool isSet() const { return tag_.form == Form::Set; }
    bool isDictionary() const { return tag_.form == Form::Dictionary; }
    bool isChart() const { return tag_.form == Form::Chart; }
    bool isTable() const { return tag_.form == Form::Table; }
    bool isFunction() const { return tag_.type == Type::Function && isScalar(); }
    bool isString() const { return isScalar() && isLiteral(tag_.type); }
    bool isNumber() const { return isScalar() && isNumeric(tag_.type); }
    // Returns true for a NULL scalar of any type, VOID included; the empty string is the NULL of STRING.
    bool isNull() const;

    // REQUIRES: a BOOL, integral, temporal or DURATION scalar. Returns the stored integer.
    int64_t integer() const { return bits_; }
    // Returns the number. REQUIRES: the value is a FLOAT or DOUBLE scalar.
    double real() const {
        double x;
        std::memcpy(&x, &bits_, sizeof x);
        return x;
    }
    // Returns any number or decimal as DOUBLE, NULL kept as NULL.
    double asDouble() const;
    // Returns any number, decimal or temporal as LONG, floats rounded half away from zero, NULL kept as NULL.
    int64_t asLong() const;
    // REQUIRES: a STRING, SYMBOL or BLOB scalar. Valid while this Value lives.
    std::string_view string() const;
    const uint8_t* bytes16() const;

    // These are defined next to their types: include vector.h, dictionary.h, table.h or function.h. Each throws
    // UserError when the value holds something else, so that a kernel that lacks a check throws instead of crashing.
    // `vector` is for typed vectors and pairs, `dictionary`
    // for charts, too.
    Vector& vector() const;
    Tuple& tuple() const;
    ArrayVector& arrayVector() const;
    Matrix& matrix() const;
    Set& set() const;
    Dictionary& dictionary() const;
    Table& table() const;
    Function& function() const;
    template <class T>
    T* as() const {
        return static_cast<T*>(object());
    }
    Object* object() const { return reinterpret_cast<Object*>(bits_); }
    bool hasObject() const { return tag_.heap; }
    // Returns whether this is the only reference to the object, which may then be changed in place.
    bool isUnique() const { return tag_.heap && object()->unique(); }

    // Makes this Value the sole owner of its object by copying it when it is shared. Deep for containers of Values only
    // as far as the first level.
    void makeUnique();

    // Returns the number of elements: 1 for a scalar, elements of a vector or tuple, rows of an array vector, cells of
    // a matrix, keys, rows of a table.
    int64_t size() const;
    // Returns element i of anything countable: of scalars themselves, of matrices a column, of tables a row as a
    // dictionary. REQUIRES: 0 <= i < the number of elements.
    Value at(int64_t i) const;

    // Same type, form and content, NULLs equal. For tests, keys of ANY, and metacode; not the `==` of the language.
    friend bool identical(const Value& a, const Value& b);

private:
    struct Tag {
        Type type = Type::Void;
        Form form = Form::Scalar;
        uint8_t heap = 0;
        uint8_t extra = 0;
        int32_t unit = 0;
    };

    static Value ofObject(Type type, Form form, Object* object);
    [[noreturn]] void refuse(const char* expected) const;

    int64_t bits_ = 0;
    Tag tag_;
};
static_assert(sizeof(Value) == 16);

// The tag word of a scalar that is held in the Value itself.
constexpr uint64_t scalarTag(Type type) {
    return static_cast<uint64_t>(type);
}

bool identical(const Value& a, const Value& b);

// The string of a STRING, SYMBOL or BLOB scalar.
class String final : public Object {
public:
    explicit String(std::string_view string) : string(string) {}
    std::string string;  // changed only by a sole owner
};

// The content of a 16-byte scalar: UUID, IPADDR, INT128, COMPLEX, POINT, DECIMAL128.
class Bytes16 final : public Object {
public:
    explicit Bytes16(const void* source) { std::memcpy(bytes, source, 16); }
    uint8_t bytes[16];
};

}  // namespace pelorus
