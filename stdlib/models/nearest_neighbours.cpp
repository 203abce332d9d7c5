// knn: classes and values of the nearest rows.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "common/error.h"
#include "common/thread/thread_pool.h"
#include "runtime/value/print.h"
#include "stdlib/models/training.h"
#include "stdlib/register_analysis.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

// knn(Y, X, type, nNeighbor, [power])
Value knnKernel(Context&, Arguments a) {
    const std::string type = stringArgument(a, 2, "type");
    if (type != "regressor" && type != "classifier") refuseArgument(2, "type", "regressor or classifier", a[2]);
    const int64_t neighbours = integerArgument(a, 3, "nNeighbor"), power = integerArgument(a, 4, "power", 2);
    if (power < 1) refuseArgument(4, "power", "1 or more", a[4]);
    const TrainingRows rows = trainingRows(a, NullCells::Refused);
    if (neighbours < 1 || neighbours > static_cast<int64_t>(rows.rows()))
        refuseArgument(3, "nNeighbor", "from 1 to the rows of X", a[3]);
    auto inner = makeRef<Dictionary>(Type::String, Type::Any, true);
    addMember(*inner, "Y", realsOf(rows.y));
    addMember(*inner, "X", rows.x.asMatrix());
    const Ref<Dictionary> model = makeModel("KNN", "knnPredict");
    addMember(*model, "nNeighbor", Value::ofInt(static_cast<int32_t>(neighbours)));
    addMember(*model, "model", Value::of(std::move(inner)));
    addMember(*model, "power", Value::ofInt(static_cast<int32_t>(std::min<int64_t>(power, INT32_MAX))));
    addMember(*model, "type", Value::ofString(type));
    addMember(*model, "xColNames", namesValue(rows.x.names));
    return Value::of(model);
}

// Returns the most frequent class, the smallest of several.
double majority(const std::vector<std::pair<double, size_t>>& nearest, const std::vector<double>& y) {
    std::map<double, int> votes;
    for (const auto& [distance, i] : nearest) ++votes[y[i]];
    const auto most = std::ranges::max_element(votes, {}, [](const auto& vote) { return vote.second; });
    return most->first;
}

// knnPredict(model, X)
Value knnPredictKernel(Context&, Arguments a) {
    std::vector<Value> inner = {modelMember(a, "model")};
    const std::vector<double> y = modelNumbers(inner, "Y");
    const NumberMatrix known = modelMatrix(inner, "X");
    const auto neighbours = static_cast<size_t>(std::max<int64_t>(1, modelInteger(a, "nNeighbor")));
    const auto power = static_cast<double>(modelInteger(a, "power"));
    const Value type = modelMember(a, "type");
    const bool isClassifier = type.isString() && type.string() == "classifier";
    const NumberColumns x = factorsToPredict(a, NullCells::Refused);
    if (known.columns != x.width() || known.rows != y.size() || neighbours > y.size() || !(power >= 1))
        throw UserError(0, "The members of the model do not fit together.");
    std::vector<double> result(x.rows);
    parallelFor(static_cast<int64_t>(x.rows), [&](int64_t row) {
        const auto r = static_cast<size_t>(row);
        std::vector<double> distances(y.size(), 0.0);
        for (size_t c = 0; c < x.width(); ++c) {
            const double at = x.columns[c][r];
            const double* column = known.cells.data() + c * known.rows;
            for (size_t i = 0; i < y.size(); ++i) {
                const double away = std::abs(column[i] - at);
                distances[i] += power == 2 ? away * away : power == 1 ? away : std::pow(away, power);
            }
        }
        std::vector<std::pair<double, size_t>> nearest(y.size());
        for (size_t i = 0; i < y.size(); ++i) nearest[i] = {distances[i], i};
        const auto end = nearest.begin() + static_cast<ptrdiff_t>(neighbours);
        std::nth_element(nearest.begin(), end - 1, nearest.end());
        nearest.erase(end, nearest.end());
        std::ranges::sort(nearest);
        double sum = 0;
        for (const auto& [distance, i] : nearest) sum += y[i];
        result[r] = isClassifier ? majority(nearest, y) : sum / static_cast<double>(neighbours);
    });
    return realsOf(result);
}

}  // namespace

void registerNearestNeighbours(FunctionRegistry& registry) {
    registry.add(
        "knn(Y, X, type, nNeighbor, [power=2])", knnKernel,
        {.summary = "The rows that predictions are made from, as a model: the most frequent class, or the mean, "
                    "of the nearest.",
         .parameters = "Y: a vector of numbers, the class or value of each row\nX: the factors: a table, matrix, "
                       "vector or tuple of vectors\ntype: regressor or classifier\n"
                       "nNeighbor: how many rows, from 1\npower: of Minkowski's distance: 1 Manhattan, 2 Euclid",
         .nulls = "There must be none.",
         .errors = "Y and X differ in rows, or are not numeric; type, nNeighbor or power is out of its range.",
         .complexity = "O(rows · factors)",
         .source = "Cover, Hart 1967",
         .example = "predict(knn(1 1 2 2, table(0 1 8 9 as x), \"classifier\", 3), table(0.5 8.5 as x)) -> [1,2]"
                    "\nknn(1 1 2 2, table(0 1 8 9 as x), \"classifier\", 3)"});
    registry.add(
        "knnPredict(model, X)", knnPredictKernel,
        {.summary = "The classes or values that a model of knn predicts, as DOUBLE; of equal votes the smallest "
                    "class, of equal distances the row that comes first.",
         .parameters = "model: the dictionary\nX: a table with the columns that the model names, or as many "
                       "columns in a matrix, tuple or vector",
         .nulls = "X must hold none.",
         .errors = "X lacks a column; the model lacks a member.",
         .complexity = "O(rows · rows of the model · factors)",
         .example = "knnPredict(knn(1 3 5, 0 1 8, \"regressor\", 2), [0.4]) -> [2]"});
}

}  // namespace pelorus
