// The built-ins of PostgreSQL's dialect, which take the values of a row and give one value.
//
// They are of Facet::Node: no name in a script reaches them, while the code of translated queries, also of those that
// travel to other nodes, has them.
#pragma once

#include <span>

#include "runtime/function/context.h"
#include "runtime/registry/registry.h"
#include "runtime/value/value.h"

namespace pelorus::postgres {

// One built-in. Arguments are scalars of any type: what a query over columns passes.
struct RowFunction {
    const char* syntax;
    Value (*compute)(std::span<const Value> arguments);  // VOID for NULL; throws SqlError
    Type result;
    int scaleArgument = -1;  // the argument that says the scale of a decimal result
    bool isStrict = true;    // NULL where an argument is: `compute` meets none
    const char* summary;
};

// Returns the function's values for these arguments: one for scalars, else a vector of the result's type.
Value applyRows(const RowFunction& function, Context& context, Arguments arguments);

void registerRowFunction(FunctionRegistry& registry, const RowFunction& function, Kernel kernel);

template <const auto& kList, size_t kNumber>
Value rowKernel(Context& context, Arguments arguments) {
    return applyRows(kList[kNumber], context, arguments);
}

// Registers all functions of a constant array.
template <const auto& kList>
void registerRowFunctions(FunctionRegistry& registry) {
    const auto addAll = [&registry]<size_t... kNumbers>(std::index_sequence<kNumbers...>) {
        (registerRowFunction(registry, kList[kNumbers], rowKernel<kList, kNumbers>), ...);
    };
    addAll(std::make_index_sequence<std::size(kList)>());
}

// Return an argument as what it must be. Throw UserError naming the function's need: arguments may come from another
// node.
std::string_view textArgument(std::span<const Value> arguments, size_t i);
int64_t wholeArgument(std::span<const Value> arguments, size_t i);

}  // namespace pelorus::postgres
