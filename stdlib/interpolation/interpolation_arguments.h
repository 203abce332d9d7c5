// How functions that interpolate read their points, and the models that they give.
#pragma once

#include <string_view>
#include <vector>

#include "common/thread/cancellation.h"
#include "runtime/function/function.h"
#include "stdlib/arguments.h"
#include "stdlib/named_results.h"

namespace pelorus {

// Reads a vector of numbers without NULL. Throws UserError for what is none.
std::vector<double> numbersArgument(Arguments arguments, size_t i, std::string_view name);
// Reads the values at `x`: as many numbers without NULL.
std::vector<double> valuesArgument(Arguments arguments, size_t i, std::string_view name, const std::vector<double>& x);
// Throws UserError unless the numbers ascend, strictly if `strictly`, and are at least so many.
void requireAscending(const std::vector<double>& x, size_t i, std::string_view name, size_t least, bool strictly);

// Begins a model: a dictionary with its name and the function that predicts by it.
Ref<Dictionary> makeModel(std::string_view name, std::string_view predict);
// Returns a member of the model, argument 0. Throws UserError when the argument is no dictionary, or lacks the member.
Value modelMember(Arguments arguments, std::string_view member);
// Returns a member as numbers without NULL.
std::vector<double> modelNumbers(Arguments arguments, std::string_view member);

// Returns f of each number of argument i, a scalar for a scalar; NULL for NULL. Asks for cancellation every few: f may
// take as long as a model has points.
template <class F>
Value mapReals(Arguments arguments, size_t i, std::string_view name, F f) {
    const Ref<Vector> points = realsArgument(arguments, i, name);
    Ref<Vector> results = Vector::make(Type::Double, points->size());
    double* out = results->mutableData<double>();
    for (int64_t k = 0; k < points->size(); ++k) {
        if (k % 16 == 0) checkCancelled();
        const double point = points->data<double>()[k];
        out[k] = isNull(point) ? point : f(point);
    }
    return arguments[i].isScalar() ? results->at(0) : Value::of(std::move(results));
}

}  // namespace pelorus
