#include "runtime/kernel/elementwise/operators.h"
#include "common/check.h"
#include "runtime/kernel/elementwise/broadcast.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/error.h"
#include "common/thread/stack_room.h"
#include "runtime/kernel/block/block_program.h"
#include "runtime/kernel/block/promotion.h"
#include "runtime/kernel/block/scalar_arithmetic.h"
#include "runtime/kernel/elementwise/alignment.h"
#include "runtime/kernel/elementwise/decimal_operators.h"
#include "runtime/kernel/elementwise/duration.h"
#include "runtime/kernel/elementwise/literal_operators.h"
#include "runtime/kernel/elementwise/wide_operators.h"
#include "runtime/kernel/index/assemble.h"
#include "runtime/table/table.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/cast.h"
#include "runtime/value/decimal.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"

namespace pelorus {

namespace {

bool isBlockType(Type type) {
    return isNumeric(type) || isTemporal(type) || type == Type::Void;
}

bool isLiteralOperation(Operator op, const Value& a, const Value& b) {
    // A string compared with a UUID and the like is parsed as one.
    if (categoryOf(a.type()) == Category::Binary || categoryOf(b.type()) == Category::Binary) return false;
    return (isLiteral(a.type()) || isLiteral(b.type())) && (op == Operator::Add || isComparison(op));
}

// Combines a vector with a vector or scalar; the result has the vector's length.
Value vectorOperation(Operator op, const Value& a, const Value& b) {
    if (isDecimal(a.type()) || isDecimal(b.type())) return decimal::operation(op, a, b);
    if (categoryOf(a.type()) == Category::Binary || categoryOf(b.type()) == Category::Binary ||
        categoryOf(a.type()) == Category::Complex || categoryOf(b.type()) == Category::Complex) {
        return wideOperation(op, a, b);
    }
    if (isLiteralOperation(op, a, b)) return literalOperation(op, a, b);
    int64_t count = a.isScalar() ? b.size() : a.size();
    if (!a.isScalar() && !b.isScalar() && a.size() != b.size()) {
        throw UserError(fmt::format("The vectors don't have the same length: {} and {}.", a.size(), b.size()));
    }
    BlockProgram program;
    std::vector<const Vector*> inputs;
    auto operand = [&](const Value& v) {
        if (v.isScalar()) return program.constant(v);
        inputs.push_back(&v.vector());
        return program.input(static_cast<int>(inputs.size()) - 1, v.type());
    };
    // The order matters: the registers of the operands are numbered left to right.
    BlockProgram::Register left = operand(a);
    BlockProgram::Register right = operand(b);
    program.setResult(program.binary(op, left, right));
    return Value::of(program.run(inputs, count));
}

Value withLabels(const Matrix& shape, Ref<Vector> cells) {
    CHECK(cells->size() == shape.cells->size()) << "the result of a matrix has a cell for each of its cells";
    return Value::of(shape.withCells(std::move(cells)));
}

// Repeats a vector for every column of a matrix.
Value repeatedForColumns(const Value& vector, const Matrix& shape) {
    if (vector.size() != shape.rows) {
        throw UserError(
            fmt::format("A vector of {} elements does not fit a matrix of {} rows.", vector.size(), shape.rows));
    }
    Ref<Vector> cells = Vector::make(vector.type(), 0, shape.rows * shape.columns);
    for (int64_t c = 0; c < shape.columns; ++c) cells->append(vector.vector(), 0, shape.rows);
    return Value::of(cells);
}

}  // namespace

Value broadcastToCells(const Value& v, const Matrix& shape) {
    if (v.isMatrix()) return Value::of(v.matrix().cells);
    return v.isVector() && !v.isTuple() ? repeatedForColumns(v, shape) : v;
}

namespace {

// A series with a plain matrix acts as its vector; with an indexed one it is aligned.
bool isSeriesWithPlain(const Value& series, const Value& matrix) {
    return series.isMatrix() && matrix.isMatrix() && series.matrix().index == Matrix::Index::Series &&
           !matrix.matrix().isIndexed();
}

Value matrixOperation(Operator op, const Value& left, const Value& right) {
    Value a = left, b = right;
    if (isSeriesWithPlain(a, b)) a = Value::of(a.matrix().cells);
    if (isSeriesWithPlain(b, a)) b = Value::of(b.matrix().cells);
    alignIndexed(a, b);
    const Matrix& shape = a.isMatrix() ? a.matrix() : b.matrix();
    if (a.isMatrix() && b.isMatrix() &&
        (a.matrix().rows != b.matrix().rows || a.matrix().columns != b.matrix().columns)) {
        throw UserError(fmt::format("The matrices don't have the same shape: {}x{} and {}x{}.", a.matrix().rows,
                                    a.matrix().columns, b.matrix().rows, b.matrix().columns));
    }
    Value cells = vectorOperation(op, broadcastToCells(a, shape), broadcastToCells(b, shape));
    return withLabels(shape, Ref<Vector>(&cells.vector()));
}

static bool isNumericColumn(const Value& v) {
    const Type element = v.isArrayVector() ? v.arrayVector().elementType() : v.type();
    return isNumeric(element) || isDecimal(element) || isTemporal(element) || v.isTuple();
}

bool isContainer(const Value& v) {
    return v.isTuple() || v.isDictionary() || v.isTable();
}

}  // namespace

Value broadcastToValues(const ArrayVector& rows, const Value& v) {
    if (v.isScalar()) return v;
    if (v.size() != rows.size()) {
        throw UserError(fmt::format("The vectors don't have the same length: {} and {}.", rows.size(), v.size()));
    }
    if (v.isTypedVector()) {
        Ref<Vector> rowOf = rows.rowOfValues();
        return Value::of(v.vector().gather(rowOf->data<int32_t>(), rowOf->size()));
    }
    const Value other = v.isTuple() ? cast(v, rows.type()) : v;
    if (!other.arrayVector().sameRows(rows)) {
        throw UserError("The rows of the array vectors don't have the same lengths.");
    }
    return Value::of(other.arrayVector().values());
}

namespace {

Value arrayOperation(Operator op, const Value& a, const Value& b) {
    const ArrayVector& rows = a.isArrayVector() ? a.arrayVector() : b.arrayVector();
    const Value values = vectorOperation(op, broadcastToValues(rows, a), broadcastToValues(rows, b));
    return Value::of(rows.withValues(Ref<Vector>(&values.vector())));
}

Value dictionaryPairwise(Operator op, const Dictionary& a, const Dictionary& b) {
    auto result = makeRef<Dictionary>(a.keyType(), Type::Any, a.ordered());
    for (int64_t i = 0; i < a.size(); ++i) {
        Value key = a.keyAt(i);
        result->set(key, b.contains(key) ? applyBinary(op, a.valueAt(i), b.get(key)) : a.valueAt(i));
    }
    for (int64_t i = 0; i < b.size(); ++i) {
        if (!a.contains(b.keyAt(i))) result->set(b.keyAt(i), b.valueAt(i));
    }
    return Value::of(result);
}

// Applies the operation column by column; columns that have no such operation, as strings with `*`, stay as they are.
Value tablePairwise(Operator op, const Value& a, const Value& b) {
    const Ref<MemoryTable> left = tableToRead(a);
    const Ref<MemoryTable> right = &a.table() == &b.table() ? left : tableToRead(b);
    if (!left || !right)
        throw UserError("A partitioned table cannot take part in an expression.", "Use select to compute on it.");
    if (left->columnCount() != right->columnCount() || left->rowCount() != right->rowCount()) {
        throw UserError(fmt::format("The tables don't have the same shape: {} columns of {} rows and {} of {}.",
                                    left->columnCount(), left->rowCount(), right->columnCount(), right->rowCount()));
    }
    auto result = makeRef<MemoryTable>();
    for (int i = 0; i < left->columnCount(); ++i) {
        const Value &x = left->column(i), &y = right->column(i);
        const bool takesPart = isComparison(op) || (isNumericColumn(x) && isNumericColumn(y));
        result->setColumn(left->columns()[static_cast<size_t>(i)].name, takesPart ? applyBinary(op, x, y) : x);
    }
    return Value::of(Ref<Table>(result));
}

Value containerOperation(Operator op, const Value& a, const Value& b) {
    requireStackRoom();
    if (a.isTable() && b.isTable()) return tablePairwise(op, a, b);
    if (a.isDictionary() && b.isDictionary()) return dictionaryPairwise(op, a.dictionary(), b.dictionary());
    if (a.isTuple() && (b.isVector())) {
        int64_t n = a.size();
        if (n != b.size()) {
            throw UserError(fmt::format("The vectors don't have the same length: {} and {}.", n, b.size()));
        }
        std::vector<Value> elements;
        for (int64_t i = 0; i < n; ++i) elements.push_back(applyBinary(op, a.at(i), b.at(i)));
        return Value::of(makeRef<Tuple>(std::move(elements)));
    }
    if (b.isTuple() && a.isVector()) {
        std::vector<Value> elements;
        if (a.size() != b.size()) {
            throw UserError(fmt::format("The vectors don't have the same length: {} and {}.", a.size(), b.size()));
        }
        for (int64_t i = 0; i < b.size(); ++i) elements.push_back(applyBinary(op, a.at(i), b.at(i)));
        return Value::of(makeRef<Tuple>(std::move(elements)));
    }
    // A vector as long as a dictionary of scalars is combined with its values, in their order.
    auto pairsUp = [](const Value& d, const Value& v) {
        return d.isDictionary() && d.dictionary().valueType() != Type::Any && v.isTypedVector() &&
               v.size() == d.dictionary().size();
    };
    if (pairsUp(a, b) || pairsUp(b, a)) {
        const Dictionary& d = a.isDictionary() ? a.dictionary() : b.dictionary();
        auto values = [](const Value& v) { return v.isDictionary() ? v.dictionary().values() : v; };
        const Value results = applyBinary(op, values(a), values(b));
        auto combined = makeRef<Dictionary>(d.keyType(), results.type(), d.ordered());
        for (int64_t i = 0; i < d.size(); ++i) combined->set(d.keyAt(i), results.at(i));
        return Value::of(combined);
    }
    if (isContainer(a)) return mapContainer(a, [&](const Value& element) { return applyBinary(op, element, b); });
    return mapContainer(b, [&](const Value& element) { return applyBinary(op, a, element); });
}

Value setOperation(Operator op, const Value& a, const Value& b) {
    auto asSet = [](const Value& v) {
        if (v.isSet()) return Ref<Set>(&v.set());
        const bool element = v.isScalar() && (v.isVoid() || storageOf(v.type()) != Storage::Boxed);
        if (!element && !v.isTypedVector() && !v.isPair()) {
            throw UserError(
                fmt::format("A set combines with a set, a vector or an element, but not with {}.", typeName(v.type())));
        }
        auto set = makeRef<Set>(v.type());
        for (int64_t i = 0; i < v.size(); ++i) set->index.insert(v.at(i));
        return set;
    };
    Ref<Set> x = asSet(a), y = asSet(b);
    auto within = [](const Set& inner, const Set& outer) {
        for (int64_t i = 0; i < inner.index.size(); ++i) {
            if (outer.index.find(inner.index.key(i)) < 0) return false;
        }
        return true;
    };
    int64_t n = x->index.size(), m = y->index.size();
    switch (op) {
        case Operator::Eq:
            return Value::ofBool(n == m && within(*x, *y));
        case Operator::Ne:
            return Value::ofBool(!(n == m && within(*x, *y)));
        case Operator::Le:
            return Value::ofBool(within(*x, *y));
        case Operator::Lt:
            return Value::ofBool(n < m && within(*x, *y));
        case Operator::Ge:
            return Value::ofBool(within(*y, *x));
        case Operator::Gt:
            return Value::ofBool(m < n && within(*y, *x));
        default:
            break;
    }
    auto result = makeRef<Set>(x->index.type());
    auto addWhere = [&](const Set& from, const Set& other, bool present) {
        for (int64_t i = 0; i < from.index.size(); ++i) {
            Value key = from.index.key(i);
            if ((other.index.find(key) >= 0) == present) result->index.insert(key);
        }
    };
    switch (op) {
        case Operator::BitOr:
            addWhere(*x, *x, true);
            addWhere(*y, *x, false);
            break;
        case Operator::BitAnd:
            addWhere(*x, *y, true);
            break;
        case Operator::Sub:
            addWhere(*x, *y, false);
            break;
        case Operator::BitXor:
            addWhere(*x, *y, false);
            addWhere(*y, *x, false);
            break;
        default:
            throw UserError(fmt::format("Sets have no operator {}.", facts(op).symbol));
    }
    return Value::of(result);
}

Value pairOperation(Operator op, const Value& a, const Value& b) {
    auto plain = [](const Value& v) { return v.isPair() ? Value::of(Ref<Vector>(&v.vector())) : v; };
    if (!(a.isScalar() || a.isPair()) || !(b.isScalar() || b.isPair())) {
        return applyBinary(op, plain(a), plain(b));
    }
    Value elements = vectorOperation(op, plain(a), plain(b));
    return Value::of(Ref<Vector>(&elements.vector()), Form::Pair);
}

Value scalarOperation(Operator op, const Value& a, const Value& b) {
    Value result;
    if (applyFastScalar(op, a, b, result)) return result;
    if (isLiteralOperation(op, a, b)) return literalOperation(op, a, b);
    if (a.type() == Type::Duration || b.type() == Type::Duration) return durationOperation(op, a, b);
    if (isDecimal(a.type()) || isDecimal(b.type())) return decimal::operation(op, a, b);
    if ((op == Operator::Eq || op == Operator::Ne) && a.type() == b.type() && !isBlockType(a.type())) {
        return Value::ofBool(identical(a, b) == (op == Operator::Eq));
    }
    if ((op == Operator::Eq || op == Operator::Ne) && (a.isVoid() || b.isVoid())) {
        bool bothNull = a.isNull() && b.isNull();
        return Value::ofBool(bothNull == (op == Operator::Eq));
    }
    if (categoryOf(a.type()) == Category::Binary || categoryOf(b.type()) == Category::Binary ||
        categoryOf(a.type()) == Category::Complex || categoryOf(b.type()) == Category::Complex) {
        return wideOperation(op, a, b);
    }
    if (!isBlockType(a.type()) || !isBlockType(b.type())) planBinary(op, a.type(), b.type());  // throws
    if (a.isVoid() && b.isVoid())
        return isComparison(op) ? Value::ofBool(op != Operator::Lt && op != Operator::Gt) : Value();
    auto one = [&](const Value& v, const Value& other) {
        return v.isVoid() ? Vector::filled(other.type(), 1, v) : Vector::filled(v.type(), 1, v);
    };
    return vectorOperation(op, Value::of(one(a, b)), Value::of(one(b, a))).at(0);
}

}  // namespace

Value mapContainer(const Value& x, const std::function<Value(const Value&)>& f, bool (*takes)(Type)) {
    requireStackRoom();
    if (x.isTuple()) {
        std::vector<Value> elements;
        for (const Value& element : x.tuple().elements) elements.push_back(mapContainer(element, f, takes));
        if (x.tuple().kind == TupleKind::IotAny) return listOf(std::move(elements));
        return Value::of(makeRef<Tuple>(std::move(elements), x.tuple().kindOfResults()));
    }
    if (x.isArrayVector()) {
        const ArrayVector& rows = x.arrayVector();
        const Value values = f(Value::of(rows.values()));
        const bool fits =
            values.isTypedVector() && values.size() == rows.values()->size() && canBeInArrayVector(values.type());
        if (fits) return Value::of(rows.withValues(Ref<Vector>(&values.vector())));
        // There are no array vectors of strings.
        std::vector<Value> elements;
        for (int64_t i = 0; i < rows.size(); ++i) elements.push_back(f(Value::of(rows.row(i))));
        return Value::of(makeRef<Tuple>(std::move(elements), TupleKind::Columnar));
    }
    if (x.isDictionary()) {
        const Dictionary& d = x.dictionary();
        std::vector<Value> values;
        Type type = Type::Void;
        bool scalars = true;
        for (int64_t i = 0; i < d.size(); ++i) {
            values.push_back(mapContainer(d.valueAt(i), f, takes));
            scalars = scalars && values.back().isScalar() && (i == 0 || values.back().type() == type);
            type = values.back().type();
        }
        auto result = makeRef<Dictionary>(
            d.keyType(), scalars && d.valueType() != Type::Any && d.size() ? type : Type::Any, d.ordered());
        for (int64_t i = 0; i < d.size(); ++i) result->set(d.keyAt(i), values[static_cast<size_t>(i)]);
        return Value::of(result);
    }
    if (x.isTable()) {
        const Ref<MemoryTable> table = tableToRead(x);
        if (!table)
            throw UserError("A partitioned table cannot take part in an expression.", "Use select to compute on it.");
        Ref<MemoryTable> result = table->copy();
        for (int i = 0; i < table->columnCount(); ++i) {
            const Value& column = table->column(i);
            if (takes(column.type())) {
                result->setColumn(table->columns()[static_cast<size_t>(i)].name, f(column));
            }
        }
        return Value::of(Ref<Table>(result));
    }
    return f(x);
}

static bool isPlainVoid(const Value& v) {
    return v.isScalar() && v.isVoid();
}

// Returns x || NULL.
static Value orNull(const Value& x) {
    if (isContainer(x)) return mapContainer(x, orNull);
    return selectItems(cast(x, Type::Bool), Value::ofBool(true), Value::nullOf(Type::Bool));
}

Value applyBinary(Operator op, const Value& a, const Value& b) {
    switch (op) {
        case Operator::Pair:
            return pairOf(a, b);
        case Operator::Seq:
            return sequence(a, b);
        case Operator::Join:
            return joinValues(a, b);
        case Operator::In:
            return isIn(a, b);
        case Operator::Between:
            return isBetween(a, b);
        case Operator::Like:
            return isLike(a, b);
        case Operator::Cast:
            return castTo(a, b);
        case Operator::Dot:
            return dotProduct(a, b);
        case Operator::Or:
            // `||` with the untyped NULL, which has no type: true stays true.
            if (isPlainVoid(a) != isPlainVoid(b)) return orNull(isPlainVoid(a) ? b : a);
            break;
        default:
            break;
    }
    if (a.isScalar() && b.isScalar()) return scalarOperation(op, a, b);
    if (a.isSet() || b.isSet()) return setOperation(op, a, b);
    if (a.isArrayVector() || b.isArrayVector()) return arrayOperation(op, a, b);
    if (isContainer(a) || isContainer(b)) return containerOperation(op, a, b);
    if (a.isMatrix() || b.isMatrix()) return matrixOperation(op, a, b);
    if (a.isPair() || b.isPair()) return pairOperation(op, a, b);
    if (a.type() == Type::Duration || b.type() == Type::Duration) return durationOperation(op, a, b);
    return vectorOperation(op, a, b);
}

Value applyUnary(Operator op, const Value& a) {
    if (isContainer(a) || a.isArrayVector()) {
        return mapContainer(a, [&](const Value& element) { return applyUnary(op, element); });
    }
    if (isDecimal(a.type()) && (a.isScalar() || a.isVector() || a.isPair())) {
        if (op != Operator::Neg) return applyUnary(op, cast(a, Type::Bool));
        return decimal::operation(Operator::Sub, Value::ofInt(0), a);
    }
    if (a.type() == Type::Complex && op == Operator::Neg) return wideOperation(Operator::Mul, a, Value::ofDouble(-1));
    if (a.isScalar()) {
        if (a.isVoid()) return a;
        if (op == Operator::Neg && a.type() == Type::Double) {
            return Value::ofDouble(a.isNull() ? null<double> : -a.real());
        }
        if (op == Operator::Neg && a.type() == Type::Duration) {
            return Value::ofDuration(static_cast<int32_t>(-a.integer()), a.unit());
        }
        if (!isBlockType(a.type())) {
            throw UserError(fmt::format("The operator {} does not support {}.", facts(op).symbol, typeName(a.type())));
        }
        return applyUnary(op, Value::of(Vector::filled(a.type(), 1, a))).at(0);
    }
    if (a.isMatrix()) {
        Value cells = applyUnary(op, Value::of(a.matrix().cells));
        return withLabels(a.matrix(), Ref<Vector>(&cells.vector()));
    }
    const Vector& v = a.vector();
    BlockProgram program;
    BlockProgram::Register in = program.input(0, v.type());
    program.setResult(op == Operator::Neg ? program.negate(in) : program.logicalNot(in));
    const Vector* input = &v;
    return Value::of(program.run({&input, 1}, v.size()), a.form());
}

// Returns the scale of a decimal scalar or vector.
static uint8_t scaleOf(const Value& v) {
    return v.isScalar() ? v.extra() : v.isMatrix() ? v.matrix().cells->scale() : v.vector().scale();
}

// Returns the chosen branch in the form that a vector of conditions results in: of the type of both, as long as the
// longer one.
static Value asBothBranches(const Value& chosen, const Value& a, const Value& b) {
    const auto isPlain = [](const Value& v) { return v.isScalar() || v.isTypedVector() || v.isMatrix(); };
    if (!isPlain(a) || !isPlain(b)) return chosen;
    const Value& other = a.isScalar() ? b : a;
    const Type type = commonType(a.type(), b.type());
    if (type == Type::Void || storageOf(a.type()) == Storage::Boxed || storageOf(b.type()) == Storage::Boxed) {
        return chosen;
    }
    if (type == Type::Any) {
        if (!chosen.isScalar() || !other.isTypedVector()) return chosen;
        if (chosen.isVoid()) return Value::of(makeRef<Tuple>(std::vector<Value>(static_cast<size_t>(other.size()))));
        return Value::of(Vector::filled(chosen.type(), other.size(), chosen));
    }
    uint8_t scale = kSourceScale;
    for (const Value* v : {&a, &b}) {
        if (isDecimal(v->type())) scale = scale == kSourceScale ? scaleOf(*v) : std::max(scale, scaleOf(*v));
    }
    const bool fits = chosen.type() == type && (!isDecimal(type) || scaleOf(chosen) == scale);
    Value typed = fits ? chosen : cast(chosen, type, scale);
    if (typed.isScalar() && isDecimal(type)) typed.setExtra(scale);  // a NULL has a scale, too
    for (const Value* v : {&a, &b}) {
        if (!v->isMatrix() || typed.isMatrix()) continue;
        const Value cells = broadcastToCells(typed, v->matrix());
        const int64_t size = v->matrix().cells->size();
        return withLabels(v->matrix(),
                          cells.isScalar() ? Vector::filled(type, size, cells) : Ref<Vector>(&cells.vector()));
    }
    return typed.isScalar() && !other.isScalar() ? Value::of(Vector::filled(type, other.size(), typed)) : typed;
}

// Returns the result of a NULL condition: one NULL, or as many as the branches have elements.
static Value nullOfBranches(const Value& a, const Value& b) {
    const auto isPlain = [](const Value& v) { return v.isScalar() || v.isTypedVector(); };
    if (isPlain(a) && isPlain(b)) {
        const Value none = asBothBranches(Value(), a, b);
        if (!none.isVoid()) return none;
    }
    const Type common = commonType(a.type(), b.type());
    const Type type = common == Type::Any || isArrayType(common) ? Type::Void : common;
    const Value none = type == Type::Void ? Value() : cast(Value(), type);
    const Value& shape = a.isScalar() ? b : a;
    if (type == Type::Void || shape.isScalar()) return none;
    if (shape.isMatrix()) {
        return withLabels(shape.matrix(), Vector::filled(type, shape.matrix().cells->size(), none));
    }
    return shape.isTypedVector() ? Value::of(Vector::filled(type, shape.size(), none)) : none;
}

Value selectItems(const Value& condition, const Value& a, const Value& b) {
    if (condition.isScalar()) {
        if (condition.isNull()) return nullOfBranches(a, b);
        return asBothBranches(isTrue(condition) ? a : b, a, b);
    }
    if (condition.isMatrix()) {
        const Matrix& shape = condition.matrix();
        Value cells = selectItems(Value::of(shape.cells), broadcastToCells(a, shape), broadcastToCells(b, shape));
        return withLabels(condition.matrix(), Ref<Vector>(&cells.vector()));
    }
    if (condition.isArrayVector()) {
        const ArrayVector& rows = condition.arrayVector();
        const Value values =
            selectItems(Value::of(rows.values()), broadcastToValues(rows, a), broadcastToValues(rows, b));
        return Value::of(rows.withValues(Ref<Vector>(&values.vector())));
    }
    if (condition.isTypedVector() && isDecimal(condition.type())) return selectItems(cast(condition, Type::Bool), a, b);
    int64_t count = condition.size();
    for (const Value* v : {&a, &b}) {
        if (!v->isScalar() && v->size() != count) {
            throw UserError(fmt::format("The vectors don't have the same length: {} and {}.", count, v->size()));
        }
    }
    bool blocks = isBlockType(a.type()) && isBlockType(b.type()) && condition.isTypedVector() &&
                  !(a.isVoid() && b.isVoid()) && commonType(a.type(), b.type()) != Type::Any;
    if (blocks) {
        BlockProgram program;
        std::vector<const Vector*> inputs;
        auto operand = [&](const Value& v) {
            if (v.isScalar()) return program.constant(v);
            inputs.push_back(&v.vector());
            return program.input(static_cast<int>(inputs.size()) - 1, v.type());
        };
        auto c = operand(condition);
        auto x = operand(a);
        auto y = operand(b);
        program.setResult(program.select(c, x, y));
        return Value::of(program.run(inputs, count));
    }
    auto element = [&](const Value& v, int64_t i) { return v.isScalar() ? v : v.at(i); };
    Type type = commonType(a.type(), b.type());
    std::vector<Value> elements;
    for (int64_t i = 0; i < count; ++i) {
        const Value chosen = condition.at(i);
        elements.push_back(chosen.isScalar() && chosen.isNull() ? Value() : element(isTrue(chosen) ? a : b, i));
    }
    if (type == Type::Any || type == Type::Void) return Value::of(makeRef<Tuple>(std::move(elements)));
    if (isArrayType(type)) return cast(Value::of(makeRef<Tuple>(std::move(elements))), type);
    // Integers mixed with decimals get their scale, the larger one of two.
    uint8_t scale = kSourceScale;
    for (const Value* v : {&a, &b}) {
        if (isDecimal(v->type())) scale = scale == kSourceScale ? scaleOf(*v) : std::max(scale, scaleOf(*v));
    }
    Ref<Vector> result = Vector::make(type, count);
    if (isDecimal(type) && scale != kSourceScale) result->setScale(scale);
    for (int64_t i = 0; i < count; ++i) result->set(i, cast(elements[static_cast<size_t>(i)], type, scale));
    return Value::of(result);
}

}  // namespace pelorus
