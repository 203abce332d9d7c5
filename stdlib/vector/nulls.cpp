// Tests and filling of NULLs.
#include <algorithm>
#include <cmath>

#include "runtime/function/function.h"
#include "runtime/kernel/forms/elementwise.h"
#include "runtime/kernel/forms/vector_forms.h"
#include "runtime/kernel/index/index.h"
#include "runtime/kernel/rolling/kept_elements.h"
#include "runtime/table/table.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/dictionary.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

enum class NullTest : uint8_t { IsNull, IsValid };

template <NullTest kTest>
Value nullTestKernel(Context& context, Arguments arguments) {
    if (arguments[0].isTable()) {
        // Treats every column, including strings.
        const Ref<MemoryTable> table = tableToRead(arguments[0]);
        if (!table) throw UserError(0, "X can't be a partitioned table.", "Use select to compute on it.");
        auto result = makeRef<MemoryTable>();
        for (int c = 0; c < table->columnCount(); ++c) {
            Value column = table->column(c);
            result->setColumn(table->columns()[static_cast<size_t>(c)].name,
                              nullTestKernel<kTest>(context, {&column, 1}));
        }
        return Value::of(Ref<Table>(result));
    }
    return mapContainer(arguments[0], [](const Value& v) -> Value {
        constexpr bool whenNull = kTest == NullTest::IsNull;
        if (v.isScalar()) return Value::ofBool(v.isNull() == whenNull);
        if (v.isMatrix()) {
            Value cells = Value::of(v.matrix().cells);
            const Vector& elements = cells.vector();
            Ref<Vector> out = Vector::make(Type::Bool, elements.size());
            for (int64_t i = 0; i < elements.size(); ++i)
                out->mutableData<int8_t>()[i] = elements.isNullAt(i) == whenNull;
            return Value::of(makeRef<Matrix>(out, v.matrix().rows, v.matrix().columns));
        }
        if (!v.isVector() && !v.isPair()) return Value::ofBool(!whenNull);
        const Vector& elements = v.vector();
        Ref<Vector> out = Vector::make(Type::Bool, elements.size());
        int8_t* y = out->mutableData<int8_t>();
        bool anyNull = elements.hasNull();
        for (int64_t i = 0; i < elements.size(); ++i) y[i] = (anyNull && elements.isNullAt(i)) == whenNull;
        out->setMayHaveNull(false);
        return Value::of(out, v.form());
    });
}

Value isNullItems(const Vector& elements) {
    Ref<Vector> out = Vector::make(Type::Bool, elements.size());
    int8_t* y = out->mutableData<int8_t>();
    for (int64_t i = 0; i < elements.size(); ++i) y[i] = elements.isNullAt(i);
    return Value::of(out);
}

Value isVoidKernel(Context&, Arguments arguments) {
    return Value::ofBool(arguments[0].isVoid());
}

bool hasNullAnywhere(const Value& v) {
    if (v.isScalar()) return v.isNull();
    if (v.isTuple()) {
        const auto& elements = v.tuple().elements;
        return std::any_of(elements.begin(), elements.end(),
                           [](const Value& element) { return element.isScalar() && element.isNull(); });
    }
    if (v.isArrayVector()) return v.arrayVector().values()->hasNull();
    if (v.isVector() || v.isPair()) return v.vector().hasNull();
    if (v.isMatrix()) return v.matrix().cells->hasNull();
    if (v.isDictionary()) return hasNullAnywhere(v.dictionary().values());
    if (v.isTable()) {
        const Ref<MemoryTable> table = tableToRead(v);
        for (int i = 0; table && i < table->columnCount(); ++i) {
            if (hasNullAnywhere(table->column(i))) return true;
        }
    }
    return false;
}
Value hasNullKernel(Context&, Arguments arguments) {
    return Value::ofBool(hasNullAnywhere(arguments[0]));
}

// Fills each NULL from the position that `source` returns: -1 leaves it NULL.
template <class F>
Ref<Vector> filledBy(const Vector& v, F source) {
    std::vector<int32_t> positions(static_cast<size_t>(v.size()));
    for (int64_t i = 0; i < v.size(); ++i) positions[static_cast<size_t>(i)] = source(static_cast<int32_t>(i));
    return v.gather(positions.data(), v.size());
}

Ref<Vector> forwardFilled(const Vector& v, int64_t limit) {
    int32_t last = -1;
    return filledBy(v, [&](int32_t i) {
        if (!v.isNullAt(i)) last = i;
        return last >= 0 && i - last <= limit ? last : i;
    });
}

Ref<Vector> backwardFilled(const Vector& v, int64_t limit) {
    std::vector<int32_t> positions(static_cast<size_t>(v.size()));
    int32_t next = -1;
    for (auto i = static_cast<int32_t>(v.size()) - 1; i >= 0; --i) {
        if (!v.isNullAt(i)) next = i;
        positions[static_cast<size_t>(i)] = next >= 0 && next - i <= limit ? next : i;
    }
    return v.gather(positions.data(), v.size());
}

// A row of NULLs takes all of the nearest row that has values; a NULL inside a row the nearest value at its position.
Ref<ArrayVector> filledRows(const ArrayVector& rows, bool forward) {
    auto result = makeRef<ArrayVector>(rows.elementType(), rows.scale());
    const int64_t n = rows.size();
    std::vector<std::vector<int64_t>> positions(static_cast<size_t>(n));
    std::vector<int64_t> last;  // index of the nearest value for each position
    int64_t lastRow = -1;
    for (int64_t k = 0; k < n; ++k) {
        const int64_t r = forward ? k : n - 1 - k;
        bool empty = true;
        for (int64_t i = rows.begin(r); i < rows.end(r); ++i) empty &= rows.values()->isNullAt(i);
        std::vector<int64_t>& row = positions[static_cast<size_t>(r)];
        if (empty && lastRow >= 0) {
            row = positions[static_cast<size_t>(lastRow)];
            continue;
        }
        for (int64_t i = rows.begin(r); i < rows.end(r); ++i) {
            const auto c = static_cast<size_t>(i - rows.begin(r));
            if (c >= last.size()) last.resize(c + 1, -1);
            if (!rows.values()->isNullAt(i)) last[c] = i;
            row.push_back(last[c]);
        }
        if (!empty) lastRow = r;
    }
    for (const std::vector<int64_t>& row : positions) {
        result->appendRow(*rows.values()->gather(row.data(), static_cast<int64_t>(row.size())));
    }
    return result;
}

template <bool kForward>
Value directionKernel(Context& context, Arguments arguments) {
    int64_t limit = integerArgument(arguments, 1, "limit", INT32_MAX);
    if (arguments[0].isArrayVector()) {
        if (isGiven(arguments, 1)) throw UserError(1, "limit is not for array vectors.");
        return Value::of(filledRows(arguments[0].arrayVector(), kForward));
    }
    if (arguments[0].isTable()) {
        // Treats every column, including strings and times.
        const Ref<MemoryTable> table = tableToRead(arguments[0]);
        if (!table) throw UserError(0, "X can't be a partitioned table.", "Use select to compute on it.");
        auto result = makeRef<MemoryTable>();
        for (int c = 0; c < table->columnCount(); ++c) {
            std::vector<Value> step(arguments.begin(), arguments.end());
            step[0] = table->column(c);
            result->setColumn(table->columns()[static_cast<size_t>(c)].name,
                              step[0].isTuple() ? step[0] : directionKernel<kForward>(context, step));
        }
        return Value::of(Ref<Table>(result));
    }
    return vectorForms(
        [limit](std::span<const Value> step) {
            const Vector& v = step[0].vector();
            if (!v.hasNull()) return step[0];
            return Value::of(kForward ? forwardFilled(v, limit) : backwardFilled(v, limit));
        },
        arguments, 1, TupleRule::ByElement);
}

std::unique_ptr<RollingStates> fillStates(std::span<const Type> types, std::span<const Value> constants) {
    const bool isStored = !types.empty() && types[0] != Type::Void && types[0] != Type::Any && !isArrayType(types[0]);
    if (!isStored) return nullptr;
    if (constants.size() < 2 || constants[1].isVoid()) return makeFillStates(types[0], INT32_MAX);
    const bool isCount = constants[1].isScalar() && constants[1].isNumber() && !constants[1].isNull();
    return isCount ? makeFillStates(types[0], constants[1].asLong()) : nullptr;
}

template <bool kForward>
Value directionInPlace(Context& context, Arguments arguments) {
    arguments[0] = directionKernel<kForward>(context, arguments);
    return arguments[0];
}

// Linear between the neighbours, for numbers.
Value linearKernel(Context&, Arguments arguments) {
    return vectorForms(
        [](std::span<const Value> step) {
            Value holder = step[0];
            Ref<Vector> in = realsArgument({&holder, 1}, 0, "X");
            Ref<Vector> out = in->copy();
            const double* x = in->data<double>();
            double* y = out->mutableData<double>();
            int64_t before = -1;
            for (int64_t i = 0; i < in->size(); ++i) {
                if (isNull(x[i])) continue;
                for (int64_t k = before + 1; before >= 0 && k < i; ++k) {
                    y[k] = x[before] +
                           (x[i] - x[before]) * static_cast<double>(k - before) / static_cast<double>(i - before);
                }
                before = i;
            }
            return isFloating(step[0].type()) ? Value::of(out) : cast(Value::of(out), step[0].type());
        },
        arguments.first(1));
}
Value linearInPlace(Context& context, Arguments arguments) {
    arguments[0] = linearKernel(context, arguments);
    return arguments[0];
}

constexpr const char* kBadFilling = "The filling must be an element, or a vector with an element for each of X.";

Value filledWith(const Value& v, const Value& filling) {
    if (v.isArrayVector()) {
        const Value missing = mapContainer(v, [](const Value& values) { return isNullItems(values.vector()); });
        const Value typed = filling.isScalar() ? castFitting(filling, v.arrayVector().elementType()) : filling;
        return selectItems(missing, typed, v);
    }
    if (v.isScalar() && filling.isTypedVector()) {
        const Type type = v.isVoid() ? filling.type() : v.type();
        const Ref<Vector> elements = Vector::filled(type, filling.size(), v);
        if (v.isVoid()) elements->setScale(filling.vector().scale());
        return filledWith(Value::of(elements), filling);
    }
    const bool fits = v.isVoid() || isLiteral(v.type()) == isLiteral(filling.type());
    if (v.isScalar()) {
        if (!v.isNull() || !fits) return v;
        if (isDecimal(v.type())) return castFitting(filling, v.type(), v.extra());
        return castFitting(filling, v.isVoid() ? filling.type() : v.type());
    }
    if (v.isTuple() || v.isDictionary() || v.isTable()) {
        return mapContainer(v, [&](const Value& element) { return filledWith(element, filling); });
    }
    const Vector& elements = v.isMatrix() ? *v.matrix().cells : v.vector();
    if (v.isTypedVector() && filling.isTypedVector() && elements.size() != filling.size()) {
        throw UserError(1, kBadFilling);
    }
    if (!elements.hasNull()) return v;
    if (isLiteral(elements.type()) != isLiteral(filling.type())) return v;
    Ref<Vector> out = elements.copy();
    bool scalar = filling.isScalar();
    if (filling.isMatrix()) return filledWith(v, Value::of(filling.matrix().cells));
    if (!scalar && ((!filling.isVector() && !filling.isPair()) || filling.size() != elements.size())) {
        throw UserError(1, kBadFilling);
    }
    const auto typed = [&](const Value& element) {
        return isDecimal(elements.type()) ? castFitting(element, elements.type(), elements.scale())
                                          : castFitting(element, elements.type());
    };
    const Value converted = scalar ? typed(filling) : filling;
    for (int64_t i = 0; i < elements.size(); ++i) {
        if (elements.isNullAt(i)) out->set(i, scalar ? converted : typed(filling.at(i)));
    }
    out->setMayHaveNull(true);
    if (!v.isMatrix()) return Value::of(out, v.form());
    auto matrix = makeRef<Matrix>(out, v.matrix().rows, v.matrix().columns);
    matrix->rowLabels = v.matrix().rowLabels;
    matrix->columnLabels = v.matrix().columnLabels;
    return Value::of(matrix);
}

Value nullFillKernel(Context&, Arguments arguments) {
    return filledWith(arguments[0], arguments[1]);
}
Value nullFillInPlace(Context&, Arguments arguments) {
    arguments[0] = filledWith(arguments[0], arguments[1]);
    return arguments[0];
}

Value coalesceKernel(Context&, Arguments arguments) {
    Value result = arguments[0];
    for (size_t i = 1; i < arguments.size(); ++i) result = filledWith(result, arguments[i]);
    return result;
}

Value nullIfKernel(Context&, Arguments arguments) {
    Value equal = applyBinary(Operator::Eq, arguments[0], arguments[1]);
    Value none = Value::nullOf(arguments[0].type());
    return selectItems(equal, none, arguments[0]);
}

struct Filled {
    static constexpr bool kSeesNulls = true;
    template <class T>
    T operator()(T x, T filling) const {
        return isNull(x) ? filling : x;
    }
};
struct NullIf {
    static constexpr bool kSeesNulls = true;
    template <class T>
    T operator()(T x, T y) const {
        return x == y ? null<T> : x;
    }
};
template <class F>
inline constexpr ScalarForm kForPairs[] = {scalarForm<F, int32_t, int32_t>(), scalarForm<F, int64_t, int64_t>(),
                                           scalarForm<F, double, double>()};

// Keeps the rows, or columns, of a matrix with at least `thresh` values that are not NULL; by default, those without
// NULL.
Value dropLines(Arguments arguments) {
    const Matrix& m = arguments[0].matrix();
    const bool byRow = flagArgument(arguments, 1, "byRow", true);
    const int64_t lines = byRow ? m.rows : m.columns, elements = byRow ? m.columns : m.rows;
    const int64_t least = integerArgument(arguments, 2, "thresh", elements);
    Ref<Vector> kept = Vector::make(Type::Bool, lines);
    for (int64_t line = 0; line < lines; ++line) {
        int64_t valid = 0;
        for (int64_t i = 0; i < elements; ++i) {
            valid += !m.cells->isNullAt(byRow ? i * m.rows + line : line * m.rows + i);
        }
        kept->mutableData<int8_t>()[line] = valid >= least;
    }
    const Value mask = Value::of(kept);
    const Value index[2] = {byRow ? mask : omitted(), byRow ? omitted() : mask};
    return indexRead(arguments[0], index);
}

// Keeps elements that are not NULL; of a matrix or table the rows without any NULL.
Value dropnaKernel(Context&, Arguments arguments) {
    const Value& x = arguments[0];
    if (x.isTable()) {
        const Ref<MemoryTable> table = tableToRead(x);
        if (!table) throw UserError(0, "X can't be a partitioned table.");
        std::vector<int32_t> rows;
        for (int64_t r = 0; r < table->rowCount(); ++r) {
            bool valid = true;
            for (int c = 0; c < table->columnCount(); ++c) {
                Value cell = table->column(c).at(r);
                valid &= !(cell.isScalar() && cell.isNull());
            }
            if (valid) rows.push_back(static_cast<int32_t>(r));
        }
        return Value::of(Ref<Table>(table->gather(rows.data(), static_cast<int64_t>(rows.size()))));
    }
    if (x.isMatrix()) return dropLines(arguments);
    Ref<Vector> v = vectorArgument(arguments, 0, "X");
    std::vector<int32_t> kept;
    for (int64_t i = 0; i < v->size(); ++i) {
        if (!v->isNullAt(i)) kept.push_back(static_cast<int32_t>(i));
    }
    return Value::of(v->gather(kept.data(), static_cast<int64_t>(kept.size())));
}

}  // namespace

void registerNulls(FunctionRegistry& registry) {
    registry.add("isNull(X)", nullTestKernel<NullTest::IsNull>,
                 {.summary = "Whether elements of X are NULL.", .example = "isNull(1 NULL 3) -> [false,true,false]"},
                 {.gives = is(Type::Bool), .kind = FunctionKind::Elementwise, .role = Role::IsNull, .neverNull = true});
    registry.add(
        "isValid(X)", nullTestKernel<NullTest::IsValid>,
        {.summary = "Whether elements of X are not NULL.", .example = "isValid(1 NULL 3) -> [true,false,true]"},
        {.gives = is(Type::Bool), .kind = FunctionKind::Elementwise, .role = Role::IsValid, .neverNull = true});
    registry.add("isVoid(X)", isVoidKernel,
                 {.summary = "Whether X is the untyped NULL.", .example = "isVoid(NULL) -> true"});
    registry.add("hasNull(X)", hasNullKernel,
                 {.summary = "Whether any element of X is NULL.", .example = "hasNull(1 NULL) -> true"});
    Declaration ordered;
    ordered.orderSensitive = true;
    registry.add("ffill(obj, [limit])", directionKernel<true>,
                 {.summary = "obj with each NULL replaced by the last element before it, at most `limit` in a row.",
                  .nulls = "Leading NULLs stay.",
                  .example = "ffill(1 NULL 3 NULL) -> [1,1,3,3]"},
                 {.orderSensitive = true, .rolling = fillStates});
    registry.add("bfill(obj, [limit])", directionKernel<false>,
                 {.summary = "obj with each NULL replaced by the next element after it, at most `limit` in a row.",
                  .nulls = "Trailing NULLs stay.",
                  .example = "bfill(NULL 2 NULL 4) -> [2,2,4,4]"},
                 ordered);
    registry.add("ffill!(obj, [limit])", directionInPlace<true>,
                 {.summary = "As ffill, changing X.", .example = "x = 1 NULL; ffill!(x); x -> [1,1]"});
    registry.add("bfill!(obj, [limit])", directionInPlace<false>,
                 {.summary = "As bfill, changing X.", .example = "x = NULL 1; bfill!(x); x -> [1,1]"});
    registry.add(
        "lfill(X)", linearKernel,
        {.summary = "X with NULLs between two elements filled on the straight line between them, in the type of X.",
         .nulls = "Leading and trailing NULLs stay.",
         .example = "lfill(1 NULL 3) -> [1,2,3]"},
        ordered);
    registry.add("lfill!(X)", linearInPlace,
                 {.summary = "As lfill, changing X.", .example = "x = 1 NULL 3; lfill!(x); x -> [1,2,3]"});
    registry.add("nullFill(X, Y)", nullFillKernel,
                 {.summary = "X with NULLs replaced by Y: a scalar, or a vector elementwise.",
                  .example = "nullFill(1 NULL 3, 0) -> [1,0,3]"},
                 {.gives = same(0), .kind = FunctionKind::Elementwise, .scalar = kForPairs<Filled>});
    registry.add("nullFill!(X, Y)", nullFillInPlace,
                 {.summary = "As nullFill, changing X.", .example = "x = 1 NULL; nullFill!(x, 0); x -> [1,0]"});
    registry.add("coalesce(X1, X2...)", coalesceKernel,
                 {.summary = "X1 with its NULLs filled from X2, what is left from X3, and so on.",
                  .parameters = "X1: a scalar, vector or matrix\n"
                                "X2: what takes the place of its NULLs: a scalar, or as long as X1; more may follow",
                  .example = "coalesce(1 NULL, 5 6) -> [1,6]"});
    registry.add("nullIf(X, Y)", nullIfKernel,
                 {.summary = "X with elements equal to Y as NULL.", .example = "nullIf(1 2 3, 2) -> [1,,3]"},
                 {.gives = same(0), .kind = FunctionKind::Elementwise, .scalar = kForPairs<NullIf>});
    registry.add("dropna(X, [byRow=true], [thresh])", dropnaKernel,
                 {.summary = "The elements of X that are not NULL; of a table, the rows without NULL.",
                  .parameters = "X: a vector, matrix or table in memory\n"
                                "byRow: for a matrix: true leaves out rows, false columns\n"
                                "thresh: for a matrix: how many elements that are not NULL a row or column needs to "
                                "stay; all when omitted",
                  .example = "dropna(1 NULL 3) -> [1,3]"});
}

}  // namespace pelorus
