#include "runtime/kernel/forms/vector_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "common/check.h"
#include "common/error.h"
#include "common/language_settings.h"
#include "common/thread/stack_room.h"
#include "runtime/kernel/index/assemble.h"
#include "runtime/table/table.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"
#include "runtime/value/vector.h"

namespace pelorus {

namespace {

Value repeated(const Value& scalar, int64_t count) {
    if (!scalar.isVoid() && storageOf(scalar.type()) == Storage::Boxed) {
        throw UserError(fmt::format("A vector is needed, but the value is {}.", typeString(scalar)));
    }
    return Value::of(Vector::filled(scalar.isVoid() ? Type::Int : scalar.type(), count, scalar));
}

// Joins columns back to a matrix; anything else stays a tuple.
Value matrixOf(std::vector<Value> columns, const Matrix& like) {
    bool fits = !columns.empty() && std::all_of(columns.begin(), columns.end(), [&](const Value& v) {
        return v.isTypedVector() && v.type() == columns[0].type() && v.size() == columns[0].size();
    });
    if (!fits) return Value::of(makeRef<Tuple>(std::move(columns)));
    int64_t rows = columns[0].size();
    Ref<Vector> cells = Vector::make(columns[0].type(), 0, rows * static_cast<int64_t>(columns.size()));
    for (const Value& column : columns) cells->append(column.vector(), 0, rows);
    CHECK(cells->size() == rows * std::ssize(columns)) << "a matrix has a cell for each row of each column";
    auto result = makeRef<Matrix>(cells, rows, static_cast<int64_t>(columns.size()));
    if (rows == like.rows) {
        result->copyLabels(like);
    } else {
        result->columnLabels = like.columnLabels;
    }
    return Value::of(result);
}

Value ofMatrix(const VectorFunction& f, Arguments arguments, size_t vectors, const Matrix& shape, TupleRule rule) {
    std::vector<Value> columns;
    for (int64_t c = 0; c < shape.columns; ++c) {
        std::vector<Value> step(arguments.begin(), arguments.end());
        for (size_t i = 0; i < vectors && i < step.size(); ++i) {
            if (step[i].isMatrix()) step[i] = Value::of(step[i].matrix().column(c));
        }
        columns.push_back(vectorForms(f, step, vectors, rule));
    }
    return matrixOf(std::move(columns), shape);
}

Value ofTable(const VectorFunction& f, Arguments arguments, size_t vectors, TupleRule rule) {
    const Ref<MemoryTable> table = tableToRead(arguments[0]);
    if (!table) throw UserError(0, "X can't be a partitioned table.", "Use select to compute on it.");
    auto result = makeRef<MemoryTable>();
    for (int c = 0; c < table->columnCount(); ++c) {
        const Value& column = table->column(c);
        std::vector<Value> step(arguments.begin(), arguments.end());
        step[0] = column;
        for (size_t i = 1; i < vectors; ++i) {
            if (!step[i].isTable()) continue;
            const Ref<MemoryTable> other = tableToRead(step[i]);
            if (!other || other->columnCount() != table->columnCount()) {
                throw UserError(static_cast<int>(i),
                                "Two tables must be in memory and have the same number of columns.");
            }
            step[i] = Value(other->column(c));
        }
        bool computed = isNumeric(column.type());
        result->setColumn(table->columns()[static_cast<size_t>(c)].name,
                          computed ? vectorForms(f, step, vectors, rule) : column);
    }
    return Value::of(Ref<Table>(result));
}

// Returns the number of rows of scalars and vectors of one length; 0 when the elements are something else.
int64_t rowsOf(const std::vector<Value>& elements) {
    int64_t rows = -1;
    for (const Value& element : elements) {
        const bool plain = element.isTypedVector() || element.isScalar();
        if (!plain || !(isNumeric(element.type()) || isTemporal(element.type()))) return 0;
        if (element.isScalar()) continue;
        if (rows >= 0 && element.size() != rows) return 0;
        rows = element.size();
    }
    return elements.empty() ? 0 : std::abs(rows);
}

// Works row by row: element r of every vector makes a vector, which f maps to row r of the result.
Value ofRows(const VectorFunction& f, Arguments arguments, size_t vectors, int64_t rows) {
    std::vector<Value> results;
    for (int64_t r = 0; r < rows; ++r) {
        std::vector<Value> step(arguments.begin(), arguments.end());
        for (size_t i = 0; i < vectors && i < step.size(); ++i) {
            if (!step[i].isTuple()) continue;
            std::vector<Value> row;
            for (const Value& element : arguments[i].tuple().elements)
                row.push_back(element.isScalar() ? element : element.at(r));
            step[i] = listOf(std::move(row));
            // Walking such a row again would never end.
            if (step[i].isTuple()) {
                throw UserError(static_cast<int>(i), "The elements of the tuple are of different kinds.");
            }
        }
        results.push_back(vectorForms(f, step, vectors));
    }
    const std::vector<Value>& first = arguments[0].tuple().elements;
    const bool sameShape = std::all_of(results.begin(), results.end(), [&](const Value& v) {
        return v.isVector() && v.size() == static_cast<int64_t>(first.size());
    });
    if (!sameShape) return listOf(std::move(results));
    std::vector<Value> columns;
    bool scalars = true;
    for (size_t k = 0; k < first.size(); ++k) {
        std::vector<Value> column;
        for (const Value& row : results) column.push_back(row.at(static_cast<int64_t>(k)));
        // A column that comes from scalars alone stays a scalar.
        scalars = scalars && first[k].isScalar();
        const bool constant =
            std::all_of(column.begin(), column.end(), [&](const Value& v) { return identical(v, column[0]); });
        columns.push_back(scalars && constant ? column[0] : listOf(std::move(column)));
    }
    return Value::of(makeRef<Tuple>(std::move(columns)));
}

Value ofElements(const VectorFunction& f, Arguments arguments, size_t vectors, const std::vector<Value>& elements,
                 TupleRule rule) {
    std::vector<Value> results;
    for (size_t k = 0; k < elements.size(); ++k) {
        std::vector<Value> step(arguments.begin(), arguments.end());
        step[0] = elements[k];
        for (size_t i = 1; i < vectors && i < step.size(); ++i) {
            if (step[i].isTuple() && step[i].size() == static_cast<int64_t>(elements.size()))
                step[i] = step[i].tuple().elements[k];
        }
        results.push_back(vectorForms(f, step, vectors, rule));
    }
    return Value::of(makeRef<Tuple>(std::move(results)));
}

}  // namespace

Value vectorForms(const VectorFunction& f, Arguments arguments, size_t vectors, TupleRule rule) {
    requireStackRoom();
    vectors = std::min(vectors, arguments.size());
    const Value& x = arguments[0];
    if (x.isTable()) return ofTable(f, arguments, vectors, rule);
    for (size_t i = 0; i < vectors; ++i) {
        if (arguments[i].isMatrix()) return ofMatrix(f, arguments, vectors, arguments[i].matrix(), rule);
    }
    if (x.isTuple()) {
        const int64_t rows = rule == TupleRule::ByRow && languageSettings().processVectorFunctionOverTupleByRow
                                 ? rowsOf(x.tuple().elements)
                                 : 0;
        const bool alike =
            std::all_of(arguments.begin() + 1, arguments.begin() + static_cast<ptrdiff_t>(vectors),
                        [&](const Value& v) { return !v.isTuple() || rowsOf(v.tuple().elements) == rows; });
        if (rows > 0 && alike) return ofRows(f, arguments, vectors, rows);
        return ofElements(f, arguments, vectors, x.tuple().elements, rule);
    }
    if (x.isDictionary()) {
        const Dictionary& source = x.dictionary();
        Value values = source.values();
        std::vector<Value> step(arguments.begin(), arguments.end());
        step[0] = values;
        for (size_t i = 1; i < vectors; ++i) {
            if (!step[i].isDictionary()) continue;
            // The second dictionary is read under the keys of the first.
            const Value other = step[i];
            std::vector<Value> matching;
            for (int64_t k = 0; k < source.size(); ++k) matching.push_back(other.dictionary().get(source.keyAt(k)));
            step[i] = Value::of(makeRef<Tuple>(std::move(matching)));
        }
        Value computed = vectorForms(f, step, vectors, rule);
        if (computed.size() != source.size()) return computed;
        auto result = makeRef<Dictionary>(source.keyType(), Type::Any, source.ordered());
        for (int64_t i = 0; i < source.size(); ++i) result->set(source.keyAt(i), computed.at(i));
        return Value::of(result);
    }
    int64_t count = -1;
    for (size_t i = 0; i < vectors; ++i) {
        if (arguments[i].isScalar()) continue;
        if (!arguments[i].isVector() && !arguments[i].isPair()) {
            throw UserError(static_cast<int>(i),
                            fmt::format("A vector is needed, but {} was given.", typeString(arguments[i])));
        }
        if (count >= 0 && arguments[i].size() != count) {
            throw UserError(static_cast<int>(i), fmt::format("The vectors don't have the same length: {} and {}.",
                                                             count, arguments[i].size()));
        }
        count = arguments[i].size();
    }
    bool scalar = count < 0;
    std::vector<Value> step(arguments.begin(), arguments.end());
    for (size_t i = 0; i < vectors; ++i) {
        if (step[i].isPair()) step[i] = Value::of(Ref<Vector>(&step[i].vector()));
        if (step[i].isScalar()) step[i] = repeated(step[i], scalar ? 1 : count);
    }
    Value result = f(step);
    return scalar && result.isVector() && result.size() == 1 ? result.at(0) : result;
}

}  // namespace pelorus
