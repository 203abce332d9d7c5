#include "runtime/kernel/forms/aggregate_forms.h"

#include <fmt/format.h>

#include <functional>

#include "common/check.h"
#include "common/error.h"
#include "common/thread/stack_room.h"
#include "runtime/kernel/block/promotion.h"
#include "runtime/kernel/elementwise/alignment.h"
#include "runtime/table/table.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/cast.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"

namespace pelorus {

namespace {

using WholeVector = std::function<Value(std::span<const Value>)>;

Value asVector(const Value& v) {
    if (v.isScalar() && !v.isVoid() && storageOf(v.type()) == Storage::Boxed) {
        throw UserError(fmt::format("An aggregate needs values, but it got {}.", typeString(v)));
    }
    if (v.isScalar()) return Value::of(Vector::filled(v.isVoid() ? Type::Int : v.type(), 1, v));
    if (v.isPair()) return Value::of(Ref<Vector>(&v.vector()));
    if (v.isSet()) return v.set().index.keys();
    if (v.isArrayVector()) return Value::of(v.arrayVector().values());  // all levels together
    return v;
}

// Repeats a scalar among vectors for each of their rows.
std::vector<Value> repeatItems(std::span<const Value> vectors) {
    int64_t rows = 1;
    for (const Value& v : vectors) {
        if (v.size() != 1) rows = v.size();
    }
    std::vector<Value> columns(vectors.begin(), vectors.end());
    for (Value& v : columns) {
        if (v.isTypedVector() && v.size() == 1 && rows != 1) v = Value::of(Vector::filled(v.type(), rows, v.at(0)));
    }
    return columns;
}

// Makes a vector of scalars of one type, a tuple of others.
Value collect(std::vector<Value> elements) {
    Type type = Type::Void;
    for (const Value& element : elements) {
        if (!element.isScalar()) return Value::of(makeRef<Tuple>(std::move(elements)));
        type = commonType(type, element.type());
    }
    if (type == Type::Void && !elements.empty()) {
        return Value::of(Vector::filled(Type::Int, static_cast<int64_t>(elements.size()), Value()));
    }
    if (type == Type::Any || type == Type::Void) return Value::of(makeRef<Tuple>(std::move(elements)));
    Ref<Vector> result = Vector::make(type, static_cast<int64_t>(elements.size()));
    for (const Value& element : elements) {
        if (isDecimal(element.type())) result->setScale(std::max(result->scale(), element.extra()));
    }
    for (size_t i = 0; i < elements.size(); ++i)
        result->set(static_cast<int64_t>(i), cast(elements[i], type, isDecimal(type) ? result->scale() : kSourceScale));
    return Value::of(result);
}

Value walk(const WholeVector& f, std::span<const Value> arguments);

Value byColumn(const WholeVector& f, std::span<const Value> arguments) {
    const Matrix& m = arguments[0].matrix();
    std::vector<Value> results;
    for (int64_t c = 0; c < m.columns; ++c) {
        std::vector<Value> columns(arguments.begin(), arguments.end());
        for (Value& v : columns) {
            if (v.isMatrix()) v = v.at(c);
        }
        results.push_back(walk(f, columns));
    }
    return collect(std::move(results));
}

Value ofTable(const WholeVector& f, std::span<const Value> arguments) {
    const Ref<MemoryTable> table = tableToRead(arguments[0]);
    if (!table) throw UserError(0, "An aggregate cannot take a partitioned table.", "Use select to compute on it.");
    auto result = makeRef<MemoryTable>();
    for (int i = 0; i < table->columnCount(); ++i) {
        if (!isNumeric(table->column(i).type()) || table->column(i).isTuple()) continue;
        std::vector<Value> columns(arguments.begin(), arguments.end());
        columns[0] = table->column(i);
        for (Value& v : std::span(columns).subspan(1)) {
            if (!v.isTable()) continue;
            const Ref<MemoryTable> other = tableToRead(v);
            if (!other || other->columnCount() != table->columnCount()) {
                throw UserError("Two tables must be in memory and have the same number of columns.");
            }
            v = Value(other->column(i));
        }
        Value one = walk(f, columns);
        result->setColumn(table->columns()[static_cast<size_t>(i)].name, Value::of(Vector::filled(one.type(), 1, one)));
    }
    return Value::of(Ref<Table>(result));
}

// Applies f to element i of every vector, for each i.
Value byRow(const WholeVector& f, const std::vector<Value>& elements, std::span<const Value> rest) {
    if (elements.empty()) {
        std::vector<Value> arguments(rest.begin(), rest.end());
        arguments[0] = Value::of(Vector::make(Type::Int, 0));
        return walk(f, arguments);
    }
    int64_t rows = -1;
    for (const Value& e : elements) {
        if (e.isScalar()) continue;
        if (rows >= 0 && e.size() != rows) {
            throw UserError(0, fmt::format("The elements of the tuple differ in length: {} and {}.", rows, e.size()));
        }
        rows = e.size();
    }
    std::vector<Value> results;
    for (int64_t r = 0; r < (rows < 0 ? 1 : rows); ++r) {
        std::vector<Value> row;
        for (const Value& e : elements) row.push_back(e.isScalar() ? e : e.at(r));
        std::vector<Value> arguments(rest.begin(), rest.end());
        arguments[0] = collect(std::move(row));
        // Walking such a row again would never end.
        if (rows < 0 && arguments[0].isTuple()) {
            throw UserError(0, "The elements of the tuple are of different kinds.");
        }
        results.push_back(walk(f, arguments));
    }
    return rows < 0 ? results[0] : collect(std::move(results));
}

Value walk(const WholeVector& f, std::span<const Value> arguments) {
    requireStackRoom();
    const Value& x = arguments[0];
    if (x.isMatrix()) return byColumn(f, arguments);
    if (x.isTable()) return ofTable(f, arguments);
    if (x.isTuple()) return byRow(f, x.tuple().elements, arguments);
    if (x.isDictionary()) {
        Value values = x.dictionary().values();
        if (values.isTuple()) return byRow(f, values.tuple().elements, arguments);
        std::vector<Value> changed(arguments.begin(), arguments.end());
        changed[0] = values;
        return walk(f, changed);
    }
    // A vector before a matrix is combined with each of its columns.
    const auto matrix = std::find_if(arguments.begin(), arguments.end(),
                                     [](const Value& v) { return v.isMatrix() && !v.matrix().isIndexed(); });
    if (matrix != arguments.end() && x.isTypedVector() && x.size() == matrix->matrix().rows) {
        std::vector<Value> results;
        for (int64_t c = 0; c < matrix->matrix().columns; ++c) {
            std::vector<Value> one(arguments.begin(), arguments.end());
            for (Value& v : one) {
                if (v.isMatrix()) v = v.at(c);
            }
            results.push_back(walk(f, one));
        }
        return collect(std::move(results));
    }
    std::vector<Value> vectors;
    int64_t size = -1;
    for (const Value& v : arguments) {
        vectors.push_back(asVector(v));
        if (!v.isScalar()) {
            const int64_t elements = vectors.back().size();
            if (size >= 0 && elements != size) {
                throw UserError(fmt::format("The vectors don't have the same length: {} and {}.", size, elements));
            }
            size = elements;
        }
    }
    return f(vectors);
}

}  // namespace

static Value ofWhole(MakeState make, std::span<const Value> columns) {
    std::vector<Type> types;
    types.reserve(columns.size());
    for (const Value& v : columns) types.push_back(v.type());
    const std::unique_ptr<GroupedState> state = make(types);
    state->resize(1);
    state->add(columns, nullptr, columns[0].size());
    const Value results = state->results();
    CHECK(results.size() == 1) << "one group has one result";
    return results.at(0);
}

Value aggregateForms(MakeState make, Arguments arguments) {
    if (arguments.size() == 1 && arguments[0].isTypedVector()) return ofWhole(make, arguments);
    while (arguments.size() > 1 && isOmitted(arguments.back())) arguments = arguments.first(arguments.size() - 1);
    std::vector<Value> aligned(arguments.begin(), arguments.end());
    if (aligned.size() == 2) {
        alignIndexed(aligned[0], aligned[1]);
        auto isSeries = [](const Value& v) { return v.isMatrix() && v.matrix().index == Matrix::Index::Series; };
        // Two series are two vectors.
        if (isSeries(aligned[0]) && isSeries(aligned[1])) {
            for (Value& v : aligned) v = Value::of(v.matrix().cells);
        }
    }
    return walk([make](std::span<const Value> vectors) { return ofWhole(make, repeatItems(vectors)); }, aligned);
}

Value aggregateForms(Value (*wholeVector)(std::span<const Value>), Arguments arguments) {
    return walk(wholeVector, arguments);
}

}  // namespace pelorus
