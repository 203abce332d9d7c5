// Operators that are not elementwise: a:b, a..b, <-, between, $ and **. For `in` and `like` see membership.cpp,
// like.cpp.
#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "common/thread/cancellation.h"
#include "common/thread/thread_pool.h"
#include "runtime/function/function.h"
#include "runtime/kernel/block/block_program.h"
#include "runtime/kernel/block/promotion.h"
#include "runtime/kernel/elementwise/operators.h"
#include "runtime/table/table.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/cast.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"
#include "runtime/value/symbol_base.h"

namespace pelorus {

Value pairOf(const Value& a, const Value& b) {
    if (!a.isScalar() || !b.isScalar()) {
        throw UserError("The two sides of a pair must be scalars.");
    }
    Type type = commonType(a.type(), b.type());
    if (type == Type::Void) type = Type::Int;
    if (type == Type::Any) {
        throw UserError(
            fmt::format("The two sides of a pair must be of one category, but they are {} and {}. RefId: S06009",
                        typeName(a.type()), typeName(b.type())));
    }
    Ref<Vector> elements = Vector::make(type, 2);
    elements->set(0, cast(a, type));
    elements->set(1, cast(b, type));
    return Value::of(elements, Form::Pair);
}

SequenceEnds sequenceEnds(const Value& a, const Value& b) {
    bool countable = a.isScalar() && b.isScalar() && (isIntegral(a.type()) || isTemporal(a.type()) || a.isVoid()) &&
                     (isIntegral(b.type()) || isTemporal(b.type()) || b.isVoid());
    Type type = commonType(a.type(), b.type());
    if (!countable || type == Type::Any) {
        throw UserError(fmt::format("a..b needs integers or temporal values of one type, but they are {} and {}.",
                                    typeString(a), typeString(b)));
    }
    if (a.isNull() != b.isNull()) throw UserError("One side of a..b is NULL.");
    if (type == Type::Void) type = Type::Int;
    if (a.isNull()) return {type, 0, 0, true};
    const int64_t from = a.integer(), to = b.integer();
    const uint64_t distance = to >= from ? static_cast<uint64_t>(to) - static_cast<uint64_t>(from)
                                         : static_cast<uint64_t>(from) - static_cast<uint64_t>(to);
    if (distance >= INT32_MAX) {
        throw UserError(
            fmt::format("a..b would have {} elements more than its first; the most is 2147483646.", distance));
    }
    return {type, from, to, false};
}

Value sequence(const Value& a, const Value& b) {
    const auto [type, from, to, isEmpty] = sequenceEnds(a, b);
    if (isEmpty) return Value::of(Vector::make(type, 0));
    const int64_t step = to >= from ? 1 : -1;
    const int64_t count = (to - from) * step + 1;
    Ref<Vector> result = Vector::make(type, count);
    if (result->width() == 8) {
        auto* elements = result->mutableData<int64_t>();
        inPieces(count, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) elements[i] = from + step * i;
        });
    } else if (result->width() == 4) {
        auto* elements = result->mutableData<int32_t>();
        inPieces(count, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) elements[i] = static_cast<int32_t>(from + step * i);
        });
    } else {
        for (int64_t i = 0; i < count; ++i) result->set(i, Value::scalar(type, from + step * i));
    }
    result->setMayHaveNull(false);
    result->setProperty(step > 0 ? VectorProperty::Ascending : VectorProperty::Descending);
    return Value::of(result);
}

static Value joinTables(const Value& a, const Value& b) {
    const Ref<MemoryTable> left = tableToRead(a);
    if (!left) throw UserError("Columns cannot be joined to a partitioned table.");
    Ref<MemoryTable> result = left->copy();
    if (b.isTable()) {
        const Ref<MemoryTable> right = &a.table() == &b.table() ? left : tableToRead(b);
        if (!right) throw UserError("Columns cannot be joined from a partitioned table.");
        for (int i = 0; i < right->columnCount(); ++i) {
            result->setColumn(right->columns()[static_cast<size_t>(i)].name, right->column(i));
        }
    } else {
        const bool isNamed = b.isTypedVector() && !b.vector().name().empty();
        result->setColumn(isNamed ? std::string(b.vector().name()) : fmt::format("col{}", left->columnCount()), b);
    }
    return Value::of(Ref<Table>(result));
}

// Returns the labels of the columns of both sides. A vector is one column, which has a label when rename! named it.
static Value joinLabels(const Matrix& m, const Value& added, int64_t addedColumns) {
    const std::string_view name = added.isMatrix() ? std::string_view() : added.vector().name();
    const Value right = added.isMatrix() ? added.matrix().columnLabels : Value();
    if (m.columnLabels.isVoid() && right.isVoid() && name.empty()) return Value();
    Type type = m.columnLabels.isVoid() ? (right.isVoid() ? Type::String : right.type()) : m.columnLabels.type();
    const bool isMixed = !name.empty() || (!right.isVoid() && right.type() != type);
    if (isMixed && !isLiteral(type)) type = Type::String;
    Ref<Vector> labels = Vector::make(type, m.columns + addedColumns);
    auto put = [&](int64_t at, const Value& label) {
        labels->set(at, label.type() == type ? label : Value::ofString(toString(label), type));
    };
    for (int64_t i = 0; i < m.columns; ++i) {
        put(i, m.columnLabels.isVoid() ? Value::nullOf(type) : m.columnLabels.at(i));
    }
    for (int64_t i = 0; i < addedColumns; ++i) {
        Value label = right.isVoid() ? Value::nullOf(type) : right.at(i);
        put(m.columns + i, name.empty() ? label : Value::ofString(name, type));
    }
    return Value::of(labels);
}

static Value joinMatrix(const Value& a, const Value& b) {
    const Matrix& m = a.matrix();
    const Vector& added = b.isMatrix() ? *b.matrix().cells : b.vector();
    int64_t rows = b.isMatrix() ? b.matrix().rows : b.size();
    if (rows != m.rows) {
        throw UserError(fmt::format("A matrix of {} rows cannot be joined with {} elements.", m.rows, rows));
    }
    Type type = commonType(m.cells->type(), added.type());
    Ref<Vector> cells = cast(*m.cells, type)->copy();
    Ref<Vector> more = cast(added, type);
    cells->append(*more, 0, more->size());
    const int64_t addedColumns = added.size() / std::max<int64_t>(m.rows, 1);
    auto result = makeRef<Matrix>(cells, m.rows, m.columns + addedColumns);
    result->columnLabels = joinLabels(m, b, addedColumns);
    result->rowLabels = m.rowLabels.isVoid() && b.isMatrix() ? b.matrix().rowLabels : m.rowLabels;
    return Value::of(result);
}

Value joinValues(const Value& a, const Value& b) {
    if (a.isTable()) return joinTables(a, b);
    if (a.isMatrix()) return joinMatrix(a, b);
    Type type = commonType(a.type(), b.type());
    // Between a number and a time, the left side's type is taken.
    auto counts = [](Type t) { return (isNumeric(t) && t != Type::Bool) || isTemporal(t); };
    if (type == Type::Any && counts(a.type()) && counts(b.type()) && isTemporal(a.type()) != isTemporal(b.type())) {
        type = a.type();
    }
    bool typed = !a.isTuple() && !b.isTuple() && (a.isScalar() || a.isVector()) && (b.isScalar() || b.isVector()) &&
                 type != Type::Any && type != Type::Void && storageOf(type) != Storage::Boxed;
    if (typed) {
        if (a.isVector() && a.type() != Type::Void) type = a.type();
        Ref<Vector> result = Vector::make(type, 0, a.size() + b.size());
        for (const Value* v : {&a, &b}) {
            Value converted = castFitting(*v, type);
            if (converted.isScalar()) {
                result->append(converted);
            } else {
                result->append(converted.vector(), 0, converted.size());
            }
        }
        return Value::of(result);
    }
    // A value that is joined to a tuple, or a tuple to a scalar, is one element (appendTupleAsAWhole); otherwise their
    // elements are concatenated.
    auto result = makeRef<Tuple>();
    auto addElements = [&](const Value& v) {
        for (int64_t i = 0; i < v.size(); ++i) result->elements.push_back(v.isVector() ? v.at(i) : v);
    };
    addElements(a);
    if (a.isTuple() || (a.isScalar() && b.isTuple())) {
        result->elements.push_back(b);
    } else if (b.isTuple() && a.isTypedVector()) {
        Value whole = a;
        for (const Value& element : b.tuple().elements) {
            if (!element.isScalar() || commonType(a.type(), element.type()) == Type::Any) {
                addElements(b);
                return Value::of(result);
            }
            whole = joinValues(whole, element);
        }
        return whole;
    } else {
        addElements(b);
    }
    return Value::of(result);
}

Value isBetween(const Value& x, const Value& range) {
    if (!range.isPair() && range.size() != 2) throw UserError(1, "The range of between must be a pair, as in a:b.");
    Value low = range.at(0), high = range.at(1);
    if (isTemporal(x.type()) && isTemporal(range.type()) && x.type() != range.type()) {
        throw UserError(1, "Temporal data comparison should have the same data type.",
                        "Convert one side, for example date(X) between a:b.");
    }
    if (x.isVector() && !x.isTuple() && (isNumeric(x.type()) || isTemporal(x.type())) && low.type() == x.type() &&
        high.type() == x.type()) {
        BlockProgram program;
        BlockProgram::Register element = program.input(0, x.type());
        BlockProgram::Register above = program.binary(Operator::Ge, element, program.constant(low));
        BlockProgram::Register below = program.binary(Operator::Le, element, program.constant(high));
        program.setResult(program.binary(Operator::And, above, below));
        const Vector* input = &x.vector();
        return Value::of(program.run({&input, 1}, x.size()));
    }
    return applyBinary(Operator::And, applyBinary(Operator::Ge, x, low), applyBinary(Operator::Le, x, high));
}

TypeSpec typeOfValue(const Value& v, int argument, std::string_view name) {
    TypeSpec spec;
    bool known = false, hasScale = false;
    std::string string;
    if (v.isString() || v.isFunction()) {
        string = v.isString() ? v.string() : v.function().name();
        known = typeSpecByName(string, spec);
        hasScale = string.find('(') != std::string::npos;
    } else if (v.isNumber() && isIntegral(v.type())) {
        known = typeByConstant(v.integer(), spec, &hasScale);
    }
    if (!known) {
        if (string.starts_with("DECIMAL")) {
            throw UserError(argument, fmt::format("Scale out of bound in {}. RefId: S05010", string),
                            "DECIMAL32 has 0 to 9 decimals, DECIMAL64 0 to 18, DECIMAL128 0 to 38.");
        }
        throw UserError(argument,
                        fmt::format("{} must be a type, but it is {}.", name,
                                    v.isScalar() && !v.isNull() ? itemString(v) : typeString(v)),
                        "Write it as INT, `INT or int.");
    }
    if (isDecimal(elementTypeOf(spec.type)) && !hasScale) {
        throw UserError(argument, fmt::format("The scale of {} is missing. RefId: S05008", typeName(spec.type)),
                        fmt::format("Write it as {}(4).", typeName(elementTypeOf(spec.type))));
    }
    return spec;
}

static Value reshape(const Value& x, const Value& shape) {
    int64_t rows = shape.vector().asLong(0), columns = shape.vector().asLong(1);
    Value flat = x.isMatrix() ? Value::of(x.matrix().cells) : x;
    if (isNull(rows)) rows = flat.size() / std::max<int64_t>(columns, 1);
    if (isNull(columns)) columns = flat.size() / std::max<int64_t>(rows, 1);
    if (rows * columns != flat.size() || rows < 0 || columns < 0) {
        throw UserError(
            fmt::format("{} elements cannot be reshaped to {} rows and {} columns.", flat.size(), rows, columns));
    }
    return Value::of(makeRef<Matrix>(flat.vector().slice(0, flat.size()), rows, columns));
}

Value castTo(const Value& x, const Value& target) {
    if (target.isPair()) return reshape(x, target);
    const TypeSpec spec = typeOfValue(target, 1, "The right side of $");
    // []$BLOB
    if (x.isTuple() && x.size() == 0 && spec.type != Type::Any && storageOf(spec.type) != Storage::Boxed) {
        if (isArrayType(spec.type)) return Value::of(makeRef<ArrayVector>(elementTypeOf(spec.type), spec.scale, 0));
        Ref<Vector> empty = Vector::make(spec.type, 0);
        empty->setScale(spec.scale);
        return Value::of(empty);
    }
    return cast(x, spec.type, spec.scale);
}

// NULL counts as 0.
static Ref<Vector> withoutNulls(const Ref<Vector>& reals) {
    Ref<Vector> result = Vector::make(Type::Double, reals->size());
    const double* x = reals->data<double>();
    auto* y = result->mutableData<double>();
    for (int64_t i = 0; i < reals->size(); ++i) y[i] = isNull(x[i]) ? 0.0 : x[i];
    return result;
}

// Each cell is summed along `inner` in order, however the work is split, so that its value is deterministic.
static void multiply(const Vector& left, const Vector& right, int64_t rows, int64_t inner, int64_t columns,
                     double* out) {
    const double *p = left.data<double>(), *q = right.data<double>();
    if (rows == 1) {
        parallelFor(columns, [&](int64_t c) {
            double sum = 0;
            inPieces(inner, [&](int64_t begin, int64_t end) {
                for (int64_t k = begin; k < end; ++k) sum += p[k] * q[c * inner + k];
            });
            out[c] = sum;
        });
        return;
    }
    // Computes four columns at a time over some rows, which stay in the cache while they are summed.
    constexpr int64_t kColumns = 4, kRows = 512;
    const int64_t bands = (rows + kRows - 1) / kRows;
    parallelFor((columns + kColumns - 1) / kColumns * bands, [&](int64_t task) {
        const int64_t c = task / bands * kColumns, width = std::min(kColumns, columns - c);
        const int64_t first = task % bands * kRows, count = std::min(kRows, rows - first);
        double sums[kColumns][kRows] = {};
        for (int64_t k = 0; k < inner; ++k) {
            const double* x = p + k * rows + first;
            for (int64_t j = 0; j < width; ++j) {
                const double factor = q[(c + j) * inner + k];
                for (int64_t r = 0; r < count; ++r) sums[j][r] += x[r] * factor;
            }
        }
        for (int64_t j = 0; j < width; ++j) std::copy_n(sums[j], count, out + (c + j) * rows + first);
    });
}

Value dotProduct(const Value& a, const Value& b) {
    if (a.isMatrix() && b.isScalar()) throw UserError("Use * rather than ** for scalar and matrix multiplication.");
    if (a.isScalar() || b.isScalar()) return applyBinary(Operator::Mul, a, b);
    int64_t rows = a.isMatrix() ? a.matrix().rows : 1;
    int64_t inner = a.isMatrix() ? a.matrix().columns : a.size();
    int64_t columns = b.isMatrix() ? b.matrix().columns : 1;
    int64_t innerRight = b.isMatrix() ? b.matrix().rows : b.size();
    if (inner != innerRight) {
        throw UserError(fmt::format("The operands of ** don't fit: {} columns and {} rows.", inner, innerRight));
    }
    Ref<Vector> x = cast(a.isMatrix() ? *a.matrix().cells : a.vector(), Type::Double);
    Ref<Vector> y = cast(b.isMatrix() ? *b.matrix().cells : b.vector(), Type::Double);
    Ref<Vector> cells = Vector::make(Type::Double, rows * columns);
    auto* out = cells->mutableData<double>();
    multiply(*withoutNulls(x), *withoutNulls(y), rows, inner, columns, out);
    if (!a.isMatrix() && !b.isMatrix()) {
        bool integers = isIntegral(a.type()) && isIntegral(b.type());
        return integers ? Value::ofLong(static_cast<int64_t>(out[0])) : Value::ofDouble(out[0]);
    }
    return Value::of(makeRef<Matrix>(cells, rows, columns));
}

}  // namespace pelorus
