#include "stdlib/models/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/error.h"
#include "common/thread/thread_pool.h"
#include "runtime/table/table.h"
#include "runtime/value/print.h"

namespace pelorus {

TrainingNames namesOfTraining(Arguments arguments, int weights) {
    TrainingNames names{stringArgument(arguments, 1, "yColName"), namesArgument(arguments, 2, "xColNames"), {}};
    if (names.x.empty()) refuseArgument(2, "xColNames", "one name or more", arguments[2]);
    if (weights >= 0) names.weights = stringArgument(arguments, static_cast<size_t>(weights), "swColName", "");
    return names;
}

namespace {

TrainingRows rowsOf(const Value& table, const TrainingNames& names, NullCells nulls) {
    TrainingRows rows;
    rows.y = std::move(namedColumns(table, 0, {names.y}, nulls).columns[0]);
    rows.x = namedColumns(table, 0, names.x, nulls);
    if (!names.weights.empty()) {
        rows.weights = std::move(namedColumns(table, 0, {names.weights}, nulls).columns[0]);
        for (const double w : rows.weights) {
            if (!(w >= 0)) throw UserError(0, fmt::format("The column {} holds a weight below 0.", names.weights));
        }
    }
    return rows;
}

void requireRows(const TrainingRows& rows) {
    if (rows.rows() == 0) throw UserError(0, "There are no rows to fit a model to.");
}

void append(std::vector<double>& to, const std::vector<double>& from) {
    to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

void forEachPart(Context& context, Arguments arguments, const TrainingNames& names, NullCells nulls,
                 const std::function<void(const TrainingRows&)>& f) {
    if (!arguments[0].isTuple()) {
        f(rowsOf(gatheredTable(context, arguments, 0), names, nulls));
        return;
    }
    for (const Value& source : arguments[0].tuple().elements) {
        context.checkCancelled();
        std::vector<Value> one = {source.isTable() ? source : Value::of(makeRef<Tuple>(std::vector<Value>{source}))};
        f(rowsOf(gatheredTable(context, one, 0), names, nulls));
    }
}

TrainingRows trainingRows(Context& context, Arguments arguments, const TrainingNames& names, NullCells nulls) {
    TrainingRows all;
    forEachPart(context, arguments, names, nulls, [&](const TrainingRows& part) {
        if (all.x.columns.empty()) {
            all = part;
            return;
        }
        append(all.y, part.y);
        append(all.weights, part.weights);
        for (size_t c = 0; c < all.x.width(); ++c) append(all.x.columns[c], part.x.columns[c]);
        all.x.rows += part.x.rows;
    });
    requireRows(all);
    return all;
}

TrainingRows trainingRows(Arguments arguments, NullCells nulls) {
    TrainingRows rows;
    rows.y = columnArgument(arguments, 0, "Y", nulls);
    rows.x = factorsArgument(arguments, 1, "X", rows.y.size(), nulls);
    requireRows(rows);
    return rows;
}

std::vector<int> classesOf(const std::vector<double>& y, int64_t classes, size_t argument) {
    std::vector<int> result;
    result.reserve(y.size());
    for (const double label : y) {
        if (!(label >= 0 && label < static_cast<double>(classes)) || label != std::floor(label))
            throw UserError(static_cast<int>(argument),
                            fmt::format("The classes must be whole numbers from 0 to {}, but one is {}.", classes - 1,
                                        isNull(label) ? "NULL" : fmt::format("{}", label)));
        result.push_back(static_cast<int>(label));
    }
    return result;
}

Value namesValue(const std::vector<std::string>& names) {
    return Value::of(Vector::ofStrings(names));
}

// The names of the factors that the model was fitted to, and whether argument 1 is a table that has them all.
struct FactorNames {
    std::vector<std::string> names;
    bool areThere = false;
};

static FactorNames factorNames(Arguments arguments) {
    std::vector<Value> held = {modelMember(arguments, "xColNames")};
    FactorNames f{namesArgument(held, 0, "xColNames of the model")};
    const Ref<MemoryTable> table = tableToRead(arguments[1]);
    const auto isThere = [&](const std::string& name) { return table->findColumn(name) >= 0; };
    f.areThere = table && std::ranges::all_of(f.names, isThere);
    return f;
}

static void requireWidth(size_t width, const FactorNames& f) {
    if (width != f.names.size())
        throw UserError(1, fmt::format("X has {} columns, but the model was fitted to {}.", width, f.names.size()));
}

NumberColumns factorsToPredict(Arguments arguments, NullCells nulls) {
    const FactorNames f = factorNames(arguments);
    if (f.areThere) return namedColumns(arguments[1], 1, f.names, nulls);
    NumberColumns x = columnsArgument(arguments, 1, "X", nulls);
    requireWidth(x.width(), f);
    return x;
}

std::vector<Ref<Vector>> factorVectorsToPredict(Arguments arguments) {
    const FactorNames f = factorNames(arguments);
    if (f.areThere) return namedVectors(arguments[1], 1, f.names);
    std::vector<Ref<Vector>> x = columnVectors(arguments, 1, "X");
    requireWidth(x.size(), f);
    return x;
}

Ref<Vector> linearPredictor(const std::vector<Ref<Vector>>& x, const std::vector<double>& coefficients,
                            double intercept) {
    const int64_t rows = x.empty() ? 0 : x[0]->size();
    Ref<Vector> result = Vector::make(Type::Double, rows);
    double* y = result->mutableData<double>();
    std::vector<const double*> columns;
    for (const Ref<Vector>& column : x) columns.push_back(column->data<double>());
    constexpr int64_t kBlock = 4096;  // of the sums, which stay in the first cache
    parallelFor((rows + kBlock - 1) / kBlock, [&](int64_t b) {
        const int64_t begin = b * kBlock, end = std::min(rows, begin + kBlock);
        bool hasNull[kBlock] = {};
        std::fill(y + begin, y + end, intercept);
        for (size_t c = 0; c < columns.size(); ++c) {
            const double *column = columns[c], weight = coefficients[c];
            for (int64_t i = begin; i < end; ++i) {
                y[i] += weight * column[i];
                hasNull[i - begin] |= isNull(column[i]);
            }
        }
        for (int64_t i = begin; i < end; ++i) {
            if (hasNull[i - begin]) y[i] = null<double>;
        }
    });
    return result;
}

int64_t modelInteger(Arguments arguments, std::string_view member) {
    std::vector<Value> held = {modelMember(arguments, member)};
    return integerArgument(held, 0, fmt::format("{} of the model", member));
}
double modelNumber(Arguments arguments, std::string_view member) {
    std::vector<Value> held = {modelMember(arguments, member)};
    return realArgument(held, 0, fmt::format("{} of the model", member));
}
NumberMatrix modelMatrix(Arguments arguments, std::string_view member) {
    std::vector<Value> held = {modelMember(arguments, member)};
    return matrixArgument(held, 0, fmt::format("{} of the model", member), false);
}

}  // namespace pelorus
