// Row functions that keep the shape of X: rowRank, rowPrev, rowCumsum and their relations. FAM-06.
#include "runtime/function.h"
#include "runtime/kernel/elementwise.h"
#include "runtime/kernel/operators.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

// byRow(f{, arguments…}, X)
Value byRow(Context& context, std::string_view name, Arguments arguments) {
    FunctionRegistry& registry = FunctionRegistry::instance();
    std::vector<Value> fixed(arguments.begin(), arguments.end());
    while (fixed.size() > 1 && isOmitted(fixed.back())) fixed.pop_back();
    const Value x = fixed[0];
    fixed[0] = omitted();
    Ref<Function> f(const_cast<BuiltinFunction*>(&registry.get(name)));
    if (fixed.size() > 1) f = makeRef<PartialFunction>(f, std::move(fixed));
    std::vector<Value> call = {Value::of(f), x};
    call.resize(3, omitted());
    return registry.get("byRow").call(context, call);
}

struct ShapeFunction {
    const char* syntax;
    const char* function;
    const char* summary;
    const char* example;
};
constexpr ShapeFunction kShapeFunctions[] = {
    {"rowPrev(X)", "prev", "Each row moved right by one position.", "rowPrev(matrix(1 2, 3 4))[1] -> [1,2]"},
    {"rowNext(X)", "next", "Each row moved left by one position.", "rowNext(matrix(1 2, 3 4))[0] -> [3,4]"},
    {"rowMove(X, steps)", "move", "Each row moved right by so many positions, left when steps is negative.",
     "rowMove(matrix(1 2, 3 4), 1)[1] -> [1,2]"},
    {"rowCumsum(X)", "cumsum", "The running sum along each row.", "rowCumsum(matrix(1 2, 3 4))[1] -> [4,6]"},
    {"rowCumprod(X)", "cumprod", "The running product along each row.", "rowCumprod(matrix(1 2, 3 4))[1] -> [3,8]"},
    {"rowCummax(X)", "cummax", "The running maximum along each row.", "rowCummax(matrix(5 2, 3 4))[1] -> [5,4]"},
    {"rowCummin(X)", "cummin", "The running minimum along each row.", "rowCummin(matrix(5 2, 3 4))[1] -> [3,2]"},
    {"rowRank(X, [ascending=true], [groupNum], [ignoreNA=true], [tiesMethod='min'], [percent=false], [precision])",
     "rank", "The rank of each item within its row; arguments as of rank.", "rowRank(matrix(5 2, 3 4))[0] -> [1,0]"},
    {"rowDenseRank(X, [ascending=true], [ignoreNA=true], [percent=false])", "denseRank",
     "The rank of each item within its row, without gaps; arguments as of denseRank.",
     "rowDenseRank(matrix(5 2, 3 4))[0] -> [1,0]"},
};

template <size_t kIndex>
Value shapeKernel(Context& context, Arguments arguments) {
    return byRow(context, kShapeFunctions[kIndex].function, arguments);
}

template <size_t... kIndex>
void addAll(FunctionRegistry& registry, std::index_sequence<kIndex...>) {
    (registry.add(kShapeFunctions[kIndex].syntax, shapeKernel<kIndex>,
                  {.summary = kShapeFunctions[kIndex].summary,
                   .parameters = "X: a matrix, table, tuple of vectors, array vector or columnar tuple",
                   .nulls = "As the function of a vector takes them.",
                   .example = kShapeFunctions[kIndex].example},
                  kElementwise),
     ...);
}

}  // namespace

void registerRowShapes(FunctionRegistry& registry) {
    addAll(registry, std::make_index_sequence<std::size(kShapeFunctions)>());
}

}  // namespace pelorus
