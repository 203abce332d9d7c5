// gramSchmidt(X, [normalize]): orthogonal columns that span what the columns of a matrix do.
#include <cmath>

#include "common/error.h"
#include "runtime/value/print.h"
#include "stdlib/arguments.h"
#include "stdlib/number_columns.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

double dot(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

Value gramSchmidtKernel(Context& context, Arguments a) {
    if (!a[0].isMatrix()) refuseArgument(0, "X", "a matrix", a[0]);
    const bool normalize = flagArgument(a, 1, "normalize", false);
    NumberColumns all = columnsArgument(a, 0, "X", NullCells::Refused);
    std::vector<double> squares;
    for (size_t c = 0; c < all.width(); ++c) {
        context.checkCancelled();
        std::vector<double>& column = all.columns[c];
        const double before = dot(column, column);
        for (size_t k = 0; k < c; ++k) {
            const double share = dot(all.columns[k], column) / squares[k];
            for (size_t i = 0; i < all.rows; ++i) column[i] -= share * all.columns[k][i];
        }
        squares.push_back(dot(column, column));
        if (!(squares.back() > 1e-24 * before))
            throw UserError(0, "vector set must be linearly independent", "Leave out columns that follow from others.");
    }
    for (size_t c = 0; normalize && c < all.width(); ++c) {
        for (double& cell : all.columns[c]) cell /= std::sqrt(squares[c]);
    }
    return all.asMatrix();
}

}  // namespace

void registerGramSchmidt(FunctionRegistry& registry) {
    registry.add("gramSchmidt(X, [normalize=false])", gramSchmidtKernel,
                 {.summary = "A matrix of orthogonal columns, the first k of which span what the first k of X do.",
                  .parameters = "X: a matrix whose columns are independent\nnormalize: whether each gets the length 1",
                  .nulls = "X must hold none.",
                  .errors = "A column of X follows from those before it; X is no matrix of numbers.",
                  .complexity = "O(rows · columns²)",
                  .source = "modified Gram-Schmidt (Björck 1967)",
                  .example = "flatten(gramSchmidt(matrix(2 0, 1 3))) -> [2,0,0,3]"
                             "\ngramSchmidt(matrix(2 0, 1 3))"});
}

}  // namespace pelorus
