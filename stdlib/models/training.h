// What functions that fit models read, and what their models hold.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "stdlib/interpolation/interpolation_arguments.h"
#include "stdlib/named_results.h"
#include "stdlib/number_columns.h"

namespace pelorus {

// The rows that a model is fitted to: the dependent variable, the factors, and the weights, which may be empty.
struct TrainingRows {
    std::vector<double> y;
    NumberColumns x;
    std::vector<double> weights;

    size_t rows() const { return y.size(); }
};

// The columns that arguments 1 and 2 name (yColName, xColNames), and the one of the weights.
struct TrainingNames {
    std::string y;
    std::vector<std::string> x;
    std::string weights;  // empty: there are none
};
// Reads the names; `weights` is the position of swColName, or -1.
TrainingNames namesOfTraining(Arguments arguments, int weights = -1);

// Calls f with the rows of each part of the data, one after the other: a table is one part, each data source another,
// so that two parts are never in memory together.
void forEachPart(Context& context, Arguments arguments, const TrainingNames& names, NullCells nulls,
                 const std::function<void(const TrainingRows&)>& f);
// Reads all rows at once. Throws UserError when there are none.
TrainingRows trainingRows(Context& context, Arguments arguments, const TrainingNames& names, NullCells nulls);
// Reads Y and X, arguments 0 and 1.
TrainingRows trainingRows(Arguments arguments, NullCells nulls);

// Returns the classes of y, which are whole numbers from 0 to `classes` - 1. Throws UserError for others.
std::vector<int> classesOf(const std::vector<double>& y, int64_t classes, size_t argument);

Value namesValue(const std::vector<std::string>& names);

// Reads the factors of a prediction: the columns that the model names, or as many columns as it has.
NumberColumns factorsToPredict(Arguments arguments, NullCells nulls);
// Returns the same columns as DOUBLE, without a copy of those that are, NULL among them.
std::vector<Ref<Vector>> factorVectorsToPredict(Arguments arguments);
// Returns intercept + sum of coefficient · column as DOUBLE, NULL for a row with NULL. REQUIRES: a coefficient for each
// column, which are as long as each other.
Ref<Vector> linearPredictor(const std::vector<Ref<Vector>>& x, const std::vector<double>& coefficients,
                            double intercept);
int64_t modelInteger(Arguments arguments, std::string_view member);
double modelNumber(Arguments arguments, std::string_view member);
NumberMatrix modelMatrix(Arguments arguments, std::string_view member);

}  // namespace pelorus
